/* refine: each thing that speaks against a leak, or for one, alone. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/refine.h"
#include "stats/sample.h"

enum { MOST = 200 };

static int64_t ms[MOST];
static double value[MOST];
static pm_points points;
static char reason[PM_REASON];

/* What the curves say is left to `e`; a straight line that speaks for itself. */
static const pm_refute_evidence straight = {
    .active = -INFINITY, .rate = 1000, .straight = true, .may_slow = true, .grows = true};

static pm_verdict refined(pm_verdict verdict, pm_refute_evidence e, double (*y)(size_t), size_t n)
{
    const pm_series series = {n, ms, value, NULL};
    pm_sample sample;
    pm_verdict out;

    for (size_t i = 0; i < n; i++) {
        ms[i] = INT64_C(1700006400000) + (int64_t)i * 60000;
        value[i] = y(i);
    }
    assert_int_equal(pm_sample_make(&series, &sample, NULL), PMAPDB_OK);
    pm_points_of(&sample, PM_BUCKETS, &points);
    e.sample = &sample;
    e.points = &points;
    reason[0] = 0;
    out = pm_refine(verdict, &e, reason);
    pm_sample_free(&sample);
    return out;
}

static void expect(pm_verdict is, pm_verdict verdict, const char *why)
{
    if (is != verdict || strncmp(reason, why, strlen(why)) != 0 || (!*why && *reason))
        fail_msg("is %s '%s', expected %s '%s'", pm_verdict_name(is), reason,
                 pm_verdict_name(verdict), why);
}

static double line(size_t i)
{
    return 5000 + 10 * (double)i;
}

/* Rises by small ones, to and fro, and stops for good at 60 of 100. */
static double stops(size_t i)
{
    return 5000 + 10 * (double)(i < 60 ? i : 60) - (i % 2 ? 3 : 0);
}

static double early_jump(size_t i)
{
    return 5000 + (i < 4 ? 0 : 800);
}

static double two_jumps(size_t i)
{
    return 5000 + (i >= 20 ? 500 : 0) + (i >= 95 ? 500 : 0) + (i >= 50 ? 4 : 0);
}

static double two_jumps_and_falls(size_t i)
{
    return two_jumps(i) - (i >= 60 ? 150 : 0);
}

static double slows(size_t i)
{
    return 5000 + 10 * (double)(i < 80 ? i : 80) + 1.5 * (double)(i < 80 ? 0 : i - 80);
}

static double stairs(size_t i)
{
    return 5000 + 100 * floor((double)i / 4);
}

static double early_stairs(size_t i)
{
    return 5000 + (i < 40 ? 100 * floor((double)i / 4) : 900 + 10 * floor((double)(i - 36) / 4));
}

static void nothing_to_say(void **state)
{
    expect(refined(PM_VERDICT_LEAK, straight, line, 100), PM_VERDICT_LEAK, "");
    expect(refined(PM_VERDICT_SUSPECT, straight, line, 100), PM_VERDICT_SUSPECT, "");
    expect(refined(PM_VERDICT_LEAK, straight, line, 8), PM_VERDICT_LEAK, "");
}

static void it_stopped(void **state)
{
    expect(refined(PM_VERDICT_LEAK, straight, stops, 100), PM_VERDICT_PLATEAU,
           "no new maximum in the last ");
    expect(refined(PM_VERDICT_SUSPECT, straight, early_jump, 12), PM_VERDICT_PLATEAU,
           "few snapshots, and no new maximum");
    expect(refined(PM_VERDICT_SUSPECT, straight, early_jump, PM_FEW), PM_VERDICT_PLATEAU,
           "two jumps");
}

static void the_rate_is_no_rise(void **state)
{
    pm_refute_evidence e = straight;

    e.rate = 0.09 * 990;
    expect(refined(PM_VERDICT_LEAK, e, line, 100), PM_VERDICT_SUSPECT,
           "the steady part explains only 9 %");
    e.straight = false;
    expect(refined(PM_VERDICT_LEAK, e, line, 100), PM_VERDICT_LEAK, "");
}

static void jumps(void **state)
{
    expect(refined(PM_VERDICT_LEAK, straight, two_jumps, 100), PM_VERDICT_PLATEAU,
           "two jumps make 100 % of the rise");
    expect(refined(PM_VERDICT_LEAK, straight, two_jumps_and_falls, 100), PM_VERDICT_LEAK, "");
}

static void it_slows_down(void **state)
{
    pm_refute_evidence e = straight;

    expect(refined(PM_VERDICT_LEAK, e, slows, 120), PM_VERDICT_SUSPECT, "the rate fell to 15 %");
    e.may_slow = false;
    expect(refined(PM_VERDICT_LEAK, e, slows, 120), PM_VERDICT_LEAK, "");
}

static void it_climbs_in_steps(void **state)
{
    pm_refute_evidence e = straight;

    expect(refined(PM_VERDICT_SUSPECT, e, stairs, 100), PM_VERDICT_LEAK, "a staircase of 24 rises");
    expect(refined(PM_VERDICT_SUSPECT, e, early_stairs, 100), PM_VERDICT_SUSPECT, "");
    e.grows = false;
    expect(refined(PM_VERDICT_SUSPECT, e, stairs, 100), PM_VERDICT_SUSPECT, "");
}

RUN_TESTS(TEST(nothing_to_say), TEST(it_stopped), TEST(the_rate_is_no_rise), TEST(jumps),
          TEST(it_slows_down), TEST(it_climbs_in_steps))
