/* beat: the captures of one process in their order, and what each takes its lineages from. Pure.
 *
 * The order is (taken_ms, dialect, ordinal, hash), never the order of import. Captures of one
 * process within `sweep` after the first, each dialect once, are a beat; the complete one with most
 * fields leads it. The leaders form the spine: lineage is decided along it, each leader against the
 * leader before. Every other capture borrows the lineages of its beat's leader, or of the leader
 * before, or, without any leader, continues its own stream. Captures that give sums only belong to
 * no beat.
 */
#ifndef PM_STORE_BEAT_H
#define PM_STORE_BEAT_H

#include "base/dialect.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of a capture among those of its process. */
typedef struct pm_order {
    int64_t taken_ms;
    pm_dialect dialect;
    pm_state state; /* takes no part in the comparison */
    int64_t ordinal, hash;
} pm_order;

int pm_order_compare(const pm_order *a, const pm_order *b);

/* Of two captures the one that tells more of a mapping and its neighbours: complete before partial,
 * then the dialect with most fields; negative: a. */
int pm_order_compare_worth(const pm_order *a, const pm_order *b);

#define PM_NO_LEADER (-1)

/* The newest beat of a process. pm_beat_none is that of a new process. */
typedef struct pm_beat {
    int64_t begin_ms;
    pm_order last; /* its newest capture */
    unsigned seen; /* 1 << dialect for each capture; 0: the process has no beat yet */
    int leader;    /* dialect of its leader, or PM_NO_LEADER */
    int spine;     /* dialect of the newest leader before it, or PM_NO_LEADER */
} pm_beat;

pm_beat pm_beat_none(void);

/* The capture, later than all of the beat, belongs to it; else it begins the next one. */
bool pm_beat_joins(const pm_beat *b, const pm_order *o, int64_t sweep_ms);

/* The capture joins the beat and takes its lead: the others take their lineages from it. */
bool pm_beat_displaces(const pm_beat *b, const pm_order *o, int64_t sweep_ms);

/* Begins the next beat, whose earliest capture is this one, and adds captures to it: its leader
 * first, the others in their order. */
void pm_beat_begin(pm_beat *b, const pm_order *first);
void pm_beat_add(pm_beat *b, const pm_order *o);

/* The next capture to be added takes its lineages from the newest complete one of this dialect;
 * PM_NO_LEADER: a leader begins new lineages, any other continues its own stream. */
int pm_beat_base(const pm_beat *b);

/* How many of the captures, in their order, are the beat that the first one begins, and which of
 * them leads it (n if no capture is complete). */
size_t pm_beat_length(const pm_order *o, size_t n, int64_t sweep_ms);
size_t pm_beat_leader(const pm_order *o, size_t n);

/* The newest beat of these captures, in their order. */
pm_beat pm_beat_of(const pm_order *o, size_t n, int64_t sweep_ms);

#endif
