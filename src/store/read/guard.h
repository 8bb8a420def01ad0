/* guard: what a statement may do: read. SQLite asks it while a statement is prepared; a read-only
 * handle alone lets ATTACH and VACUUM INTO make files. */
#ifndef PM_STORE_GUARD_H
#define PM_STORE_GUARD_H

#include <sqlite3.h>

typedef struct pm_guard {
    char refused[160]; /* the first thing: "INSERT INTO snapshot"; "" so far */
} pm_guard;

/* From now on; *guard must last as long as it is set, and is emptied. */
void pm_guard_set(sqlite3 *db, pm_guard *guard);
void pm_guard_clear(sqlite3 *db);

#endif
