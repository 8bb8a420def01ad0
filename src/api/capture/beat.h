/* capture_beat: when the beats of a run are due. Pure.
 *
 * The first beat is at once, the others at multiples of the step in UTC, so that those of several
 * hosts and runs meet; a boundary within half a step of the first is left to it. A beat that could
 * not begin within a quarter of a step is missed, and the next is waited for: a host on which
 * reading takes longer than the step gets a rest between.
 *
 * Time is looked at on two clocks: UTC, and one that nobody sets. Where UTC moved against it (it
 * was set, the machine slept), the beats are aligned anew and none of them counts as missed. */
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
    pm_clocks seen; /* when they were last looked at */
} pm_beats;

typedef struct pm_beat_look {
    int64_t wait_ns;  /* 0: a beat is due; else how long at most until the next look */
    int64_t missed;   /* beats that passed since the last look */
    int64_t moved_ns; /* so much UTC moved against the other clock; 0: nothing to speak of */
} pm_beat_look;

void pm_beats_begin(pm_beats *b, int64_t step_ns, pm_clocks now);
pm_beat_look pm_beats_look(pm_beats *b, pm_clocks now);

#endif
