/* ranges: the live ranges of an address space, each with the call that mapped it. Ranges do not
 * overlap. The space is a balanced tree of the C library (tsearch), in which a range equals each
 * range that it overlaps: a search or a cut takes about log2(n) steps for any order of calls. */
#ifndef PM_PERF_RANGES_H
#define PM_PERF_RANGES_H

#include "base/err.h"

typedef struct pm_range {
    uint64_t start, end;
    int64_t call_id; /* the call that mapped the range */
    int64_t born_ns;
} pm_range;

typedef struct pm_ranges {
    void *root;      /* NULL: empty */
    pm_range *taken; /* pieces of the last pm_ranges_take() */
    size_t cap_taken;
} pm_ranges;

void pm_ranges_free(pm_ranges *r);

/* Adds a range, unless it is empty or overlaps another: then a call is missing in the recording. */
pmapdb_status pm_ranges_put(pm_ranges *r, const pm_range *range, pmapdb_error *err);

typedef pmapdb_status (*pm_ranges_each)(void *ctx, const pm_range *piece, pmapdb_error *err);

/* Removes start..end and hands out each removed piece, ordered by address. */
pmapdb_status pm_ranges_take(pm_ranges *r, uint64_t start, uint64_t end, pm_ranges_each each,
                             void *ctx, pmapdb_error *err);

#endif
