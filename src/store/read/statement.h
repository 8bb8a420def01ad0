/* statement: SQL that a person wrote, in a query file or on the command line: one statement that
 * only reads. An authorizer checks it while SQLite prepares it, because a read-only handle still
 * lets ATTACH and VACUUM INTO make files. */
#ifndef PM_STORE_READ_STATEMENT_H
#define PM_STORE_READ_STATEMENT_H

#include "store/read/catalog.h"
#include <sqlite3.h>

/* Prepares info->body. An error in the statement is PMAPDB_USAGE with the line, if SQLite knows the
 * place (since 3.38), and with a suggestion for an unknown name. `what` is the subject of errors:
 * "a query". On failure *stmt is NULL. */
pmapdb_status pm_statement_prepare(sqlite3 *db, const pm_query_info *info, const char *what,
                                   sqlite3_stmt **stmt, pmapdb_error *err);

#endif
