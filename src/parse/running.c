/* running: the sums of a map of which mappings come and go. */
#include "parse/running.h"

static void count(pm_running *r, const pm_mapping *m, int sign)
{
    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        int64_t v = pm_total_of(m, (enum pm_total)i);

        if (v < 0)
            r->lacking[i] += (uint32_t)sign;
        else
            r->sum[i] += sign * v;
    }
    for (uint64_t bits = m->present; bits; bits &= bits - 1)
        r->present[__builtin_ctzll(bits)] += (uint32_t)sign;
}

void pm_running_add(pm_running *r, const pm_mapping *m)
{
    count(r, m, 1);
}

void pm_running_remove(pm_running *r, const pm_mapping *m)
{
    count(r, m, -1);
}

pm_totals pm_running_totals(const pm_running *r)
{
    pm_totals t;

    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        t.v[i] = r->lacking[i] ? -1 : r->sum[i];
    return t;
}

uint64_t pm_running_fields(const pm_running *r)
{
    uint64_t fields = 0;

    for (int bit = 0; bit < 64; bit++)
        fields |= (uint64_t)(r->present[bit] != 0) << bit;
    return fields;
}
