/* shapes: the fourteen growth curves, each a sum of an intercept and at most two basis functions.
 */
#ifndef PM_STATS_SHAPES_H
#define PM_STATS_SHAPES_H

#include "stats/trend.h"

typedef enum pm_outcome {
    PM_OUTCOME_BOUNDED, /* growth ends, or has ended */
    PM_OUTCOME_WATCH,   /* growth slows down without an end */
    PM_OUTCOME_LEAK,    /* growth goes on */
    PM_OUTCOME_SHRINK,  /* falls: found from the fitted slope, no shape is named so */
    PM_OUTCOMES
} pm_outcome;

typedef enum pm_basis {
    PM_BASIS_NONE,
    PM_BASIS_LINE,     /* x */
    PM_BASIS_STEP,     /* 1 from a place on */
    PM_BASIS_SATURATE, /* 1 - exp(-kx) */
    PM_BASIS_RAMP,     /* min(x, c) */
    PM_BASIS_LATE,     /* max(0, x - c) */
    PM_BASIS_POWER,    /* x^a */
    PM_BASIS_LOG,      /* log(1 + kx) */
    PM_BASIS_EXPM1     /* exp(cx) - 1 */
} pm_basis;

typedef struct pm_shape_info {
    pm_shape shape;
    pm_outcome outcome;
    pm_basis first, second;
    double prior;    /* of the shape, divided evenly among its members */
    double from, to; /* parameter of the first basis function: places evenly, rates by ratio */
    int members;     /* PM_AT_CUTS: one for every cut between points */
} pm_shape_info;

/* The last two shapes are made of two basis functions of one kind. */
enum { PM_AT_CUTS = -1, PM_SHAPES = 13, PM_TWO_STEP = PM_SHAPES, PM_TWO_TAU, PM_SHAPES_ALL };

extern const pm_shape_info pm_shapes[PM_SHAPES_ALL];
enum { PM_FAST_TAUS = 4, PM_SLOW_TAUS = 3 };
extern const double pm_fast_taus[PM_FAST_TAUS], pm_slow_taus[PM_SLOW_TAUS];

/* The parameter of the first basis function of the i-th member. */
double pm_shape_at(const pm_shape_info *info, int i);

double pm_basis_value(pm_basis basis, double at, double x);

/* One fitted curve: at most two basis functions, each with a coefficient. */
typedef struct pm_curve {
    pm_shape shape;
    pm_outcome outcome; /* of the shape, by its name */
    double at, at_more; /* parameters of the first and the second basis function */
    double coef[2];
} pm_curve;

/* The value of one basis function at x, without its coefficient. */
double pm_curve_column(const pm_curve *curve, int column, double x);
double pm_curve_value(const pm_curve *curve, double x); /* without the intercept */

/* Slope of a curve at x = 1. */
double pm_curve_end(const pm_curve *curve);

/* True if the coefficients have the signs that define the shape. */
bool pm_curve_allowed(const pm_curve *curve);

#endif
