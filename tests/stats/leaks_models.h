/* leaks_models: small processes made by hand, for the tests of leaks.
 *
 * A growing metric is a straight line of 40 snapshots, a minute apart, which any fit calls a leak.
 * A flat metric never changes. The tests check the rules that judge the metrics together.
 */
#ifndef TEST_STATS_LEAKS_MODELS_H
#define TEST_STATS_LEAKS_MODELS_H

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/leaks/leaks.h"

enum { N = 40, KEYS = 4 };

/* Begins at `from` and grows by `step` with each snapshot. If `from` is NAN, it is unknown. */
typedef struct line {
    double from, step;
} line;

/* A line for each metric, in the order of pm_metric. */
typedef struct model {
    const char *category;
    line mappings, size, rss, pss, private, private_dirty, swap;
} model;

static pm_leak rows[KEYS + 1];
static pm_leak_run runs[KEYS][N];
static int64_t times[N];
static int32_t lives[N];

static inline void run_of(const model *m, size_t place, pm_leak_run *run)
{
    const line *lines = &m->mappings;

    run->first = run->last = (uint32_t)place;
    for (int i = 0; i < PM_METRIC_COUNT; i++)
        run->value[i] = lines[i].from + lines[i].step * (double)place;
}

static inline void judge_n(const model *models, size_t n_keys, const pm_leak_options *options,
                           size_t n)
{
    pm_leak_key keys[KEYS] = {0};
    pm_leak_process process = {times, lives, n, keys, n_keys, NULL};

    for (size_t i = 0; i < n; i++)
        times[i] = INT64_C(1800000000000) + (int64_t)i * 60000;
    for (size_t k = 0; k < n_keys; k++) {
        keys[k] = (pm_leak_key){models[k].category, models[k].category, runs[k], n};
        for (size_t i = 0; i < n; i++)
            run_of(&models[k], i, &runs[k][i]);
    }
    assert_int_equal(pm_leaks_judge(&process, options, rows, NULL), PMAPDB_OK);
}

static const pm_leak_options jointly = {.metric = -1, .limit_kib = NAN};

static inline void judge(const model *models, size_t n_keys)
{
    judge_n(models, n_keys, &jointly, N);
}

#define JUDGE(...) \
    judge((const model[]){__VA_ARGS__}, sizeof((const model[]){__VA_ARGS__}) / sizeof(model))

/* Judges a single key, whose runs the test has changed. */
static inline void judge_key(pm_leak_key key)
{
    pm_leak_process process = {times, lives, N, &key, 1, NULL};

    assert_int_equal(pm_leaks_judge(&process, &jointly, rows, NULL), PMAPDB_OK);
}

/* Row 0 is the whole process, the others are keys. */
static inline void expect(size_t row, pm_verdict verdict, pm_metric metric, pm_metric why,
                          const char *reason)
{
    const pm_leak *r = &rows[row];

    if (r->verdict != verdict || r->metric != metric || r->why_metric != why ||
        strcmp(r->reason, reason) != 0)
        fail_msg("row %zu: expected %s %s %s '%s', is %s %s %s '%s'", row,
                 pm_verdict_names[verdict], pm_metric_names[metric], pm_metric_names[why], reason,
                 pm_verdict_names[r->verdict], pm_metric_names[r->metric],
                 pm_metric_names[r->why_metric], r->reason);
}

static inline void expect_rate(size_t row, double per_minute)
{
    if (fabs(rows[row].trend.rate - per_minute * 60) > 1e-3 * fabs(per_minute * 60))
        fail_msg("row %zu: %g per hour, expected %g", row, rows[row].trend.rate, per_minute * 60);
}

#define LEAK PM_VERDICT_LEAK
#define SUSPECT PM_VERDICT_SUSPECT
#define PLATEAU PM_VERDICT_PLATEAU
#define STEADY PM_VERDICT_STEADY
#define TOO_FEW PM_VERDICT_TOO_FEW
#define RSS PM_METRIC_RSS
#define SIZE PM_METRIC_SIZE
#define PIECES PM_METRIC_MAPPINGS

/* A metric that does not matter, and an unknown metric. */
#define NONE \
    {        \
        0, 0 \
    }
#define UNKNOWN \
    {           \
        NAN, 0  \
    }

/* From smaps: pss, private and its dirty part follow rss. */
#define SMAPS(count, size, rss, private) count, size, rss, rss, private, private, NONE
/* From pmap -x: no pss, no private memory, no swap. */
#define PMAP_X(count, size, rss) count, size, rss, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN
/* From pmap: no more than the size. */
#define PMAP(count, size) count, size, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN
#define L(from, step) \
    {                 \
        from, step    \
    }

#endif
