/* ranges: the live ranges of several address spaces, each with the call that mapped it. Ranges of
 * one space do not overlap. Each space is a treap; all treaps share one array. A range takes 48
 * bytes; a search or a cut takes about log2(n) steps for any order of calls. */
#ifndef PM_PERF_RANGES_H
#define PM_PERF_RANGES_H

#include "base/err.h"

/* 192 MiB. The default of vm.max_map_count is 65530 mappings per process. */
#define PM_RANGES_MAX ((size_t)4 << 20)

typedef struct pm_range {
    uint64_t start, end;
    int64_t call_id; /* the call that mapped the range */
    int64_t born_ns;
} pm_range;

/* One address space; 0: empty. */
typedef uint32_t pm_space;

typedef struct pm_ranges {
    struct pm_range_node *node; /* node 0 means no node */
    size_t n, cap;              /* of the array; unused nodes form a list */
    uint32_t unused;
    size_t live;
    uint64_t chance;
} pm_ranges;

void pm_ranges_free(pm_ranges *r);

/* Adds a range that overlaps no other. PMAPDB_INPUT after PM_RANGES_MAX ranges. */
pmapdb_status pm_ranges_put(pm_ranges *r, pm_space *space, const pm_range *range,
                            pmapdb_error *err);

typedef pmapdb_status (*pm_ranges_each)(void *ctx, const pm_range *piece, pmapdb_error *err);

/* Removes start..end and hands out each removed piece, ordered by address. */
pmapdb_status pm_ranges_take(pm_ranges *r, pm_space *space, uint64_t start, uint64_t end,
                             pm_ranges_each each, void *ctx, pmapdb_error *err);

/* Hands out every range, ordered by address. */
pmapdb_status pm_ranges_walk(const pm_ranges *r, pm_space space, pm_ranges_each each, void *ctx,
                             pmapdb_error *err);

#endif
