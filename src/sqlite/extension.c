/* extension: the entry points of pmapdb.so for SQLite.
 *
 *     .load ./pmapdb
 *     SELECT category, sum(rss_kib) FROM smaps(1234) GROUP BY 1;
 */
#include "pmapdb.h"
#include "sqlite/table.h"
#include "store/func/functions.h"

SQLITE_EXTENSION_INIT1

/* The version of RHEL 9. The extension calls no function of SQLite that is newer. */
#define OLDEST 3034000

/* SQLite looks for this name first, whatever the name of the file. */
PMAPDB_API int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);
/* The name derived from pmapdb.so, for programs that pass it. */
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
    rc = pm_functions_add(db, NULL);
    return rc == SQLITE_OK ? pm_tables_add(db) : rc;
}

int sqlite3_pmapdb_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    return sqlite3_extension_init(db, error, api);
}
