/* rewind: stores a capture that is older than the newest one of its process.
 *
 * The store is a function of the captures of a process in the order of time. So the captures after
 * the late one are taken off: their rows move to memory; their versions, regions and lineages are
 * deleted. Then all captures are appended in their order, as if they had arrived in it; lineages
 * and regions may get other ids. The rows in table snapshot stay, with all rows that refer to them.
 * Only their place in an epoch changes: it is negative while they wait.
 *
 * The captures are put back up to the next late capture of the process; pm_rewind_end puts back the
 * rest. So many late captures in one transaction cost one replay. */
#ifndef PM_STORE_REWIND_H
#define PM_STORE_REWIND_H

#include "store/write/append.h"

/* A capture that waits to be put back, or the late one. */
typedef struct pm_waiting {
    pm_order order;
    pm_put *put;         /* the late capture; NULL: a capture that was taken off */
    int64_t snapshot_id; /* the capture that was taken off */
    int64_t base_was;
    bool led;                     /* it led its beat */
    struct pm_versions *versions; /* its rows, at off */
    int64_t epoch_id, off;
} pm_waiting;

/* Waiting captures, in their order. */
typedef struct pm_queue {
    pm_waiting *item;
    size_t next, n, cap;
} pm_queue;

typedef struct pm_rewind {
    pm_queue mappings, totals;
    struct pm_versions **versions; /* the rows of the captures that were taken off */
    size_t n_versions, cap_versions;
    pm_rows rows; /* buffer for the capture that is put back */
    pm_rollup rollup;
    pm_map labelled; /* lineage that a program itself had named -> category_id */
    pm_map renamed;  /* lineage that was taken off -> lineage that took its place */
} pm_rewind;

void pm_rewind_free(pm_rewind *r);

/* Stores the capture, late or not; the caller has made its rows (totals: its sums). The snapshot
 * exists afterwards; other captures of the process may wait. */
void pm_rewind_put(pm_put *p, pm_newest_all *all, pm_newest *n);

/* Puts back all waiting captures of all processes. p: the fields that all captures share, without a
 * capture. */
void pm_rewind_end(pm_put *p, pm_newest_all *all);

/* ---- rewind_cut.c ---- */

/* Reserves room for `more` captures. */
void pm_queue_reserve(pm_sql *sql, pm_queue *q, size_t more);

/* Returns the number of captures from `from` on that are one beat. *leader: the index of its
 * leader, or q->n if no capture is complete. */
size_t pm_queue_beat(const pm_queue *q, size_t from, int64_t sweep_ms, size_t *leader);

/* Fills the empty queue *stored with the stored captures of the process that have mappings; if p
 * has only sums, with the captures of its stream. Returns the index of the first capture to take
 * off for p. */
size_t pm_rewind_cut(const pm_put *p, pm_queue *stored);

#endif
