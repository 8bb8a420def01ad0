/* trouble: what SQLite has against a statement, with the line, and what was perhaps meant. */
#ifndef PM_STORE_TROUBLE_H
#define PM_STORE_TROUBLE_H

#include "store/read/guard.h"
#include "store/read/script.h"

/* Prepares the one statement of the script, which must only read. The guard is set on db. `what` is
 * the subject of errors: "a query". On failure *stmt is NULL. */
pmapdb_status pm_trouble_prepare(sqlite3 *db, const pm_script *script, const pm_guard *guard,
                                 const char *what, sqlite3_stmt **stmt, pmapdb_error *err);

#endif
