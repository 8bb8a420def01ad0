/* shapes: the curves that a process's memory follows, each a sum of one or two columns. */
#ifndef PM_STATS_SHAPES_H
#define PM_STATS_SHAPES_H

#include "stats/fit.h"

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
    pm_family family;
    pm_basis first, second;
    int params;
    double prior;
    double at[18]; /* parameters of the first column, 0 behind the last */
    int n_at;      /* -1: every cut between points */
} pm_shape_info;

extern const pm_shape_info pm_shapes[];
extern const int pm_shapes_count;

double pm_basis_value(pm_basis basis, double at, double x);
double pm_curve_value(const pm_curve *curve, double x); /* without the intercept */

/* The same for coefficients of its two columns. */
double pm_curve_column(const pm_curve *curve, int column, double x);
double pm_shape_prior(pm_shape shape);

/* Slope of a fitted curve at x = 1. */
double pm_curve_end(const pm_curve *curve);

/* What a shape's coefficients must satisfy to be that shape. */
bool pm_curve_allowed(const pm_curve *curve);

#endif
