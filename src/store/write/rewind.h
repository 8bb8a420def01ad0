/* rewind: a capture that is older than the newest of its process.
 *
 * The store is a function of the captures of a process in the order of time. So the captures behind
 * the late one are taken off: their rows are kept in memory, their versions, regions and lineages
 * go. Then all are appended in their order, as if they had come so; ids of lineages and regions may
 * be others. The rows in table snapshot stay, with all that refers to them: only their place in an
 * epoch changes, which is negative while they wait.
 *
 * What was taken off is put back as far as the next late capture of the process, and the rest by
 * pm_rewind_end: many late captures in one transaction are one replay.
 */
#ifndef PM_STORE_REWIND_H
#define PM_STORE_REWIND_H

#include "store/write/append.h"

/* A capture that waits. */
typedef struct pm_waiting {
    pm_order order;
    pm_put *put;         /* the late one itself; or NULL: */
    int64_t snapshot_id; /* it was taken off */
    int64_t base_was;
    bool led;                     /* it was its beat's leader */
    struct pm_versions *versions; /* where its rows are, at off */
    int64_t epoch_id, off;
} pm_waiting;

/* Captures that wait, in their order. */
typedef struct pm_queue {
    pm_waiting *item;
    size_t next, n, cap;
} pm_queue;

typedef struct pm_rewind {
    pm_queue mappings, totals;
    struct pm_versions **versions; /* the rows of those that were taken off */
    size_t n_versions, cap_versions;
    pm_rows rows; /* memory for the one that is put back */
    pm_rollup rollup;
    pm_map labelled; /* lineages that a program itself had named -> category_id */
    pm_map renamed;  /* lineages that were taken off -> those that took their place */
} pm_rewind;

void pm_rewind_free(pm_rewind *r);

/* Stores the capture, late or not: its rows or, of totals, its sums are made. Its snapshot is there
 * then; others of its process may wait. */
void pm_rewind_put(pm_put *p, pm_newest_all *all, pm_newest *n);

/* Puts back what waits of all processes. p: a capture's means, without one. */
void pm_rewind_end(pm_put *p, pm_newest_all *all);

/* ---- rewind_cut.c ---- */

/* Room for so many more. */
void pm_queue_reserve(pm_sql *sql, pm_queue *q, size_t more);

/* How many of the captures from `from` on are one beat, and which of them leads it; q->n if no
 * capture is complete. */
size_t pm_queue_beat(const pm_queue *q, size_t from, int64_t sweep_ms, size_t *leader);

/* Fills *stored, empty, with the stored captures of the process that have mappings, or, for one of
 * sums only, with those of its stream. Returns the first that is taken off for p. */
size_t pm_rewind_cut(const pm_put *p, pm_queue *stored);

#endif
