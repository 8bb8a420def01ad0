/* refine: refutations of a verdict that the fitted curves gave.
 *
 * Each test looks at something that least squares cannot see: where the maxima lie, how few rises
 * make up the growth, whether the last third still grows.
 */
#include "stats/refine.h"

#include "stats/order.h"

#include <math.h>
#include <stdio.h>

static double range_of(const double *v, size_t n)
{
    double low = v[0], high = v[0];
    size_t i;

    for (i = 1; i < n; i++) {
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    return high - low;
}

/* No new maximum for a long time, compared with the pauses between earlier maxima. */
static bool stalled(const pm_refute_evidence *e, char *reason)
{
    const pm_points *p = e->points;
    double margin = PM_RECORD * range_of(p->y, (size_t)p->n), record = p->y[0], at = p->x[0];
    double pause = 0.0, tail, whole = p->x[p->n - 1] - p->x[0];
    int records = 0, i;

    for (i = 1; i < p->n; i++) {
        if (p->y[i] <= record + margin)
            continue;
        if (records++)
            pause = fmax(pause, p->x[i] - at);
        record = p->y[i];
        at = p->x[i];
    }
    tail = p->x[p->n - 1] - at;
    if (margin <= 0.0 || records < 2 || tail <= PM_STALL_TIMES * pause ||
        tail <= PM_STALL_SHARE * whole)
        return false;
    snprintf(reason, PM_REASON, "no new maximum in the last %.0f %% of the time", 100 * tail);
    return true;
}

/* With few snapshots an early jump looks like a line. */
static bool few_and_over(const pm_refute_evidence *e, char *reason)
{
    const pm_sample *s = e->sample;
    double margin = PM_RECORD * range_of(s->raw, s->n), record = s->raw[0];
    size_t at = 0, i;

    if (s->n >= PM_FEW)
        return false;
    for (i = 1; i < s->n; i++)
        if (s->raw[i] > record + margin) {
            record = s->raw[i];
            at = i;
        }
    if (s->t[at] - s->t[0] >= PM_FEW_UNTIL * (s->t[s->n - 1] - s->t[0]))
        return false;
    snprintf(reason, PM_REASON, "few snapshots, and no new maximum in the last 40 %% of the time");
    return true;
}

/* The robust rate explains little of the rise: outliers or jumps made the rise. */
static bool rate_is_no_rise(const pm_refute_evidence *e, char *reason)
{
    const pm_points *p = e->points;
    double range = 0.0;
    int i, begin = 0;

    for (i = 1; i <= p->n; i++)
        if (i == p->n || p->life[i] != p->life[begin]) {
            range = fmax(range, range_of(p->y + begin, (size_t)(i - begin)));
            begin = i;
        }
    if (!(range > 0.0) || e->rate >= PM_TAIL * range)
        return false;
    snprintf(reason, PM_REASON, "the steady part explains only %.0f %% of the rise",
             100 * e->rate / range);
    return true;
}

typedef struct rises {
    size_t n;
    double up, down, largest, second;
    double third[3]; /* the rise of each third of the time */
} rises;

static rises rises_of(const pm_sample *s)
{
    double t0 = s->t[0], whole = s->t[s->n - 1] - t0 + 1.0;
    rises r = {0};
    size_t i;

    for (i = 1; i < s->n; i++) {
        double d = s->raw[i] - s->raw[i - 1];

        if (d <= 0.0) {
            r.down -= d;
            continue;
        }
        r.n++;
        r.up += d;
        r.third[(int)fmin(2.0, 3.0 * (s->t[i] - t0) / whole)] += d;
        if (d > r.largest) {
            r.second = r.largest;
            r.largest = d;
        } else if (d > r.second) {
            r.second = d;
        }
    }
    return r;
}

/* Two rises make up most of the growth. */
static bool jumped(const pm_refute_evidence *e, char *reason)
{
    rises r = rises_of(e->sample);
    double two = r.up > 0.0 ? (r.largest + r.second) / r.up : 1.0;

    if (r.down >= 0.1 * r.up || two <= PM_JUMP || r.n >= PM_JUMP_RISES)
        return false;
    snprintf(reason, PM_REASON, "two jumps make %.0f %% of the rise", 100 * two);
    return true;
}

/* All pairs of points of one life: buckets, or corners and as many points of the tail. */
enum { SLOPES_MAX = 2 * PM_BUCKETS * (2 * PM_BUCKETS + 1) };

/* Slopes between all pairs of points with x in [from, to]; their median is the Theil-Sen rate.
 * Returns the number of slopes. */
static size_t slopes_of(const pm_points *p, double from, double to, double *out)
{
    size_t n = 0;
    int i, j;

    for (i = 0; i < p->n; i++) {
        if (p->x[i] < from || p->x[i] > to)
            continue;
        for (j = i + 1; j < p->n; j++)
            if (p->x[j] <= to && p->x[j] > p->x[i])
                out[n++] = (p->y[j] - p->y[i]) / (p->x[j] - p->x[i]);
    }
    return n;
}

static bool slows_down(const pm_refute_evidence *e, char *reason)
{
    const pm_points *p = e->points;
    double slopes[SLOPES_MAX], early, late, last = p->x[p->n - 1], cut;
    int first = 0;
    size_t n;

    while (first < p->n && p->x[first] < e->active)
        first++;
    if (p->n - first < 12)
        return false;
    cut = p->x[first] + (last - p->x[first]) * 2 / 3.0;
    n = slopes_of(p, p->x[first], cut, slopes);
    if (n <= 5)
        return false;
    early = pm_median(slopes, n);
    n = slopes_of(p, cut, last, slopes);
    if (n <= 5)
        return false;
    late = pm_median(slopes, n);
    if (early <= 0.0 || late >= PM_DECEL * early || pm_quantile(slopes, n, 0.85) >= early)
        return false;
    snprintf(reason, PM_REASON, "the rate fell to %.0f %% in the last third",
             100 * fmax(0.0, late / early));
    return true;
}

/* Many rises, hardly a fall, and the later thirds as busy as the first. */
static bool climbs_evenly(const pm_refute_evidence *e, char *reason)
{
    const pm_sample *s = e->sample;
    rises r = rises_of(s);
    double busiest = fmax(r.third[0], fmax(r.third[1], r.third[2]));
    double two = r.up > 0.0 ? (r.largest + r.second) / r.up : 1.0;

    if (r.down >= 0.02 * r.up || r.n < 8 || (double)r.n > 0.5 * (double)(s->n - 1) || two >= 0.5 ||
        r.third[1] < PM_STAIR * busiest || r.third[2] < PM_STAIR * busiest)
        return false;
    snprintf(reason, PM_REASON, "a staircase of %zu rises, evenly spread", r.n);
    return true;
}

/* When a refutation applies. */
enum {
    ONE_LIFE = 1,     /* the series has one life */
    NOT_SAWTOOTH = 2, /* a sawtooth has too few floors */
    STRAIGHT = 4,     /* the best shape ends in a straight line */
    MAY_SLOW = 8,     /* the posteriors leave room for a curve that slows down */
    GROWS = 16        /* the posteriors are those of a suspect at least */
};

/* In this order; the first that applies and holds decides. */
static const struct {
    pm_verdict from; /* PM_VERDICT_TOO_FEW: from leak and suspect */
    unsigned needs;
    bool (*holds)(const pm_refute_evidence *e, char *reason);
    pm_verdict to;
} refutations[] = {
    {PM_VERDICT_TOO_FEW, ONE_LIFE | NOT_SAWTOOTH, stalled, PM_VERDICT_PLATEAU},
    {PM_VERDICT_TOO_FEW, ONE_LIFE, few_and_over, PM_VERDICT_PLATEAU},
    {PM_VERDICT_LEAK, STRAIGHT, rate_is_no_rise, PM_VERDICT_SUSPECT},
    {PM_VERDICT_TOO_FEW, ONE_LIFE, jumped, PM_VERDICT_PLATEAU},
    {PM_VERDICT_LEAK, ONE_LIFE | NOT_SAWTOOTH | STRAIGHT | MAY_SLOW, slows_down,
     PM_VERDICT_SUSPECT},
    {PM_VERDICT_SUSPECT, ONE_LIFE | NOT_SAWTOOTH | GROWS, climbs_evenly, PM_VERDICT_LEAK},
};

pm_verdict pm_refine(pm_verdict verdict, const pm_refute_evidence *e, char *reason)
{
    unsigned has = (e->sample->lives == 1 ? ONE_LIFE : 0) | (e->points->floor ? 0 : NOT_SAWTOOTH) |
                   (e->straight ? STRAIGHT : 0) | (e->may_slow ? MAY_SLOW : 0) |
                   (e->grows ? GROWS : 0);

    for (size_t i = 0; i < sizeof refutations / sizeof *refutations; i++)
        if ((refutations[i].from == PM_VERDICT_TOO_FEW || refutations[i].from == verdict) &&
            (has & refutations[i].needs) == refutations[i].needs && refutations[i].holds(e, reason))
            return refutations[i].to;
    return verdict;
}
