/* trend_shapes: trend on series of every verdict and most shapes, with known rates and times. */
#include "stats/trend_models.h"

CURVE(step, x < 0.4 ? 5000 : 8000)
CURVE(two_steps, x < 0.2 ? 5000 : x < 0.6 ? 8000 : 9500)
CURVE(pulse, fabs(x - 0.4) > 0.1 ? 5000 : 8000)
CURVE(saturating, 9000 - 4000 * exp(-5 * x))
CURVE(ramp_then_flat, 5000 + 6000 * fmin(x, 0.5))
CURVE(accelerating, 5000 + 100 * exp(3.5 * x))
CURVE(logarithm, 5000 + 1000 * log1p(20 * x))
CURVE(step_and_line, step(x) + 2000 * x)
CURVE(knee, 5000 + 6000 * fmin(x, 0.3) + 2000 * x)
CURVE(shrinking, 5000 - 1990 * x)
CURVE(rising_teeth, teeth(x) + 100 * floor((x + 1e-9) * 19.9))
CURVE(teeth_then_ramp, x < 0.4 ? teeth(x) : 5000 + 8000 * (x - 0.4)) /* a sink that hangs */
CURVE(teeth_then_flat, x < 0.4 ? teeth(x) : 5100)
CURVE(ramp_nearly_to_the_end, 5000 + 4000 * fmin(1, x / 0.84))

/* The rate per hour differs from `rate` by at most the share `off`; the place `since` by at most a
 * bucket. Intervals contain the rate and are narrower than `width`. */
TEST(verdicts)
{
    const int64_t bucket = 199 * 1800000 / 32;
    const struct {
        double (*y)(double);
        double rough;
        pm_verdict verdict;
        pm_shape shape; /* PM_SHAPE_NONE: any */
        double rate, off;
        size_t since;
        double width;
    } cases[] = {
        {flat, 40, PM_VERDICT_STEADY, PM_SHAPE_NONE, 0, 0, 0, 0},
        {line, 0, PM_VERDICT_LEAK, PM_SHAPE_LINEAR, 10, 1e-3, 0, 0},
        {line, 40, PM_VERDICT_LEAK, PM_SHAPE_NONE, 10, 0.1, 0, 4},
        {shrinking, 40, PM_VERDICT_SHRINKING, PM_SHAPE_NONE, -20, 0.1, 0, 0},
        {root, 5, PM_VERDICT_SUSPECT, PM_SHAPE_POWER, 0, 0, 0, 0},
        {logarithm, 5, PM_VERDICT_SUSPECT, PM_SHAPE_LOG, 0, 0, 0, 0},
        {step, 5, PM_VERDICT_PLATEAU, PM_SHAPE_STEP, 0, 0, 80, 0},
        {two_steps, 5, PM_VERDICT_PLATEAU, PM_SHAPE_TWO_STEP, 0, 0, 0, 0},
        {saturating, 5, PM_VERDICT_PLATEAU, PM_SHAPE_SATURATING, 0, 0, 0, 0},
        {ramp_then_flat, 5, PM_VERDICT_PLATEAU, PM_SHAPE_RAMP_THEN_FLAT, 0, 0, 0, 0},
        {late, 5, PM_VERDICT_LEAK, PM_SHAPE_LATE_RAMP, 4000 / 99.5, 0.1, 100, 0},
        {accelerating, 5, PM_VERDICT_LEAK, PM_SHAPE_ACCELERATING, 350 * exp(3.5) / 99.5, 0.1, 0, 0},
        {warmup, 5, PM_VERDICT_LEAK, PM_SHAPE_WARMUP_LINEAR, 2000 / 99.5, 0.1, 0, 0},
        {step_and_line, 5, PM_VERDICT_LEAK, PM_SHAPE_STEP_LINEAR, 2000 / 99.5, 0.2, 0, INFINITY},
        {knee, 5, PM_VERDICT_LEAK, PM_SHAPE_KNEE, 2000 / 99.5, 0.1, 0, 0},
        {teeth, 0, PM_VERDICT_STEADY, PM_SHAPE_NONE, 0, 0, 0, 0},
        {rising_teeth, 0, PM_VERDICT_LEAK, PM_SHAPE_NONE, 20, 0.02, 0, 0},
        {teeth_then_ramp, 0, PM_VERDICT_LEAK, PM_SHAPE_NONE, 8000 / 99.5, 0.1, 0, 0},
        {stairs, 0, PM_VERDICT_LEAK, PM_SHAPE_NONE, 6000 / 99.5, 0.1, 0, 0},
        {daily, 40, PM_VERDICT_STEADY, PM_SHAPE_NONE, 0, 0, 0, 0},
        {daily_leak, 40, PM_VERDICT_LEAK, PM_SHAPE_NONE, 20, 0.15, 0, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        judge(cases[i].y, cases[i].rough, N);
        expect(cases[i].verdict);
        if (cases[i].shape != PM_SHAPE_NONE)
            assert_string_equal(pm_shape_names[trend.shape], pm_shape_names[cases[i].shape]);
        if (cases[i].rate != 0)
            expect_rate(cases[i].rate, cases[i].off);
        if (cases[i].since)
            assert_true(llabs(trend.since_ms - ms[cases[i].since]) <= bucket);
        if (cases[i].width > 0)
            assert_true(trend.low <= cases[i].rate && trend.high >= cases[i].rate &&
                        trend.high - trend.low < cases[i].width);
    }
}

TEST(without_noise)
{
    judge(flat, 0, N);
    expect(PM_VERDICT_STEADY);
    assert_true(fabs(trend.rate) < 1e-9 && trend.since_ms == INT64_MIN && trend.confidence > 0.99);
    judge(line, 0, N);
    assert_true(trend.high - trend.low < 1 && trend.confidence > 0.9);
    judge(teeth_then_flat, 0, N);
    assert_true(trend.verdict <= PM_VERDICT_PLATEAU);
    judge(pulse, 5, N);
    assert_in_range(trend.verdict, PM_VERDICT_STEADY, PM_VERDICT_PLATEAU);
    assert_int_equal(trend.shape, PM_SHAPE_TWO_STEP);
}

TEST(restarts)
{
    times(N);
    for (int leaks = 0; leaks < 2; leaks++) {
        for (size_t i = 0; i < N; i++) {
            life[i] = (int32_t)(i / (N / LIVES));
            value[i] =
                5000 + 300 * life[i] + leaks * 20.0 * (double)(i % (N / LIVES)) + 20 * noise(i);
        }
        judge_as(life, N);
        expect(leaks ? PM_VERDICT_LEAK : PM_VERDICT_STEADY);
        assert_int_equal(trend.lives, LIVES);
        assert_int_equal(trend.snapshots, N);
        assert_true(trend.since_ms == INT64_MIN);
    }
    expect_rate(40, 0.05);
}

/* The unbounded shapes together have more weight, but the best single shape has an end. */
TEST(best_shape_has_an_end)
{
    judge(ramp_nearly_to_the_end, 300, 80);
    expect_shape(PM_VERDICT_SUSPECT, PM_SHAPE_RAMP_THEN_FLAT);
}

/* The series grows by 20 per hour, in lumps at random moments: about nine in ten intervals contain
 * the rate. */
TEST(intervals_of_lumps_are_wide)
{
    int grows = 0, held = 0;

    times(N);
    for (size_t series = 0; series < 100; series++) {
        double v = 5000;

        for (size_t i = 0; i < N; i++) {
            if (noise(series * 1000 + i) > 0.8)
                v += 100 * (1 + noise(series * 777 + i));
            value[i] = v;
        }
        judge_as(NULL, N);
        if (trend.verdict < PM_VERDICT_SUSPECT)
            continue;
        grows++;
        held += trend.low <= 20 && 20 <= trend.high;
    }
    assert_true(grows > 90);
    if (held < grows * 6 / 7)
        fail_msg("%d of %d intervals hold the truth", held, grows);
}

RUN_TESTS(NULL, NULL)
