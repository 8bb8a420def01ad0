/* days: growth of services that are restarted every few days and follow the load of days and weeks.
 *
 * One curve for all lives does not see a leak that came with the last release, and the load hides
 * what a day adds. So the means of whole days are compared: least squares with a level of each
 * life, the start-up of the lives (logarithm of the age; that of the newest life of its own), the
 * load of the day (its swing, and the day of the week) and the days since a place in time that the
 * life has leaked. The place that explains most is taken.
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
    int life[DAYS_MOST];
    double when[DAYS_MOST]; /* the middle of the day: days since 1970, ascending */
    double age[DAYS_MOST];  /* days since the life began, or since its start-up was over */
    double mean[DAYS_MOST], swing[DAYS_MOST];
    double load[LOADS][DAYS_MOST]; /* orthonormal: what is no leak */
    int loads;
} days;

/* Adds the day from `begin` to `end` of the sample, unless it has too few snapshots. */
static void add_day(pm_sample *s, int life, double ends, size_t begin, size_t end, days *d)
{
    double sum = 0.0, high;
    size_t n = end - begin;

    if ((double)n < PM_SNAPSHOTS_PER_DAY || d->n == DAYS_MOST)
        return;
    for (size_t i = 0; i < n; i++)
        sum += s->work[i] = s->raw[begin + i];
    high = pm_select(s->work, n, n * 9 / 10);
    d->life[d->n] = life;
    d->when[d->n] = ends / DAY - 0.5;
    d->age[d->n] = (ends - s->t[s->life[life].begin]) / DAY - 0.5;
    d->mean[d->n] = sum / (double)n;
    d->swing[d->n++] = high - pm_select(s->work, n, n / 10);
}

/* The whole days of every life, counted back from its end. */
static void gather(pm_sample *s, days *d)
{
    d->n = d->lives = 0;
    for (int k = 0; k < s->lives; k++) {
        size_t begin = s->life[k].begin, end = s->life[k].end;
        double last = s->t[end - 1];
        int whole = (int)((last - s->t[begin]) / DAY + 1e-3), before = d->n;

        for (int back = whole - 1; back >= 0; back--) {
            double ends = last - back * DAY;
            size_t next;

            while (begin < end && s->t[begin] <= ends - DAY)
                begin++;
            for (next = begin; next < end && s->t[next] <= ends; next++)
                ;
            add_day(s, k, ends, begin, next, d);
            begin = next;
        }
        d->lives += d->n > before;
    }
}

/* v loses its mean in each life, and its part along the loads. */
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
        double along = pm_dot(v, d->load[k], d->n);

        for (int i = 0; i < d->n; i++)
            v[i] -= along * d->load[k][i];
    }
}

/* How much of the day belongs to that day of the week; a day that begins at noon is half of two. */
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
    length = sqrt(pm_dot(v, v, d->n));
    for (int i = 0; i < d->n && length > 0.0; i++)
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
        add_load(d);
    }
}

/* The leak since one place in time: the days that each life has leaked. */
static void try_since(const days *d, double since, const double *y, double square, pm_daily *best)
{
    double v[DAYS_MOST] = {0}, all, gain, rate, left = d->n - d->lives - d->loads - 1, evidence;
    int leaking = 0;

    for (int i = 0; i < d->n; i++) {
        v[i] = fmax(0.0, fmin(d->age[i], d->when[i] - since));
        leaking += v[i] > 0.0;
    }
    all = pm_dot(v, v, d->n);
    project(d, v);
    gain = pm_dot(v, v, d->n);
    if (leaking < PM_DAYS_LEAKING || gain < PM_DAYS_OWN * all)
        return;
    rate = pm_dot(v, y, d->n) / gain;
    gain *= rate * rate;
    evidence = (left + 1) * pm_log(square / fmax(square - gain, 1e-9 * square));
    if (rate <= 0.0 || evidence <= best->evidence)
        return;
    best->evidence = evidence;
    best->rate = rate;
    best->error = fabs(rate) * sqrt(fmax(square - gain, 1e-9 * square) / left / gain);
    best->since = since * DAY;
}

bool pm_daily_of(pm_sample *s, pm_daily *out)
{
    days d;
    double y[DAYS_MOST] = {0}, square;

    *out = (pm_daily){0};
    gather(s, &d);
    if (d.n - d.lives < PM_DAYS_FREE)
        return false;
    add_loads(&d);
    if (d.n - d.lives - d.loads < PM_DAYS_FREE)
        return false;
    for (int i = 0; i < d.n; i++)
        y[i] = d.mean[i];
    project(&d, y);
    square = pm_dot(y, y, d.n);
    if (!(square > 0.0))
        return false;
    try_since(&d, 0.0, y, square, out);
    for (int i = 0; i < d.n; i++)
        try_since(&d, d.when[i], y, square, out);
    return true;
}
