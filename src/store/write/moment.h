/* moment: which snapshots of one (host, name) were captured together.
 *
 * In the order of time the first snapshot begins a moment; snapshots within `sweep` after it belong
 * to it, until a process would appear a second time in one dialect. A live sweep is always a moment
 * of its own, however soon the next one follows. One snapshot of each process is preferred in a
 * moment: complete before partial before totals, then the dialect with most fields. */
#ifndef PM_STORE_MOMENT_H
#define PM_STORE_MOMENT_H

#include "base/record/capture.h"
#include "store/file/sql.h"

typedef struct pm_moments pm_moments; /* remembers the newest moments */

pmapdb_status pm_moments_new(pm_sql *sql, int64_t sweep_ms, pm_moments **out, pmapdb_error *err);
void pm_moments_free(pm_moments *m);

/* Call after the capture was stored as preferred and in a moment of its own. Sets moment_ms and
 * preferred of its snapshot and of all snapshots in the moments that change. */
pmapdb_status pm_moments_added(pm_moments *m, int64_t name_id, int64_t snapshot_id,
                               int64_t process_id, const pm_capture *c, pmapdb_error *err);

/* Groups all snapshots of a name again: a process joined or left the name. */
pmapdb_status pm_moments_regroup(pm_moments *m, int64_t name_id, pmapdb_error *err);

/* Finds out whether processes of one name that live at the same time were captured in turns, close
 * together but in different moments. *spread is then true, and `text` says so and names the remedy.
 * Looks at from_ms..to_ms. */
pmapdb_status pm_moments_spread(pm_sql *sql, int64_t name_id, int64_t from_ms, int64_t to_ms,
                                int64_t sweep_ms, bool *spread, char *text, size_t size,
                                pmapdb_error *err);

#endif
