/* query: a query, its parameters in the user's words, its rows. Implements the pmapdb_rows of
 * pmapdb.h; the functions below are for higher layers. */
#ifndef PM_STORE_QUERY_H
#define PM_STORE_QUERY_H

#include "base/buf.h"
#include "store/file/store.h"
#include "store/read/catalog.h"
#include "store/read/select.h"

/* The name of ad-hoc SQL is "sql". */
const pm_query_info *pm_rows_info(const pmapdb_rows *rows);

/* Checks for one read-only statement with the columns and parameters of the header. pmapdb_query
 * does this, too; these functions check a file without running it. The second needs no store. */
pmapdb_status pm_query_check(pmapdb_store *store, const pm_query_info *info, sqlite3_stmt **stmt,
                             pmapdb_error *err);
pmapdb_status pm_query_check_alone(const pm_query_info *info, pmapdb_error *err);

/* Puts SQL before and after the statement, which becomes a subquery: "SELECT * FROM (" and ")
 * ORDER BY 2 DESC". Only before the first row; columns after those of the header are ignored. */
pmapdb_status pm_rows_wrap(pmapdb_rows *rows, const char *before, const char *after,
                           pmapdb_error *err);

/* ---- between query.c, bind.c and adhoc.c ---- */

struct pm_adhoc;

struct pmapdb_rows {
    pmapdb_store *store;
    pm_query_info *info;
    sqlite3_stmt *stmt;
    char *given[PM_QUERY_ITEMS]; /* NULL: the default */
    bool bound;
    pm_scope scope;
    int64_t moment_ms;      /* of :snapshot, or :to; 0: no such parameter */
    int64_t back_from;      /* moment of :to, for a --from relative to it */
    char clipped[160];      /* what to say about a time before the first snapshot; "": nothing */
    struct pm_adhoc *adhoc; /* NULL: a named query */
};

/* Makes rows that have no statement yet and whose scope is all processes. Owns the info from now
 * on, also on failure. */
pmapdb_status pm_rows_new(pmapdb_store *store, pm_query_info *info, pmapdb_rows **out,
                          pmapdb_error *err);

/* True if `bound` (":max_size") is the parameter `name` ("max-size"). */
bool pm_query_is_param(const char *bound, pm_text name);

/* Copies the names of columns and parameters to info->names: SQLite frees its own when it prepares
 * the statement again, which may happen at any step. A JSON object should not have two equal keys:
 * the second column "x" becomes "x_2". */
pmapdb_status pm_query_keep_names(pm_query_info *info, pmapdb_error *err);

/* Turns the texts of the parameters into bound values. */
pmapdb_status pm_query_resolve(pmapdb_rows *rows, pmapdb_error *err);

#endif
