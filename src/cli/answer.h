/* answer: the rows of a query: read by the names of their columns, or written as the output that
 * the command line asks for. */
#ifndef PM_CLI_ANSWER_H
#define PM_CLI_ANSWER_H

#include "cli/output.h"
#include "store/read/query.h"

/* The number of a column; -1: there is no such column. */
int pm_answer_column(const pmapdb_rows *rows, const char *name);

/* A column of the current row, by its name. An unknown text is empty, an unknown real NaN. */
int64_t pm_answer_int(const pmapdb_rows *rows, const char *name);
double pm_answer_real(const pmapdb_rows *rows, const char *name);
void pm_answer_text(const pmapdb_rows *rows, const char *name, char *out, size_t size);

/* The columns that are shown: of a table those that the query's header names, or all. Must stay
 * where it is filled in, and lasts as long as the rows. */
typedef struct pm_answer_view {
    bool keep[PM_QUERY_ITEMS]; /* column i is shown */
    pm_column column[PM_QUERY_ITEMS];
    int n;
    pm_about about;
    pm_text help[PM_QUERY_ITEMS];
    pm_label labels[PM_QUERY_ITEMS];
} pm_answer_view;

/* After the first row: the query knows of what moment its rows are. */
void pm_answer_look(const pm_cli *cli, const pmapdb_rows *rows, pm_answer_view *out);
/* The values of the current row's shown columns. */
void pm_run_values(const pmapdb_rows *rows, const bool *keep, pm_value *values);

/* Writes bound rows to an open output and leaves that open: a total may follow. `see`, which may be
 * NULL, is called with each row. */
typedef void (*pm_answer_see)(void *ctx, const pmapdb_rows *row);
void pm_answer_rows(pm_output *out, pmapdb_rows *rows, pm_answer_view *view, pm_answer_see see,
                    void *ctx);

/* The same as a whole answer. */
void pm_answer_write(const pm_cli *cli, pmapdb_rows *rows, pm_answer_see see, void *ctx);

/* A list has names with blanks between. */
bool pm_answer_lists(pm_text list, pm_text name);

#endif
