/* rollup: the sums of each category of one capture. */
#ifndef PM_STORE_ROLLUP_H
#define PM_STORE_ROLLUP_H

#include "store/row.h"

/* Column order of catver behind `last`; PMAPDB_UNKNOWN is NULL. */
typedef struct pm_rollup {
    int64_t sum[PM_CATEGORY_COUNT][PM_TOTAL_COUNT];
} pm_rollup;

void pm_rollup_clear(pm_rollup *r);
void pm_rollup_add(pm_rollup *r, int64_t category_id, const pm_totals *row);
/* Takes out what was added. False: a sum is unknown, which only adding all anew can tell. */
bool pm_rollup_remove(pm_rollup *r, int64_t category_id, const pm_totals *row);

/* Of all rows; lineages are decided. */
void pm_rollup_rows(pm_rollup *r, const pm_rows *rows, uint64_t fields);

/* A capture that gives sums only: they are the one category total, of unknown mappings. */
void pm_rollup_totals(pm_rollup *r, const pm_totals *totals);

/* The category is there: it has mappings, or nobody knows how many. */
bool pm_rollup_has(const pm_rollup *r, pm_category category);
bool pm_rollup_equal(const pm_rollup *a, const pm_rollup *b, pm_category category);

#endif
