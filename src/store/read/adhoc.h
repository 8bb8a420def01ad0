/* adhoc: SQL that a person types: guarded and with limits, however the store was opened. If the
 * handle has an open transaction, the statement runs in it, and sees the same state of the store as
 * the other queries. */
#ifndef PM_STORE_ADHOC_H
#define PM_STORE_ADHOC_H

#include "store/read/query.h"

/* The largest text or blob that a statement may make, and the limit on all of its memory. */
#define PM_ADHOC_LENGTH (64 << 20)
#define PM_ADHOC_MEMORY ((int64_t)1 << 30)

/* Limits the memory of SQLite in the whole process: only a program should call this. */
void pm_adhoc_limit_memory(void);

/* Reads the first row ahead to find the units of the columns. pmapdb_next then returns that row. */
pmapdb_status pm_adhoc_peek(pmapdb_rows *rows, pmapdb_error *err);

/* ---- for query.c ---- */

void pm_adhoc_free(struct pm_adhoc *adhoc);
pmapdb_status pm_adhoc_next(pmapdb_rows *rows, bool *has_row, pmapdb_error *err);

#endif
