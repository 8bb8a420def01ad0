/* trend_models: series made by hand for the tests of trend, and comparisons of the answers. */
#ifndef TEST_STATS_TREND_MODELS_H
#define TEST_STATS_TREND_MODELS_H

#include "stats/samples.h"

#include <stdio.h>
#include <string.h>

#include "stats/trend.h"

enum { N = 200, LIVES = 4 };

static pm_trend trend;
static pm_trend_options options = {.quantum = 4};

static inline void judge_as(const int32_t *lives, size_t n)
{
    const pm_series series = {n, ms, value, lives};

    assert_int_equal(pm_trend_judge(&series, &options, &trend, NULL), PMAPDB_OK);
}

/* One snapshot every half hour: 200 of them are four days. */
static inline void times(size_t n)
{
    every(HOUR / 2, n);
}

/* Judges the curve `y` with noise of size `rough`; x is the share of the time that has passed. */
static inline void judge(double (*y)(double), double rough, size_t n)
{
    times(n);
    for (size_t i = 0; i < n; i++)
        value[i] = y((double)i / (double)(n - 1)) + rough * noise(i);
    judge_as(NULL, n);
}

/* Writes every bit of an answer. */
static inline void written(const pm_trend *t, char out[600])
{
    snprintf(out, 600, "%d %d %zu %d %lld %lld %a %a %a %a %lld %a %s", (int)t->verdict,
             (int)t->shape, t->snapshots, t->lives, (long long)t->first_ms, (long long)t->last_ms,
             t->rate, t->low, t->high, t->confidence, (long long)t->since_ms, t->detectable,
             t->reason);
}

static inline void expect(pm_verdict verdict)
{
    char text[600];

    written(&trend, text);
    if (trend.verdict != verdict)
        fail_msg("expected %s, is %s %s (%s)", pm_verdict_names[verdict],
                 pm_verdict_names[trend.verdict], pm_shape_names[trend.shape], text);
    assert_null(strstr(text, "nan"));
    assert_true(trend.low <= trend.rate && trend.rate <= trend.high);
    assert_true(trend.confidence >= 0 && trend.confidence <= 1 + 1e-12);
}

static inline void expect_shape(pm_verdict verdict, pm_shape shape)
{
    expect(verdict);
    assert_string_equal(pm_shape_names[trend.shape], pm_shape_names[shape]);
}

static inline void expect_rate(double per_hour, double off)
{
    if (fabs(trend.rate - per_hour) > off * fabs(per_hour))
        fail_msg("%g per hour, expected %g", trend.rate, per_hour);
}

/* A curve of x, the share of the time that has passed. */
#define CURVE(name, y)                  \
    static inline double name(double x) \
    {                                   \
        return (y);                     \
    }

CURVE(flat, 5000)
CURVE(line, 5000 + 995 * x) /* 10 per hour in 99.5 hours */
CURVE(late, 5000 + (x > 0.5 ? 4000 * (x - 0.5) : 0))
CURVE(root, 5000 + 4000 * sqrt(x))
CURVE(warmup, 5000 + 3000 * (1 - exp(-25 * x)) + 2000 * x)
CURVE(teeth, 5000 + 3000 * fmod((x + 1e-9) * 19.9, 1))
CURVE(stairs, 5000 + 500 * floor(12 * x))
CURVE(daily, 9000 + 1500 * sin(2 * PI * x * 199 / 48))
CURVE(daily_leak, daily(x) + 1990 * x)

#endif
