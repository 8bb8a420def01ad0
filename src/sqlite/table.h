/* table: the table-valued functions. They are eponymous virtual tables whose hidden last columns
 * are the arguments. */
#ifndef PM_SQLITE_TABLE_H
#define PM_SQLITE_TABLE_H

#include <sqlite3ext.h>

/* Adds smaps(pid), maps(pid), pmap_file(file, as_dialect) to the connection. Returns SQLite's
 * result code. */
int pm_tables_add(sqlite3 *db);

#endif
