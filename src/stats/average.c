/* average: Bayesian model averaging over shapes, noise models and resolutions. */
#include "stats/average.h"

#include "stats/elementary.h"

#include <math.h>
#include <stdlib.h>

enum { RESOLUTIONS = 3 };

static const int resolutions[RESOLUTIONS] = {PM_BUCKETS_FEWEST, PM_BUCKETS_FEWER, PM_BUCKETS};

/* Floors and corners have other places in every series: their designs must not replace those that
 * other series share. */
enum { IRREGULAR = RESOLUTIONS, PLACES };

struct pm_trend_room {
    pm_design columns[PLACES][PM_PHIS_COUNT];
};

pmapdb_status pm_trend_room_open(pm_trend_room **out, pmapdb_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? PMAPDB_OK : pm_fail_nomem(err);
}

void pm_trend_room_close(pm_trend_room *room)
{
    for (int r = 0; room && r < PLACES; r++)
        for (int k = 0; k < PM_PHIS_COUNT; k++)
            pm_design_free(&room->columns[r][k]);
    free(room);
}

/* True if the series hardly ever falls: then its noise is a random walk of lumps. */
static bool climbs(const pm_points *p)
{
    double up = 0.0, down = 0.0;

    for (int i = 1; i < p->n; i++) {
        double d = p->y[i] - p->y[i - 1];

        if (p->life[i] != p->life[i - 1])
            continue;
        up += fmax(0.0, d);
        down += fmax(0.0, -d);
    }
    return p->n >= PM_CLIMBS_POINTS && down < PM_CLIMBS_FALL * up;
}

static pmapdb_status fit_points(pm_average *w, int resolution, pm_fit *fit, pmapdb_error *err)
{
    static const double phis[PM_PHIS_COUNT] = PM_PHIS;
    const double most = phis[PM_PHIS_COUNT - 1];
    bool irregular = w->points.floor || w->points.staircase;
    pm_design *all = w->room->columns[irregular ? IRREGULAR : resolution];

    *fit = (pm_fit){.material = w->material, .quantum = w->quantum};
    w->climbs = climbs(&w->points);
    for (int k = 0; k < PM_PHIS_COUNT; k++) {
        pmapdb_status st = pm_design_fit(&all[k], &w->points, phis[k], k > 0 ? all : NULL, err);

        if (st)
            return st;
        pm_fit_add(fit, &all[k], w->points.y,
                   w->climbs ? PM_CLIMBS_AGAINST * (1 - phis[k] / most) : 0.0);
    }
    return PMAPDB_OK;
}

/* Adds one resolution to the averages, and keeps its best shapes. */
static void gather(pm_average *w, const pm_fit *fit)
{
    double sum = 0.0, best = -1.0, endless = -1.0;

    for (int i = 0; i < PM_OUTCOMES; i++)
        sum += fit->outcome[i].weight;
    for (int i = 0; i < PM_OUTCOMES; i++) {
        w->posterior[i] += fit->outcome[i].weight / sum;
        w->slope[i].weight += fit->outcome[i].weight / sum;
        w->slope[i].sum += fit->outcome[i].sum / sum;
        w->slope[i].square += fit->outcome[i].square / sum;
    }
    for (int i = 0; i < fit->n; i++) {
        if (fit->shape[i].curve.shape == PM_SHAPE_LINEAR)
            w->line = fit->shape[i];
        if (fit->shape[i].weight > best) {
            best = fit->shape[i].weight;
            w->top = fit->shape[i];
        }
        if (fit->shape[i].curve.outcome == PM_OUTCOME_LEAK && fit->shape[i].weight > endless) {
            endless = fit->shape[i].weight;
            w->endless = fit->shape[i];
        }
    }
}

pmapdb_status pm_average_models(pm_average *w, bool *enough, pmapdb_error *err)
{
    int taken = 0, before = 0;

    for (int r = 0; r < RESOLUTIONS; r++) {
        pm_fit fit;
        pmapdb_status st;

        pm_points_of(&w->sample, resolutions[r], &w->points);
        /* floors, corners and few snapshots give the same points at every resolution */
        if (w->points.n < PM_POINTS_MIN || w->points.n == before)
            continue;
        st = fit_points(w, r, &fit, err);
        if (st)
            return st;
        gather(w, &fit);
        w->r2 = fmax(w->r2, pm_curve_explains(&w->top.curve, &w->points));
        before = w->points.n;
        taken++;
    }
    for (int i = 0; i < PM_OUTCOMES && taken > 0; i++)
        w->posterior[i] /= taken;
    *enough = taken > 0;
    return PMAPDB_OK;
}

pm_slope pm_slope_of(const pm_average *w, pm_outcome from, pm_outcome to)
{
    pm_mean all = {0};
    bool bends = w->top.curve.shape == PM_SHAPE_ACCELERATING;
    bool lumps = w->climbs || w->points.staircase;
    double mean, half, factor,
        unsure = w->points.staircase ? PM_STAIRCASE_RATE_ERROR * w->points.late_step : 0.0;
    double t = PM_Z90 + 1.5 / fmax(2.0, w->points.n - 4); /* Student's, nearly */

    for (int i = (int)from; i <= (int)to; i++) {
        all.weight += w->slope[i].weight;
        all.sum += w->slope[i].sum;
        all.square += w->slope[i].square;
    }
    if (!(all.weight > 0.0))
        return (pm_slope){0};
    mean = all.sum / all.weight;
    half = t * sqrt(fmax(0.0, all.square / all.weight - mean * mean));
    half = sqrt(half * half + unsure * unsure) *
           (w->climbs || bends ? PM_INTERVAL_WIDER : PM_INTERVAL_NARROWER);
    /* Lumps only add, and what accelerates grows already: the error of such a rate is a factor. */
    if (!(lumps || bends) || half >= PM_INTERVAL_FACTOR * mean)
        return (pm_slope){mean, mean - half, mean + half};
    factor = pm_exp(half / mean);
    return (pm_slope){mean, mean / factor, mean * factor};
}

/* Returns the standard error of the mean slope of the parts of the time after the start. A curve
 * takes these slopes for equal. */
static double uneven(const pm_points *p)
{
    int parts = p->n / 4 < PM_INTERVAL_PARTS ? p->n / 4 : PM_INTERVAL_PARTS;
    int begin = p->n / 4, points = p->n - 1 - begin;
    double sum = 0.0, square = 0.0;

    if (p->lives > 1 || parts < 3)
        return 0.0;
    for (int i = 0; i < parts; i++) {
        int a = begin + points * i / parts, b = begin + points * (i + 1) / parts;
        double slope = (p->y[b] - p->y[a]) / fmax(p->x[b] - p->x[a], 1e-9);

        sum += slope;
        square += slope * slope;
    }
    return sqrt(fmax(0.0, square - sum * sum / parts) / (parts - 1) / parts);
}

pm_slope pm_slope_of_leak(const pm_average *w)
{
    pm_slope r = pm_slope_of(w, PM_OUTCOME_LEAK, PM_OUTCOME_LEAK);
    bool bends = w->top.curve.shape == PM_SHAPE_ACCELERATING;
    double more = bends ? PM_INTERVAL_BENDS * r.rate : PM_INTERVAL_UNEVEN * uneven(&w->points),
           low = r.low;

    r.low = r.rate - sqrt((r.rate - low) * (r.rate - low) + more * more);
    r.high = r.rate + sqrt((r.high - r.rate) * (r.high - r.rate) + more * more);
    if (r.low <= 0.0 && r.rate > 0.0)
        r.low = r.rate * r.rate / r.high;
    return r;
}
