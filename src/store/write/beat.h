/* beat: the captures of one process in their order, and the source of the lineages of each. Pure.
 *
 * The order is (taken_ms, dialect, ordinal, hash), never the order of import. Captures of one
 * process within `sweep` after the first, each dialect once, are a beat; the complete capture with
 * most fields leads it. The leaders form the spine: lineages are decided along it, each leader
 * against the leader before. Every other capture takes the lineages of the leader of its beat, or
 * of the leader before. If there is no leader, the capture continues its own stream. Captures with
 * sums only belong to no beat. */
#ifndef PM_STORE_BEAT_H
#define PM_STORE_BEAT_H

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

int pm_order_compare(const pm_order *a, const pm_order *b);

/* Compares how much two captures tell about a mapping and its neighbours: complete before partial,
 * then the dialect with most fields. Negative if a tells more. */
int pm_order_compare_worth(const pm_order *a, const pm_order *b);

#define PM_NO_LEADER (-1)

/* The newest beat of a process. A new process has pm_beat_none. */
typedef struct pm_beat {
    int64_t begin_ms;
    pm_order last; /* its newest capture */
    unsigned seen; /* 1 << dialect for each capture; 0: the process has no beat yet */
    int leader;    /* dialect of its leader, or PM_NO_LEADER */
    int spine;     /* dialect of the newest leader before it, or PM_NO_LEADER */
} pm_beat;

pm_beat pm_beat_none(void);

/* True if the capture belongs to the beat; if not, it begins the next one. The capture must be
 * later than all captures of the beat. */
bool pm_beat_joins(const pm_beat *b, const pm_order *o, int64_t sweep_ms);

/* True if the capture joins the beat and becomes its leader: the other captures then take their
 * lineages from it. */
bool pm_beat_displaces(const pm_beat *b, const pm_order *o, int64_t sweep_ms);

/* Begins the next beat, whose earliest capture is `first`; then add its captures: its leader first,
 * the others in their order. */
void pm_beat_begin(pm_beat *b, const pm_order *first);
void pm_beat_add(pm_beat *b, const pm_order *o);

/* Returns the dialect whose newest complete capture gives the next capture its lineages.
 * PM_NO_LEADER: a leader begins new lineages, any other capture continues its own stream. */
int pm_beat_base(const pm_beat *b);

/* The number of captures, from the first on and in their order, that are one beat; and the index of
 * its leader among n captures (n if no capture is complete). */
size_t pm_beat_length(const pm_order *o, size_t n, int64_t sweep_ms);
size_t pm_beat_leader(const pm_order *o, size_t n);

/* Returns the newest beat of these captures, which are in their order. */
pm_beat pm_beat_of(const pm_order *o, size_t n, int64_t sweep_ms);

#endif
