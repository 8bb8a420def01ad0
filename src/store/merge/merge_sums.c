/* merge_sums: do versions add up to the sums of the captures that they are of? */
#include "store/merge/merge_sums.h"

#include <stdlib.h>

pmapdb_status pm_sums_new(size_t n, pm_sums *out, pmapdb_error *err)
{
    *out = (pm_sums){.step = calloc(n + 1, sizeof *out->step), .n = n};
    return out->step ? PMAPDB_OK : pm_fail_nomem(err);
}

void pm_sums_free(pm_sums *s)
{
    free(s->step);
    *s = (pm_sums){0};
}

void pm_sums_add(pm_sums *s, int64_t first, int64_t last, const pm_totals *row)
{
    size_t begin = (size_t)first, end = last == PMAPDB_UNKNOWN ? s->n : (size_t)last + 1;

    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        bool unknown = row->v[i] < 0;
        uint64_t v = unknown ? 0 : (uint64_t)row->v[i];

        s->step[begin].v[i] += v;
        s->step[begin].unknown[i] += unknown;
        s->step[end].v[i] -= v;
        s->step[end].unknown[i] -= unknown;
    }
}

void pm_sums_next(pm_sums *s, size_t k, pm_totals *out)
{
    struct pm_sums_step *here = &s->step[k];

    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        if (k > 0) {
            here->v[i] += s->step[k - 1].v[i];
            here->unknown[i] += s->step[k - 1].unknown[i];
        }
        out->v[i] = here->unknown[i] ? -1 : (int64_t)here->v[i];
    }
}

void pm_sums_clear(pm_sums *s)
{
    memset(s->step, 0, (s->n + 1) * sizeof *s->step);
}

size_t pm_sums_compare(pm_sums *s, const pm_totals *want)
{
    for (size_t k = 0; k < s->n; k++) {
        pm_totals here;

        pm_sums_next(s, k, &here);
        if (memcmp(&here, &want[k], sizeof here) != 0)
            return k;
    }
    return s->n;
}
