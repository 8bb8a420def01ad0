/* permute: a permutation test of several statistics at once. */
#include "stats/runs/permute.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Rounding must not make one of two equal ways smaller. */
#define EQUAL 1e-9

typedef struct statistic {
    double seen;                     /* |sum of z over A|, as the runs are */
    double sum;                      /* of the current way */
    uint64_t as_far, as_far_at_most; /* ways in which it, or the largest of all, is as far */
} statistic;

typedef struct deal {
    size_t n, n_a, k;
    const bool *judged;
    statistic *of;
    double *z;     /* n rows of k standardized values */
    size_t *index; /* the runs; the first n_a are dealt to A */
    uint64_t ways, state;
} deal;

/* ---- the interval ---- */

/* The 97.5 % quantile of Student's t, for 1 to 30 degrees of freedom; beyond 30 the expansion of
 * Cornish and Fisher to its second term is good to 3 digits. */
static double t_quantile(double df)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    const double z = 1.959964;

    if (df < 1)
        df = 1;
    return df < 31 ? t[(size_t)df - 1] : z + (z * z * z + z) / (4 * df);
}

typedef struct moments {
    double mean, variance;
} moments;

static moments moments_of(const double *values, size_t n, size_t k)
{
    moments m = {0, 0};

    for (size_t i = 0; i < n; i++)
        m.mean += values[i * k];
    m.mean /= (double)n;
    for (size_t i = 0; i < n; i++)
        m.variance += (values[i * k] - m.mean) * (values[i * k] - m.mean);
    m.variance = n > 1 ? m.variance / (double)(n - 1) : NAN;
    return m;
}

/* Welch's interval of the difference of two means. */
static void describe(const double *values, size_t n_a, size_t n_b, size_t k, pm_contrast *out)
{
    moments a = moments_of(values, n_a, k), b = moments_of(values + n_a * k, n_b, k);
    double of_a = a.variance / (double)n_a, of_b = b.variance / (double)n_b, both = of_a + of_b;
    double squares = (n_a > 1 ? a.variance * (double)(n_a - 1) : 0) +
                     (n_b > 1 ? b.variance * (double)(n_b - 1) : 0);
    double df = both * both / (of_a * of_a / (double)(n_a - 1) + of_b * of_b / (double)(n_b - 1));
    double half = both > 0 ? t_quantile(df) * sqrt(both) : both;

    *out =
        (pm_contrast){.a = a.mean,
                      .b = b.mean,
                      .low = b.mean - a.mean - half,
                      .high = b.mean - a.mean + half,
                      .p = NAN,
                      .p_adjusted = NAN,
                      .deviation = n_a + n_b > 2 ? sqrt(squares / (double)(n_a + n_b - 2)) : NAN};
}

/* ---- the ways ---- */

/* Standardizes the values, because a difference is measured by the usual spread of its statistic. A
 * statistic that is unknown, or the same in all runs, is 0 in all. */
static void standardize(deal *d, const double *values)
{
    for (size_t j = 0; j < d->k; j++) {
        moments m = moments_of(values + j, d->n, d->k);
        double scale = sqrt(m.variance);
        bool usable = scale > fabs(m.mean) * DBL_EPSILON * 16;

        for (size_t i = 0; i < d->n; i++)
            d->z[i * d->k + j] = usable ? (values[i * d->k + j] - m.mean) / scale : 0;
    }
}

static void add_up(const deal *d)
{
    for (size_t j = 0; j < d->k; j++) {
        d->of[j].sum = 0;
        for (size_t i = 0; i < d->n_a; i++)
            d->of[j].sum += d->z[d->index[i] * d->k + j];
    }
}

/* Counts one way. The means of the standardized groups differ in proportion to the sum over A,
 * because the sum over all runs is 0. */
static void count_way(deal *d)
{
    double largest = 0;

    add_up(d);
    for (size_t j = 0; j < d->k; j++)
        if (d->judged[j])
            largest = fmax(largest, fabs(d->of[j].sum));
    for (size_t j = 0; j < d->k; j++) {
        double least = d->of[j].seen * (1 - EQUAL);

        d->of[j].as_far += fabs(d->of[j].sum) >= least;
        d->of[j].as_far_at_most += largest >= least;
    }
    d->ways++;
}

/* Steps to the next subset of the runs, in lexicographic order; false after the last one. */
static bool next_way(deal *d)
{
    size_t i = d->n_a;

    while (i > 0 && d->index[i - 1] == d->n - d->n_a + i - 1)
        i--;
    if (!i)
        return false;
    d->index[i - 1]++;
    for (; i < d->n_a; i++)
        d->index[i] = d->index[i - 1] + 1;
    return true;
}

/* xorshift64: the same numbers on every machine. */
static size_t random_below(deal *d, size_t n)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (size_t)(d->state % n); // NOLINT(clang-analyzer-core.DivideZero): n is a number of runs
}

static void shuffle(deal *d)
{
    for (size_t i = 0; i < d->n_a; i++) {
        size_t other = i + random_below(d, d->n - i), kept = d->index[i];

        d->index[i] = d->index[other];
        d->index[other] = kept;
    }
}

static void try_ways(deal *d)
{
    double all = 1;

    for (size_t i = 1; i <= d->n_a; i++)
        all = all * (double)(d->n - d->n_a + i) / (double)i;
    count_way(d); /* the runs as they are */
    if (all <= PM_PERMUTE_WAYS)
        while (next_way(d))
            count_way(d);
    else
        while (d->ways < PM_PERMUTE_WAYS) {
            shuffle(d);
            count_way(d);
        }
}

pmapdb_status pm_permute(const double *values, size_t n_a, size_t n_b, size_t k, const bool *judged,
                         pm_contrast *out, pmapdb_error *err)
{
    size_t n = n_a + n_b;
    deal d = {.n = n,
              .n_a = n_a,
              .k = k,
              .judged = judged,
              .of = calloc(k + 1, sizeof *d.of),
              .z = calloc(n * k + 1, sizeof *d.z),
              .index = calloc(n + 1, sizeof *d.index),
              .state = UINT64_C(0x9e3779b97f4a7c15)};
    bool ready = d.of && d.z && d.index;

    if (ready) {
        for (size_t i = 0; i < n; i++)
            d.index[i] = i;
        standardize(&d, values);
        add_up(&d);
        for (size_t j = 0; j < k; j++)
            d.of[j].seen = fabs(d.of[j].sum);
        try_ways(&d);
    }
    for (size_t j = 0; j < k && ready; j++) {
        describe(values + j, n_a, n_b, k, &out[j]);
        if (isnan(out[j].a) || isnan(out[j].b))
            continue;
        out[j].p = (double)d.of[j].as_far / (double)d.ways;
        out[j].p_adjusted = judged[j] ? (double)d.of[j].as_far_at_most / (double)d.ways : NAN;
    }
    free(d.of);
    free(d.z);
    free(d.index);
    return ready ? PMAPDB_OK : pm_fail_nomem(err);
}
