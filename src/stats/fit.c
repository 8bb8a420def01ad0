/* fit: how likely each shape is, by least squares of all its members under every kind of noise. */
#include "stats/fit.h"

#include "stats/elementary.h"

#include <math.h>

/* A curve whose squares exceed the least by this factor to the power 1/dof weighs nothing. */
#define HOPELESS 40.0

/* What the curves of one shape have in common. */
typedef struct kind {
    const pm_shape_info *info;
    double log_prior; /* of one member */
    double penalty;   /* for its coefficients ... */
    double few;       /* ... of few points */
    double left;      /* degrees of freedom that it leaves */
    int params;       /* coefficients */
    pm_fitted *found; /* NULL: no curve of it so far */
} kind;

/* A curve with its products, on its way into the fit. */
typedef struct candidate {
    kind *kind;
    pm_curve curve;
    double rss, range;
    double error; /* variance of `end` for residuals of variance 1 */
} candidate;

/* Curves are weighed some at a time: their logarithms and exponentials cost most of a verdict, and
 * half of it side by side. */
enum { BATCH = 64 };

/* One series under one kind of noise. */
typedef struct pass {
    const pm_columns *columns;
    pm_fit *fit;
    double y[PM_POINTS_MAX], square; /* whitened */
    double with[PM_COLUMNS_MAX];     /* products of the columns with y, in their order */
    int dof;
    double noise;  /* squares that rounding to the quantum leaves */
    double common; /* what the scores of all curves share */
    double least;  /* squares of the best curve so far, with the noise */
    candidate batch[BATCH];
    int waiting; /* in the batch */
} pass;

/* A shape counts for what it does at the end of this window, not for its name. */
static pm_family family_of(pm_family family, double end, double range, double material)
{
    if (family == PM_FAMILY_BOUNDED)
        return family;
    if (end < 0.0)
        return -end >= material ? PM_FAMILY_SHRINK : PM_FAMILY_BOUNDED;
    if (family == PM_FAMILY_LEAK && end >= material && end >= PM_GOES_ON * range)
        return PM_FAMILY_LEAK;
    if (family == PM_FAMILY_WATCH)
        material *= 0.5;
    return end >= material && end >= PM_STILL_SLOW * range ? PM_FAMILY_WATCH : PM_FAMILY_BOUNDED;
}

/* The best score so far is what the weights are relative to: all are made less by `scale`. */
static void rescale(pm_fit *f, double scale)
{
    int i;

    for (i = 0; i < PM_FAMILIES; i++) {
        f->family[i].weight *= scale;
        f->family[i].sum *= scale;
        f->family[i].square *= scale;
    }
    for (i = 0; i < f->n; i++)
        f->shape[i].weight *= scale;
}

static pm_fitted *slot_of(pm_fit *f, const pm_curve *c)
{
    int i;

    for (i = 0; i < f->n; i++)
        if (f->shape[i].curve.shape == c->shape && f->shape[i].curve.family == c->family)
            return &f->shape[i];
    f->shape[f->n] = (pm_fitted){.curve = *c, .score = INFINITY};
    return &f->shape[f->n++];
}

/* Schwarz' criterion with Hurvich and Tsai's correction for few points. What the values are
 * multiples of bounds how well any curve can fit. */
static void score_batch(const pass *p, double *score)
{
    int i;

    for (i = 0; i < p->waiting; i++)
        score[i] = (p->batch[i].rss + p->noise) / p->columns->n;
    pm_log_all(score, p->waiting);
    for (i = 0; i < p->waiting; i++)
        score[i] =
            p->dof * score[i] + p->batch[i].kind->penalty + p->batch[i].kind->few + p->common;
}

static double weight_log(double worse)
{
    return -0.5 * (worse < 700.0 ? worse : 700.0);
}

/* Weights relative to the best score so far; scale[i] is not 1 where curve i became that. */
static void weigh_batch(pass *p, const double *score, double *weight, double *scale)
{
    pm_fit *f = p->fit;
    int i;

    for (i = 0; i < p->waiting; i++) {
        double with_prior = score[i] - 2 * p->batch[i].kind->log_prior;

        if (f->n == 0 && i == 0)
            f->reference = with_prior;
        scale[i] = 1.0;
        if (with_prior < f->reference) {
            scale[i] = pm_exp(weight_log(f->reference - with_prior));
            f->reference = with_prior;
        }
        weight[i] = weight_log(with_prior - f->reference);
    }
    pm_exp_all(weight, p->waiting);
}

static void take(pass *p, const candidate *c, double score, double weight)
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
        found->phi = p->columns->phi;
    }
    mean = &p->fit->family[family_of(c->curve.family, end, c->range, p->fit->material)];
    mean->weight += weight;
    mean->sum += weight * end;
    mean->square += weight * (end * end + variance);
}

static void take_batch(pass *p)
{
    double score[BATCH], weight[BATCH], scale[BATCH];
    int i;

    score_batch(p, score);
    weigh_batch(p, score, weight, scale);
    for (i = 0; i < p->waiting; i++) {
        if (scale[i] != 1.0)
            rescale(p->fit, scale[i]);
        take(p, &p->batch[i], score[i], weight[i]);
    }
    p->waiting = 0;
}

static void consider(pass *p, const candidate *c)
{
    if (!pm_curve_allowed(&c->curve))
        return;
    if (c->rss + p->noise < p->least)
        p->least = c->rss + p->noise;
    if (p->waiting == BATCH)
        take_batch(p);
    p->batch[p->waiting++] = *c;
}

/* What is left of the squares. A perfect fit leaves rounding, which must not decide between
 * shapes. */
static double left_of(const pass *p, double explained)
{
    double rss = p->square - explained;

    return rss > 1e-12 * p->square ? rss : 0.0;
}

static bool hopeless(const pass *p, double rss)
{
    return rss + p->noise > p->least * (1 + HOPELESS / p->dof) * (1 + HOPELESS / p->dof);
}

static void try_one(pass *p, candidate *c, double square, double with_y, double spread)
{
    double gain;

    if (square < 1e-12)
        return;
    c->curve.coef[0] = 1.0;
    gain = pm_curve_end(&c->curve);
    c->curve.coef[0] = with_y / square;
    c->rss = left_of(p, c->curve.coef[0] * with_y);
    c->range = fabs(c->curve.coef[0]) * spread;
    c->error = gain * gain / square;
    consider(p, c);
}

/* `cross`: product of the two columns. Where `choosy`, a curve that weighs nothing is dropped. */
static void try_two(pass *p, candidate *c, const pm_column *a, double a_y, const pm_column *b,
                    double b_y, double cross, bool choosy)
{
    double det = a->square * b->square - cross * cross, first, second;

    if (a->square < 1e-12 || det < 1e-12 * a->square)
        return;
    first = (a_y * b->square - b_y * cross) / det;
    second = (b_y * a->square - a_y * cross) / det;
    c->rss = left_of(p, first * a_y + second * b_y);
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

static kind kind_of(const pass *p, const pm_shape_info *info, int members)
{
    int params = (info->first != PM_BASIS_NONE) + (info->second != PM_BASIS_NONE);
    double k = params + 1.0;

    return (kind){.info = info,
                  .log_prior = pm_log(info->prior / members),
                  .penalty = params * pm_log(fmax(2.0, p->dof)),
                  .few = 2 * k * (k + 1) / fmax(1.0, p->dof - k),
                  .left = fmax(1.0, p->dof - params),
                  .params = params};
}

static candidate candidate_of(kind *k)
{
    return (candidate){.kind = k, .curve = {.shape = k->info->shape, .family = k->info->family}};
}

static double with_y(const pass *p, const pm_column *column)
{
    return p->with[column - p->columns->column];
}

static void try_shape(pass *p, int shape)
{
    const pm_columns *all = p->columns;
    const pm_shape_info *info = &pm_shapes[shape];
    int members = info->members == PM_AT_CUTS ? all->cuts : info->members, i;
    kind k = kind_of(p, info, members);
    candidate c = candidate_of(&k);
    double line_y = with_y(p, all->line);

    if (p->dof - k.params < 2)
        return;
    if (info->first == PM_BASIS_NONE) {
        c.rss = p->square;
        consider(p, &c);
    }
    for (i = 0; info->first != PM_BASIS_NONE && i < members; i++) {
        const pm_column *a = &all->of_shape[shape][i];

        c.curve.at = a->at;
        c.curve.coef[1] = 0.0;
        if (info->second == PM_BASIS_NONE)
            try_one(p, &c, a->square, with_y(p, a), a->spread);
        else
            try_two(p, &c, a, with_y(p, a), all->line, line_y, a->with_line, false);
    }
    take_batch(p);
}

/* One step up and one down (a pulse), or two steps: over pairs of cuts. */
static void try_pairs(pass *p)
{
    const pm_columns *all = p->columns;
    const double *with = p->with + (all->steps - all->column);
    int cuts = all->cuts, stride = cuts <= 16 ? 1 : 2, pairs = cuts * (cuts - 1) / 2, i, j;
    kind pulses = kind_of(p, &pm_shape_pulse, pairs / (stride * stride) + 1);
    kind twos = kind_of(p, &pm_shape_two_step, pairs + 1);
    candidate pulse = candidate_of(&pulses), two = candidate_of(&twos);

    for (i = 0; i < cuts; i++)
        for (j = i + 1; j < cuts; j++) {
            const pm_column *a = &all->steps[i], *b = &all->steps[j];
            double cross = all->cross[i * cuts + j];

            pulse.curve.at = two.curve.at = a->at;
            pulse.curve.at_more = two.curve.at_more = b->at;
            if (i % stride == 0 && j % stride == 0 && p->dof >= 5)
                try_one(p, &pulse, a->square - 2 * cross + b->square, with[i] - with[j], 1.0);
            if (j >= i + 2 && p->dof > 6)
                try_two(p, &two, a, with[i], b, with[j], cross, true);
        }
    take_batch(p);
}

/* A fast and a slow warm-up. */
static void try_two_tau(pass *p)
{
    const pm_columns *all = p->columns;
    kind k = kind_of(p, &pm_shape_two_tau, pm_shape_two_tau.members);
    candidate c = candidate_of(&k);
    int i, j;

    if (p->dof < 4)
        return;
    for (i = 0; i < PM_SLOW_TAUS; i++)
        for (j = 0; j < PM_FAST_TAUS; j++) {
            const pm_column *a = &all->fast[j], *b = &all->slow[i];

            c.curve.at = a->at;
            c.curve.at_more = b->at;
            try_two(p, &c, a, with_y(p, a), b, with_y(p, b), pm_dot(a->v, b->v, all->n), false);
        }
    take_batch(p);
}

void pm_fit_add(pm_fit *fit, const pm_columns *columns, const double *y, double against)
{
    pass p;
    double phi = columns->phi;
    int i;

    /* not zeroed as a whole: it is large */
    p.columns = columns;
    p.fit = fit;
    p.least = INFINITY;
    p.waiting = 0;
    pm_whiten(columns->life, columns->n, phi, y, p.y);
    p.square = pm_dot(p.y, p.y, columns->n);
    p.dof = columns->n - columns->lives;
    p.noise = columns->n * fit->quantum * fit->quantum / 12.0 * (1 + phi * phi);
    p.common = against - columns->lives * pm_log(1 - phi * phi);
    pm_columns_with(columns, p.y, p.with);
    for (i = 0; i < PM_SHAPES; i++)
        try_shape(&p, i);
    try_pairs(&p);
    try_two_tau(&p);
}

double pm_curve_explains(const pm_curve *curve, const pm_points *points)
{
    double raw[PM_POINTS_MAX], v[3][PM_POINTS_MAX], aa, bb, ab, ay, by, yy, det, explained;
    int n = points->n, k, i;

    for (k = 0; k < 3; k++) {
        for (i = 0; i < n; i++)
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
