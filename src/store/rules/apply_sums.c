/* apply_sums: the sums by category that versions of rows make: each version counts where it begins
 * and where it ends, so that it costs the same however many captures show it. */
#include "store/rules/apply_work.h"

#include "base/buf.h"
#include "store/merge/merge_sums.h"
#include <stdlib.h>

static int compare_shares(const void *a, const void *b)
{
    int64_t x = ((const pm_share *)a)->category_id, y = ((const pm_share *)b)->category_id;

    return x < y ? -1 : x > y;
}

/* Capture k has these sums of the category; equal ones go on. */
static pmapdb_status add_sums(pm_strip *out, int64_t category_id, int64_t k, const pm_totals *sums,
                              pmapdb_error *err)
{
    pm_version *before = out->n_saved ? &out->saved[out->n_saved - 1] : NULL;
    pm_version v = {.cell.key = category_id, .first = k, .last = k};
    pmapdb_status st;

    if (sums->v[PM_TOTAL_MAPPINGS] == 0)
        return PMAPDB_OK;
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        v.cell.m.v[i] = sums->v[i] < 0 ? PMAPDB_UNKNOWN : sums->v[i];
    if (before && before->cell.key == category_id && before->last == k - 1 &&
        pm_metrics_equal(&before->cell.m, &v.cell.m)) {
        before->last = k;
        return PMAPDB_OK;
    }
    st = pm_grow(&out->saved, &out->cap_saved, out->n_saved, sizeof *out->saved, err);
    if (st == PMAPDB_OK)
        out->saved[out->n_saved++] = v;
    return st;
}

/* All shares are of one category. */
static pmapdb_status add_category(pm_sums *sums, const pm_share *share, size_t n, pm_strip *out,
                                  pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    pm_sums_clear(sums);
    for (size_t i = 0; i < n; i++)
        pm_sums_add(sums, share[i].first, share[i].last, &share[i].totals);
    for (size_t k = 0; k < sums->n && st == PMAPDB_OK; k++) {
        pm_totals here;

        pm_sums_next(sums, k, &here);
        st = add_sums(out, share->category_id, (int64_t)k, &here, err);
    }
    return st;
}

pmapdb_status pm_share_sums(pm_share *share, size_t n_shares, size_t n, pm_strip *out,
                            pmapdb_error *err)
{
    pm_sums sums = {0};
    pmapdb_status st = pm_sums_new(n, &sums, err);

    if (n_shares)
        qsort(share, n_shares, sizeof *share, compare_shares);
    for (size_t from = 0, to; from < n_shares && st == PMAPDB_OK; from = to) {
        for (to = from; to < n_shares && share[to].category_id == share[from].category_id;)
            to++;
        st = add_category(&sums, share + from, to - from, out, err);
    }
    for (size_t i = 0; i < out->n_saved; i++)
        if (out->saved[i].last == (int64_t)n - 1)
            out->saved[i].last = PMAPDB_UNKNOWN;
    pm_sums_free(&sums);
    return st;
}
