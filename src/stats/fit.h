/* fit: the unnormalised posterior of each shape, by generalised least squares (GLS) of all its
 * members under each AR(1) noise.
 *
 * The weight of a shape is its prior times the mean likelihood of its members (places, rates,
 * noises), so a shape gains nothing by having many members. The likelihood is exp(-BIC / 2) with
 * the small-sample term of AICc. The weight of an outcome is the sum over the curves that end that
 * way.
 */
#ifndef PM_STATS_FIT_H
#define PM_STATS_FIT_H

#include "stats/design.h"

/* The best member of a shape. */
typedef struct pm_fitted {
    pm_curve curve;
    double score;     /* BIC with the term of AICc, the smaller the better */
    double weight;    /* of the whole shape: posterior relative to pm_fit.reference */
    double end;       /* slope at the end of the window, per span */
    double end_error; /* standard error of `end`, given the place of the bend */
    double phi;
} pm_fitted;

enum { PM_FITTED_MAX = 16 };

/* Sums over the curves of one outcome: weights, weighted end slopes and their squares. */
typedef struct pm_mean {
    double weight, sum, square;
} pm_mean;

typedef struct pm_fit {
    double material;  /* set by the caller: the least growth that matters */
    double quantum;   /* set by the caller: values are multiples of it */
    double reference; /* the score that weights are relative to */
    pm_mean outcome[PM_OUTCOMES];
    pm_fitted shape[PM_FITTED_MAX]; /* by shape and outcome */
    int n;
} pm_fit;

/* Adds the fits under one noise; `penalty` is -2 log of the prior of that noise. */
void pm_fit_add(pm_fit *fit, const pm_design *columns, const double *y, double penalty);

/* R squared of the curve: the share of the variance of the points around the means of their lives
 * that the curve explains with its best coefficients, without whitening. */
double pm_curve_explains(const pm_curve *curve, const pm_points *points);

#endif
