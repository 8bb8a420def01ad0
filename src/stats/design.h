/* design: the design matrix, every basis function of every shape at the points, whitened for one
 * AR(1) correlation.
 *
 * The matrix depends on the times of the points and not on their values, so the series of one
 * process share it, and fitting a curve costs a few multiplications.
 */
#ifndef PM_STATS_DESIGN_H
#define PM_STATS_DESIGN_H

#include "stats/points.h"
#include "stats/shapes.h"

/* The line, the steps, the members of the other shapes and the two sets of time constants. */
enum { PM_CUTS_MAX = 40, PM_COLUMNS_MAX = 1 + PM_CUTS_MAX + 140 };

typedef struct pm_regressor {
    double at;
    const double *v;          /* rows */
    double square, with_line; /* dot products with itself and with the line */
    double spread;            /* largest minus smallest value, before whitening */
} pm_regressor;

typedef struct pm_design {
    double phi;
    int n, lives; /* of the points that the matrix was made for */
    double *x;    /* their times, in spans */
    int *life;
    int cuts;
    pm_regressor *line;
    pm_regressor *of_shape[PM_SHAPES]; /* first basis function per member, or NULL */
    pm_regressor *steps;               /* one per cut */
    pm_regressor *fast, *slow;         /* the time constants of shape two-tau */
    double *cross;                     /* cuts x cuts: dot products of the steps */
    double *memory;
    double *raw;                  /* all basis functions before whitening, equal for every phi */
    const struct pm_design *like; /* of another phi, while this one is made; or NULL */
    pm_regressor *column;
    int count;
} pm_design;

/* Computes the design for the points and phi, unless it is already that design. A zeroed design is
 * empty. `like` is the design of the same points and another phi, or NULL. Fails only when memory
 * runs out; the design is then empty. */
pmapdb_status pm_design_fit(pm_design *design, const pm_points *points, double phi,
                            const pm_design *like, pmapdb_error *err);
void pm_design_free(pm_design *design);

/* raw -> out, n values each: the Prais-Winsten transform of a stationary AR(1) process within each
 * life, then the projection that removes the intercept of each life. */
void pm_whiten(const int *life, int n, double phi, const double *raw, double *out);

double pm_dot(const double *a, const double *b, int n);

#endif
