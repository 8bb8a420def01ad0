/* rollup: the sums of each category of one capture. */
#ifndef PM_STORE_ROLLUP_H
#define PM_STORE_ROLLUP_H

#include "base/mapping.h"
#include "classify/classify.h"

/* Column order of catver behind `last`; PMAPDB_UNKNOWN is NULL. */
typedef struct pm_rollup {
    int64_t sum[PM_CATEGORY_COUNT][PM_TOTAL_COUNT]; /* mappings 0: the category is not there */
} pm_rollup;

void pm_rollup_clear(pm_rollup *r);
void pm_rollup_add(pm_rollup *r, pm_category category, const pm_mapping *m);
bool pm_rollup_equal(const pm_rollup *a, const pm_rollup *b, pm_category category);

#endif
