/* capture_beat: when the beats of a run are due. Pure.
 *
 * The first beat is at once, the others at multiples of the step in UTC, so that the beats of
 * several hosts and runs coincide; a boundary within half a step of the first beat is skipped. A
 * beat that could not begin within a quarter of a step is missed, and the run waits for the next: a
 * host on which reading takes longer than the step gets a rest between beats.
 *
 * Each look reads two clocks: UTC, and one that nobody sets. Where UTC moved against the other
 * clock (it was set, or the machine slept), the beats are aligned anew, and no beat counts as
 * missed. */
#ifndef PM_API_CAPTURE_BEAT_H
#define PM_API_CAPTURE_BEAT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pm_clocks {
    int64_t utc_ns, mono_ns;
} pm_clocks;

typedef struct pm_beats {
    int64_t step_ns;
    int64_t due_ns; /* UTC of the next beat */
    pm_clocks seen; /* the clocks at the last look */
} pm_beats;

typedef struct pm_beat_look {
    int64_t wait_ns;  /* 0: a beat is due; else the longest wait until the next look */
    int64_t missed;   /* beats that passed since the last look */
    int64_t moved_ns; /* how far UTC moved against the other clock; 0: not significantly */
} pm_beat_look;

void pm_beats_begin(pm_beats *b, int64_t step_ns, pm_clocks now);
pm_beat_look pm_beats_look(pm_beats *b, pm_clocks now);

#endif
