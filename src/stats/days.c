/* days: growth of services that are restarted every few days and follow the load of days and weeks.
 *
 * One curve for all lives does not see a leak that came with the last release, and the load hides
 * what a day adds. So the means of whole days are compared: least squares with a level of each
 * life, the start-up of the lives (logarithm of the age), the load of the day (its swing, and the
 * day of the week) and the days since a place in time that the life has leaked. The place that
 * explains most is taken. A new release may start up in another way: the newest life has a
 * logarithm of its own, with a prior of mean 0 (ridge regression), in units of the swing.
 */
#include "stats/average.h"
#include "stats/elementary.h"
#include "stats/order.h"

#include <math.h>
#include <stdio.h>

enum { DAYS_MOST = 256, WEEK = 7, LOADS = 3 + WEEK - 1 };

#define DAY 86400.0

typedef struct days {
    int n, lives;
    int life[DAYS_MOST];    /* the index of its first day */
    double when[DAYS_MOST]; /* the middle of the day: days since 1970, ascending */
    double age[DAYS_MOST];  /* days since the life began */
    double mean[DAYS_MOST], swing[DAYS_MOST];
    double load[LOADS][DAYS_MOST + 1]; /* orthonormal: the causes other than a leak. The last value
                                          belongs to the prior of the newest start-up */
    int loads;
    double prior; /* standard deviation of a day, over that of the newest start-up */
} days;

static double seconds_at(const pm_series *series, size_t i)
{
    return (double)series->ms[i] / 1000.0;
}

/* Adds the day of that age with these snapshots of the series, unless it has too few. */
static void add_day(const pm_series *series, size_t begin, size_t end, double age, double ends,
                    int life, double *work, days *d)
{
    double sum = 0.0, high;
    size_t n = 0;

    for (size_t i = begin; i < end; i++)
        if (!isnan(series->value[i]))
            sum += work[n++] = series->value[i];
    if ((double)n < PM_SNAPSHOTS_PER_DAY || age < PM_DAYS_AGE || d->n == DAYS_MOST)
        return;
    high = pm_select(work, n, n * 9 / 10);
    d->life[d->n] = life;
    d->when[d->n] = ends / DAY - 0.5;
    d->age[d->n] = age;
    d->mean[d->n] = sum / (double)n;
    d->swing[d->n++] = high - pm_select(work, n, n / 10);
}

/* The whole days of one life, counted back from its end. */
static void add_life(const pm_series *series, size_t begin, size_t end, double *work, days *d)
{
    double born = seconds_at(series, begin), last = seconds_at(series, end - 1);
    int life = d->n;

    for (int back = (int)((last - born) / DAY + PM_DAYS_GAP) - 1; back >= 0; back--) {
        double ends = last - back * DAY;
        size_t next;

        while (begin < end && seconds_at(series, begin) <= ends - DAY)
            begin++;
        for (next = begin; next < end && seconds_at(series, next) <= ends; next++)
            ;
        add_day(series, begin, next, (ends - born) / DAY - 0.5, ends, life, work, d);
        begin = next;
    }
    d->lives += d->n > life;
}

static bool restarts(const pm_series *series, size_t i)
{
    return series->life && series->life[i] != series->life[i - 1];
}

/* The days of all lives of the newest DAYS_MOST days. */
static void gather(const pm_series *series, double *work, days *d)
{
    size_t begin = 0, end;

    d->n = d->lives = 0;
    while (seconds_at(series, series->n - 1) - seconds_at(series, begin) > DAYS_MOST * DAY)
        begin++;
    for (; begin < series->n; begin = end) {
        for (end = begin + 1; end < series->n && !restarts(series, end); end++)
            ;
        add_life(series, begin, end, work, d);
    }
}

/* Subtracts from v its mean in each life and its projection on the loads. */
static void project(const days *d, double *v)
{
    for (int i = 0, next; i < d->n; i = next) {
        double sum = 0.0;

        for (next = i; next < d->n && d->life[next] == d->life[i]; next++)
            sum += v[next];
        for (int k = i; k < next; k++)
            v[k] -= sum / (next - i);
    }
    for (int k = 0; k < d->loads; k++) {
        double along = pm_dot(v, d->load[k], d->n + 1);

        for (int i = 0; i <= d->n; i++)
            v[i] -= along * d->load[k][i];
    }
}

/* Returns the share of the 24 hours that falls on this day of the week; 24 hours from noon on fall
 * half on one day and half on the next. */
static double part_of_weekday(double when, int weekday)
{
    double place = (when - 0.5) / WEEK - floor((when - 0.5) / WEEK);
    double off = fabs(place * WEEK - weekday);

    return fmax(0.0, 1.0 - fmin(off, WEEK - off));
}

/* A load that the others explain is left out. */
static void add_load(days *d)
{
    double *v = d->load[d->loads], length;

    project(d, v);
    length = sqrt(pm_dot(v, v, d->n + 1));
    for (int i = 0; i <= d->n && length > 0.0; i++)
        v[i] /= length;
    d->loads += length > 1e-6;
}

static void add_loads(days *d)
{
    int newest = d->life[d->n - 1], weekdays = d->when[d->n - 1] - d->when[0] > 2 * WEEK - 1;

    d->loads = 0;
    for (int k = 0; k < (weekdays ? LOADS : 3); k++) {
        double *v = d->load[d->loads];

        for (int i = 0; i < d->n; i++)
            v[i] = k == 0   ? pm_log(d->age[i])
                   : k == 1 ? d->swing[i]
                   : k == 2 ? (d->life[i] == newest ? pm_log(d->age[i]) : 0.0)
                            : part_of_weekday(d->when[i], k - 3);
        v[d->n] = k == 2 ? d->prior : 0.0;
        add_load(d);
    }
}

/* Returns the correlation of neighbouring days in the part of y that the leak v does not explain.
 */
static double correlation_of(const days *d, const double *y, const double *v, double rate)
{
    double products = 0.0, square = 0.0, before = 0.0;

    for (int i = 0; i < d->n; i++) {
        double rest = y[i] - rate * v[i];

        if (i > 0 && d->life[i] == d->life[i - 1])
            products += rest * before;
        square += rest * rest;
        before = rest;
    }
    return square > 0.0 ? fmin(fmax(products / square, 0.0), PM_DAYS_ALIKE) : 0.0;
}

/* The leak since one place in time: the days that each life has leaked. Evidence 0: no such leak.
 */
static pm_daily leak_since(const days *d, double since, const double *y, double square)
{
    double v[DAYS_MOST + 1] = {0}, all, gain, rate, rest, phi;
    double left = d->n - d->lives - d->loads - 1;
    int leaking = 0;

    for (int i = 0; i < d->n; i++) {
        v[i] = fmax(0.0, fmin(d->age[i], d->when[i] - since));
        leaking += v[i] > 0.0;
    }
    all = pm_dot(v, v, d->n);
    project(d, v);
    gain = pm_dot(v, v, d->n + 1);
    if (leaking < PM_DAYS_LEAKING || gain < PM_DAYS_OWN * all)
        return (pm_daily){0};
    rate = pm_dot(v, y, d->n + 1) / gain;
    rest = fmax(square - gain * rate * rate, 1e-9 * square);
    phi = correlation_of(d, y, v, rate);
    return (pm_daily){
        .evidence = rate > 0.0 ? (left + 1) * pm_log(square / rest) * (1 - phi) / (1 + phi) : 0.0,
        .rate = rate,
        .error = sqrt(rest / left / gain),
        .since = since * DAY,
        .noise = sqrt(rest / left)};
}

/* Rate and error over all places, weighted by their likelihoods. */
static void average(const pm_daily *at, int n, pm_daily *out)
{
    double weight = 0.0, sum = 0.0, squares = 0.0;

    for (int i = 0; i < n; i++) {
        double w = pm_exp(fmax(-700.0, (at[i].evidence - out->evidence) / 2));

        if (!(at[i].evidence > 0.0))
            continue;
        weight += w;
        sum += w * at[i].rate;
        squares += w * (at[i].rate * at[i].rate + at[i].error * at[i].error);
    }
    if (!(weight > 0.0))
        return;
    out->rate = sum / weight;
    out->error = sqrt(fmax(0.0, squares / weight - out->rate * out->rate));
}

/* The leak since the place of most evidence; rate and error are averaged over the places. False if
 * the means of the days have nothing that load and start-ups do not explain. */
static bool explain(days *d, pm_daily *out)
{
    double y[DAYS_MOST + 1] = {0}, square;
    pm_daily at[DAYS_MOST + 1];

    *out = (pm_daily){0};
    add_loads(d);
    if (d->n - d->lives - d->loads < PM_DAYS_FREE)
        return false;
    for (int i = 0; i < d->n; i++)
        y[i] = d->mean[i];
    project(d, y);
    square = pm_dot(y, y, d->n + 1);
    if (!(square > 0.0))
        return false;
    out->noise = sqrt(square / (d->n - d->lives - d->loads));
    for (int i = 0; i <= d->n; i++) {
        at[i] = leak_since(d, i > 0 ? d->when[i - 1] : 0.0, y, square);
        if (at[i].evidence > out->evidence)
            *out = at[i];
    }
    average(at, d->n + 1, out);
    return true;
}

bool pm_daily_of(const pm_series *series, double *work, pm_daily *out)
{
    double swing = 0.0;
    days d;

    if (seconds_at(series, series->n - 1) - seconds_at(series, 0) < PM_DAYS_FREE * DAY)
        return false;
    gather(series, work, &d);
    d.prior = 0.0;
    if (d.n - d.lives < PM_DAYS_FREE || !explain(&d, out))
        return false;
    for (int i = 0; i < d.n; i++)
        swing += d.swing[i] / d.n;
    if (!(swing > 0.0))
        return true;
    d.prior = out->noise / (PM_DAYS_RELEASE * swing);
    return explain(&d, out);
}
