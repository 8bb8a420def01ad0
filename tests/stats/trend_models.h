/* trend_models: series made by hand for the tests of trend, and what is expected of the answers. */
#ifndef TEST_STATS_TREND_MODELS_H
#define TEST_STATS_TREND_MODELS_H

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/trend.h"

enum { MOST = 400, N = 200, LIVES = 4 };

#define PI 3.14159265358979323846
#define BEGIN INT64_C(1700006400000)

static int64_t ms[MOST];
static double value[MOST];
static int32_t life[MOST];
static pm_trend trend;
static pm_trend_options options = {.quantum = 4};

/* -1 to 1; the same for the same i. */
static inline double noise(size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u + 31u;

    x = (x ^ x >> 15) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return (double)(x ^ x >> 16) / 2147483648.0 - 1.0;
}

/* One snapshot every half hour: 200 of them are four days. */
static inline void judge_as(const int32_t *lives, size_t n)
{
    const pm_series series = {n, ms, value, lives};

    assert_int_equal(pm_trend_judge(&series, &options, &trend, NULL), PMAPDB_OK);
}

static inline void times(size_t n)
{
    for (size_t i = 0; i < n; i++)
        ms[i] = BEGIN + (int64_t)i * 1800000;
}

/* `y` of the share of the time that is over. */
static inline void judge(double (*y)(double), double rough, size_t n)
{
    times(n);
    for (size_t i = 0; i < n; i++)
        value[i] = y((double)i / (double)(n - 1)) + rough * noise(i);
    judge_as(NULL, n);
}

/* Every bit of an answer. */
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

static inline double flat(double x)
{
    return 5000 + 0 * x;
}

static inline double line(double x)
{
    return 5000 + 995 * x; /* 10 per hour where it lasts 99.5 hours */
}

static inline double late(double x)
{
    return 5000 + (x > 0.5 ? 4000 * (x - 0.5) : 0);
}

static inline double root(double x)
{
    return 5000 + 4000 * sqrt(x);
}

static inline double warmup(double x)
{
    return 5000 + 3000 * (1 - exp(-25 * x)) + 2000 * x;
}

static inline double tooth(double x, double leak)
{
    return 5000 + 3000 * fmod(x * 19.9, 1) + leak * floor(x * 19.9);
}

static inline double teeth(double x)
{
    return tooth(x + 1e-9, 0);
}

static inline double stairs(double x)
{
    return 5000 + 500 * floor(12 * x);
}

static inline double daily(double x)
{
    return 9000 + 1500 * sin(2 * PI * x * 199 / 48);
}

static inline double daily_leak(double x)
{
    return daily(x) + 1990 * x;
}

#endif
