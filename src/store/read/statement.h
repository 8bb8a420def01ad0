/* statement: SQL that a person wrote, in a query file or on the command line: one statement that
 * only reads. SQLite asks an authorizer while the statement is prepared, because a read-only handle
 * alone lets ATTACH and VACUUM INTO make files. */
#ifndef PM_STORE_READ_STATEMENT_H
#define PM_STORE_READ_STATEMENT_H

#include "store/read/catalog.h"
#include <sqlite3.h>

/* Prepares info->body. An error of the statement is PMAPDB_USAGE with the line, where SQLite tells
 * the place (since 3.38), and with a name that was perhaps meant. `what` is the subject of errors:
 * "a query". On failure *stmt is NULL. */
pmapdb_status pm_statement_prepare(sqlite3 *db, const pm_query_info *info, const char *what,
                                   sqlite3_stmt **stmt, pmapdb_error *err);

#endif
