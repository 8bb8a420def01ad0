/* fit: every shape fitted to the points by least squares, the best of each shape kept. */
#ifndef PM_STATS_FIT_H
#define PM_STATS_FIT_H

#include "stats/points.h"

typedef enum pm_family {
    PM_FAMILY_BOUNDED, /* it ends, or has ended */
    PM_FAMILY_WATCH,   /* it slows down and has no end */
    PM_FAMILY_LEAK     /* it goes on */
} pm_family;

/* One curve: at most two columns of the basis, each with a coefficient. */
typedef struct pm_curve {
    pm_shape shape;
    pm_family family;
    int params;         /* beyond the intercepts of the lives */
    double at, at_more; /* of the first and of the second column */
    double coef[2];
    double rss;   /* of the (whitened) points */
    double end;   /* slope at the end of the window, per span */
    double range; /* largest minus smallest value on the points */
    double score; /* information criterion, the smaller the better; priors come on top */
} pm_curve;

enum { PM_CURVES_MAX = 16 };

typedef struct pm_fit {
    pm_curve curve[PM_CURVES_MAX]; /* the best of each shape and family */
    int n;
    int best;   /* smallest score */
    double tss; /* sum of squares around the means of the lives */
    int dof;    /* points less lives */
} pm_fit;

/* Fits on y_i - phi y_(i-1) inside lives where phi > 0. quantum: what the values are multiples of.
 * Fails only for want of memory. */
pmapdb_status pm_fit_all(const pm_points *points, double phi, double quantum, pm_fit *out,
                         pmapdb_error *err);

/* The curve with the coefficients that fit the points best without whitening. */
pm_curve pm_curve_refit(const pm_curve *curve, const pm_points *points);

/* What the curve leaves over, without whitening, around the means of the lives. */
void pm_curve_residuals(const pm_curve *curve, const pm_points *points, double *out);

/* Lag-one correlation of residuals inside lives, corrected for its bias, 0 to PM_PHI_MAX. */
double pm_residual_phi(const pm_points *points, const double *residuals);

#endif
