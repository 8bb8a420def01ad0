/* refine: growth that is over, and growth that goes on. */
#include "stats/samples.h"

#include <stdio.h>
#include <string.h>

static size_t length = MOST; /* of a life, in snapshots */
static pm_points points;
static char reason[PM_REASON];

static bool over(double (*y)(size_t), size_t n)
{
    every(60000, n);
    for (size_t i = 0; i < n; i++) {
        value[i] = y(i);
        life[i] = (int32_t)(i / length);
    }
    take(n);
    pm_points_of(&sample, PM_BUCKETS, &points);
    reason[0] = 0;
    return pm_growth_is_over(&sample, &points, 1000, reason);
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

/* A series as a function of the place i. */
#define SERIES(name, y)          \
    static double name(size_t i) \
    {                            \
        return (y);              \
    }

/* An array for 100 items doubles when it is full, and gets 5 items at each place up to `until`. */
static double array_until(size_t i, size_t until)
{
    double capacity = 100;

    while (capacity < 5 * (double)(i < until ? i : until) + 45)
        capacity *= 2;
    return 5000 + capacity;
}

SERIES(line, 5000 + 10 * (double)i)
/* Rises in small steps, up and down, and stops at 60 of 100. */
SERIES(stops, 5000 + 10 * (double)(i < 60 ? i : 60) - (i % 2 ? 3 : 0))
SERIES(early_jump, 5000 + (i < 4 ? 0 : 800))
SERIES(two_jumps, 5000 + (i >= 20 ? 500 : 0) + (i >= 95 ? 500 : 0) + (i >= 50 ? 4 : 0))
SERIES(two_jumps_and_falls, two_jumps(i) - (i >= 60 ? 150 : 0))
SERIES(array_grows, array_until(i, MOST))
SERIES(array_is_full, array_until(i, 160))
SERIES(stairs, 5000 + 100 * floor((double)i / 4))
/* Lives of 40 snapshots: four of six lives stop halfway, or two of six. */
SERIES(most_lives_stop, 5000 + 25 * (double)(i / 40 % 3 > 0 && i % 40 > 20 ? 20 : i % 40))
SERIES(few_lives_stop, 5000 + 25 * (double)(i / 40 % 3 > 1 && i % 40 > 20 ? 20 : i % 40))

TEST(growth_goes_on)
{
    expect_going_on(line, 100);
    expect_going_on(line, 8);
    expect_going_on(stairs, 100);
}

TEST(growth_stopped)
{
    expect_over(stops, 100, "no new maximum in the last ");
    expect_over(early_jump, 12, "two jumps");
    expect_over(early_jump, 16, "two jumps");
}

TEST(jumps)
{
    expect_over(two_jumps, 100, "two jumps make up 100 % of the rise");
    expect_going_on(two_jumps_and_falls, 100);
}

/* Four rises, of which the last two make 80 % of the growth; the next is due at place 312. */
TEST(arrays)
{
    expect_going_on(array_grows, 200);
    assert_true(array_grows(199) == 5000 + 1600);
    expect_over(array_is_full, 400, "");
}

TEST(lives)
{
    length = 40;
    expect_over(most_lives_stop, 240, "goes on to the end of only 2 of 6 lives");
    expect_going_on(few_lives_stop, 240);
    length = MOST;
}

RUN_TESTS(NULL, let_go)
