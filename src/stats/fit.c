/* fit: every shape fitted to the points by least squares, the best of each shape kept.
 *
 * One intercept per life: points and columns are taken as distances from the means of their lives.
 * All columns are computed once, with their products with the points and with the line; then a
 * curve of one or two columns costs a few multiplications.
 */
#include "stats/fit.h"

#include "stats/elementary.h"
#include "stats/shapes.h"

#include <math.h>
#include <stdlib.h>

enum { CUTS_MAX = 40, COLUMNS_MAX = CUTS_MAX + 80 };

typedef struct column {
    pm_basis basis;
    double at;
    double *v;
    double square, with_y, with_line;
} column;

typedef struct design {
    const pm_points *points;
    double phi;
    int rows, dof;
    double *y, square; /* the points, whitened */
    column col[COLUMNS_MAX];
    int n;
    int line;       /* its place in col */
    int cut, cuts;  /* the steps: col[cut] to col[cut + cuts - 1] */
    double *memory; /* of all columns */
    double raw[PM_POINTS_MAX];
} design;

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    int i;

    for (i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* raw -> out: whitened inside lives (the first point of each is lost), less the mean of its life.
 * Returns the number of rows. */
static int transform(const design *d, const double *raw, double *out)
{
    const pm_points *p = d->points;
    int rows = 0, i = 0;

    while (i < p->n) {
        int life = p->life[i], begin = rows, k;
        double sum = 0.0;

        if (d->phi > 0.0)
            i++;
        for (; i < p->n && p->life[i] == life; i++) {
            out[rows] = d->phi > 0.0 ? raw[i] - d->phi * raw[i - 1] : raw[i];
            sum += out[rows++];
        }
        for (k = begin; k < rows; k++)
            out[k] -= sum / (rows - begin);
    }
    return rows;
}

static int column_add(design *d, pm_basis basis, double at)
{
    column *c = &d->col[d->n];
    int i;

    c->basis = basis;
    c->at = at;
    c->v = d->memory + (size_t)(d->n + 1) * PM_POINTS_MAX;
    for (i = 0; i < d->points->n; i++)
        d->raw[i] = pm_basis_value(basis, at, d->points->x[i]);
    transform(d, d->raw, c->v);
    c->square = dot(c->v, c->v, d->rows);
    c->with_y = dot(c->v, d->y, d->rows);
    c->with_line = d->line >= 0 ? dot(c->v, d->col[d->line].v, d->rows) : c->square;
    return d->n++;
}

static int column_of(design *d, pm_basis basis, double at)
{
    int i;

    for (i = 0; i < d->n; i++)
        if (d->col[i].basis == basis && d->col[i].at == at)
            return i;
    return column_add(d, basis, at);
}

/* Steps halfway between neighbouring places of points; at most CUTS_MAX, evenly chosen. */
static void cuts_add(design *d)
{
    double x[PM_POINTS_MAX];
    const pm_points *p = d->points;
    int n = 0, i, j, stride;

    for (i = 0; i < p->n; i++) {
        for (j = n; j > 0 && x[j - 1] > p->x[i]; j--)
            x[j] = x[j - 1];
        x[j] = p->x[i];
        n++;
    }
    for (i = 1, j = 1; i < n; i++)
        if (x[i] != x[j - 1])
            x[j++] = x[i];
    stride = (j - 1) / CUTS_MAX + 1;
    d->cut = d->n;
    for (i = 0; i + 1 < j; i += stride)
        column_add(d, PM_BASIS_STEP, 0.5 * (x[i] + x[i + 1]));
    d->cuts = d->n - d->cut;
}

/* Keeps the better one of its shape and family. */
static void consider(pm_fit *out, const pm_curve *c)
{
    int i;

    if (!pm_curve_allowed(c))
        return;
    for (i = 0; i < out->n; i++)
        if (out->curve[i].shape == c->shape && out->curve[i].family == c->family) {
            if (c->rss < out->curve[i].rss)
                out->curve[i] = *c;
            return;
        }
    out->curve[out->n++] = *c;
}

/* What is left of the squares. A perfect fit leaves rounding, which must not decide between shapes.
 */
static double left_of(const design *d, double explained)
{
    double rss = d->square - explained;

    return rss > 1e-12 * d->square ? rss : 0.0;
}

static void try_one(const design *d, pm_fit *out, pm_curve c, double square, double with_y)
{
    if (square < 1e-12)
        return;
    c.coef[0] = with_y / square;
    c.rss = left_of(d, c.coef[0] * with_y);
    consider(out, &c);
}

static void try_two(const design *d, pm_fit *out, pm_curve c, const column *a, const column *b,
                    double cross)
{
    double det = a->square * b->square - cross * cross;

    if (a->square < 1e-12 || det < 1e-12 * a->square)
        return;
    c.coef[0] = (a->with_y * b->square - b->with_y * cross) / det;
    c.coef[1] = (b->with_y * a->square - a->with_y * cross) / det;
    c.rss = left_of(d, c.coef[0] * a->with_y + c.coef[1] * b->with_y);
    consider(out, &c);
}

static void try_shape(design *d, pm_fit *out, const pm_shape_info *info)
{
    pm_curve c = {.shape = info->shape, .family = info->family, .params = info->params};
    int n = info->n_at < 0 ? d->cuts : info->n_at, i;

    if (d->dof - info->params < 2)
        return;
    if (info->first == PM_BASIS_NONE) {
        c.rss = d->square;
        consider(out, &c);
        return;
    }
    for (i = 0; i < n; i++) {
        const column *a =
            &d->col[info->n_at < 0 ? d->cut + i : column_of(d, info->first, info->at[i])];

        c.at = a->at;
        if (info->second == PM_BASIS_NONE)
            try_one(d, out, c, a->square, a->with_y);
        else
            try_two(d, out, c, a, &d->col[d->line], a->with_line);
    }
}

/* One step up and one down (pulse), or two steps: over pairs of cuts. */
static void try_pairs(const design *d, pm_fit *out)
{
    pm_curve pulse = {.shape = PM_SHAPE_PULSE, .params = 3};
    pm_curve two = {.shape = PM_SHAPE_TWO_STEP, .params = 4};
    int stride = d->cuts <= 16 ? 1 : 2, i, j;

    for (i = 0; i < d->cuts; i++)
        for (j = i + 1; j < d->cuts; j++) {
            const column *a = &d->col[d->cut + i], *b = &d->col[d->cut + j];
            double cross = dot(a->v, b->v, d->rows);

            pulse.at = two.at = a->at;
            pulse.at_more = two.at_more = b->at;
            if (i % stride == 0 && j % stride == 0 && d->dof >= 5)
                try_one(d, out, pulse, a->square - 2 * cross + b->square, a->with_y - b->with_y);
            if (j >= i + 2 && d->dof > 6)
                try_two(d, out, two, a, b, cross);
        }
}

/* A fast and a slow warm-up. */
static void try_two_tau(design *d, pm_fit *out)
{
    static const double fast[] = {20, 40, 80, 160}, slow[] = {4, 5.5, 8};
    pm_curve c = {.shape = PM_SHAPE_TWO_TAU, .params = 4};
    size_t i, j;

    if (d->dof < 4)
        return;
    for (i = 0; i < sizeof slow / sizeof slow[0]; i++)
        for (j = 0; j < sizeof fast / sizeof fast[0]; j++) {
            int a = column_of(d, PM_BASIS_SATURATE, fast[j]);
            int b = column_of(d, PM_BASIS_SATURATE, slow[i]);

            c.at = fast[j];
            c.at_more = slow[i];
            try_two(d, out, c, &d->col[a], &d->col[b], dot(d->col[a].v, d->col[b].v, d->rows));
        }
}

/* Schwarz' criterion with Hurvich and Tsai's correction for few points. What the values are
 * multiples of bounds how well any curve can fit. */
static double score_of(const design *d, const pm_curve *c, double quantum)
{
    double n = d->rows, noise = quantum * quantum / 12.0 * (1 + d->phi * d->phi);
    double k = c->params + 1.0, rss = c->rss > 0.0 ? c->rss : 0.0;

    return d->dof * pm_log((rss + n * noise) / n) + c->params * pm_log(fmax(2.0, d->dof)) +
           2 * k * (k + 1) / fmax(1.0, d->dof - k);
}

static void finish(const design *d, double quantum, pm_fit *out)
{
    const pm_points *p = d->points;
    int i, k;

    for (k = 0; k < out->n; k++) {
        pm_curve *c = &out->curve[k];
        double low = INFINITY, high = -INFINITY;

        for (i = 0; i < p->n; i++) {
            double v = pm_curve_value(c, p->x[i]);

            low = fmin(low, v);
            high = fmax(high, v);
        }
        c->range = high - low;
        c->end = pm_curve_end(c);
        c->score = score_of(d, c, quantum);
        if (c->score < out->curve[out->best].score)
            out->best = k;
    }
}

pmapdb_status pm_fit_all(const pm_points *points, double phi, double quantum, pm_fit *out,
                         pmapdb_error *err)
{
    design d = {.points = points, .phi = phi, .line = -1};
    int i;

    *out = (pm_fit){0};
    d.memory = malloc((size_t)(COLUMNS_MAX + 1) * PM_POINTS_MAX * sizeof *d.memory);
    if (!d.memory)
        return pm_fail_nomem(err);
    d.y = d.memory;
    d.rows = transform(&d, points->y, d.y);
    d.dof = d.rows - points->lives;
    d.square = out->tss = dot(d.y, d.y, d.rows);
    out->dof = d.dof;
    d.line = column_add(&d, PM_BASIS_LINE, 0.0);
    cuts_add(&d);
    for (i = 0; i < pm_shapes_count; i++)
        try_shape(&d, out, &pm_shapes[i]);
    try_pairs(&d, out);
    try_two_tau(&d, out);
    finish(&d, quantum, out);
    free(d.memory);
    return PMAPDB_OK;
}

pm_curve pm_curve_refit(const pm_curve *curve, const pm_points *points)
{
    design d = {.points = points};
    double v[3][PM_POINTS_MAX], aa, bb, ab, ay, by, det;
    pm_curve c = *curve;
    int k, i, n;

    for (k = 0; k < 3; k++) {
        for (i = 0; i < points->n; i++)
            d.raw[i] = k == 2 ? points->y[i] : pm_curve_column(curve, k, points->x[i]);
        transform(&d, d.raw, v[k]);
    }
    n = points->n;
    aa = dot(v[0], v[0], n);
    bb = dot(v[1], v[1], n);
    ab = dot(v[0], v[1], n);
    ay = dot(v[0], v[2], n);
    by = dot(v[1], v[2], n);
    det = aa * bb - ab * ab;
    c.coef[0] = det > 1e-12 * aa ? (ay * bb - by * ab) / det : aa > 1e-12 ? ay / aa : 0.0;
    c.coef[1] = det > 1e-12 * aa ? (by * aa - ay * ab) / det : 0.0;
    return c;
}

void pm_curve_residuals(const pm_curve *curve, const pm_points *points, double *out)
{
    design d = {.points = points};
    int i;

    for (i = 0; i < points->n; i++)
        d.raw[i] = points->y[i] - pm_curve_value(curve, points->x[i]);
    transform(&d, d.raw, out);
}

double pm_residual_phi(const pm_points *points, const double *r)
{
    double square = dot(r, r, points->n), lagged = 0.0, phi;
    int i;

    if (!(square > points->n * 1e-12))
        return 0.0;
    for (i = 0; i + 1 < points->n; i++)
        if (points->life[i] == points->life[i + 1])
            lagged += r[i] * r[i + 1];
    phi = lagged / square;
    phi += (1 + 3 * phi) / points->n;
    return phi < 0.0 ? 0.0 : phi > PM_PHI_MAX ? PM_PHI_MAX : phi;
}
