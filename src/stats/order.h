/* order: medians, midmeans and ranges. All but pm_range_of() reorder what they are given. */
#ifndef PM_STATS_ORDER_H
#define PM_STATS_ORDER_H

#include <stddef.h>

/* The element that stands at place k when v is sorted; those before it are no larger, those after
 * it no smaller. k < n. */
double pm_select(double *v, size_t n, size_t k);

double pm_median(double *v, size_t n); /* n > 0; the mean of the middle two */
/* Mean of the middle half: as robust as needed, and of less noise than the median. n > 0. */
double pm_midmean(double *v, size_t n);

/* The difference of the largest and the smallest value. n > 0. */
double pm_range_of(const double *v, size_t n);

#endif
