/* recall: what a store holds of a process, as it was before it was stored: its captures,
 * losslessly.
 *
 * The store may be anybody's: what it says is checked, and what cannot be so is PMAPDB_INPUT, with
 * words that name the place. Reading is cheapest in the order of time: an epoch is then read once.
 *
 * What a store does not keep of each capture is the process's: its name, command, start time and
 * clocks. Notes (what the parser made good) are not kept at all.
 */
#ifndef PM_STORE_RECALL_H
#define PM_STORE_RECALL_H

#include "base/capture.h"
#include "store/object.h"
#include "store/recall/recall_process.h"

#define PM_RECALL_PRUNED (-1)

/* A row of table snapshots, as far as it says what is known already. */
typedef struct pm_recall_item {
    int64_t snapshot_id, capture_id, epoch_id, off;
    int64_t taken_ms, ordinal, hash;
    int64_t log_id; /* or 0 */
    pm_dialect dialect;
    pm_state state;
    pm_time_source time_source;
    /* For whoever merges: the snapshot that it is elsewhere; PM_RECALL_PRUNED: it was one; 0: new.
     */
    int64_t known;
} pm_recall_item;

typedef struct pm_recall pm_recall;

pmapdb_status pm_recall_new(pm_sql *sql, pm_recall **out, pmapdb_error *err);
void pm_recall_free(pm_recall *r);

/* Turns to a process and lists its snapshots in the order of (time, dialect, ordinal, hash). */
pmapdb_status pm_recall_turn(pm_recall *r, int64_t process_id, pmapdb_error *err);
const pm_recall_process *pm_recall_who(const pm_recall *r);
pm_recall_item *pm_recall_items(pm_recall *r, size_t *n);

/* The capture, for pm_capture_free(). Its host is NULL where that is unknown. What it points into
 * (pool, host, live) lasts until the next call. */
pmapdb_status pm_recall_capture(pm_recall *r, const pm_recall_item *item, pm_capture **out,
                                pmapdb_error *err);

/* What a live capture knows besides its mappings; *out is NULL for text. Lasts until the next
 * call. */
pmapdb_status pm_recall_live(pm_recall *r, const pm_recall_item *item, const pm_live **out,
                             pmapdb_error *err);

/* The objects of that store, once read. */
pm_objects *pm_recall_objects(pm_recall *r);

#endif
