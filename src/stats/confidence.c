/* confidence: how probable it is that growth goes on. */
#include "stats/average.h"

#include "stats/elementary.h"
#include "stats/order.h"

#include <math.h>

enum { EVIDENCE = 10 }; /* as PM_WEIGHTS_GROWS counts it */

static double between(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* The growth per span in the second half of the time that it took in each life: the median slope
 * between two points. `otherwise` if there are too few points. */
static double second_half(const pm_average *w, double otherwise)
{
    const pm_points *p = &w->points;
    double slope[PM_BUCKETS * PM_BUCKETS], end = p->lives > 1 ? 1.0 : p->x[p->n - 1];
    double begin = w->top.curve.shape == PM_SHAPE_LATE_RAMP ? w->top.curve.at : 0.0;
    double half = begin + 0.5 * (end - begin);
    size_t n = 0;

    for (int i = 0; i < p->n; i++)
        for (int j = i + 1; j < p->n && p->life[j] == p->life[i]; j++)
            if (p->x[i] >= half && p->x[j] > p->x[i] && n < sizeof slope / sizeof *slope)
                slope[n++] = (p->y[j] - p->y[i]) / (p->x[j] - p->x[i]);
    return n > 0 ? pm_median(slope, n) : otherwise;
}

/* The time since the last maximum, in longest pauses between the maxima before. */
static double tail_of(const pm_points *p)
{
    double pause, tail, margin;

    if (p->lives > 1)
        return 0.0;
    pm_records(p, &margin, &pause, &tail);
    return tail / (pause + PM_PAUSE_LEAST);
}

static void gather(const pm_average *w, double *e)
{
    const double *posterior = w->posterior;
    double leak = posterior[PM_OUTCOME_LEAK] + PM_ODDS_TRACE;
    double watch = posterior[PM_OUTCOME_WATCH] + PM_ODDS_TRACE;
    double bounded = posterior[PM_OUTCOME_BOUNDED] + posterior[PM_OUTCOME_SHRINK] + PM_ODDS_TRACE;
    double rate = pm_slope_of(w, PM_OUTCOME_LEAK, PM_OUTCOME_LEAK).rate, r2 = between(w->r2, 0, 1);
    double steep = w->line.end / fmax(w->line.end_error, 1e-9);

    if (rate == 0.0)
        rate = w->line.end;
    e[0] = 1.0;
    e[1] = pm_log(leak / bounded);
    e[2] = pm_log(leak / watch);
    e[3] = e[1] * e[2];
    e[4] = pm_log(between(steep, 0.5, 50.0));
    e[5] = pm_log(between(w->material / fmax(fabs(rate), 1e-9), 1e-3, 1.0));
    e[6] = between(tail_of(&w->points), 0.0, 4.0);
    e[7] = between(second_half(w, rate) / rate, -0.5, 1.5);
    e[8] = r2;
    e[9] = pm_log(1.0 + PM_ODDS_TRACE - r2);
}

static double probability(const double *weight, const double *e)
{
    double odds = 0.0;

    for (int i = 0; i < EVIDENCE; i++)
        odds += weight[i] * e[i];
    return 1 / (1 + pm_exp(-between(odds, -40.0, 40.0)));
}

pm_confidence pm_confidence_of(const pm_average *w)
{
    static const double grows[EVIDENCE] = PM_WEIGHTS_GROWS, steady[EVIDENCE] = PM_WEIGHTS_STEADY;
    double e[EVIDENCE];

    gather(w, e);
    return (pm_confidence){probability(grows, e), probability(steady, e)};
}
