/* fill: what the mappings hold where smaps would stall the process: by pagemap, which locks the
 * memory map for 2 MiB at a time. Pss, the dirty parts and the flags stay unknown. */
#include "api/capture/run.h"

#include <sys/sysinfo.h>

/* Pagemap does not show the swapped pages of shared memory: they are known only if there are none.
 */
static bool is_swap_used(void)
{
    struct sysinfo info;

    return sysinfo(&info) != 0 || info.freeswap < info.totalswap;
}

static void set_numbers(pm_mapping *m, const pm_page_counts *c, uint64_t page_kib, bool swap_used)
{
    int64_t anon = c->class[PM_PAGE_ANON];

    pm_set(m, PM_RSS,
           (uint64_t)(anon + c->class[PM_PAGE_FILE] + c->class[PM_PAGE_SHMEM]) * page_kib);
    pm_set(m, PM_ANONYMOUS, (uint64_t)anon * page_kib);
    pm_set(m, PM_PRIVATE, (uint64_t)c->own * page_kib);
    if (m->perms[3] != 's' || !swap_used)
        pm_set(m, PM_SWAP, (uint64_t)c->class[PM_PAGE_SWAP] * page_kib);
}

static pmapdb_status fill_rows(const pm_capture_run *run, pm_target *t,
                               const pm_page_counts *counts, uint64_t page_kib, pmapdb_error *err)
{
    pm_block *block = &t->capture.block;
    bool swap_used = run->copied || is_swap_used();
    pmapdb_status st = PMAPDB_OK;

    pm_totals_zero(&block->totals);
    for (size_t i = 0; i < t->capture.n_rows && st == PMAPDB_OK; i++) {
        pm_mapping m = *pm_capture_row(&t->capture, i);

        set_numbers(&m, &counts[i], page_kib, swap_used);
        pm_totals_add(&block->totals, &m);
        block->fields |= m.present;
        st = pm_live_map_replace(t->map, i, &m, err);
    }
    block->dialect = PM_DIALECT_PAGEMAP;
    return st;
}

pmapdb_status pm_capture_pages_work(pm_capture_run *run, const pm_proc *p, const pm_target *t,
                                    pm_pagemap_work *work)
{
    pm_pagemap *map = &run->pages.map;
    pm_page_ranges *r = &run->pages.ranges;
    pmapdb_status st = map->entries ? PMAPDB_OK : pm_pagemap_open(map, run->root, &run->error);

    PM_STEP(st, pm_page_ranges_of(r, &t->capture, map, &run->error));
    *work = pm_page_ranges_work(r, p);
    work->pauses = true;
    return st;
}

bool pm_capture_pages_fill(pm_capture_run *run, const pm_proc *p, pm_target *t, pm_proc_fate *fate)
{
    pm_pagemap *map = &run->pages.map;
    pm_pagemap_work work = {0};
    bool filled = did(run, pm_capture_pages_work(run, p, t, &work)) &&
                  did(run, pm_pagemap_read(map, p, &work, fate, &run->error)) &&
                  *fate == PM_PROC_GOOD &&
                  did(run, fill_rows(run, t, work.counts, map->page / 1024, &run->error));

    t->live.read_us += work.read_us;
    if (*fate == PM_PROC_UNREADABLE)
        *fate = PM_PROC_GOOD;
    return filled;
}
