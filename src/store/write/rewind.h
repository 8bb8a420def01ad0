/* rewind: stores captures that are older than the newest one of their process.
 *
 * The store is a function of the captures of a process in the order of time. So a late capture
 * waits for the commit, with all captures of its process that come after it in the transaction.
 * Then the stored captures after the first late one are taken off: their rows are read into memory
 * and deleted. All are appended in their order, as if they had arrived in it. Lineages and regions
 * may get other ids. A row of table snapshot stays, with all rows that refer to it; its place in an
 * epoch changes, and is below zero meanwhile.
 *
 * Many late captures of one transaction cost one round. */
#ifndef PM_STORE_REWIND_H
#define PM_STORE_REWIND_H

#include "store/write/append.h"

/* A capture that waits: late, or taken off. */
typedef struct pm_waiting {
    pm_order order; /* first, for pm_order_compare */
    int64_t snapshot_id;
    uint64_t fields;
    pm_totals totals; /* if its state is totals */
    pm_rows rows;     /* of a late capture */
    /* of a capture that was taken off: */
    int64_t epoch_id, off; /* its place before */
    pm_rows *versions;     /* the rows of its epoch */
    int64_t base_was;      /* the snapshot that gave it its lineages, or 0 */
    bool led;              /* it led its sitting */
} pm_waiting;

void pm_rewind_free(pm_newest *n);

/* Lets a late capture wait, and those after it in the transaction; the caller has made its rows
 * (totals: its sums). */
void pm_rewind_wait(pm_put *p, pm_newest_all *all, pm_newest *n);

/* Call before the commit: appends the captures that wait. p: the fields that all captures share,
 * without a capture. */
void pm_rewind_end(pm_put *p, pm_newest_all *all);

#endif
