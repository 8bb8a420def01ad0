/* fit: how likely each shape is, by least squares of all its members under every kind of noise.
 *
 * A shape's weight is its prior times the mean likelihood of its members (places, rates, noises),
 * so that a shape with many members wins nothing by their number. The families' weights are sums
 * over what each curve is found to do at the end of the window.
 */
#ifndef PM_STATS_FIT_H
#define PM_STATS_FIT_H

#include "stats/columns.h"

/* The best member of a shape. */
typedef struct pm_fitted {
    pm_curve curve;
    double score;     /* information criterion, the smaller the better */
    double weight;    /* of the whole shape, relative to pm_fit.reference */
    double end;       /* slope at the end of the window, per span ... */
    double end_error; /* ... and its standard error, the bend taken as known */
    double phi;
} pm_fitted;

enum { PM_FITTED_MAX = 16 };

/* Weighted end slopes of the curves of one family. */
typedef struct pm_mean {
    double weight, sum, square;
} pm_mean;

typedef struct pm_fit {
    double material,
        quantum;      /* set before: growth that matters, and what values are multiples of */
    double reference; /* score that the weights are relative to */
    pm_mean family[PM_FAMILIES];
    pm_fitted shape[PM_FITTED_MAX]; /* by shape and family */
    int n;
} pm_fit;

/* Adds the fits under one kind of noise; `against` is what speaks against that kind (-2 log). */
void pm_fit_add(pm_fit *fit, const pm_columns *columns, const double *y, double against);

/* The curve with the coefficients that fit the points best without whitening: the share of their
 * variance around the means of the lives that it explains. */
double pm_curve_explains(const pm_curve *curve, const pm_points *points);

#endif
