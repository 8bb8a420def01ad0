/* refine: growth that the fitted curves see, and that is over. */
#ifndef PM_STATS_REFINE_H
#define PM_STATS_REFINE_H

#include "stats/points.h"

/* True if growth of `rate` per span ended; `reason` (PM_REASON bytes) receives why. */
bool pm_growth_is_over(const pm_sample *sample, const pm_points *points, double rate, char *reason);

/* Returns the number of new maxima of points of one life, each by `margin` above the one before;
 * the longest pause between two of them; and the time since the last one. */
int pm_records(const pm_points *points, double *margin, double *pause, double *tail);

enum { PM_REASON = 96 };

#endif
