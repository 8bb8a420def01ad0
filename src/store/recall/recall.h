/* recall: the captures of a stored process, whole again and in time order. What was put into a
 * store comes back: every mapping with every field, the sums, the state and the proof, the hash,
 * the file that it came from, the time, the log, the live reading, and the pin of its snapshot.
 *
 *     st = pm_recall_new(sql, &r, err);
 *     st = pm_recall_begin(r, process_id, from_ms, err);
 *     items = pm_recall_items(r, &n);
 *     for (i = 0; i < n; i++) {
 *         st = pm_recall_capture(r, &items[i], &c, err);
 *         ...
 *         pm_capture_free(c);
 *     }
 *     pm_recall_free(r);
 *
 * What a store keeps once per process comes back so: its name, command, start time, boot and clocks
 * (pm_recall_who). A capture carries the name and the command from the capture on that gave them.
 * The parser's notes are not stored, and do not come back.
 *
 * Ownership: the caller frees each capture. What a capture points into (its pool, host and live
 * reading) belongs to the recall and lives until pm_recall_forget, pm_recall_begin or
 * pm_recall_free, also when the rows have been deleted from the store. So a caller may recall many
 * captures, delete them, and put them again.
 *
 * Cost: captures asked for in the order of the items read each epoch once.
 * Nothing is written. The store may be anybody's: each value is checked, and PMAPDB_INPUT names the
 * row that cannot be right.
 */
#ifndef PM_STORE_RECALL_H
#define PM_STORE_RECALL_H

#include "base/capture.h"
#include "store/dict/evidence.h"
#include "store/file/sql.h"

/* A process as a whole. Texts are NULL and numbers PMAPDB_UNKNOWN where unknown. */
typedef struct pm_recall_process {
    int64_t process_id, pid;
    int64_t start_time; /* clock ticks since boot */
    const char *host, *name, *command, *boot_id;
    pm_name_rank name_rank;
    int64_t name_ms, command_ms;         /* times of the captures that gave name and command */
    int64_t clock_mono_ns, clock_utc_ms; /* one moment on both clocks */
    pm_link identity;
} pm_recall_process;

/* A stored snapshot. */
typedef struct pm_recall_item {
    int64_t snapshot_id, capture_id, epoch_id, off;
    int64_t taken_ms, ordinal, hash;
    int64_t log_id; /* or 0 */
    pm_dialect dialect;
    pm_state state;
    pm_time_source time_source;
    const char *pin; /* the reason; NULL: the snapshot is not pinned */
    int64_t pinned_ms;
    int64_t known; /* for the caller's use; 0 at first */
} pm_recall_item;

typedef struct pm_recall pm_recall;

pmapdb_status pm_recall_new(pm_sql *sql, pm_recall **out, pmapdb_error *err);
void pm_recall_free(pm_recall *r);

/* Turns to a process and lists its snapshots with taken_ms >= from_ms (INT64_MIN: all), in the
 * order of time, dialect, ordinal and hash. Forgets the process before. */
pmapdb_status pm_recall_begin(pm_recall *r, int64_t process_id, int64_t from_ms, pmapdb_error *err);

/* Both last until the next pm_recall_begin. The caller may change `known` and `taken_ms`: a
 * capture has the time of its item. */
const pm_recall_process *pm_recall_who(const pm_recall *r);
pm_recall_item *pm_recall_items(pm_recall *r, size_t *n);

/* *out is the caller's, for pm_capture_free. Its host is NULL where unknown. */
pmapdb_status pm_recall_capture(pm_recall *r, const pm_recall_item *item, pm_capture **out,
                                pmapdb_error *err);

/* Frees what the captures so far point into; the items stay. For a caller that needs each capture
 * only for a while. */
void pm_recall_forget(pm_recall *r);

#endif
