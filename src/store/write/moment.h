/* moment: which snapshots of one (host, name) were captured together.
 *
 * In the order of time the first snapshot begins a moment; snapshots within `sweep` after it belong
 * to it, until a process would appear a second time in one dialect. A live sweep is always a moment
 * of its own, however soon the next one follows. One snapshot of each process is preferred in a
 * moment: complete before partial before totals, then the dialect with most fields. */
#ifndef PM_STORE_MOMENT_H
#define PM_STORE_MOMENT_H

#include "store/file/sql.h"

/* Groups the snapshots of a name again, of which those taken at from_ms..to_ms are new: sets
 * moment_ms and preferred of these and of all snapshots in the moments that change. */
void pm_moments_group(pm_sql *sql, int64_t sweep_ms, int64_t name_id, int64_t from_ms,
                      int64_t to_ms);

/* The same for all snapshots of the name: a process joined or left the name. */
#define PM_MOMENTS_ALL -((int64_t)1 << 54), (int64_t)1 << 54

/* Finds out whether processes of one name that live at the same time were captured in turns, close
 * together but in different moments. If so, `text` says so and names the remedy; else it is empty.
 * Looks at from_ms..to_ms. */
void pm_moments_spread(pm_sql *sql, int64_t name_id, int64_t from_ms, int64_t to_ms,
                       int64_t sweep_ms, char *text, size_t size);

#endif
