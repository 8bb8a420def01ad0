/* query: a named query, its parameters as users write them, its rows. Implements the pmapdb_rows of
 * pmapdb.h; what follows is for the floors above. */
#ifndef PM_STORE_QUERY_H
#define PM_STORE_QUERY_H

#include "store/catalog.h"
#include "store/select.h"
#include "store/store.h"

const pm_query_info *pm_rows_info(const pmapdb_rows *rows);

/* Declared columns against SQLite's, read-only, one statement: pmapdb_query has done this already;
 * for checking a file without running it. */
pmapdb_status pm_query_check(sqlite3 *db, const pm_query_info *info, sqlite3_stmt **stmt,
                             pmapdb_error *err);

/* ---- between query.c and bind.c ---- */

struct pmapdb_rows {
    pmapdb_store *store;
    pm_query_info *info;
    sqlite3_stmt *stmt;
    char *given[PM_QUERY_ITEMS]; /* NULL: the default */
    bool bound;
    pm_scope scope;
    int64_t back_from; /* moment of :to, for a --from that counts back */
};

/* A parameter NAME-OF-IT is bound as :name_of_it. */
bool pm_query_is_param(const char *bound, pm_text name);

/* Turns the parameters' texts into bound values. */
pmapdb_status pm_query_resolve(pmapdb_rows *rows, pmapdb_error *err);

#endif
