/* catalog: the named queries: their headers, their places, and the check of a statement against its
 * header.
 *
 *     -- name:   NAME
 *     -- title:  one line
 *     -- param:  NAME TYPE DEFAULT TEXT      (TYPE: docs/queries.md; DEFAULT - : must be given;
 *                                             "" : NULL; only, for TYPE process: the only name
 *                                             of the store)
 *     -- column: NAME TYPE TEXT
 *     -- table:  NAME NAME ...               (the columns that a terminal shows; else all)
 *     -- narrow: NAME NAME ...               (the columns of `table` that a narrow terminal shows;
 *                                             else all)
 *     -- total:  NAME NAME ...               (what the row TOTAL below a table adds up; else there
 *                                             is no such row)
 *     -- empty:  TEXT                        (what an answer without rows means; default: "no
 *                                             NAME", or "no rows" for a query that is not
 *                                             built in)
 *     -- order:  time                        (the newest rows are the last: --top shows the last)
 *     -- engine: clickhouse                  (a question about a fleet: see remote.h)
 *
 * A file of the query directory, or of $XDG_CONFIG_HOME/pmapdb/queries, takes precedence over the
 * built-in query of the same name. Queries about a fleet are in the folder fleet of these, and are
 * called fleet/NAME here. One read-only statement per file. In the statement, dashes of a
 * parameter's name are underscores: max-size is :max_size. A parameter of type process gives two
 * values: :process, a process_id, or, where a name was given, NULL and :name_id. A text parameter
 * called dialect, state or host takes only words that exist; a parameter whose TEXT begins "One of
 * a, b, c" takes only these. */
#ifndef PM_STORE_CATALOG_H
#define PM_STORE_CATALOG_H

#include "base/err.h"
#include "base/unit.h"

#define PM_QUERY_ITEMS 64 /* parameters, and columns, of a query */

typedef struct pm_query_param {
    pm_text name, fallback, help; /* fallback "-": must be given */
    pm_unit unit;
} pm_query_param;

typedef struct pm_query_column {
    pm_text name, help;
    pm_unit unit;
} pm_query_column;

typedef struct pm_query_info {
    char *text;       /* the whole file; everything else points into it */
    char *where;      /* the name of the file in errors; NULL: the command line */
    const char *body; /* the statement, after the header */
    char *names;      /* of a prepared query: the names of its columns, NUL-terminated */
    bool builtin;
    pm_text name, title, about, table, narrow, total, empty, order, engine;
    pm_query_param param[PM_QUERY_ITEMS];
    pm_query_column column[PM_QUERY_ITEMS];
    int n_params, n_columns;
} pm_query_info;

/* PMAPDB_USAGE with "FILE:LINE: ..." for the place `at` in the text, "FILE: ..." for NULL; for the
 * command line "line N: ..." if it has several lines. */
pmapdb_status pm_query_fail(const pm_query_info *q, const char *at, pmapdb_error *err,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns the index of a parameter, or -1. */
int pm_query_param_at(const pm_query_info *q, pm_text name);

/* Finds and reads a query. PMAPDB_NOTFOUND lists the names of queries. query_dir may be NULL. */
pmapdb_status pm_catalog_find(const char *query_dir, const char *name, pm_query_info **out,
                              pmapdb_error *err);

/* Reads the file `path`, whose name must be the name in the header. */
pmapdb_status pm_catalog_read(const char *path, pm_query_info **out, pmapdb_error *err);
void pm_catalog_free(pm_query_info *info);

/* Reads a header. `where` names the file in errors; copies the text. */
pmapdb_status pm_catalog_parse(const char *where, pm_text text, pm_query_info **out,
                               pmapdb_error *err);

/* All names of built-in queries and of files, sorted, each once; of the folder "fleet", or "" for
 * the queries of a store. The files may have errors. */
typedef struct pm_names {
    char **name;
    size_t n, cap;
} pm_names;

pmapdb_status pm_catalog_names(const char *query_dir, const char *folder, pm_names *out,
                               pmapdb_error *err);
void pm_names_free(pm_names *names);

#endif
