/* merge_sums: do versions add up to the sums of the captures that they are of? Each counts where it
 * begins and where it ends, so that it costs the same however long it is. */
#ifndef PM_STORE_MERGE_SUMS_H
#define PM_STORE_MERGE_SUMS_H

#include "base/err.h"
#include "base/mapping.h"

typedef struct pm_sums {
    struct pm_sums_step {
        uint64_t v[PM_TOTAL_COUNT]; /* it wraps: steps down are added too */
        int64_t unknown[PM_TOTAL_COUNT];
    } * step; /* of capture k to the one before */
    size_t n;
} pm_sums;

pmapdb_status pm_sums_new(size_t n, pm_sums *out, pmapdb_error *err);
void pm_sums_free(pm_sums *s);

/* A version of captures first..last; last PMAPDB_UNKNOWN: to the end. -1 is unknown. */
void pm_sums_add(pm_sums *s, int64_t first, int64_t last, const pm_totals *row);

/* The sums of capture k, from 0 on one after the other: the steps are used up. */
void pm_sums_next(pm_sums *s, size_t k, pm_totals *out);
/* No version, as at first. */
void pm_sums_clear(pm_sums *s);

/* The first capture whose sums are others than `want`, or n. Once: the steps are used up. */
size_t pm_sums_compare(pm_sums *s, const pm_totals *want);

#endif
