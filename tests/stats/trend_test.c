/* trend: the amount and the kind of data; the same data has the same answer to the bit. */
#include "stats/trend_models.h"

TEST(few)
{
    judge(line, 0, 7);
    expect(PM_VERDICT_TOO_FEW);
    assert_int_equal(trend.snapshots, 7);
    assert_int_equal(trend.shape, PM_SHAPE_NONE);
    judge(line, 0, 8);
    expect_shape(PM_VERDICT_LEAK, PM_SHAPE_LINEAR);
    assert_true(trend.first_ms == ms[0] && trend.last_ms == ms[7]);
    judge_as(NULL, 0);
    expect(PM_VERDICT_TOO_FEW);
    for (size_t i = 0; i < 8; i++)
        life[i] = i >= 3; /* three and five: both lives are too short */
    judge_as(life, 8);
    expect(PM_VERDICT_TOO_FEW);
    times(N);
    for (size_t i = 0; i < N; i++)
        value[i] = NAN;
    judge_as(NULL, N);
    expect(PM_VERDICT_TOO_FEW);
}

TEST(unknown_values)
{
    char expected[600], is[600];
    size_t n = 0;

    judge(late, 40, N - 4);
    for (size_t i = 0; i < N - 4; i++)
        if (i % 7 != 3) {
            ms[n] = ms[i];
            value[n++] = value[i];
        }
    judge_as(NULL, n);
    expect(PM_VERDICT_LEAK);
    assert_int_equal(trend.snapshots, n);
    written(&trend, expected);
    judge(late, 40, N - 4);
    for (size_t i = 3; i < N - 4; i += 7)
        value[i] = NAN;
    judge_as(NULL, N - 4);
    written(&trend, is);
    assert_string_equal(is, expected);
    judge(late, 40, N - 4); /* the last value of a time counts */
    for (size_t i = 3; i < N - 4; i += 7) {
        value[i] = -1e6;
        ms[i] = ms[i + 1];
    }
    judge_as(NULL, N - 4);
    written(&trend, is);
    assert_string_equal(is, expected);
}

/* Growth from `from` to `to` in a straight line. */
static void judge_growth(double from, double to, bool count, bool size)
{
    times(N);
    for (size_t i = 0; i < N; i++)
        value[i] = from + floor((to - from) * (double)i / (N - 1));
    options = (pm_trend_options){.count = count, .size = size, .quantum = count ? 1 : 4};
    judge_as(NULL, N);
    options = (pm_trend_options){.quantum = 4};
}

TEST(growth_that_matters)
{
    judge_growth(10, 30, false, false);
    expect(PM_VERDICT_STEADY);
    judge_growth(10, 30, true, false);
    expect(PM_VERDICT_LEAK);
    expect_rate(20 / 99.5, 0.1);
    judge_growth(1e6, 1e6 + 6000, false, false);
    expect(PM_VERDICT_STEADY);
    judge_growth(1e6, 1e6 + 6000, false, true);
    expect(PM_VERDICT_LEAK);
    judge_growth(1e6, 1e6 + 20000, false, false);
    expect(PM_VERDICT_LEAK);
    judge_growth(0, 0, false, false);
    expect(PM_VERDICT_STEADY);
    assert_true(trend.rate == 0);
    judge_growth(1e12, 1e12, false, false);
    expect(PM_VERDICT_STEADY);
    judge_growth(1e12, 3e12, false, false);
    expect_shape(PM_VERDICT_LEAK, PM_SHAPE_LINEAR);
    expect_rate(2e12 / 99.5, 1e-3);
}

/* ---- the same input has the same answer ---- */

TEST(the_same)
{
    static double (*const all[])(double) = {flat, late, stairs, daily_leak, teeth, root, late};
    char alone[7][600], is[600];
    pm_trend_room *room;

    for (size_t k = 0; k < 7; k++) {
        judge(all[k], 30, N - k / 3);
        written(&trend, alone[k]);
    }
    assert_int_equal(pm_trend_room_open(&room, NULL), PMAPDB_OK);
    options.room = room;
    for (size_t k = 0; k < 14; k++) {
        judge(all[k % 7], 30, N - k % 7 / 3);
        written(&trend, is);
        assert_string_equal(is, alone[k % 7]);
    }
    options.room = NULL;
    pm_trend_room_close(room);
    pm_trend_room_close(NULL);
}

/* ---- printed rates ---- */

/* Slow and fast lines with noise, or in lumps: the interval of a leak excludes 0, the rate is at
 * least the detectable rate, and the confidence is that of a leak. */
TEST(no_leak_is_denied)
{
    size_t leaks = 0, suspects = 0;

    times(N);
    for (size_t k = 0; k < 400; k++) {
        double per = pow(1.5, (double)(k % 20)), lumps = 0;

        for (size_t i = 0; i < N; i++) {
            double chance = noise(i + N * k);

            lumps += chance > 0.9 ? 20 * per : 0;
            value[i] = 1e5 + (k % 2 ? lumps : per * (double)i + 400 * chance);
        }
        judge_as(NULL, N);
        leaks += trend.verdict == PM_VERDICT_LEAK;
        suspects += trend.verdict == PM_VERDICT_SUSPECT;
        if (trend.verdict == PM_VERDICT_LEAK)
            assert_true(trend.low > 0 && trend.rate >= trend.detectable && trend.confidence >= .9);
    }
    assert_true(leaks > 200 && suspects > 5);
}

/* A rate of less than half a page, or half a mapping, in the window is 0. */
TEST(noise_has_no_rate)
{
    for (size_t k = 0; k < 100; k++) {
        double quantum = k % 2 ? 1 : 4, hours = (N - 1) / 2.0;

        times(N);
        for (size_t i = 0; i < N; i++)
            value[i] = 50 + quantum * (noise(i + N * k) > 0.9);
        options = (pm_trend_options){.count = k % 2, .quantum = quantum};
        judge_as(NULL, N);
        assert_true(trend.rate == 0 || fabs(trend.rate) * hours >= 0.5 * quantum - 1e-9);
    }
    options = (pm_trend_options){.quantum = 4};
}

/* The caller chooses the posterior that makes a leak. The verdict on a rougher series is less sure:
 * a high posterior doubts first, a low posterior last. */
static double rough_until_doubt(double sensitivity)
{
    double rough = 150;

    options.leak_posterior = sensitivity;
    for (judge(warmup, rough, N); trend.verdict == PM_VERDICT_LEAK; judge(warmup, rough, N)) {
        assert_true(sensitivity == 0.35 || trend.confidence >= 0.9);
        rough *= 1.1;
    }
    options.leak_posterior = 0;
    return rough;
}

TEST(sensitivity)
{
    double normal = rough_until_doubt(0);

    assert_true(150 < rough_until_doubt(0.8) && rough_until_doubt(0.8) < normal);
    assert_true(normal < rough_until_doubt(0.35));
}

RUN_TESTS(NULL, NULL)
