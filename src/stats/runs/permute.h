/* permute: do the runs of A differ from those of B? A permutation test of several statistics at
 * once.
 *
 * If A and B do not differ, each way to deal the runs to two groups of these sizes is equally
 * likely. p is the share of those ways in which the means of the groups are at least as far apart
 * as the means of A and B (two-sided). All ways are tried, or, if there are more than
 * PM_PERMUTE_WAYS, that many of them in an order that is the same in every call.
 *
 * p_adjusted is for several statistics judged together: the share of the ways in which the largest
 * of all standardized differences is at least as large (Westfall and Young 1993, max T). If nothing
 * differs, the smallest p_adjusted is below .05 in at most 5 % of the comparisons, however many
 * statistics there are, and however they depend on each other.
 *
 * The interval is Welch's: 95 %, for samples whose means are about normal.
 */
#ifndef PM_STATS_PERMUTE_H
#define PM_STATS_PERMUTE_H

#include "base/err.h"
#include <stdbool.h>

#define PM_PERMUTE_WAYS 50000

typedef struct pm_contrast {
    double a, b;       /* means; NaN: unknown */
    double low, high;  /* of b - a; NaN: a group of one, or unknown */
    double p;          /* NaN: unknown */
    double p_adjusted; /* NaN: unknown */
    double deviation;  /* standard deviation within a group; NaN: both groups are of one */
} pm_contrast;

/* `values` has a row of `k` statistics for each of the n_a runs of A, then of the n_b of B. A
 * statistic that is NaN in some run is unknown. Those that are not `judged` have no
 * p_adjusted, and that of the others does not take them into account. n_a and n_b are at least 1.
 */
pmapdb_status pm_permute(const double *values, size_t n_a, size_t n_b, size_t k, const bool *judged,
                         pm_contrast *out, pmapdb_error *err);

#endif
