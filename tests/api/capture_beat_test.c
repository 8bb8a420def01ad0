/* capture_beat_test: when beats are due, by two clocks that the test moves. */
#include "unit.h"

#include "api/capture/run.h"

#define S ((int64_t)1000000000)
#define EPOCH (1795229318 * S) /* 2026-11-21T02:48:38Z: 8 s after a half minute */
#define STEP (30 * S)

typedef struct world {
    pm_beats beats;
    pm_clocks now;
    int64_t missed, moved; /* since the last beat */
} world;

static world begin(int64_t step)
{
    world w = {.now = {EPOCH, 5 * S}};

    pm_beats_begin(&w.beats, step, w.now);
    return w;
}

/* Time passes on both clocks. */
static void pass(world *w, int64_t ns)
{
    w->now.utc_ns += ns;
    w->now.mono_ns += ns;
}

/* Waits like a run until a beat is due, at most a second at a time. Returns the seconds from EPOCH
 * to the beat. */
static int64_t next(world *w)
{
    w->missed = w->moved = 0;
    for (int i = 0; i < 1000000; i++) {
        pm_beat_look look = pm_beats_look(&w->beats, w->now);

        w->missed += look.missed;
        w->moved += look.moved_ns;
        if (!look.wait_ns)
            return (w->now.utc_ns - EPOCH) / S;
        assert_true(look.wait_ns > 0 && look.wait_ns <= S);
        pass(w, look.wait_ns);
    }
    fail_msg("no beat was ever due");
    return -1;
}

/* The first beat is due at once, the others at :00 and :30, except within half a step of it. */
TEST(aligned)
{
    world w = begin(STEP);

    assert_int_equal(next(&w), 0);
    assert_int_equal(next(&w), 22); /* 02:49:00 */
    assert_int_equal(next(&w), 52);
    assert_int_equal(w.missed, 0);
    w = begin(STEP);
    w.now.utc_ns += 20 * S; /* 2 s before 02:49:00 */
    pm_beats_begin(&w.beats, STEP, w.now);
    assert_int_equal(next(&w), 20);
    assert_int_equal(next(&w), 52);
}

/* The time that reading takes does not add up. */
TEST(no_drift)
{
    world w = begin(STEP);

    next(&w);
    for (int i = 0; i < 1000; i++) {
        pass(&w, 1234567);
        assert_int_equal(next(&w), 22 + 30 * (int64_t)i);
        assert_int_equal(w.now.utc_ns % STEP, 0);
        assert_int_equal(w.missed, 0);
        assert_int_equal(w.moved, 0);
    }
}

TEST(late_and_missed)
{
    world w = begin(STEP);

    next(&w);
    assert_int_equal(next(&w), 22);
    pass(&w, 37 * S); /* less than a quarter of a step late: kept */
    assert_int_equal(next(&w), 59);
    assert_int_equal(w.missed, 0);
    assert_int_equal(next(&w), 82);
    pass(&w, 38 * S); /* a quarter of a step and more: missed */
    assert_int_equal(next(&w), 142);
    assert_int_equal(w.missed, 1);
    pass(&w, 301 * S); /* ten steps: nine are missed, the tenth is kept */
    assert_int_equal(next(&w), 443);
    assert_int_equal(w.missed, 9);
    pass(&w, 100 * S);
    assert_int_equal(next(&w), 562);
    assert_int_equal(w.missed, 3);
    assert_int_equal(w.moved, 0);
}

/* Time passes after two beats, and the clock is set: no beat is missed, and the next beat is at the
 * next boundary of the new time. Half a second between two looks is a steered clock, not a jump. A
 * machine that slept is a jump. */
TEST(clock_is_set)
{
    static const struct {
        int64_t passed, set_ms, next, moved, after; /* seconds, except set_ms */
    } cases[] = {
        {5, 3610000, 3652, 3610, 3682},
        {0, -7200000, -7148, -7200, -7118},
        {10, 500, 52, 0, 82},
        {2, 28800000, 28852, 28800, 28882},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        world w = begin(STEP);
        int64_t before;

        next(&w);
        next(&w);
        pass(&w, cases[i].passed * S);
        before = w.now.mono_ns;
        w.now.utc_ns += cases[i].set_ms * (S / 1000);
        assert_int_equal(next(&w), cases[i].next);
        assert_int_equal(w.missed, 0);
        assert_int_equal(w.moved, cases[i].moved * S);
        assert_true(w.now.mono_ns - before <= STEP); /* the run did not wait for hours */
        assert_int_equal(next(&w), cases[i].after);
        assert_int_equal(w.moved, 0);
    }
}

TEST(any_step)
{
    const int64_t steps[] = {S / 10, S, 7 * S, 3600 * S, 86400 * S};

    for (size_t i = 0; i < COUNT(steps); i++) {
        world w = begin(steps[i]);

        assert_int_equal(next(&w), 0);
        for (int k = 0; k < 3; k++) {
            int64_t before = w.now.utc_ns;

            next(&w);
            assert_int_equal(w.now.utc_ns % steps[i], 0);
            assert_true(w.now.utc_ns - before <= steps[i] * 3 / 2);
            assert_true(w.now.utc_ns - before >= steps[i] / 2);
        }
    }
}

RUN_TESTS(NULL, NULL)
