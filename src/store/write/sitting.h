/* sitting: the captures of one process in order, and the source of the lineages of each. Pure.
 *
 * The order is (taken_ms, dialect, ordinal, hash), never the order of import. Captures of one
 * process within `sweep` after the first, each dialect once, are a sitting; the complete capture
 * with most fields leads it. The leaders form the spine: lineages are decided along it, each leader
 * against the leader before. Every other capture takes the lineages of the leader of its sitting,
 * or of the leader before. If there is no leader, the capture continues its own stream. Captures
 * with sums only belong to no sitting. */
#ifndef PM_STORE_SITTING_H
#define PM_STORE_SITTING_H

#include "base/record/dialect.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of a capture among the captures of its process. */
typedef struct pm_order {
    int64_t taken_ms;
    pm_dialect dialect;
    pm_state state; /* pm_order_compare ignores it */
    int64_t ordinal, hash;
} pm_order;

static inline int pm_compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* Compares two orders, or two things that begin with one: for qsort, too. */
static inline int pm_order_compare(const void *left, const void *right)
{
    const pm_order *a = left, *b = right;
    int order = pm_compare(a->taken_ms, b->taken_ms);

    if (order == 0)
        order = pm_compare(a->dialect, b->dialect);
    if (order == 0)
        order = pm_compare(a->ordinal, b->ordinal);
    return order == 0 ? pm_compare(a->hash, b->hash) : order;
}

/* Compares how much two captures tell about a mapping and its neighbours: complete before partial,
 * then the earlier dialect of formats.def. Negative if a tells more. */
static inline int pm_order_compare_worth(const pm_order *a, const pm_order *b)
{
    int order = pm_compare(a->state, b->state);

    return order == 0 ? pm_compare(a->dialect, b->dialect) : order;
}

#define PM_NO_LEADER (-1)

/* The newest sitting of a process. A new process has pm_sitting_none. */
typedef struct pm_sitting {
    int64_t begin_ms;
    pm_order last; /* its newest capture */
    unsigned seen; /* 1 << dialect for each capture; 0: the process has no sitting yet */
    int leader;    /* dialect of its leader, or PM_NO_LEADER */
    int spine;     /* dialect of the newest leader before it, or PM_NO_LEADER */
} pm_sitting;

/* True if the capture leads a sitting that had this leader. */
static inline bool pm_leads(const pm_order *o, int leader)
{
    return o->state == PM_STATE_COMPLETE && (leader == PM_NO_LEADER || (int)o->dialect < leader);
}

static inline pm_sitting pm_sitting_none(void)
{
    return (pm_sitting){.leader = PM_NO_LEADER, .spine = PM_NO_LEADER};
}

/* True if the capture belongs to the sitting; if not, it begins the next one. The capture must be
 * later than all captures of the sitting. */
static inline bool pm_sitting_joins(const pm_sitting *s, const pm_order *o, int64_t sweep_ms)
{
    unsigned own = 1U << o->dialect; // NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult)

    return s->seen && !(s->seen & own) && o->taken_ms - s->begin_ms <= sweep_ms;
}

/* True if the capture joins the sitting and becomes its leader: the other captures then take their
 * lineages from it. */
static inline bool pm_sitting_displaces(const pm_sitting *s, const pm_order *o, int64_t sweep_ms)
{
    return pm_sitting_joins(s, o, sweep_ms) && pm_leads(o, s->leader);
}

/* Begins the next sitting, whose earliest capture is `first`; then add its captures: its leader
 * first, the others in their order. */
static inline void pm_sitting_begin(pm_sitting *s, const pm_order *first)
{
    *s = (pm_sitting){.begin_ms = first->taken_ms,
                      .last = *first,
                      .leader = PM_NO_LEADER,
                      .spine = s->leader == PM_NO_LEADER ? s->spine : s->leader};
}

static inline void pm_sitting_add(pm_sitting *s, const pm_order *o)
{
    s->seen |= 1U << o->dialect;
    if (pm_order_compare(o, &s->last) > 0)
        s->last = *o;
    if (pm_leads(o, s->leader))
        s->leader = (int)o->dialect;
}

/* Returns the dialect whose newest complete capture gives the next capture its lineages.
 * PM_NO_LEADER: a leader begins new lineages, any other capture continues its own stream. */
static inline int pm_sitting_base(const pm_sitting *s)
{
    return s->leader == PM_NO_LEADER ? s->spine : s->leader;
}

#endif
