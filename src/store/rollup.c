/* rollup: the sums of each category of one capture. */
#include "store/rollup.h"

#include "pmapdb.h"

void pm_rollup_clear(pm_rollup *r)
{
    memset(r, 0, sizeof *r);
}

void pm_rollup_add(pm_rollup *r, int64_t category_id, const pm_totals *row)
{
    int64_t *sum = r->sum[category_id - 1];

    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        sum[i] = sum[i] == PMAPDB_UNKNOWN || row->v[i] < 0 ? PMAPDB_UNKNOWN : sum[i] + row->v[i];
}

bool pm_rollup_remove(pm_rollup *r, int64_t category_id, const pm_totals *row)
{
    int64_t *sum = r->sum[category_id - 1];
    bool known = true;

    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        known &= sum[i] != PMAPDB_UNKNOWN && row->v[i] >= 0;
        sum[i] = known ? sum[i] - row->v[i] : PMAPDB_UNKNOWN;
    }
    return known;
}

void pm_rollup_rows(pm_rollup *r, const pm_rows *rows, uint64_t fields)
{
    pm_rollup_clear(r);
    for (size_t i = 0; i < rows->n; i++) {
        const pm_row *row = &rows->row[i];
        pm_totals totals;

        pm_row_decode(&row->m, fields, pm_row_size_kib(row), &totals);
        pm_rollup_add(r, pm_row_category(row), &totals);
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
