/* beat: the captures of one process in their order. */
#include "store/write/beat.h"

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

int pm_order_compare(const pm_order *a, const pm_order *b)
{
    int order = compare(a->taken_ms, b->taken_ms);

    if (order == 0)
        order = compare(a->dialect, b->dialect);
    if (order == 0)
        order = compare(a->ordinal, b->ordinal);
    return order == 0 ? compare(a->hash, b->hash) : order;
}

int pm_order_compare_worth(const pm_order *a, const pm_order *b)
{
    int order = compare(a->state, b->state);

    return order == 0 ? compare(a->dialect, b->dialect) : order;
}

static bool is_better_leader(const pm_order *o, int leader)
{
    return o->state == PM_STATE_COMPLETE && (leader == PM_NO_LEADER || (int)o->dialect < leader);
}

pm_beat pm_beat_none(void)
{
    return (pm_beat){.leader = PM_NO_LEADER, .spine = PM_NO_LEADER};
}

bool pm_beat_joins(const pm_beat *b, const pm_order *o, int64_t sweep_ms)
{
    return b->seen && !(b->seen & 1U << o->dialect) && o->taken_ms - b->begin_ms <= sweep_ms;
}

bool pm_beat_displaces(const pm_beat *b, const pm_order *o, int64_t sweep_ms)
{
    return pm_beat_joins(b, o, sweep_ms) && is_better_leader(o, b->leader);
}

void pm_beat_begin(pm_beat *b, const pm_order *first)
{
    *b = (pm_beat){.begin_ms = first->taken_ms,
                   .last = *first,
                   .leader = PM_NO_LEADER,
                   .spine = b->leader == PM_NO_LEADER ? b->spine : b->leader};
}

void pm_beat_add(pm_beat *b, const pm_order *o)
{
    b->seen |= 1U << o->dialect;
    if (pm_order_compare(o, &b->last) > 0)
        b->last = *o;
    if (is_better_leader(o, b->leader))
        b->leader = (int)o->dialect;
}

int pm_beat_base(const pm_beat *b)
{
    return b->leader == PM_NO_LEADER ? b->spine : b->leader;
}

size_t pm_beat_length(const pm_order *o, size_t n, int64_t sweep_ms)
{
    unsigned seen = 0;
    size_t i;

    for (i = 0; i < n && o[i].taken_ms - o[0].taken_ms <= sweep_ms; i++) {
        if (seen & 1U << o[i].dialect)
            break;
        seen |= 1U << o[i].dialect;
    }
    return i;
}

size_t pm_beat_leader(const pm_order *o, size_t n)
{
    size_t leader = n;

    for (size_t i = 0; i < n; i++)
        if (is_better_leader(&o[i], leader == n ? PM_NO_LEADER : (int)o[leader].dialect))
            leader = i;
    return leader;
}

pm_beat pm_beat_of(const pm_order *o, size_t n, int64_t sweep_ms)
{
    pm_beat b = pm_beat_none();

    for (size_t from = 0, length; from < n; from += length) {
        length = pm_beat_length(o + from, n - from, sweep_ms);
        pm_beat_begin(&b, &o[from]);
        for (size_t i = 0; i < length; i++)
            pm_beat_add(&b, &o[from + i]);
    }
    return b;
}
