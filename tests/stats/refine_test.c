/* refine: growth that is over, and growth that goes on. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/points.h"

enum { MOST = 400 };

static int64_t ms[MOST];
static double value[MOST];
static int32_t life[MOST];
static size_t length = MOST; /* of a life */
static pm_points points;
static char reason[PM_REASON];

static bool over(double (*y)(size_t), size_t n)
{
    const pm_series series = {n, ms, value, life};
    pm_sample sample;
    bool out;

    for (size_t i = 0; i < n; i++) {
        ms[i] = INT64_C(1700006400000) + (int64_t)i * 60000;
        value[i] = y(i);
        life[i] = (int32_t)(i / length);
    }
    assert_int_equal(pm_sample_make(&series, &sample, NULL), PMAPDB_OK);
    pm_points_of(&sample, PM_BUCKETS, &points);
    reason[0] = 0;
    out = pm_growth_is_over(&sample, &points, 1000, reason);
    pm_sample_free(&sample);
    return out;
}

static void expect_over(double (*y)(size_t), size_t n, const char *why)
{
    if (!over(y, n) || strncmp(reason, why, strlen(why)) != 0)
        fail_msg("'%s', expected '%s'", reason, why);
}

static void expect_going_on(double (*y)(size_t), size_t n)
{
    if (over(y, n) || *reason)
        fail_msg("'%s', expected that the growth goes on", reason);
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

/* An array of 100 doubles when it is full: 5 more at each place, until `until`. */
static double array_until(size_t i, size_t until)
{
    double capacity = 100;

    while (capacity < 5 * (double)(i < until ? i : until) + 45)
        capacity *= 2;
    return 5000 + capacity;
}

static double array_grows(size_t i)
{
    return array_until(i, MOST);
}

static double array_is_full(size_t i)
{
    return array_until(i, 160);
}

static double stairs(size_t i)
{
    return 5000 + 100 * floor((double)i / 4);
}

TEST(it_goes_on)
{
    expect_going_on(line, 100);
    expect_going_on(line, 8);
    expect_going_on(stairs, 100);
}

TEST(it_stopped)
{
    expect_over(stops, 100, "no new maximum in the last ");
    expect_over(early_jump, 12, "two jumps");
    expect_over(early_jump, 16, "two jumps");
}

TEST(jumps)
{
    expect_over(two_jumps, 100, "two jumps make 100 % of the rise");
    expect_going_on(two_jumps_and_falls, 100);
}

/* Four rises, of which the last two are three quarters; the next is due at place 311. */
TEST(arrays)
{
    expect_going_on(array_grows, 200);
    assert_true(array_grows(199) == 5000 + 1600);
    expect_over(array_is_full, 400, "");
}

/* Lives of 40 snapshots: four of six stop half-way, or two of six. */
static double most_lives_stop(size_t i)
{
    return 5000 + 25 * (double)(i / 40 % 3 > 0 && i % 40 > 20 ? 20 : i % 40);
}

static double few_lives_stop(size_t i)
{
    return 5000 + 25 * (double)(i / 40 % 3 > 1 && i % 40 > 20 ? 20 : i % 40);
}

TEST(lives)
{
    length = 40;
    expect_over(most_lives_stop, 240, "goes on to the end of only 2 of 6 lives");
    expect_going_on(few_lives_stop, 240);
    length = MOST;
}

RUN_TESTS(NULL, NULL)
