/* trend: one series of a memory size or a count -> what its curve says.
 *
 * sample -> points -> weights of all shapes -> verdict -> what speaks against it.
 */
#include "stats/trend.h"

#include "stats/fit.h"
#include "stats/order.h"
#include "stats/refine.h"
#include "stats/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pm_verdict_name(pm_verdict verdict)
{
    static const char *const names[] = {"too-few", "steady",  "shrinking",
                                        "plateau", "suspect", "leak"};

    return names[verdict];
}

const char *pm_shape_name(pm_shape shape)
{
    static const char *const names[PM_SHAPE_COUNT] = {
        "",           "const",          "linear",       "step",  "two-step", "pulse",
        "saturating", "ramp-then-flat", "late-ramp",    "power", "log",      "warmup+linear",
        "two-tau",    "step+linear",    "accelerating", "knee"};

    return names[shape];
}

enum { RESOLUTIONS = 3 };

static const int resolutions[RESOLUTIONS] = {PM_BUCKETS_FEWEST, PM_BUCKETS_FEWER, PM_BUCKETS};

struct pm_trend_room {
    pm_columns columns[RESOLUTIONS][PM_PHIS_COUNT];
};

pmapdb_status pm_trend_room_open(pm_trend_room **out, pmapdb_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? PMAPDB_OK : pm_fail_nomem(err);
}

void pm_trend_room_close(pm_trend_room *room)
{
    int r, k;

    for (r = 0; room && r < RESOLUTIONS; r++)
        for (k = 0; k < PM_PHIS_COUNT; k++)
            pm_columns_free(&room->columns[r][k]);
    free(room);
}

/* What is on the table while one series is judged. Slopes are per span. */
typedef struct work {
    const pm_trend_options *options;
    pm_trend_room *room;
    pm_sample sample;
    pm_points points;           /* of the finest resolution, as is what follows: */
    pm_fitted top;              /* the most likely shape */
    pm_fitted line;             /* the best straight line */
    double r2;                  /* of `top` */
    double weight[PM_FAMILIES]; /* means over the resolutions, as are */
    pm_mean slope[PM_FAMILIES]; /* these, in parts of the weights */
    double material;
    bool climbs;
} work;

/* Growth of less than this over the window does not matter. */
static double material_of(pm_sample *s, const pm_trend_options *options)
{
    double share = options->size ? PM_MATERIAL_SIZE : PM_MATERIAL_SHARE;

    memcpy(s->work, s->raw, s->n * sizeof *s->work);
    return fmax(share * fmax(1.0, pm_median(s->work, s->n)),
                options->count ? PM_MATERIAL_COUNT : PM_MATERIAL_KIB);
}

/* It hardly ever falls: its noise is that of lumps. */
static bool climbs(const pm_points *p)
{
    double up = 0.0, down = 0.0;
    int i;

    for (i = 1; i < p->n; i++) {
        double d = p->y[i] - p->y[i - 1];

        if (p->life[i] != p->life[i - 1])
            continue;
        up += fmax(0.0, d);
        down += fmax(0.0, -d);
    }
    return p->n >= PM_CLIMBS_POINTS && down < PM_CLIMBS_FALL * up;
}

static pmapdb_status fit_points(work *w, int resolution, pm_fit *fit, pmapdb_error *err)
{
    static const double phis[PM_PHIS_COUNT] = PM_PHIS;
    const double most = phis[PM_PHIS_COUNT - 1];
    int k;

    *fit = (pm_fit){.material = w->material, .quantum = w->options->quantum};
    w->climbs = climbs(&w->points);
    for (k = 0; k < PM_PHIS_COUNT; k++) {
        pm_columns *columns = &w->room->columns[resolution][k];
        pmapdb_status st = pm_columns_fit(columns, &w->points, phis[k],
                                          k > 0 ? w->room->columns[resolution] : NULL, err);

        if (st)
            return st;
        pm_fit_add(fit, columns, w->points.y,
                   w->climbs ? PM_CLIMBS_AGAINST * (1 - phis[k] / most) : 0.0);
    }
    return PMAPDB_OK;
}

/* Adds one resolution to the means, and keeps its best shapes. */
static void gather(work *w, const pm_fit *fit)
{
    double sum = 0.0, best = -1.0;
    int i;

    for (i = 0; i < PM_FAMILIES; i++)
        sum += fit->family[i].weight;
    for (i = 0; i < PM_FAMILIES; i++) {
        w->weight[i] += fit->family[i].weight / sum;
        w->slope[i].weight += fit->family[i].weight / sum;
        w->slope[i].sum += fit->family[i].sum / sum;
        w->slope[i].square += fit->family[i].square / sum;
    }
    for (i = 0; i < fit->n; i++) {
        if (fit->shape[i].curve.shape == PM_SHAPE_LINEAR)
            w->line = fit->shape[i];
        if (fit->shape[i].weight > best) {
            best = fit->shape[i].weight;
            w->top = fit->shape[i];
        }
    }
}

/* The weights of all families; false where there are too few points. */
static pmapdb_status weigh(work *w, bool *enough, pmapdb_error *err)
{
    int r, taken = 0, before = 0, i;

    for (r = 0; r < RESOLUTIONS; r++) {
        pm_fit fit;
        pmapdb_status st;

        pm_points_of(&w->sample, resolutions[r], &w->points);
        /* floors, corners and few snapshots are the same at every resolution */
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
    for (i = 0; i < PM_FAMILIES && taken > 0; i++)
        w->weight[i] /= taken;
    *enough = taken > 0;
    return PMAPDB_OK;
}

typedef struct rate {
    double rate, low, high; /* per span; the 90 % interval */
} rate;

/* The end slope, as the curves of these families give it by their weights. */
static rate rate_of(const work *w, pm_family from, pm_family to)
{
    pm_mean all = {0};
    bool wider = w->climbs || w->top.curve.shape == PM_SHAPE_ACCELERATING;
    double mean, half, unsure = w->points.stairs ? PM_STAIRS_UNSURE * w->points.late_step : 0.0;
    double t = PM_Z90 + 1.5 / fmax(2.0, w->points.n - 4); /* Student's, nearly */
    int i;

    for (i = (int)from; i <= (int)to; i++) {
        all.weight += w->slope[i].weight;
        all.sum += w->slope[i].sum;
        all.square += w->slope[i].square;
    }
    if (!(all.weight > 0.0))
        return (rate){0};
    mean = all.sum / all.weight;
    half = t * sqrt(fmax(0.0, all.square / all.weight - mean * mean));
    half = sqrt(half * half + unsure * unsure) * (wider ? PM_UNSURE_WIDER : 1.0);
    return (rate){mean, mean - half, mean + half};
}

/* Of what kind of growth the rate is. */
static rate rate_for(const work *w, pm_verdict verdict)
{
    if (verdict == PM_VERDICT_LEAK)
        return rate_of(w, PM_FAMILY_LEAK, PM_FAMILY_LEAK);
    if (verdict == PM_VERDICT_SUSPECT)
        return rate_of(w, PM_FAMILY_WATCH, PM_FAMILY_LEAK);
    return rate_of(w, PM_FAMILY_BOUNDED, PM_FAMILY_SHRINK);
}

/* Where the growth of now begins. */
static double active_from(const pm_curve *top)
{
    switch (top->shape) {
    case PM_SHAPE_LATE_RAMP:
        return top->at - 1e-9;
    case PM_SHAPE_KNEE:
        return top->at;
    case PM_SHAPE_ACCELERATING:
        return 0.75;
    case PM_SHAPE_WARMUP_LINEAR:
        return 3.0 / top->at;
    default:
        return -INFINITY;
    }
}

static bool has_ended(const pm_curve *c)
{
    return (c->shape == PM_SHAPE_STEP || c->shape == PM_SHAPE_TWO_STEP ||
            c->shape == PM_SHAPE_SATURATING || c->shape == PM_SHAPE_RAMP_THEN_FLAT) &&
           c->coef[0] > 0.0;
}

static bool steep(const pm_fitted *f, double errors)
{
    return f->end_error > 0.0 && f->end >= errors * f->end_error;
}

static pm_verdict by_weight(const work *w)
{
    double leak = w->weight[PM_FAMILY_LEAK], watch = w->weight[PM_FAMILY_WATCH];
    double enough = w->options->leak_weight > 0.0 ? w->options->leak_weight : PM_WEIGHT_LEAK;
    bool explained =
        w->r2 >= PM_R2_SMOOTH || (w->r2 >= PM_R2_MIN && steep(&w->line, PM_STEEP_ROUGH));
    bool grows = explained && rate_of(w, PM_FAMILY_WATCH, PM_FAMILY_LEAK).rate > 0.0;

    if (grows && leak >= enough)
        return steep(&w->line, PM_STEEP) || steep(&w->top, PM_STEEP_BENT) ? PM_VERDICT_LEAK
                                                                          : PM_VERDICT_SUSPECT;
    if (grows && leak + watch >= PM_WEIGHT_SUSPECT)
        return PM_VERDICT_SUSPECT;
    if (w->weight[PM_FAMILY_SHRINK] >= PM_WEIGHT_SHRINK &&
        rate_for(w, PM_VERDICT_SHRINKING).high < 0.0)
        return PM_VERDICT_SHRINKING;
    if (w->weight[PM_FAMILY_BOUNDED] >= 0.5 && has_ended(&w->top.curve))
        return PM_VERDICT_PLATEAU;
    return PM_VERDICT_STEADY;
}

static pm_verdict verdict_of(const work *w, char *reason)
{
    pm_verdict verdict = by_weight(w);
    pm_shape shape = w->top.curve.shape;
    double grows = w->weight[PM_FAMILY_LEAK] + w->weight[PM_FAMILY_WATCH];
    pm_evidence e = {.sample = &w->sample,
                     .points = &w->points,
                     .active = active_from(&w->top.curve),
                     .rate = rate_for(w, verdict).rate,
                     .straight = shape == PM_SHAPE_LINEAR || shape == PM_SHAPE_STEP_LINEAR ||
                                 shape == PM_SHAPE_WARMUP_LINEAR,
                     .may_slow = !w->climbs && w->weight[PM_FAMILY_LEAK] < PM_DECEL_WEIGHT,
                     .grows = grows >= PM_WEIGHT_SUSPECT};

    if (verdict != PM_VERDICT_LEAK && verdict != PM_VERDICT_SUSPECT)
        return verdict;
    return pm_refine(verdict, &e, reason);
}

/* When the growth began, where the shape says so. */
static int64_t since_of(const work *w)
{
    const pm_sample *s = &w->sample;
    pm_shape shape = w->top.curve.shape;
    double at = s->t[s->life[s->lives - 1].begin] + w->top.curve.at * s->span;

    if (s->lives > 1 || (shape != PM_SHAPE_LATE_RAMP && shape != PM_SHAPE_STEP))
        return INT64_MIN;
    return (int64_t)floor(at * 1000.0 + 0.5);
}

static double confidence_of(const work *w, pm_verdict verdict)
{
    const double *weight = w->weight;

    if (verdict == PM_VERDICT_LEAK)
        return weight[PM_FAMILY_LEAK];
    if (verdict == PM_VERDICT_SUSPECT)
        return weight[PM_FAMILY_LEAK] + weight[PM_FAMILY_WATCH];
    return weight[PM_FAMILY_BOUNDED] + weight[PM_FAMILY_SHRINK];
}

static void report(const work *w, pm_trend *out)
{
    double per_hour = 3600.0 / w->sample.span;
    rate r;

    out->verdict = verdict_of(w, out->reason);
    out->confidence = confidence_of(w, out->verdict);
    r = rate_for(w, out->verdict);
    out->rate = r.rate * per_hour;
    out->low = r.low * per_hour;
    out->high = r.high * per_hour;
    out->since_ms = since_of(w);
    out->detectable = fmax(w->material, PM_STEEP_ROUGH * w->line.end_error) * per_hour;
    out->shape = w->top.curve.shape;
    out->shape_at = w->top.curve.at;
    out->phi = w->top.phi;
    out->r2 = w->r2;
    out->floor = w->points.floor;
    out->stairs = w->points.stairs;
    out->weight_leak = w->weight[PM_FAMILY_LEAK];
    out->weight_watch = w->weight[PM_FAMILY_WATCH];
    out->weight_bounded = w->weight[PM_FAMILY_BOUNDED];
    out->weight_shrink = w->weight[PM_FAMILY_SHRINK];
}

static int64_t to_ms(double seconds)
{
    return (int64_t)floor(seconds * 1000.0 + 0.5);
}

static pmapdb_status judge(work *w, pm_trend *out, pmapdb_error *err)
{
    pm_sample *s = &w->sample;
    bool enough = false;
    pmapdb_status st;

    if (s->lives == 0)
        return PMAPDB_OK;
    out->snapshots = s->n;
    out->lives = s->lives;
    out->first_ms = to_ms(s->t[0]);
    out->last_ms = to_ms(s->t[s->n - 1]);
    w->material = material_of(s, w->options);
    if (s->lives == 1)
        pm_season_remove(s);
    st = weigh(w, &enough, err);
    if (!st && enough)
        report(w, out);
    return st;
}

pmapdb_status pm_trend_judge(const pm_series *series, const pm_trend_options *options,
                             pm_trend *out, pmapdb_error *err)
{
    work w = {.options = options, .room = options->room};
    pmapdb_status st = PMAPDB_OK;

    *out = (pm_trend){.since_ms = INT64_MIN, .snapshots = series->n};
    if (!w.room)
        st = pm_trend_room_open(&w.room, err);
    if (!st)
        st = pm_sample_make(series, &w.sample, err);
    if (!st)
        st = judge(&w, out, err);
    pm_sample_free(&w.sample);
    if (w.room != options->room)
        pm_trend_room_close(w.room);
    return st;
}
