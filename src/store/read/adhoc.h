/* adhoc: SQL that a person types. It runs on a handle of its own, read-only, guarded and with
 * limits, whatever the store was opened for. */
#ifndef PM_STORE_ADHOC_H
#define PM_STORE_ADHOC_H

#include "store/read/query.h"

/* The largest text or blob that a statement may make, and all of its memory together. */
#define PM_ADHOC_LENGTH (64 << 20)
#define PM_ADHOC_MEMORY ((int64_t)1 << 30)

/* The limit on memory holds for all of SQLite in this process: for a program to ask for. */
void pm_adhoc_limit_memory(void);

/* Reads the first row ahead, so that the units of the columns are known. pmapdb_next then gives
 * that row. */
pmapdb_status pm_adhoc_peek(pmapdb_rows *rows, pmapdb_error *err);

/* SQLite has been in one step for longer than the timeout and a grace: it is in a function that
 * asks nobody whether to go on. May be called by a signal handler. */
bool pm_adhoc_hangs(const pmapdb_rows *rows);

/* ---- for query.c ---- */

void pm_adhoc_free(struct pm_adhoc *adhoc);
pmapdb_status pm_adhoc_next(pmapdb_rows *rows, bool *has_row, pmapdb_error *err);

#endif
