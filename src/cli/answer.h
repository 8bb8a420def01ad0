/* answer: the rows of a query: reads columns by name, or writes the rows in the output format of
 * the command line. */
#ifndef PM_CLI_ANSWER_H
#define PM_CLI_ANSWER_H

#include "base/pool.h"
#include "cli/output.h"
#include "store/read/query.h"

/* ---- ask.c ---- */

/* Returns the index of a column, or -1 if there is no such column. */
int pm_answer_column(const pmapdb_rows *rows, const char *name);

/* Return a column of the current row by its name. Unknown texts are empty, unknown reals NaN. */
int64_t pm_answer_int(const pmapdb_rows *rows, const char *name);
double pm_answer_real(const pmapdb_rows *rows, const char *name);
void pm_answer_text(const pmapdb_rows *rows, const char *name, char *out, size_t size);

/* Returns a column of the current row. */
pm_value pm_answer_value(const pmapdb_rows *rows, int column);

/* Returns the bytes of a text, valid until the next row; no data: unknown, or no such column. */
pm_text pm_answer_bytes(const pmapdb_rows *rows, const char *name);

/* Returns a copy of a text that lasts as long as the pool; without data if the text has none. */
pm_text pm_answer_keep(pm_pool *texts, pm_text text);

/* Gives a parameter its value; NULL: its default. Ends the program if the value is wrong. */
void pm_answer_bind(pmapdb_rows *rows, const char *param, const char *value);

/* Prepares a named query, or a statement. An argument without a name ends the list. The value of an
 * argument may be the rows of another query (`of`), as JSON; that query is then closed. */
typedef struct pm_answer_arg {
    const char *param, *value;
    pmapdb_rows *of;
} pm_answer_arg;

pmapdb_rows *pm_answer_ask(pmapdb_store *store, const char *query, const pm_answer_arg *args);
pmapdb_rows *pm_answer_sql(pmapdb_store *store, const char *sql);
/* Gives a parameter the rows of another query as JSON, and closes that query. */
void pm_answer_give(pmapdb_rows *rows, const char *param, pmapdb_rows *of);
/* Makes the statement a subquery, as pm_rows_wrap() does. */
void pm_answer_wrap(pmapdb_rows *rows, const char *before, const char *after);

/* Sets each parameter of another query to the column of the current row with the same name; to its
 * default if the value is unknown. */
void pm_answer_pass(const pmapdb_rows *row, pmapdb_rows *to);

/* Adds all columns of the rows of a bound query to `out` as a JSON list of objects, for a query
 * about these rows. Closes the query. */
void pm_answer_json(pmapdb_rows *rows, pm_buf *out);

/* ---- answer.c ---- */

/* The columns to show: those of --columns; in a table, those that the query's header names;
 * otherwise all. The struct must not move after it was filled in; valid as long as the rows. */
typedef struct pm_answer_view {
    int from[PM_QUERY_ITEMS]; /* the places of the shown columns in the rows */
    pm_column column[PM_QUERY_ITEMS];
    int n;
    pm_about about;
    pm_text help[PM_QUERY_ITEMS];
    pm_sample_label labels[PM_QUERY_ITEMS];
    /* By the places in the rows: the columns that the row TOTAL adds up, and their sums, which may
     * be PMAPDB_UNKNOWN. */
    bool summed[PM_QUERY_ITEMS];
    int64_t sum[PM_QUERY_ITEMS];
} pm_answer_view;

/* Writes the rows of a bound query to an open output, in the order of --sort, and their TOTAL. The
 * output stays open; until its rows are ended, further rows of the same query continue them. Calls
 * `see` (or NULL) with each row. */
typedef void (*pm_answer_see)(void *ctx, const pmapdb_rows *row);
void pm_answer_rows(pm_output *out, pmapdb_rows *rows, pm_answer_view *view, pm_answer_see see,
                    void *ctx);

/* Opens an output, writes the rows like pm_answer_rows(), ends the output and closes the
 * rows. */
void pm_answer_write(const pm_cli *cli, pmapdb_rows *rows, pm_answer_see see, void *ctx);

#endif
