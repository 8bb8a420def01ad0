/* ranges: the mappings of a process as ranges of pages, for pm_pagemap_read(). */
#ifndef PM_SOURCE_RANGES_H
#define PM_SOURCE_RANGES_H

#include "parse/live_map.h"
#include "source/pages/pagemap.h"

/* Of one process after another; a zeroed one is valid. */
typedef struct pm_page_ranges {
    pm_page_range *range;
    pm_page_counts *counts; /* zeroes */
    size_t n, cap_range, cap_counts;
    uint64_t family; /* key of its forks: pm_family_add() */
    const pm_pool *pool;
    const uint32_t *rows; /* the mappings in the pool; valid until the next reading */
    pm_live_map *live;
} pm_page_ranges;

/* Reads maps. `sets` may be NULL. *fate is PM_PROC_GOOD only if all of it was read; PMAPDB_INPUT:
 * it changes too quickly. */
pmapdb_status pm_page_ranges_read(pm_page_ranges *r, const pm_proc *p, const pm_pagemap *map,
                                  pm_sets *sets, pm_proc_fate *fate, pmapdb_error *err);
/* The same of the rows of a capture, without sets and family. */
pmapdb_status pm_page_ranges_of(pm_page_ranges *r, const pm_capture *c, const pm_pagemap *map,
                                pmapdb_error *err);
void pm_page_ranges_free(pm_page_ranges *r);

/* The work of reading them; its sets are the caller's to set. */
pm_pagemap_work pm_page_ranges_work(const pm_page_ranges *r, const pm_proc *p);

static inline const pm_mapping *pm_page_ranges_mapping(const pm_page_ranges *r, size_t i)
{
    return pm_pool_get(r->pool, r->rows[i]);
}

#endif
