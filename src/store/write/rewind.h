/* rewind: stores a capture that is older than the newest one of its process.
 *
 * The store is a function of the captures of a process in the order of time. So the captures after
 * the late one are taken off: their rows are read into memory and deleted. The late one is appended
 * to the captures before them; then those that were taken off are appended again in their order, as
 * if they had arrived in it. Lineages and regions may get other ids. A row of table snapshot stays,
 * with all rows that refer to it; its place in an epoch changes, and is below zero meanwhile.
 *
 * Many late captures in their order cost one round: those that wait are appended up to the next
 * late capture, and before the commit the rest. All of that is one transaction. */
#ifndef PM_STORE_REWIND_H
#define PM_STORE_REWIND_H

#include "store/write/append.h"

/* A capture that waits, or the late one. */
typedef struct pm_waiting {
    pm_order order;
    pm_put *put;         /* the late capture; NULL: a stored capture */
    int64_t snapshot_id; /* the stored capture */
    int64_t base_was;    /* the snapshot that gave it its lineages, or 0 */
    bool led;            /* it led its sitting */
    int64_t epoch_id, off;
    uint64_t fields;              /* of the epoch */
    struct pm_versions *versions; /* the rows of its epoch */
} pm_waiting;

/* Waiting captures, in their order. */
typedef struct pm_queue {
    pm_waiting *item;
    size_t next, n, cap;
} pm_queue;

typedef struct pm_rewind {
    pm_queue mappings, totals;
    bool judges;  /* may change the category of lineages that began before the cut */
    pm_rows rows; /* buffer for the capture that is put back */
    pm_rollup rollup;
    pm_map renamed;                /* lineage of a waiting capture -> lineage that took its place */
    struct pm_versions **versions; /* of the waiting captures */
    size_t n_versions, cap_versions;
} pm_rewind;

void pm_rewind_free(pm_rewind *r);

/* Stores the capture, late or not; the caller has made its rows (totals: its sums). Other captures
 * of the process may wait afterwards. */
void pm_rewind_put(pm_put *p, pm_newest_all *all, pm_newest *n);

/* Call before the commit: appends the captures that wait, and removes what they have left. p: the
 * fields that all captures share, without a capture. */
void pm_rewind_end(pm_put *p, pm_newest_all *all);

/* ---- rewind_cut.c ---- */

/* Adds a late capture to the queue, in its place. */
void pm_queue_late(pm_sql *sql, pm_queue *q, const pm_waiting *late);

/* Returns the number of captures from `from` on that are one sitting. *leader: the index of its
 * leader, or q->n if no capture is complete. */
size_t pm_queue_sitting(const pm_queue *q, size_t from, int64_t sweep_ms, size_t *leader);

/* Takes off the captures after the late one: adds them to the queue. */
void pm_rewind_cut(const pm_put *late, pm_rewind *r, pm_queue *q);

#endif
