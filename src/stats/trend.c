/* trend: one series of a memory size or a count -> what its curve says. */
#include "stats/trend.h"

#include "stats/elementary.h"
#include "stats/fit.h"
#include "stats/order.h"
#include "stats/refine.h"
#include "stats/sample.h"
#include "stats/shapes.h"
#include "stats/slopes.h"

#include <math.h>
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
        "",      "const",         "linear",         "step",        "two-step",
        "pulse", "saturating",    "ramp-then-flat", "late-ramp",   "power",
        "log",   "warmup+linear", "two-tau",        "step+linear", "accelerating"};

    return names[shape];
}

enum { BOUNDED, WATCH, LEAK, SHRINK, WEIGHTS };

/* What is on the table while one series is judged. */
typedef struct work {
    pm_sample sample;
    pm_points points;
    pm_fit fit;
    pm_curve top; /* the most likely shape */
    double material;
    double weight[WEIGHTS];
    double slopes[PM_SLOPES_MAX];
} work;

/* Growth of less than this over the window does not matter. */
static double material_of(pm_sample *s, bool count)
{
    memcpy(s->work, s->raw, s->n * sizeof *s->work);
    return fmax(PM_MATERIAL_SHARE * fmax(1.0, pm_median(s->work, s->n)),
                count ? PM_MATERIAL_COUNT : PM_MATERIAL_KIB);
}

/* A shape counts for what it does at the end of this window, not for its name. */
static int family_of(const pm_curve *c, double material)
{
    if (c->family != PM_FAMILY_BOUNDED && c->end < 0.0)
        return -c->end >= material ? SHRINK : BOUNDED;
    if (c->family == PM_FAMILY_LEAK) {
        if (c->end >= material && c->end >= PM_GOES_ON * c->range)
            return LEAK;
        return c->end >= material && c->end >= PM_STILL_SLOW * c->range ? WATCH : BOUNDED;
    }
    if (c->family == PM_FAMILY_WATCH)
        return c->end < 0.5 * material || c->end < PM_STILL_SLOW * c->range ? BOUNDED : WATCH;
    return BOUNDED;
}

/* Weights of the families, and the best shape, priors included. */
static void weigh(work *w)
{
    double score[PM_CURVES_MAX], best = INFINITY, sum = 0.0;
    int i;

    for (i = 0; i < w->fit.n; i++) {
        score[i] = w->fit.curve[i].score - 2 * pm_log(pm_shape_prior(w->fit.curve[i].shape));
        if (score[i] < best) {
            best = score[i];
            w->top = w->fit.curve[i];
        }
    }
    for (i = 0; i < w->fit.n; i++) {
        double weight = pm_exp(-0.5 * fmin(700.0, score[i] - best));

        w->weight[family_of(&w->fit.curve[i], w->material)] += weight;
        sum += weight;
    }
    for (i = 0; i < WEIGHTS; i++)
        w->weight[i] /= sum;
}

/* Where the growth of now begins. */
static double active_from(const pm_curve *top)
{
    switch (top->shape) {
    case PM_SHAPE_LATE_RAMP:
        return top->at - 1e-9;
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

static pm_verdict by_weight(const work *w, double leak_weight, double r2, const pm_rate *rate)
{
    bool explained = r2 >= PM_R2_MIN && rate->rate > 0.0;

    if (explained && w->weight[LEAK] >= leak_weight)
        return rate->low >= 0.0 ? PM_VERDICT_LEAK : PM_VERDICT_SUSPECT;
    if (explained && w->weight[LEAK] + w->weight[WATCH] >= PM_WEIGHT_SUSPECT)
        return PM_VERDICT_SUSPECT;
    if (w->weight[SHRINK] >= PM_WEIGHT_SHRINK && rate->high < 0.0)
        return PM_VERDICT_SHRINKING;
    if (w->weight[BOUNDED] >= 0.5 && has_ended(&w->top))
        return PM_VERDICT_PLATEAU;
    return PM_VERDICT_STEADY;
}

static double explained(const pm_curve *curve, const pm_points *p, double *residuals, double tss)
{
    pm_curve plain = pm_curve_refit(curve, p);
    double square = 0.0;
    int i;

    pm_curve_residuals(&plain, p, residuals);
    for (i = 0; i < p->n; i++)
        square += residuals[i] * residuals[i];
    return tss > 0.0 ? 1 - square / tss : 0.0;
}

/* Fits, and once more on whitened points where the residuals are correlated. */
static pmapdb_status fit_points(work *w, double quantum, pm_trend *out, pmapdb_error *err)
{
    double residuals[PM_POINTS_MAX];
    pmapdb_status st = pm_fit_all(&w->points, 0.0, quantum, &w->fit, err);
    const pm_curve *best = &w->fit.curve[w->fit.best];
    double tss = w->fit.tss;

    if (st)
        return st;
    pm_curve_residuals(best, &w->points, residuals);
    if (best->shape != PM_SHAPE_TWO_STEP && best->shape != PM_SHAPE_PULSE &&
        best->shape != PM_SHAPE_TWO_TAU)
        out->phi = pm_residual_phi(&w->points, residuals);
    if (out->phi > PM_PHI_MIN)
        st = pm_fit_all(&w->points, out->phi, quantum, &w->fit, err);
    if (st)
        return st;
    weigh(w);
    out->r2 = explained(&w->top, &w->points, residuals, tss);
    return PMAPDB_OK;
}

/* When the growth began, where the shape says so. */
static int64_t since_of(const work *w)
{
    const pm_sample *s = &w->sample;
    double at = s->t[s->life[s->lives - 1].begin] + w->top.at * s->span;

    if (s->lives > 1 || (w->top.shape != PM_SHAPE_LATE_RAMP && w->top.shape != PM_SHAPE_STEP))
        return INT64_MIN;
    return (int64_t)floor(at * 1000.0 + 0.5);
}

static void judge(work *w, const pm_trend_options *options, pm_trend *out)
{
    double leak_weight = options->leak_weight > 0.0 ? options->leak_weight : PM_WEIGHT_LEAK;
    double per_hour = 3600.0 / w->sample.span;
    double active = active_from(&w->top);
    int n_points;
    size_t n = pm_slopes(&w->points, active, INFINITY, w->slopes, &n_points);
    pm_rate rate = pm_rate_of(w->slopes, n, n_points, out->phi);

    out->verdict = by_weight(w, leak_weight, out->r2, &rate);
    if (out->verdict == PM_VERDICT_LEAK || out->verdict == PM_VERDICT_SUSPECT) {
        pm_evidence e = {.sample = &w->sample,
                         .points = &w->points,
                         .active = active,
                         .rate = rate.rate,
                         .straight = w->top.shape == PM_SHAPE_LINEAR ||
                                     w->top.shape == PM_SHAPE_STEP_LINEAR ||
                                     w->top.shape == PM_SHAPE_WARMUP_LINEAR,
                         .grows = w->weight[LEAK] + w->weight[WATCH] >= PM_WEIGHT_SUSPECT};

        out->verdict = pm_refine(out->verdict, &e, out->reason);
    }
    out->since_ms = since_of(w);
    out->shape = w->top.shape;
    out->shape_at = w->top.at;
    out->floor = w->points.floor;
    out->rate = rate.rate * per_hour;
    out->low = rate.low * per_hour;
    out->high = rate.high * per_hour;
    out->weight_leak = w->weight[LEAK];
    out->weight_watch = w->weight[WATCH];
    out->weight_bounded = w->weight[BOUNDED];
    out->weight_shrink = w->weight[SHRINK];
    out->confidence = out->verdict == PM_VERDICT_LEAK      ? w->weight[LEAK]
                      : out->verdict == PM_VERDICT_SUSPECT ? w->weight[LEAK] + w->weight[WATCH]
                                                           : w->weight[BOUNDED] + w->weight[SHRINK];
    out->detectable = fmax(w->material, (rate.high - rate.low) / 2 * 1.5) * per_hour;
}

pmapdb_status pm_trend_judge(const pm_series *series, const pm_trend_options *options,
                             pm_trend *out, pmapdb_error *err)
{
    work w = {0};
    pmapdb_status st;

    *out = (pm_trend){.since_ms = INT64_MIN, .snapshots = series->n};
    st = pm_sample_make(series, &w.sample, err);
    if (!st && w.sample.lives > 0) {
        out->snapshots = w.sample.n;
        out->lives = w.sample.lives;
        out->first_ms = (int64_t)floor(w.sample.t[0] * 1000.0 + 0.5);
        out->last_ms = (int64_t)floor(w.sample.t[w.sample.n - 1] * 1000.0 + 0.5);
        w.material = material_of(&w.sample, options->count);
        pm_points_of(&w.sample, &w.points);
        if (w.points.n >= PM_POINTS_MIN) {
            st = fit_points(&w, options->quantum, out, err);
            if (!st)
                judge(&w, options, out);
        }
    }
    pm_sample_free(&w.sample);
    return st;
}
