/* extension: what SQLite calls when it loads pmapdb.so.
 *
 *     .load ./pmapdb
 *     SELECT category, sum(rss_kib) FROM smaps(1234) GROUP BY 1;
 */
#include "pmapdb.h"
#include "sqlite/table.h"
#include "store/func/functions.h"

SQLITE_EXTENSION_INIT1

/* RHEL 9 has this version. Newer functions are not called through the table that SQLite hands over.
 */
#define OLDEST 3034000

/* SQLite looks for this name first: the file may be called anything. */
PMAPDB_API int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);
/* Derived from the name pmapdb.so; for programs that ask for it. */
PMAPDB_API int sqlite3_pmapdb_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    int rc;

    SQLITE_EXTENSION_INIT2(api);
    if (sqlite3_libversion_number() < OLDEST) {
        *error =
            sqlite3_mprintf("pmapdb needs SQLite 3.34 or later, this is %s", sqlite3_libversion());
        return SQLITE_ERROR;
    }
    rc = pm_functions_add(db);
    return rc == SQLITE_OK ? pm_tables_add(db) : rc;
}

int sqlite3_pmapdb_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    return sqlite3_extension_init(db, error, api);
}
