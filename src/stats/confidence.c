/* confidence: how probable it is that growth goes on. */
#include "stats/average.h"

#include "stats/elementary.h"

#include <math.h>

/* The kinds of series and the evidence, in the order of PM_WEIGHTS_GROWS. */
enum { COUNTED, STAIRCASE, SAWTOOTH, LIVES, SEASONAL, CLIMBS, OTHER, KINDS, EVIDENCE = 10 };

static double between(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
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

static int kind_of(const pm_average *w)
{
    if (w->options->count || w->options->size)
        return COUNTED;
    return w->points.staircase   ? STAIRCASE
           : w->points.floor     ? SAWTOOTH
           : w->sample.lives > 1 ? LIVES
           : w->sample.seasonal  ? SEASONAL
           : w->climbs           ? CLIMBS
                                 : OTHER;
}

static void gather(const pm_average *w, double rate, double detectable, double *e)
{
    const double *posterior = w->posterior;
    double leak = posterior[PM_OUTCOME_LEAK] + PM_ODDS_TRACE;
    double watch = posterior[PM_OUTCOME_WATCH] + PM_ODDS_TRACE;
    double bounded = posterior[PM_OUTCOME_BOUNDED] + posterior[PM_OUTCOME_SHRINK] + PM_ODDS_TRACE;
    double steep = w->line.end / fmax(w->line.end_error, 1e-9), r2 = between(w->r2, 0, 1);

    e[0] = 1.0;
    e[1] = pm_log(leak / bounded);
    e[2] = e[1] * pm_log(leak / watch);
    e[3] = pm_log(between(steep, 0.5, 50.0));
    e[4] = pm_log(between(w->material / rate, 1e-3, 1.0));
    e[5] = e[3] * e[4];
    e[6] = between(tail_of(&w->points), 0.0, 4.0);
    e[7] = r2;
    e[8] = pm_log(1.0 + PM_ODDS_TRACE - r2);
    e[9] = pm_log(between(rate / detectable, 0.05, 20.0));
}

static double probability(const double *weight, const double *e)
{
    double odds = 0.0;

    for (int i = 0; i < EVIDENCE; i++)
        odds += weight[i] * e[i];
    return 1 / (1 + pm_exp(-between(odds, -40.0, 40.0)));
}

pm_confidence pm_confidence_of(const pm_average *w, double rate, double detectable)
{
    static const double grows[KINDS][EVIDENCE] = PM_WEIGHTS_GROWS;
    static const double steady[KINDS][EVIDENCE] = PM_WEIGHTS_STEADY;
    double e[EVIDENCE];
    int kind = kind_of(w);

    gather(w, rate, detectable, e);
    return (pm_confidence){probability(grows[kind], e), probability(steady[kind], e)};
}
