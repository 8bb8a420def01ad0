/* late: what late.c, relabel.c and settle.c share while they store one capture out of order. */
#ifndef PM_STORE_LATE_H
#define PM_STORE_LATE_H

#include "store/put.h"

/* What the rules say of row `row` of an item. */
typedef struct pm_refined {
    int64_t lineage;
    size_t row;
    pm_ruling ruling;
} pm_refined;

/* What became of one item of the timeline. */
typedef struct pm_late_item {
    bool stale;        /* its lineages must be decided anew */
    bool decided;      /* they were: was, region, reason are set */
    int64_t old_base;  /* snapshot_id of its base before, or 0 */
    size_t n;          /* rows */
    int64_t *was;      /* lineage of each row before (the new capture: 0) */
    int64_t *lineage;  /* and now */
    int64_t *region;   /* region of each row now */
    pm_reason *reason; /* how it continues its base */
    bool recount;      /* its sums by category must be made anew */
    size_t n_refined;
    pm_refined *refined; /* in the order of (lineage, row); NULL: not asked yet */
} pm_late_item;

typedef struct pm_late {
    pm_put *p;
    pm_timeline line;
    size_t at; /* the new capture in line */
    pm_late_item *item;
    pm_epoch **epochs; /* loaded ones */
    size_t n_epochs, cap_epochs;
    pm_ids left; /* regions that lost a capture, perhaps their last */
} pm_late;

/* An epoch of the process, loaded once. */
pmapdb_status pm_late_epoch(pm_late *l, int64_t epoch_id, pm_epoch **out, pmapdb_error *err);

/* Rows of item i, with the lineages that they have now. */
pmapdb_status pm_late_rows(pm_late *l, size_t i, pm_rows *out, pmapdb_error *err);

/* How the rows of item i continue those of its base: own->n elements, the caller's to free. */
pmapdb_status pm_late_descent(pm_late *l, size_t i, const pm_rows *own, pm_descent **out,
                              pmapdb_error *err);

/* Decides the lineages of the new capture and of all that are stale, as far as the changes go. */
pmapdb_status pm_late_relabel(pm_late *l, pmapdb_error *err);

/* After the rows of the epochs were saved: reasons of regions and first snapshots of lineages,
 * which are those of their first appearance; categories by rules; what nothing shows any more
 * goes. */
pmapdb_status pm_late_settle(pm_late *l, pmapdb_error *err);

#endif
