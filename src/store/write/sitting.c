/* sitting: the captures of one process in their order. */
#include "store/write/sitting.h"

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

pm_sitting pm_sitting_none(void)
{
    return (pm_sitting){.leader = PM_NO_LEADER, .spine = PM_NO_LEADER};
}

bool pm_sitting_joins(const pm_sitting *s, const pm_order *o, int64_t sweep_ms)
{
    return s->seen && !(s->seen & 1U << o->dialect) && o->taken_ms - s->begin_ms <= sweep_ms;
}

bool pm_sitting_displaces(const pm_sitting *s, const pm_order *o, int64_t sweep_ms)
{
    return pm_sitting_joins(s, o, sweep_ms) && is_better_leader(o, s->leader);
}

void pm_sitting_begin(pm_sitting *s, const pm_order *first)
{
    *s = (pm_sitting){.begin_ms = first->taken_ms,
                      .last = *first,
                      .leader = PM_NO_LEADER,
                      .spine = s->leader == PM_NO_LEADER ? s->spine : s->leader};
}

void pm_sitting_add(pm_sitting *s, const pm_order *o)
{
    s->seen |= 1U << o->dialect;
    if (pm_order_compare(o, &s->last) > 0)
        s->last = *o;
    if (is_better_leader(o, s->leader))
        s->leader = (int)o->dialect;
}

int pm_sitting_base(const pm_sitting *s)
{
    return s->leader == PM_NO_LEADER ? s->spine : s->leader;
}
