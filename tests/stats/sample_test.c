/* sample: the judged part of a series: known values in lives that are long enough, without the
 * daily profile. */
#include "stats/samples.h"

TEST(known_values)
{
    every(HOUR, 12);
    for (size_t i = 0; i < 12; i++)
        value[i] = (double)i;
    value[0] = value[5] = NAN;
    ms[8] = ms[9] = ms[7]; /* the last value of a time counts */
    take(12);
    assert_int_equal(sample.n, 8);
    assert_int_equal(sample.lives, 1);
    assert_true(sample.y[0] == 1 && sample.y[4] == 6 && sample.y[5] == 9 && sample.y[7] == 11);
    assert_true(sample.t[5] == (double)ms[7] / 1000 && sample.span == 10 * 3600.0);
    assert_memory_equal(sample.raw, sample.y, 8 * sizeof *sample.y);
    value[1] = NAN; /* seven are left */
    take(12);
    assert_int_equal(sample.lives, 0);
}

TEST(lives)
{
    every(HOUR, 100);
    for (size_t i = 0; i < 100; i++) {
        value[i] = (double)i;
        life[i] = (int32_t)(i < 5 ? 0 : i < 85 ? 1 + (i - 5) / 8 : i < 94 ? 20 : 30);
    }
    take(100); /* 5, ten of 8, 9, 6 */
    assert_int_equal(sample.lives, PM_LIVES_MAX);
    assert_int_equal(sample.snapshots, 6 * 8 + 9 + 6);
    assert_int_equal(sample.n, 6 * 6 + 7 + 6); /* two of each life are its start; six are needed */
    assert_int_equal(sample.life[0].begin, 0);
    assert_true(sample.y[0] == 39 && sample.first == sample.t[0] - 2 * 3600.0);
    assert_int_equal(sample.life[6].begin, 36);
    assert_int_equal(sample.life[7].end, 49);
    assert_true(sample.y[43] == 94 && sample.span == 6 * 3600.0);
    for (size_t i = 95; i < 100; i++) /* the last two lives, of 1 and 5 snapshots, are too short */
        life[i] = 31;
    take(100);
    assert_true(sample.y[sample.n - 1] == 93);
    for (size_t i = 0; i < 100; i++)
        life[i] = (int32_t)(i / 5);
    take(100);
    assert_int_equal(sample.lives, 0);
}

static double profile(size_t i, size_t per_day)
{
    return 500 * sin(2 * PI * (double)i / (double)per_day + 1.0);
}

/* Removes the season of a line with `part` of the profile. Returns the largest remaining error. */
static double left_of_profile(size_t per_day, double days, double part, double rough)
{
    size_t n = (size_t)((double)per_day * days);
    double most = 0;

    every(INT64_C(24) * HOUR / (int64_t)per_day, n);
    for (size_t i = 0; i < n; i++)
        value[i] = 9000 + (double)i + part * profile(i, per_day) + rough * noise(i);
    take(n);
    pm_season_remove(&sample);
    assert_memory_equal(sample.raw, value, n * sizeof *value);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(sample.y[i] - 9000 - (double)i));
    return most;
}

TEST(daily)
{
    assert_true(left_of_profile(144, 5, 1, 0) < 25);
    assert_true(left_of_profile(144, 2, 1, 0) < 25);
    assert_true(left_of_profile(24, 5, 1, 0) < 80);
    assert_true(left_of_profile(12, 5, 1, 0) < 120);
    assert_true(left_of_profile(144, 1.8, 1, 0) > 490);
    assert_true(left_of_profile(7, 8, 1, 0) > 450);
    /* unchanged: pure noise, and a profile under more noise */
    left_of_profile(144, 5, 0, 300);
    assert_memory_equal(sample.y, value, sample.n * sizeof *value);
    left_of_profile(144, 5, 0.3, 300);
    assert_memory_equal(sample.y, value, sample.n * sizeof *value);
    /* two days need a clearer profile than five */
    left_of_profile(144, 5, 1, 550);
    assert_memory_not_equal(sample.y, value, sample.n * sizeof *value);
    left_of_profile(144, 2, 1, 550);
    assert_memory_equal(sample.y, value, sample.n * sizeof *value);
}

RUN_TESTS(NULL, let_go)
