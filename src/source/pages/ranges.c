/* ranges: the mappings of a process as ranges of pages. */
#include "source/pages/pagemap.h"

#include <stdlib.h>

static pmapdb_status add(pm_page_ranges *r, size_t i, const pm_mapping *m, const pm_pagemap *map,
                         pm_sets *sets, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&r->range, &r->cap_range, i, sizeof *r->range, err);

    PM_STEP(st, pm_grow(&r->counts, &r->cap_counts, i, sizeof *r->counts, err));
    if (st != PMAPDB_OK)
        return st;
    r->range[i] = pm_page_range_of(m, &map->mounts, map->page, sets);
    r->counts[i] = (pm_page_counts){0};
    pm_family_add(&r->family, m);
    return PMAPDB_OK;
}

/* Keeps the memory of the arrays and the map. */
static void clear(pm_page_ranges *r)
{
    *r = (pm_page_ranges){.range = r->range,
                          .counts = r->counts,
                          .cap_range = r->cap_range,
                          .cap_counts = r->cap_counts,
                          .live = r->live};
}

pmapdb_status pm_page_ranges_of(pm_page_ranges *r, const pm_capture *c, const pm_pagemap *map,
                                pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    clear(r);
    for (; r->n < c->n_rows && st == PMAPDB_OK; r->n++)
        st = add(r, r->n, pm_capture_row(c, r->n), map, NULL, err);
    return st;
}

pmapdb_status pm_page_ranges_read(pm_page_ranges *r, const pm_proc *p, const pm_pagemap *map,
                                  pm_sets *sets, pm_proc_fate *fate, pmapdb_error *err)
{
    pm_block block;
    pmapdb_status st;

    clear(r);
    st = pm_live_map_begin(&r->live, PM_DIALECT_MAPS, err);
    PM_STEP(st, pm_proc_read_map(p, "maps", PM_PROC_PIECE, pm_live_map_feed, &r->live, NULL, fate,
                                 err));
    if (st != PMAPDB_OK || *fate != PM_PROC_GOOD)
        return st;
    st = pm_live_map_finish(&r->live, &block, &r->pool, &r->rows, &r->n, err);
    for (size_t i = 0; i < r->n && st == PMAPDB_OK; i++)
        st = add(r, i, pm_page_ranges_mapping(r, i), map, sets, err);
    return st;
}

void pm_page_ranges_free(pm_page_ranges *r)
{
    pm_live_map_free(&r->live);
    free(r->range);
    free(r->counts);
    *r = (pm_page_ranges){0};
}
