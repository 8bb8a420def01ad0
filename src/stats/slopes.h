/* slopes: the rate of a series by the slopes between all pairs of its points (Theil, Sen). */
#ifndef PM_STATS_SLOPES_H
#define PM_STATS_SLOPES_H

#include "stats/points.h"

/* All pairs inside lives. */
enum { PM_SLOPES_MAX = PM_LIVES_MAX * PM_BUCKETS * (PM_BUCKETS - 1) / 2 };

/* Slopes per span between the points whose x lies in [from, to]. Returns how many; `points` gets
 * the number of points, if not NULL. */
size_t pm_slopes(const pm_points *points, double from, double to, double *out, int *n_points);

typedef struct pm_rate {
    double rate, low, high; /* per span; the 90 % interval by Sen's method */
} pm_rate;

/* phi: correlation of neighbouring residuals; it widens the interval. Reorders the slopes. */
pm_rate pm_rate_of(double *slopes, size_t n, int n_points, double phi);

#endif
