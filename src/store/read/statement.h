/* statement: SQL that a person wrote, in a query file or on the command line: one statement that
 * only reads. An authorizer checks it while SQLite prepares it, because a read-only handle still
 * lets ATTACH and VACUUM INTO make files. */
#ifndef PM_STORE_READ_STATEMENT_H
#define PM_STORE_READ_STATEMENT_H

#include "store/file/store.h"
#include "store/read/catalog.h"

/* Prepares info->body. An error in the statement is PMAPDB_USAGE with the line (before SQLite
 * 3.38, the line where the unknown name first occurs, or else the first), and a suggestion for an
 * unknown name. `what` is the subject of errors: "a query". On failure *stmt is NULL. */
pmapdb_status pm_statement_prepare(pmapdb_store *store, const pm_query_info *info, const char *what,
                                   sqlite3_stmt **stmt, pmapdb_error *err);

/* Adds the SQL functions of store/func to the connection. Only questions need them: a program that
 * captures or imports does not pay for them. */
pmapdb_status pm_statement_functions(pmapdb_store *store, pmapdb_error *err);

#endif
