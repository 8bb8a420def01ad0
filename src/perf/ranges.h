/* ranges: which call mapped what, address by address: the live ranges of some address spaces.
 * Ranges of one space do not overlap. A treap each, all in one array: 48 bytes a range, cut and
 * found in about log2(n) steps whatever the order they come in. */
#ifndef PM_PERF_RANGES_H
#define PM_PERF_RANGES_H

#include "base/err.h"

/* 192 MiB. A process may have 65530 mappings unless its host was told otherwise. */
#define PM_RANGES_MAX ((size_t)4 << 20)

typedef struct pm_range {
    uint64_t start, end;
    int64_t call_id; /* that mapped it */
    int64_t born_ns;
} pm_range;

/* One address space; 0: nothing is mapped. */
typedef uint32_t pm_space;

typedef struct pm_ranges {
    struct pm_range_node *node; /* node 0 means no node */
    size_t n, cap;              /* of the array; taken ones are in a list */
    uint32_t unused;
    size_t live;
    uint64_t chance;
} pm_ranges;

void pm_ranges_free(pm_ranges *r);

/* Nothing is mapped there yet. More than PM_RANGES_MAX is PMAPDB_INPUT. */
pmapdb_status pm_ranges_put(pm_ranges *r, pm_space *space, const pm_range *range,
                            pmapdb_error *err);

typedef pmapdb_status (*pm_ranges_each)(void *ctx, const pm_range *piece, pmapdb_error *err);

/* Unmaps start..end and tells what was mapped there, in the order of addresses. */
pmapdb_status pm_ranges_take(pm_ranges *r, pm_space *space, uint64_t start, uint64_t end,
                             pm_ranges_each each, void *ctx, pmapdb_error *err);

/* All of it, in the order of addresses. */
pmapdb_status pm_ranges_walk(const pm_ranges *r, pm_space space, pm_ranges_each each, void *ctx,
                             pmapdb_error *err);

#endif
