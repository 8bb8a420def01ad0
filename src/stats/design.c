/* design: the design matrix of all shapes, whitened for one AR(1) correlation. */
#include "stats/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double pm_dot(const double *a, const double *b, int n)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void pm_whiten(const int *life, int n, double phi, const double *raw, double *out)
{
    double first = sqrt(1 - phi * phi), next = 1 - phi;
    int i = 0;

    while (i < n) {
        int begin = i;
        double sum, square = first * first;

        out[i] = first * raw[i];
        sum = first * out[i];
        for (i++; i < n && life[i] == life[begin]; i++) {
            out[i] = raw[i] - phi * raw[i - 1];
            sum += next * out[i];
            square += next * next;
        }
        for (int k = begin; k < i; k++)
            out[k] -= (k == begin ? first : next) * sum / square;
    }
}

static pm_regressor *add(pm_design *c, pm_basis basis, double at)
{
    size_t place = (size_t)c->count * (size_t)c->n;
    double *raw = c->raw + place, *v = c->memory + place, low = INFINITY, high = -INFINITY;
    pm_regressor *column = &c->column[c->count++];

    if (c->like)
        memcpy(raw, c->like->raw + place, (size_t)c->n * sizeof *raw);
    for (int i = 0; i < c->n; i++) {
        if (!c->like)
            raw[i] = pm_basis_value(basis, at, c->x[i]);
        low = raw[i] < low ? raw[i] : low;
        high = raw[i] > high ? raw[i] : high;
    }
    pm_whiten(c->life, c->n, c->phi, raw, v);
    column->at = at;
    column->v = v;
    column->spread = high - low;
    column->square = pm_dot(v, v, c->n);
    column->with_line = c->line ? pm_dot(v, c->line->v, c->n) : column->square;
    return column;
}

/* Cuts halfway between neighbouring points; at most PM_CUTS_MAX, evenly chosen. */
static int cuts_of(const double *place, int n, double *out)
{
    double x[PM_POINTS_MAX];
    int distinct = 1, cuts = 0, stride, j;

    for (int i = 0; i < n; i++) {
        for (j = i; j > 0 && x[j - 1] > place[i]; j--)
            x[j] = x[j - 1];
        x[j] = place[i];
    }
    for (int i = 1; i < n; i++)
        if (x[i] != x[distinct - 1])
            x[distinct++] = x[i];
    stride = (distinct - 1) / PM_CUTS_MAX + 1;
    for (int i = 0; i + 1 < distinct; i += stride)
        out[cuts++] = 0.5 * (x[i] + x[i + 1]);
    return cuts;
}

static void add_steps(pm_design *c)
{
    double cut[PM_CUTS_MAX + 1] = {0};

    c->cuts = cuts_of(c->x, c->n, cut);
    c->steps = c->column + c->count;
    for (int i = 0; i < c->cuts; i++)
        add(c, PM_BASIS_STEP, cut[i]);
    for (int i = 0; i < c->cuts; i++)
        for (int j = i + 1; j < c->cuts; j++)
            c->cross[i * c->cuts + j] = pm_dot(c->steps[i].v, c->steps[j].v, c->n);
}

static void add_members(pm_design *c)
{
    for (int s = 0; s < PM_SHAPES; s++) {
        const pm_shape_info *info = &pm_shapes[s];

        c->of_shape[s] = info->members == PM_AT_CUTS    ? c->steps
                         : info->first == PM_BASIS_NONE ? NULL
                         : info->first == PM_BASIS_LINE ? c->line
                                                        : c->column + c->count;
        if (c->of_shape[s] == c->column + c->count)
            for (int i = 0; i < info->members; i++)
                add(c, info->first, pm_shape_at(info, i));
    }
    c->fast = c->column + c->count;
    for (int i = 0; i < PM_FAST_TAUS; i++)
        add(c, PM_BASIS_SATURATE, pm_fast_taus[i]);
    c->slow = c->column + c->count;
    for (int i = 0; i < PM_SLOW_TAUS; i++)
        add(c, PM_BASIS_SATURATE, pm_slow_taus[i]);
}

static bool made_for(const pm_design *c, const pm_points *p, double phi)
{
    size_t n = (size_t)p->n;

    return c->memory && c->n == p->n && c->phi == phi && !memcmp(c->x, p->x, n * sizeof *c->x) &&
           !memcmp(c->life, p->life, n * sizeof *c->life);
}

pmapdb_status pm_design_fit(pm_design *c, const pm_points *p, double phi, const pm_design *like,
                            pmapdb_error *err)
{
    size_t n = (size_t)p->n;

    if (made_for(c, p, phi))
        return PMAPDB_OK;
    pm_design_free(c);
    c->memory = malloc(((2 * PM_COLUMNS_MAX + 1) * n + (size_t)PM_CUTS_MAX * PM_CUTS_MAX) *
                       sizeof *c->memory);
    c->column = malloc(PM_COLUMNS_MAX * sizeof *c->column);
    c->life = malloc(n * sizeof *c->life);
    if (!c->memory || !c->column || !c->life) {
        pm_design_free(c);
        return pm_fail_nomem(err);
    }
    c->phi = phi;
    c->like = like;
    c->n = p->n;
    c->lives = p->lives;
    c->raw = c->memory + PM_COLUMNS_MAX * n;
    c->x = c->raw + PM_COLUMNS_MAX * n;
    c->cross = c->x + n;
    memcpy(c->x, p->x, n * sizeof *c->x);
    memcpy(c->life, p->life, n * sizeof *c->life);
    c->line = add(c, PM_BASIS_LINE, 0.0);
    add_steps(c);
    add_members(c);
    return PMAPDB_OK;
}

void pm_design_free(pm_design *c)
{
    free(c->memory);
    free(c->column);
    free(c->life);
    *c = (pm_design){0};
}
