/* capture_beat: when the beats of a run are due. */
#include "api/capture/beat.h"

#define SECOND_NS 1000000000

/* The longest wait of a run before it checks whether to stop, and reads both clocks. */
#define LOOK_NS SECOND_NS

static int64_t boundary_after(int64_t utc_ns, int64_t step_ns)
{
    return (utc_ns / step_ns + 1) * step_ns;
}

/* A smaller difference of the clocks is steering, or an interruption between two readings. */
static int64_t tolerance(const pm_beats *b)
{
    return b->step_ns / 4 < SECOND_NS ? b->step_ns / 4 : SECOND_NS;
}

void pm_beats_begin(pm_beats *b, int64_t step_ns, pm_clocks now)
{
    *b = (pm_beats){step_ns, now.utc_ns, now};
}

/* True if the beat at due_ns, or a later one, begins now. *missed: the beats that passed before it.
 */
static bool begins(pm_beats *b, int64_t now_ns, int64_t *missed)
{
    int64_t late = now_ns - b->due_ns, steps = late / b->step_ns;

    if (late - steps * b->step_ns <= b->step_ns / 4) {
        *missed = steps;
        /* The first beat is at any time; the beats after it are at boundaries. */
        b->due_ns = b->due_ns + steps * b->step_ns + b->step_ns / 2;
        b->due_ns = boundary_after(b->due_ns, b->step_ns);
        return true;
    }
    *missed = steps + 1;
    b->due_ns = boundary_after(now_ns, b->step_ns);
    return false;
}

pm_beat_look pm_beats_look(pm_beats *b, pm_clocks now)
{
    int64_t moved = (now.utc_ns - b->seen.utc_ns) - (now.mono_ns - b->seen.mono_ns);
    pm_beat_look look = {0};

    b->seen = now;
    if (moved > tolerance(b) || moved < -tolerance(b)) {
        look.moved_ns = moved;
        b->due_ns = boundary_after(now.utc_ns, b->step_ns);
    }
    if (now.utc_ns >= b->due_ns && begins(b, now.utc_ns, &look.missed))
        return look;
    look.wait_ns = b->due_ns - now.utc_ns;
    if (look.wait_ns > LOOK_NS)
        look.wait_ns = LOOK_NS;
    return look;
}
