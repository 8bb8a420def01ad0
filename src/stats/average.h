/* average: Bayesian model averaging of one series: posteriors of the outcomes over all shapes,
 * noise models and resolutions (docs/verdicts.md has the formulae). */
#ifndef PM_STATS_AVERAGE_H
#define PM_STATS_AVERAGE_H

#include "stats/fit.h"

/* The state of one series while it is judged. Slopes are per span. */
typedef struct pm_average {
    /* given */
    const pm_trend_options *options;
    pm_trend_room *room;
    pm_sample sample;
    double level;    /* the median of the measured values */
    double material; /* the least growth that matters */
    double quantum;  /* values are multiples of it */

    /* found */
    /* points, top, endless, line and climbs are those of the finest resolution */
    pm_points points;
    pm_fitted top;     /* the most likely shape */
    pm_fitted endless; /* the most likely shape without an end */
    pm_fitted line;    /* the best straight line */
    double r2;         /* share of the variance that the best shape explains; the largest */
    bool climbs;       /* hardly ever falls: the noise is a random walk of lumps */
    double posterior[PM_OUTCOMES]; /* mean over the resolutions */
    pm_mean slope[PM_OUTCOMES];    /* sums over the resolutions */
} pm_average;

/* *enough is false if there are too few points. Fails only when memory runs out. */
pmapdb_status pm_average_models(pm_average *w, bool *enough, pmapdb_error *err);

typedef struct pm_slope {
    double rate, low, high; /* per span; the 90 % interval */
} pm_slope;

/* The slope at the end of the window, averaged over the curves of these outcomes. */
pm_slope pm_slope_of(const pm_average *w, pm_outcome from, pm_outcome to);

/* The slope of a leak, as it is reported: its interval also covers what the curves do not know. The
 * slope must be above 0. */
pm_slope pm_slope_of_leak(const pm_average *w);

/* ---- days.c ---- */

/* Growth from day to day that load and start-ups do not explain. */
typedef struct pm_daily {
    double evidence;    /* twice the logarithm of the likelihood ratio; 0: no such growth */
    double rate, error; /* per day, with its standard error */
    double since;       /* seconds since 1970; 0: always */
    double noise;       /* standard deviation of a day */
} pm_daily;

/* False if the lives have too few whole days. The series is given as a whole, with start-ups;
 * `work` has room for its values. */
bool pm_daily_of(const pm_series *series, double *work, pm_daily *out);

/* ---- confidence.c ---- */

/* Posteriors say how well curves fit, not how often such a fit is a leak. These probabilities hold
 * for the mix of series that docs/verdicts.md describes. */
typedef struct pm_confidence {
    double grows;  /* that the growth goes on, steadily or slower and slower */
    double steady; /* that the series is a leak, and not slower and slower either */
} pm_confidence;

/* Of growth of `rate` per span, which is above 0, where the series would show `detectable`. */
pm_confidence pm_confidence_of(const pm_average *w, double rate, double detectable);

#endif
