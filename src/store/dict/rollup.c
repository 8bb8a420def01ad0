/* rollup: the sums of each category of one capture. */
#include "store/dict/rollup.h"

#include "store/dict/row.h"

#include "base/buf.h"
#include <stdlib.h>

void pm_rollup_free(pm_rollup *r)
{
    free(r->item);
    *r = (pm_rollup){0};
}

void pm_rollup_clear(pm_rollup *r)
{
    r->n = 0;
}

pmapdb_status pm_rollup_of(pm_rollup *r, int64_t category_id, pm_category_sums **out,
                           pmapdb_error *err)
{
    size_t at = 0; /* a capture has few categories */

    while (at < r->n && r->item[at].category_id < category_id)
        at++;
    if (at == r->n || r->item[at].category_id != category_id) {
        pmapdb_status st = pm_grow(&r->item, &r->cap, r->n, sizeof *r->item, err);

        if (st != PMAPDB_OK)
            return st;
        memmove(&r->item[at + 1], &r->item[at], (r->n - at) * sizeof *r->item);
        r->item[at] = (pm_category_sums){.category_id = category_id};
        r->n++;
    }
    *out = &r->item[at];
    return PMAPDB_OK;
}

static void add(int64_t *sum, const pm_totals *row)
{
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        sum[i] = sum[i] == PMAPDB_UNKNOWN || row->v[i] < 0 ? PMAPDB_UNKNOWN : sum[i] + row->v[i];
}

/* Looks up the sums only when the category changes: mappings of one category are neighbours. */
pmapdb_status pm_rollup_rows(pm_rollup *r, const pm_rows *rows, uint64_t fields, pmapdb_error *err)
{
    pm_category_sums *s = NULL;
    pmapdb_status st;

    pm_rollup_clear(r);
    for (size_t i = 0; i < rows->n; i++) {
        const pm_row *row = &rows->row[i];
        int64_t category_id = pm_row_category(row);
        pm_totals totals;

        if ((!s || s->category_id != category_id) &&
            (st = pm_rollup_of(r, category_id, &s, err)) != PMAPDB_OK)
            return st;
        pm_row_decode(&row->m, fields, pm_row_size_kib(row), &totals);
        add(s->v, &totals);
    }
    return PMAPDB_OK;
}

pmapdb_status pm_rollup_totals(pm_rollup *r, const pm_totals *totals, pmapdb_error *err)
{
    pm_category_sums *s;
    pmapdb_status st;

    pm_rollup_clear(r);
    st = pm_rollup_of(r, PM_CATEGORY_TOTAL + 1, &s, err);
    if (st != PMAPDB_OK)
        return st;
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        s->v[i] = totals->v[i] < 0 ? PMAPDB_UNKNOWN : totals->v[i];
    s->v[PM_TOTAL_MAPPINGS] = PMAPDB_UNKNOWN;
    return st;
}
