/* fit: the unnormalised posterior of each shape, by generalised least squares. */
#include "stats/fit.h"

#include "stats/elementary.h"

#include <math.h>
#include <string.h>

/* A curve whose residual sum of squares exceeds the least by (1 + HOPELESS / dof)^2 weighs nothing.
 */
#define HOPELESS 40.0

/* The terms that all curves of one shape share. */
typedef struct kind {
    const pm_shape_info *info;
    double log_prior; /* of one member */
    double bic;       /* params * log(dof) */
    double aicc;      /* 2 k (k + 1) / (dof - k), k = params + 1 */
    double left;      /* degrees of freedom that remain */
    int params;       /* coefficients */
    pm_fitted *found; /* NULL before the first curve of the shape */
} kind;

/* A fitted curve that waits to be weighed. */
typedef struct candidate {
    kind *kind;
    pm_curve curve;
    double rss, range;
    double error; /* variance of the end slope for residuals of variance 1 */
} candidate;

/* Curves are weighed in batches: logarithms and exponentials cost most of a verdict, and half as
 * much when several are computed side by side. */
enum { BATCH = 64 };

/* Generalised least squares of one series under one AR(1) noise. */
typedef struct gls {
    const pm_design *design;
    pm_fit *fit;
    double y[PM_POINTS_MAX], square; /* whitened */
    double with[PM_COLUMNS_MAX];     /* products of the regressors with y, in their order */
    int dof;
    double noise;  /* sum of squares that rounding to the quantum leaves */
    double common; /* the terms of the score that all curves share */
    double least;  /* residual sum of squares of the best curve so far, with `noise` */
    candidate batch[BATCH];
    int waiting; /* in the batch */
} gls;

/* A curve counts for its slope at the end of the window, not for the name of its shape. */
static pm_outcome outcome_of(pm_outcome named, double end, double range, double material)
{
    if (named == PM_OUTCOME_BOUNDED)
        return named;
    if (end < 0.0)
        return -end >= material ? PM_OUTCOME_SHRINK : PM_OUTCOME_BOUNDED;
    if (named == PM_OUTCOME_LEAK && end >= material && end >= PM_GOES_ON * range)
        return PM_OUTCOME_LEAK;
    if (named == PM_OUTCOME_WATCH)
        material *= 0.5;
    return end >= material && end >= PM_STILL_SLOW * range ? PM_OUTCOME_WATCH : PM_OUTCOME_BOUNDED;
}

static double weight_log(double worse)
{
    return -0.5 * (worse < 700.0 ? worse : 700.0);
}

/* Makes the weights relative to `best`, unless an earlier curve was better. */
static void rescale(pm_fit *f, double best)
{
    double scale;

    if (f->n > 0 && best >= f->reference)
        return;
    scale = f->n > 0 ? pm_exp(weight_log(f->reference - best)) : 0.0;
    f->reference = best;
    for (int i = 0; i < PM_OUTCOMES; i++) {
        f->outcome[i].weight *= scale;
        f->outcome[i].sum *= scale;
        f->outcome[i].square *= scale;
    }
    for (int i = 0; i < f->n; i++)
        f->shape[i].weight *= scale;
}

static pm_fitted *slot_of(pm_fit *f, const pm_curve *c)
{
    for (int i = 0; i < f->n; i++)
        if (f->shape[i].curve.shape == c->shape && f->shape[i].curve.outcome == c->outcome)
            return &f->shape[i];
    f->shape[f->n] = (pm_fitted){.curve = *c, .score = INFINITY};
    return &f->shape[f->n++];
}

static void take(gls *p, const candidate *c, double score, double weight)
{
    double end = pm_curve_end(&c->curve);
    double variance = (c->rss + p->noise) / c->kind->left * c->error;
    pm_fitted *found = c->kind->found;
    pm_mean *mean;

    if (!found)
        found = c->kind->found = slot_of(p->fit, &c->curve);
    found->weight += weight;
    if (score < found->score) {
        found->curve = c->curve;
        found->score = score;
        found->end = end;
        found->end_error = sqrt(variance);
        found->phi = p->design->phi;
    }
    mean = &p->fit->outcome[outcome_of(c->curve.outcome, end, c->range, p->fit->material)];
    mean->weight += weight;
    mean->sum += weight * end;
    mean->square += weight * (end * end + variance);
}

/* Scores the curves by BIC (Schwarz) with the small-sample term of AICc (Hurvich and Tsai). The
 * rounding noise keeps a perfect fit from a score of minus infinity. */
static void take_batch(gls *p)
{
    double score[BATCH], weight[BATCH], best = INFINITY;

    for (int i = 0; i < p->waiting; i++)
        score[i] = (p->batch[i].rss + p->noise) / p->design->n;
    pm_log_all(score, p->waiting);
    for (int i = 0; i < p->waiting; i++) {
        const kind *k = p->batch[i].kind;

        score[i] = p->dof * score[i] + k->bic + k->aicc + p->common;
        weight[i] = score[i] - 2 * k->log_prior;
        best = fmin(best, weight[i]);
    }
    rescale(p->fit, best);
    for (int i = 0; i < p->waiting; i++)
        weight[i] = weight_log(weight[i] - p->fit->reference);
    pm_exp_all(weight, p->waiting);
    for (int i = 0; i < p->waiting; i++)
        take(p, &p->batch[i], score[i], weight[i]);
    p->waiting = 0;
}

static void consider(gls *p, const candidate *c)
{
    if (!pm_curve_allowed(&c->curve))
        return;
    p->least = fmin(p->least, c->rss + p->noise);
    if (p->waiting == BATCH)
        take_batch(p);
    p->batch[p->waiting++] = *c;
}

/* The residual sum of squares. A perfect fit leaves rounding errors, which must not decide between
 * shapes. */
static double residual(const gls *p, double explained)
{
    double rss = p->square - explained;

    return rss > 1e-12 * p->square ? rss : 0.0;
}

static bool hopeless(const gls *p, double rss)
{
    return rss + p->noise > p->least * (1 + HOPELESS / p->dof) * (1 + HOPELESS / p->dof);
}

static void try_one(gls *p, candidate *c, double square, double with_y, double spread)
{
    double gain;

    if (square < 1e-12)
        return;
    c->curve.coef[0] = 1.0;
    gain = pm_curve_end(&c->curve);
    c->curve.coef[0] = with_y / square;
    c->rss = residual(p, c->curve.coef[0] * with_y);
    c->range = fabs(c->curve.coef[0]) * spread;
    c->error = gain * gain / square;
    consider(p, c);
}

/* `cross` is the product of the two regressors. `choosy` drops a curve that would weigh nothing. */
static void try_two(gls *p, candidate *c, const pm_regressor *a, double a_y, const pm_regressor *b,
                    double b_y, double cross, bool choosy)
{
    double det = a->square * b->square - cross * cross, first, second;

    if (a->square < 1e-12 || det < 1e-12 * a->square)
        return;
    first = (a_y * b->square - b_y * cross) / det;
    second = (b_y * a->square - a_y * cross) / det;
    c->rss = residual(p, first * a_y + second * b_y);
    if (choosy && hopeless(p, c->rss))
        return;
    c->curve.coef[0] = first;
    c->curve.coef[1] = second;
    first = fabs(first) * a->spread;
    second = fabs(second) * b->spread;
    c->range = c->curve.coef[0] * c->curve.coef[1] >= 0.0 ? first + second
               : first > second                           ? first
                                                          : second;
    c->error = a->square / det;
    consider(p, c);
}

static kind kind_of(const gls *p, const pm_shape_info *info, int members)
{
    int params = (info->first != PM_BASIS_NONE) + (info->second != PM_BASIS_NONE);
    double k = params + 1.0;

    return (kind){.info = info,
                  .log_prior = pm_log(info->prior / members),
                  .bic = params * pm_log(fmax(2.0, p->dof)),
                  .aicc = 2 * k * (k + 1) / fmax(1.0, p->dof - k),
                  .left = fmax(1.0, p->dof - params),
                  .params = params};
}

static candidate candidate_of(kind *k)
{
    return (candidate){.kind = k, .curve = {.shape = k->info->shape, .outcome = k->info->outcome}};
}

static double with_y(const gls *p, const pm_regressor *column)
{
    return p->with[column - p->design->column];
}

static void try_shape(gls *p, int shape)
{
    const pm_design *all = p->design;
    const pm_shape_info *info = &pm_shapes[shape];
    int members = info->members == PM_AT_CUTS ? all->cuts : info->members;
    kind k = kind_of(p, info, members);
    candidate c = candidate_of(&k);
    double line_y = with_y(p, all->line);

    if (p->dof - k.params < 2)
        return;
    if (info->first == PM_BASIS_NONE) {
        c.rss = p->square;
        consider(p, &c);
    }
    for (int i = 0; info->first != PM_BASIS_NONE && i < members; i++) {
        const pm_regressor *a = &all->of_shape[shape][i];

        c.curve.at = a->at;
        c.curve.coef[1] = 0.0;
        if (info->second == PM_BASIS_NONE)
            try_one(p, &c, a->square, with_y(p, a), a->spread);
        else
            try_two(p, &c, a, with_y(p, a), all->line, line_y, a->with_line, false);
    }
    take_batch(p);
}

/* Two steps, also up and down again: over pairs of cuts. */
static void try_two_steps(gls *p)
{
    const pm_design *all = p->design;
    const double *with = p->with + (all->steps - all->column);
    int cuts = all->cuts;
    kind k = kind_of(p, &pm_shapes[PM_TWO_STEP], cuts * (cuts - 1) / 2 + 1);
    candidate c = candidate_of(&k);

    if (p->dof <= 6)
        return;
    for (int i = 0; i < cuts; i++)
        for (int j = i + 2; j < cuts; j++) {
            const pm_regressor *a = &all->steps[i], *b = &all->steps[j];

            c.curve.at = a->at;
            c.curve.at_more = b->at;
            try_two(p, &c, a, with[i], b, with[j], all->cross[i * cuts + j], true);
        }
    take_batch(p);
}

/* A fast and a slow warm-up. */
static void try_two_tau(gls *p)
{
    const pm_design *all = p->design;
    kind k = kind_of(p, &pm_shapes[PM_TWO_TAU], PM_FAST_TAUS * PM_SLOW_TAUS);
    candidate c = candidate_of(&k);

    if (p->dof < 4)
        return;
    for (int i = 0; i < PM_SLOW_TAUS; i++)
        for (int j = 0; j < PM_FAST_TAUS; j++) {
            const pm_regressor *a = &all->fast[j], *b = &all->slow[i];

            c.curve.at = a->at;
            c.curve.at_more = b->at;
            try_two(p, &c, a, with_y(p, a), b, with_y(p, b), pm_dot(a->v, b->v, all->n), false);
        }
    take_batch(p);
}

void pm_fit_add(pm_fit *fit, const pm_design *design, const double *y, double penalty)
{
    gls p;
    double phi = design->phi;

    /* not zeroed as a whole, because it is large */
    p.design = design;
    p.fit = fit;
    p.least = INFINITY;
    p.waiting = 0;
    pm_whiten(design->life, design->n, phi, y, p.y);
    p.square = pm_dot(p.y, p.y, design->n);
    p.dof = design->n - design->lives;
    p.noise = design->n * fit->quantum * fit->quantum / 12.0 * (1 + phi * phi);
    p.common = penalty - design->lives * pm_log(1 - phi * phi);
    memset(p.with, 0, sizeof p.with);
    for (int i = 0; i < design->n; i++) /* in this order the sums do not wait for each other */
        for (int k = 0; k < design->count; k++)
            p.with[k] += design->memory[k * design->n + i] * p.y[i];
    for (int i = 0; i < PM_SHAPES; i++)
        try_shape(&p, i);
    try_two_steps(&p);
    try_two_tau(&p);
}

double pm_curve_explains(const pm_curve *curve, const pm_points *points)
{
    double raw[PM_POINTS_MAX], v[3][PM_POINTS_MAX], aa, bb, ab, ay, by, yy, det, explained;
    int n = points->n;

    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            raw[i] = k == 2 ? points->y[i] : pm_curve_column(curve, k, points->x[i]);
        pm_whiten(points->life, n, 0.0, raw, v[k]);
    }
    aa = pm_dot(v[0], v[0], n);
    bb = pm_dot(v[1], v[1], n);
    ab = pm_dot(v[0], v[1], n);
    ay = pm_dot(v[0], v[2], n);
    by = pm_dot(v[1], v[2], n);
    yy = pm_dot(v[2], v[2], n);
    det = aa * bb - ab * ab;
    explained = det > 1e-12 * aa ? (ay * ay * bb - 2 * ay * by * ab + by * by * aa) / det
                : aa > 1e-12     ? ay * ay / aa
                                 : 0.0;
    return yy > 0.0 ? explained / yy : 0.0;
}
