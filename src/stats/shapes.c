/* shapes: the fourteen growth curves and their priors. */
#include "stats/shapes.h"

#include "stats/elementary.h"

/* Priors were set by hand and tuned on labelled series: most unbounded growth is a straight line,
 * from the start, after a step, or from some day on. A warm-up before a leak and a curve that only
 * slows down look alike, so their priors are nearly equal. A knee can imitate many
 * curves, so its prior is small. A warm-up bends early (k from 8 to 60), so that a line of its
 * own follows. With two time constants the first is over soon, the second nearly over. Saturation 1
 * - exp(-kx) reaches 95 % of its limit at k = 3, and 86 % at k = 2. A leak that began in the last
 * quarter cannot be told from a step. */
const pm_shape_info pm_shapes[PM_SHAPES_ALL] = {
    {PM_SHAPE_CONST, PM_OUTCOME_BOUNDED, PM_BASIS_NONE, PM_BASIS_NONE, 1.0, 0, 0, 1},
    {PM_SHAPE_LINEAR, PM_OUTCOME_LEAK, PM_BASIS_LINE, PM_BASIS_NONE, 15.0, 0, 0, 1},
    {PM_SHAPE_STEP, PM_OUTCOME_BOUNDED, PM_BASIS_STEP, PM_BASIS_NONE, 1.0, 0, 0, PM_AT_CUTS},
    {PM_SHAPE_SATURATING, PM_OUTCOME_BOUNDED, PM_BASIS_SATURATE, PM_BASIS_NONE, 1.0, 3, 45, 10},
    {PM_SHAPE_SATURATING, PM_OUTCOME_WATCH, PM_BASIS_SATURATE, PM_BASIS_NONE, 1.6, 1, 2, 3},
    {PM_SHAPE_RAMP_THEN_FLAT, PM_OUTCOME_BOUNDED, PM_BASIS_RAMP, PM_BASIS_NONE, 1.0, .08, .86, 27},
    {PM_SHAPE_LATE_RAMP, PM_OUTCOME_LEAK, PM_BASIS_LATE, PM_BASIS_NONE, 3.0, .1, .725, 26},
    {PM_SHAPE_POWER, PM_OUTCOME_WATCH, PM_BASIS_POWER, PM_BASIS_NONE, 1.0, .2, .5, 7},
    {PM_SHAPE_LOG, PM_OUTCOME_WATCH, PM_BASIS_LOG, PM_BASIS_NONE, 1.0, 6, 200, 12},
    {PM_SHAPE_WARMUP_LINEAR, PM_OUTCOME_LEAK, PM_BASIS_SATURATE, PM_BASIS_LINE, 2.0, 8, 60, 11},
    {PM_SHAPE_KNEE, PM_OUTCOME_LEAK, PM_BASIS_RAMP, PM_BASIS_LINE, 0.1, .08, .8, 25},
    {PM_SHAPE_STEP_LINEAR, PM_OUTCOME_LEAK, PM_BASIS_STEP, PM_BASIS_LINE, 5.0, 0, 0, PM_AT_CUTS},
    {PM_SHAPE_ACCELERATING, PM_OUTCOME_LEAK, PM_BASIS_EXPM1, PM_BASIS_NONE, 3.0, .7, 4.5, 7},
    {PM_SHAPE_TWO_STEP, PM_OUTCOME_BOUNDED, PM_BASIS_STEP, PM_BASIS_STEP, 1.0, 0, 0, PM_AT_CUTS},
    {PM_SHAPE_TWO_TAU, PM_OUTCOME_BOUNDED, PM_BASIS_SATURATE, PM_BASIS_SATURATE, 1.0, 0, 0, 12},
};

const double pm_fast_taus[PM_FAST_TAUS] = {20, 40, 80, 160};
const double pm_slow_taus[PM_SLOW_TAUS] = {4, 5.5, 8};

double pm_shape_at(const pm_shape_info *info, int i)
{
    double part = info->members > 1 ? (double)i / (info->members - 1) : 0.0;

    if (info->to <= 1.0)
        return info->from + part * (info->to - info->from);
    return info->from * pm_exp(part * pm_log(info->to / info->from));
}

double pm_basis_value(pm_basis basis, double at, double x)
{
    switch (basis) {
    case PM_BASIS_LINE:
        return x;
    case PM_BASIS_STEP:
        return x >= at ? 1.0 : 0.0;
    case PM_BASIS_SATURATE:
        return 1.0 - pm_exp(-at * x);
    case PM_BASIS_RAMP:
        return x < at ? x : at;
    case PM_BASIS_LATE:
        return x > at ? x - at : 0.0;
    case PM_BASIS_POWER:
        return x > 0.0 ? pm_exp(at * pm_log(x)) : 0.0;
    case PM_BASIS_LOG:
        return pm_log(1.0 + at * x);
    case PM_BASIS_EXPM1:
        return pm_exp(at * x) - 1.0;
    case PM_BASIS_NONE:
        break;
    }
    return 0.0;
}

static const pm_shape_info *info_of(pm_shape shape)
{
    for (int i = 0; i < PM_SHAPES_ALL; i++)
        if (pm_shapes[i].shape == shape)
            return &pm_shapes[i];
    return &pm_shapes[0];
}

double pm_curve_column(const pm_curve *c, int column, double x)
{
    const pm_shape_info *info = info_of(c->shape);

    return column ? pm_basis_value(info->second, c->at_more, x)
                  : pm_basis_value(info->first, c->at, x);
}

double pm_curve_value(const pm_curve *c, double x)
{
    double v = c->coef[0] * pm_curve_column(c, 0, x);

    return c->coef[1] != 0.0 ? v + c->coef[1] * pm_curve_column(c, 1, x) : v;
}

double pm_curve_end(const pm_curve *c)
{
    switch (c->shape) {
    case PM_SHAPE_LINEAR:
    case PM_SHAPE_LATE_RAMP:
        return c->coef[0];
    case PM_SHAPE_WARMUP_LINEAR:
    case PM_SHAPE_KNEE:
    case PM_SHAPE_STEP_LINEAR:
        return c->coef[1];
    case PM_SHAPE_TWO_TAU:
        return c->coef[1] * c->at_more * pm_exp(-c->at_more);
    case PM_SHAPE_SATURATING:
        return c->coef[0] * c->at * pm_exp(-c->at);
    case PM_SHAPE_ACCELERATING:
        return c->coef[0] * c->at * pm_exp(c->at);
    case PM_SHAPE_POWER:
        return c->coef[0] * c->at;
    case PM_SHAPE_LOG:
        return c->coef[0] * c->at / (1.0 + c->at);
    default:
        return 0.0;
    }
}

bool pm_curve_allowed(const pm_curve *c)
{
    switch (c->shape) {
    case PM_SHAPE_WARMUP_LINEAR:
    case PM_SHAPE_KNEE:
        return c->coef[0] >= 0.0;
    case PM_SHAPE_STEP_LINEAR: /* a fall that the line compensates is a tooth of a sawtooth */
        return !(c->coef[0] < 0.0 && c->coef[1] > 0.0 && -c->coef[0] > 0.5 * c->coef[1]);
    case PM_SHAPE_TWO_TAU:
        return c->coef[0] >= 0.0 && c->coef[1] >= 0.0;
    default:
        return true;
    }
}
