/* refine: growth that the fitted curves see, and that is over.
 *
 * Each test looks at something that least squares cannot see: where the maxima lie, how few rises
 * make up the growth.
 */
#include "stats/points.h"

#include "stats/order.h"

#include <math.h>
#include <stdio.h>

int pm_records(const pm_points *p, double *margin, double *pause, double *tail)
{
    double record = p->y[0], at = p->x[0];
    int records = 0;

    *margin = PM_RECORD * pm_range_of(p->y, (size_t)p->n);
    *pause = 0.0;
    for (int i = 1; i < p->n; i++) {
        if (p->y[i] <= record + *margin)
            continue;
        if (records++)
            *pause = fmax(*pause, p->x[i] - at);
        record = p->y[i];
        at = p->x[i];
    }
    *tail = p->x[p->n - 1] - at;
    return records;
}

/* No new maximum for a long time, compared with the pauses between earlier maxima. */
static bool stalled(const pm_points *p, char *reason)
{
    double margin, pause, tail, whole = p->x[p->n - 1] - p->x[0];
    int records = pm_records(p, &margin, &pause, &tail);

    if (margin <= 0.0 || records < 2 || tail <= PM_STALL_TIMES * pause ||
        tail <= PM_STALL_SHARE * whole)
        return false;
    snprintf(reason, PM_REASON, "no new maximum in the last %.0f %% of the time", 100 * tail);
    return true;
}

typedef struct rises {
    size_t n;
    double up, down, largest, second;
} rises;

static rises rises_of(const pm_sample *s)
{
    rises r = {0};

    for (size_t i = 1; i < s->n; i++) {
        double d = s->raw[i] - s->raw[i - 1];

        if (d <= 0.0) {
            r.down -= d;
            continue;
        }
        r.n++;
        r.up += d;
        if (d > r.largest) {
            r.second = r.largest;
            r.largest = d;
        } else if (d > r.second) {
            r.second = d;
        }
    }
    return r;
}

/* An array grows by a factor each time it is full. If its contents grow steadily, so do the pauses,
 * by the same factor; and the next rise is not overdue. */
static bool doubles(const pm_sample *s, const rises *r)
{
    double at[PM_JUMP_RISES], step[PM_JUMP_RISES], end = s->t[s->n - 1], next;
    size_t n = 0;

    for (size_t i = 1; i < s->n; i++)
        if (s->raw[i] > s->raw[i - 1]) {
            at[n] = s->t[i];
            step[n++] = s->raw[i] - s->raw[i - 1];
        }
    if (n < PM_DOUBLES_MIN || r->down > 0.0)
        return false;
    for (size_t i = 2; i < n; i++) {
        double pause = (at[i] - at[i - 1]) / (at[i - 1] - at[i - 2]),
               factor = step[i] / step[i - 1];

        if (!(factor > PM_DOUBLES_LEAST) || pause > PM_DOUBLES_OFF * factor ||
            factor > PM_DOUBLES_OFF * pause)
            return false;
    }
    next = (at[n - 1] - at[n - 2]) * step[n - 1] / step[n - 2];
    return end - at[n - 1] <= PM_DOUBLES_OFF * next;
}

/* Two rises make up most of the growth. */
static bool jumped(const pm_sample *s, char *reason)
{
    rises r = rises_of(s);
    double two = r.up > 0.0 ? (r.largest + r.second) / r.up : 1.0;

    if (r.down >= 0.1 * r.up || two <= PM_JUMP || r.n >= PM_JUMP_RISES || doubles(s, &r))
        return false;
    snprintf(reason, PM_REASON, "two jumps make up %.0f %% of the rise", 100 * two);
    return true;
}

/* The growth per span in the second half of one life, whose points begin at `begin`; *end is where
 * they end. */
static double second_half_of(const pm_points *p, int begin, int *end)
{
    double slope[PM_BUCKETS * PM_BUCKETS], half;
    size_t n = 0;

    for (*end = begin; *end < p->n && p->life[*end] == p->life[begin]; ++*end)
        ;
    half = 0.5 * (p->x[begin] + p->x[*end - 1]);
    for (int i = begin; i < *end; i++)
        for (int j = i + 1; j < *end; j++)
            if (p->x[i] >= half && p->x[j] > p->x[i] && n < sizeof slope / sizeof *slope)
                slope[n++] = (p->y[j] - p->y[i]) / (p->x[j] - p->x[i]);
    return n > 0 ? pm_median(slope, n) : 0.0;
}

/* Every life is the same experiment again: a leak goes on in the second half of most lives. */
static bool few_lives_grow(const pm_points *p, double rate, char *reason)
{
    int grow = 0, lives = 0, end;

    for (int begin = 0; begin < p->n; begin = end, lives++)
        grow += second_half_of(p, begin, &end) >= PM_LIFE_GROWS * rate;
    if (lives < PM_LIVES_SURE || grow >= PM_LIVES_GROW * lives)
        return false;
    snprintf(reason, PM_REASON, "goes on to the end of only %d of %d lives", grow, lives);
    return true;
}

bool pm_growth_is_over(const pm_sample *sample, const pm_points *points, double rate, char *reason)
{
    if (sample->lives > 1)
        return few_lives_grow(points, rate, reason);
    return (!points->floor && stalled(points, reason)) || jumped(sample, reason);
}
