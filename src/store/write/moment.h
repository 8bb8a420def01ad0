/* moment: which snapshots of one (host, name) were captured together.
 *
 * In the order of time the first snapshot begins a moment; snapshots within `sweep` after it belong
 * to it, until a process would appear a second time in one dialect. A live sweep is always a moment
 * of its own, however soon the next one follows. One snapshot of each process is preferred in a
 * moment: complete before partial before totals, then the dialect with most fields. */
#ifndef PM_STORE_MOMENT_H
#define PM_STORE_MOMENT_H

#include "base/map.h"
#include "base/record/capture.h"
#include "store/file/sql.h"

/* The newest moment of each name, so that the next capture of the name need not look for it. Zeroed
 * at first; dropped when another program writes. */
typedef struct pm_moments {
    pm_map index; /* name_id -> index in newest */
    struct pm_moment_items *newest;
    size_t n, cap;
} pm_moments;

void pm_moments_forget(pm_moments *m);

/* Call after the capture was stored as preferred and in a moment of its own. Sets moment_ms and
 * preferred of its snapshot and of all snapshots in the moments that change. */
void pm_moments_added(pm_sql *sql, pm_moments *m, int64_t sweep_ms, int64_t name_id,
                      int64_t snapshot_id, int64_t process_id, const pm_capture *c);

/* Groups all snapshots of a name again: a process joined or left the name. */
void pm_moments_regroup(pm_sql *sql, int64_t sweep_ms, int64_t name_id);

/* Finds out whether processes of one name that live at the same time were captured in turns, close
 * together but in different moments. If so, `text` says so and names the remedy; else it is empty.
 * Looks at from_ms..to_ms. */
void pm_moments_spread(pm_sql *sql, int64_t name_id, int64_t from_ms, int64_t to_ms,
                       int64_t sweep_ms, char *text, size_t size);

#endif
