/* refine: what speaks against a leak, or for one, although the curves say otherwise.
 *
 * Each test looks at something that least squares cannot see: where the maxima lie, how few rises
 * make the growth, whether the last third still grows. All but one are for a single life.
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

/* No new maximum for a long time, measured by the pauses between those before. */
static bool stalled(const pm_points *p, char *reason)
{
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

/* Of few snapshots an early jump looks like a line. */
static bool few_and_over(const pm_sample *s, char *reason)
{
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

/* The robust rate explains little of the rise: outliers or jumps made it. */
static bool rate_is_no_rise(const pm_evidence *e, char *reason)
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

static bool jumped(const pm_sample *s, char *reason)
{
    rises r = rises_of(s);
    double two = r.up > 0.0 ? (r.largest + r.second) / r.up : 1.0;

    if (r.down >= 0.1 * r.up || two <= PM_JUMP || r.n >= PM_JUMP_RISES)
        return false;
    snprintf(reason, PM_REASON, "two jumps make %.0f %% of the rise", 100 * two);
    return true;
}

/* Of one life: buckets, or corners with a tail as long. */
enum { SLOPES_MAX = 2 * PM_BUCKETS * (2 * PM_BUCKETS + 1) };

/* Slopes between all pairs of points whose x lies in [from, to]; their median is the rate (Theil,
 * Sen). Returns how many. */
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

static bool slows_down(const pm_evidence *e, char *reason)
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
static bool staircase(const pm_sample *s, char *reason)
{
    rises r = rises_of(s);
    double busiest = fmax(r.third[0], fmax(r.third[1], r.third[2]));
    double two = r.up > 0.0 ? (r.largest + r.second) / r.up : 1.0;

    if (r.down >= 0.02 * r.up || r.n < 8 || (double)r.n > 0.5 * (double)(s->n - 1) || two >= 0.5 ||
        r.third[1] < PM_STAIR * busiest || r.third[2] < PM_STAIR * busiest)
        return false;
    snprintf(reason, PM_REASON, "a staircase of %zu rises, evenly spread", r.n);
    return true;
}

pm_verdict pm_refine(pm_verdict verdict, const pm_evidence *e, char *reason)
{
    bool one = e->sample->lives == 1;
    bool curve = one && !e->points->floor; /* of a sawtooth the floors are too few */

    if (curve && stalled(e->points, reason))
        return PM_VERDICT_PLATEAU;
    if (one && few_and_over(e->sample, reason))
        return PM_VERDICT_PLATEAU;
    if (verdict == PM_VERDICT_LEAK && e->straight && rate_is_no_rise(e, reason))
        return PM_VERDICT_SUSPECT;
    if (one && jumped(e->sample, reason))
        return PM_VERDICT_PLATEAU;
    if (verdict == PM_VERDICT_LEAK && e->straight && curve && e->may_slow && slows_down(e, reason))
        return PM_VERDICT_SUSPECT;
    if (verdict == PM_VERDICT_SUSPECT && curve && e->grows && staircase(e->sample, reason))
        return PM_VERDICT_LEAK;
    return verdict;
}
