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

/* Captures that wait, in their order. */
typedef struct pm_queue {
    struct pm_waiting *item;
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

#endif
