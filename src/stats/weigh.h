/* weigh: how much each kind of growth weighs in one series, over kinds of noise and resolutions. */
#ifndef PM_STATS_WEIGH_H
#define PM_STATS_WEIGH_H

#include "stats/fit.h"

/* What is on the table while one series is judged. Slopes are per span. */
typedef struct pm_weighing {
    /* given */
    const pm_trend_options *options;
    pm_trend_room *room;
    pm_sample sample;
    double material, quantum; /* growth that matters; what the values are multiples of */

    /* found */
    pm_points points;           /* of the finest resolution, as are `top`, `line` and `climbs` */
    pm_fitted top;              /* the most likely shape */
    pm_fitted line;             /* the best straight line */
    double r2;                  /* share of the variance that the best shape explains, at best */
    bool climbs;                /* it hardly ever falls: its noise is that of lumps */
    double weight[PM_FAMILIES]; /* mean over the resolutions */
    pm_mean slope[PM_FAMILIES]; /* sums over the resolutions */
} pm_weighing;

/* *enough is false where there are too few points. Fails only for want of memory. */
pmapdb_status pm_weigh(pm_weighing *w, bool *enough, pmapdb_error *err);

typedef struct pm_slope {
    double rate, low, high; /* per span; the 90 % interval */
} pm_slope;

/* The end slope, as the curves of these families give it by their weights. */
pm_slope pm_slope_of(const pm_weighing *w, pm_family from, pm_family to);

#endif
