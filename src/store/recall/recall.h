/* recall: the captures of a stored process, restored in full and in time order: every mapping with
 * every field, the sums, the state and the proof, the hash, the source file, the time, the log; not
 * the live reading, whose rows can be copied as they are.
 *
 *     r = pm_recall_new(sql);
 *     pm_recall_begin(r, process_id);
 *     items = pm_recall_items(r, &n);
 *     for (i = 0; i < n; i++)
 *         put(pm_recall_capture(r, &items[i]));
 *     pm_recall_free(r);
 *     return pm_sql_end(sql, err);
 *
 * The data that a store keeps once per process is restored once: name, command, start time, boot
 * and clocks (pm_recall_who). A capture carries the name and the command if it is the capture that
 * gave them or a later one. The notes of the parser are not stored and not restored.
 *
 * Cost: captures requested in the order of the items read each epoch once. Writes nothing. The
 * store may come from anyone: each value is checked; a wrong value fails with PMAPDB_INPUT, and the
 * message names its row. The handle keeps failures (file/sql.h).
 */
#ifndef PM_STORE_RECALL_H
#define PM_STORE_RECALL_H

#include "base/record/capture.h"
#include "store/write/process.h"
#include "store/write/sitting.h"

/* One process. Unknown texts are NULL, unknown numbers PMAPDB_UNKNOWN. The facts lack its
 * addresses, start time and boot. */
typedef struct pm_recall_process {
    int64_t process_id, pid;
    int64_t start_time; /* clock ticks since boot */
    const char *host, *boot_id;
    pm_process_facts facts;
} pm_recall_process;

/* A stored snapshot. */
typedef struct pm_recall_item {
    pm_order order; /* first, because the items are sorted by it */
    int64_t snapshot_id, capture_id, epoch_id, off;
    int64_t log_id; /* 0: none */
    pm_time_source time_source;
    int64_t known; /* for the caller's use; 0 at first */
} pm_recall_item;

typedef struct pm_recall pm_recall;

/* NULL after a failure. */
pm_recall *pm_recall_new(pm_sql *sql);
void pm_recall_free(pm_recall *r);

/* Begins a process: lists its snapshots in the order of time, dialect, ordinal and hash. Drops the
 * previous process. */
void pm_recall_begin(pm_recall *r, int64_t process_id);

/* Valid until the next pm_recall_begin. The caller may change `known` and `order.taken_ms`:
 * a capture gets the time of its item. */
const pm_recall_process *pm_recall_who(const pm_recall *r);
pm_recall_item *pm_recall_items(pm_recall *r, size_t *n);

/* Restores a capture, which belongs to the recall and is valid until the next call. The caller may
 * change its host and log. NULL after a failure. */
pm_capture *pm_recall_capture(pm_recall *r, const pm_recall_item *item);

/* Frees the mappings of the captures so far if they take more than 64 MiB; the items stay. Mappings
 * that stay save the next capture of their epoch from reading the versions again. */
void pm_recall_trim(pm_recall *r);

#endif
