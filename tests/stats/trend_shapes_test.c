/* trend_shapes: trend on series of every verdict and of most shapes, whose rates and times are
 * known. */
#include "stats/trend_models.h"

static double step(double x)
{
    return x < 0.4 ? 5000 : 8000;
}

static double two_steps(double x)
{
    return x < 0.2 ? 5000 : x < 0.6 ? 8000 : 9500;
}

static double pulse(double x)
{
    return x < 0.3 || x > 0.5 ? 5000 : 8000;
}

static double saturating(double x)
{
    return 9000 - 4000 * exp(-5 * x);
}

static double ramp_then_flat(double x)
{
    return 5000 + 6000 * fmin(x, 0.5);
}

static double accelerating(double x)
{
    return 5000 + 100 * exp(3.5 * x);
}

static double logarithm(double x)
{
    return 5000 + 1000 * log1p(20 * x);
}

static double step_and_line(double x)
{
    return step(x) + 2000 * x;
}

static double knee(double x)
{
    return 5000 + 6000 * fmin(x, 0.3) + 2000 * x;
}

static double shrinking(double x)
{
    return 5000 - 1990 * x;
}

static double rising_teeth(double x)
{
    return tooth(x + 1e-9, 100);
}

/* A queue that is flushed until its sink hangs. */
static double teeth_then_ramp(double x)
{
    return x < 0.4 ? teeth(x) : 5000 + 8000 * (x - 0.4);
}

static double teeth_then_flat(double x)
{
    return x < 0.4 ? teeth(x) : 5100;
}

static double ramp_nearly_to_the_end(double x)
{
    return 5000 + 4000 * fmin(1, x / 0.84);
}

TEST(verdicts)
{
    judge(flat, 0, N);
    expect(PM_VERDICT_STEADY);
    assert_true(fabs(trend.rate) < 1e-9 && trend.since_ms == INT64_MIN && trend.confidence > 0.99);
    judge(flat, 40, N);
    expect(PM_VERDICT_STEADY);
    judge(line, 0, N);
    expect_shape(PM_VERDICT_LEAK, PM_SHAPE_LINEAR);
    expect_rate(10, 1e-3);
    assert_true(trend.high - trend.low < 1 && trend.confidence > 0.9);
    judge(line, 40, N);
    expect(PM_VERDICT_LEAK);
    expect_rate(10, 0.1);
    assert_true(trend.low <= 10 && trend.high >= 10 && trend.high - trend.low < 4);
    judge(shrinking, 40, N);
    expect(PM_VERDICT_SHRINKING);
    expect_rate(-20, 0.1);
    judge(root, 5, N);
    expect_shape(PM_VERDICT_SUSPECT, PM_SHAPE_POWER);
    judge(logarithm, 5, N);
    expect_shape(PM_VERDICT_SUSPECT, PM_SHAPE_LOG);
}

TEST(bounded)
{
    int64_t bucket = 199 * 1800000 / 32;

    judge(step, 5, N);
    expect_shape(PM_VERDICT_PLATEAU, PM_SHAPE_STEP);
    assert_true(llabs(trend.since_ms - ms[80]) <= bucket);
    judge(two_steps, 5, N);
    expect_shape(PM_VERDICT_PLATEAU, PM_SHAPE_TWO_STEP);
    judge(saturating, 5, N);
    expect_shape(PM_VERDICT_PLATEAU, PM_SHAPE_SATURATING);
    judge(ramp_then_flat, 5, N);
    expect_shape(PM_VERDICT_PLATEAU, PM_SHAPE_RAMP_THEN_FLAT);
    judge(pulse, 5, N);
    assert_in_range(trend.verdict, PM_VERDICT_STEADY, PM_VERDICT_PLATEAU);
    assert_int_equal(trend.shape, PM_SHAPE_TWO_STEP);
}

TEST(unbounded)
{
    int64_t bucket = 199 * 1800000 / 32;

    judge(late, 5, N);
    expect_shape(PM_VERDICT_LEAK, PM_SHAPE_LATE_RAMP);
    expect_rate(4000 / 99.5, 0.1);
    assert_true(llabs(trend.since_ms - ms[100]) <= bucket);
    judge(accelerating, 5, N);
    expect_shape(PM_VERDICT_LEAK, PM_SHAPE_ACCELERATING);
    expect_rate(350 * exp(3.5) / 99.5, 0.1); /* of now */
    judge(warmup, 5, N);
    expect_shape(PM_VERDICT_LEAK, PM_SHAPE_WARMUP_LINEAR);
    expect_rate(2000 / 99.5, 0.1);
    judge(step_and_line, 5, N);
    expect_shape(PM_VERDICT_LEAK, PM_SHAPE_STEP_LINEAR);
    expect_rate(2000 / 99.5, 0.2);
    assert_true(trend.low < 2000 / 99.5 && trend.high > 2000 / 99.5);
    judge(knee, 5, N);
    expect_shape(PM_VERDICT_LEAK, PM_SHAPE_KNEE);
    expect_rate(2000 / 99.5, 0.1);
}

TEST(points)
{
    judge(teeth, 0, N);
    expect(PM_VERDICT_STEADY);
    judge(rising_teeth, 0, N);
    expect(PM_VERDICT_LEAK);
    expect_rate(20, 0.02); /* 100 in ten snapshots */
    judge(teeth_then_ramp, 0, N);
    expect(PM_VERDICT_LEAK);
    expect_rate(8000 / 99.5, 0.1);
    judge(teeth_then_flat, 0, N);
    assert_true(trend.verdict <= PM_VERDICT_PLATEAU);
    judge(stairs, 0, N);
    expect(PM_VERDICT_LEAK);
    expect_rate(6000 / 99.5, 0.1);
    judge(daily, 40, N);
    expect(PM_VERDICT_STEADY);
    judge(daily_leak, 40, N);
    expect(PM_VERDICT_LEAK);
    expect_rate(20, 0.15);
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

/* The unbounded shapes together weigh more, but the single best one has ended. */
TEST(best_shape_has_an_end)
{
    judge(ramp_nearly_to_the_end, 300, 80);
    expect_shape(PM_VERDICT_SUSPECT, PM_SHAPE_RAMP_THEN_FLAT);
}

/* 20 per hour, in lumps at random moments: nine in ten intervals should hold that. */
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
