/* rollup: the sums of each category of one capture. */
#include "store/rollup.h"

#include "pmapdb.h"

void pm_rollup_clear(pm_rollup *r)
{
    memset(r, 0, sizeof *r);
}

void pm_rollup_add(pm_rollup *r, pm_category category, const pm_mapping *m)
{
    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        int64_t *sum = &r->sum[category][i];
        int64_t v = pm_total_of(m, (enum pm_total)i);

        *sum = *sum == PMAPDB_UNKNOWN || v < 0 ? PMAPDB_UNKNOWN : *sum + v;
    }
}

void pm_rollup_totals(pm_rollup *r, const pm_totals *totals)
{
    int64_t *sum = r->sum[PM_CATEGORY_TOTAL];

    pm_rollup_clear(r);
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        sum[i] = totals->v[i] < 0 ? PMAPDB_UNKNOWN : totals->v[i];
    sum[PM_TOTAL_MAPPINGS] = PMAPDB_UNKNOWN;
}

bool pm_rollup_has(const pm_rollup *r, pm_category category)
{
    return r->sum[category][PM_TOTAL_MAPPINGS] != 0;
}

bool pm_rollup_equal(const pm_rollup *a, const pm_rollup *b, pm_category category)
{
    return memcmp(a->sum[category], b->sum[category], sizeof a->sum[category]) == 0;
}
