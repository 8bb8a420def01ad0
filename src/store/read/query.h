/* query: a query, its parameters as users write them, its rows. Implements the pmapdb_rows of
 * pmapdb.h; what follows is for the floors above. */
#ifndef PM_STORE_QUERY_H
#define PM_STORE_QUERY_H

#include "base/buf.h"
#include "store/file/store.h"
#include "store/read/catalog.h"
#include "store/read/select.h"

/* Of ad-hoc SQL the name is "sql". */
const pm_query_info *pm_rows_info(const pmapdb_rows *rows);

/* One read-only statement, its columns and parameters as declared: pmapdb_query has done this
 * already; for checking a file without running it. The second one needs no store. */
pmapdb_status pm_query_check(sqlite3 *db, const pm_query_info *info, sqlite3_stmt **stmt,
                             pmapdb_error *err);
pmapdb_status pm_query_check_alone(const pm_query_info *info, pmapdb_error *err);

/* How SQLite will go about it, in indented lines: EXPLAIN QUERY PLAN. */
pmapdb_status pm_query_plan(pmapdb_rows *rows, pm_buf *out, pmapdb_error *err);

/* ---- between query.c, bind.c and adhoc.c ---- */

struct pm_adhoc;

struct pmapdb_rows {
    pmapdb_store *store;
    pm_query_info *info;
    sqlite3_stmt *stmt;
    char *given[PM_QUERY_ITEMS]; /* NULL: the default */
    bool bound;
    pm_scope scope;
    int64_t moment_ms;      /* of :snapshot, or :to; 0: it has none */
    int64_t back_from;      /* moment of :to, for a --from that counts back */
    struct pm_adhoc *adhoc; /* NULL: a named query */
};

/* A parameter NAME-OF-IT is bound as :name_of_it. */
bool pm_query_is_param(const char *bound, pm_text name);

/* Copies the names of columns and parameters to info->names: SQLite's own are gone once it prepares
 * the statement again, which it may do at any step. JSON has no use for two keys of one name: the
 * second column "x" is "x_2". */
pmapdb_status pm_query_keep_names(pm_query_info *info, pmapdb_error *err);

/* Turns the parameters' texts into bound values. */
pmapdb_status pm_query_resolve(pmapdb_rows *rows, pmapdb_error *err);

#endif
