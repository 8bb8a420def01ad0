/* pages: reads which pages the processes of a beat have, and which of them share a page.
 *
 * The pages are read after the smaps, process by process, each right after its maps, which is read
 * again. This keeps the time between the readings of two processes short: a page that one process
 * frees and another one gets in this time looks shared. */
#include "api/capture/run.h"

#include "source/pages/pack.h"
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define MEMORY_SHARE 64 /* the sets may take 1/64 of the machine's memory */
#define MEMORY_LEAST ((uint64_t)64 << 20)
#define TRIES 3          /* readings at most, if the kernel moves pages meanwhile */
#define MOVED_SHARE 1000 /* if more than 1/1000 of all pages moved, the reading is repeated */

bool pm_capture_pages_open(pm_capture_run *run)
{
    pm_pagemap *map = &run->pages.map;
    pmapdb_pages how = run->options->pages;

    if (how == PMAPDB_PAGES_NONE)
        return true;
    if (!did(run, pm_pagemap_open(map, run->root, &run->error)))
        return false;
    if (how == PMAPDB_PAGES_FRAME && !map->sees_frames)
        return did(run, pm_fail(&run->error, PMAPDB_USAGE,
                                "--pages-by frame: the kernel hides page frames from this process; "
                                "run with CAP_SYS_ADMIN in the first user namespace, or take "
                                "--pages-by identity, which needs no capability"));
    map->by_frame = map->sees_frames && how != PMAPDB_PAGES_IDENTITY;
    return true;
}

void pm_capture_pages_close(pm_capture_run *run)
{
    pm_capture_pages *pages = &run->pages;

    pm_pagemap_close(&pages->map);
    pm_sets_free(&pages->sets);
    pm_chunks_free(&pages->chunks);
    pm_page_ranges_free(&pages->ranges);
    pm_buf_free(&pages->written);
}

void pm_capture_pages_begin(pm_capture_run *run)
{
    pm_capture_pages *pages = &run->pages;
    struct sysinfo info = {0};
    uint64_t share;

    if (run->options->pages == PMAPDB_PAGES_NONE)
        return;
    share = sysinfo(&info) == 0 ? info.totalram * info.mem_unit / MEMORY_SHARE : 0;
    pm_sets_begin(&pages->sets, share > MEMORY_LEAST ? share : MEMORY_LEAST);
    pm_chunks_clear(&pages->chunks);
    pages->n = 0;
    pages->failed = false;
    pages->scan = (pm_page_scan){.taken_ms = run->sweep.started_ms,
                                 .method = pm_text_of(pages->map.by_frame ? "frame" : "identity"),
                                 .page_kib = (int64_t)pages->map.page / 1024};
}

/* ---- one process ---- */

/* Makes a range of each mapping. */
static pmapdb_status read_ranges(pm_capture_pages *pages, const pm_proc *p, pm_proc_fate *fate,
                                 pmapdb_error *err)
{
    pm_page_ranges *r = &pages->ranges;
    pmapdb_status st = pm_page_ranges_read(r, p, &pages->map, &pages->sets, fate, err);

    r->sets = &pages->sets;
    r->chunks = &pages->chunks;
    r->space = pm_sets_space(&pages->sets, r->family);
    r->swapped = pm_sets_space(&pages->sets, ~r->family);
    return st;
}

static pm_page_totals totals_of(const pm_capture_pages *pages)
{
    int64_t kib = pages->scan.page_kib;
    pm_page_counts sum = {0};

    for (size_t i = 0; i < pages->ranges.n; i++)
        pm_page_counts_add(&sum, &pages->ranges.counts[i], 1);
    return (pm_page_totals){.number = pages->n,
                            .anon_kib = sum.class[PM_PAGE_ANON] * kib,
                            .file_kib = sum.class[PM_PAGE_FILE] * kib,
                            .shmem_kib = sum.class[PM_PAGE_SHMEM] * kib,
                            .own_kib = sum.own * kib,
                            .swap_kib = sum.class[PM_PAGE_SWAP] * kib,
                            .zero_kib = sum.zero * kib,
                            .hugetlb_kib = sum.hugetlb * kib};
}

static void tell_denied(pm_capture_run *run, pm_proc_fate fate)
{
    if (fate != PM_PROC_UNREADABLE || run->pages.told)
        return;
    run->pages.told = true;
    pm_capture_tell(run, PMAPDB_UNKNOWN, false,
                    "the pages of some processes cannot be read: that takes their user, or "
                    "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH");
}

/* A process that ends or becomes another program during the reading keeps its number, because the
 * sets may already contain its pages. */
static void read_process(pm_capture_run *run, pm_target *t)
{
    pm_capture_pages *pages = &run->pages;
    pm_proc_fate fate = PM_PROC_GONE;
    pmapdb_status st;
    pm_proc p;

    t->live.pages = (pm_page_totals){0};
    if (!did(run, pm_proc_open(run->root, t->pid, &p, &fate, &run->error)))
        return;
    if (fate == PM_PROC_GOOD) {
        if (p.life.start_time != t->start_time)
            fate = PM_PROC_GONE;
        st = fate == PM_PROC_GOOD ? read_ranges(pages, &p, &fate, &run->error) : PMAPDB_OK;
        pm_sets_process(&pages->sets, ++pages->n);
        if (st == PMAPDB_OK && fate == PM_PROC_GOOD)
            st = pm_pagemap_read(&pages->map, &p, &pages->ranges, &fate, &run->error);
        if (st == PMAPDB_INPUT) /* its map changes too quickly */
            fate = PM_PROC_TORN;
        else
            did(run, st);
        pm_proc_close(&p);
    }
    if (fate == PM_PROC_GOOD && run->st == PMAPDB_OK)
        t->live.pages = totals_of(pages);
    pages->scan.unread += fate != PM_PROC_GOOD;
    tell_denied(run, fate);
}

/* ---- all processes ---- */

/* Reads the pages of the processes that wait. Returns the size of these pages in KiB. */
static int64_t read_waiting(pm_capture_run *run)
{
    int64_t kib = 0;

    for (size_t i = 0; i < run->targets.n && run->st == PMAPDB_OK; i++) {
        pm_target *t = run->targets.item[i];
        const pm_page_totals *p = &t->live.pages;

        if (!t->waiting)
            continue;
        read_process(run, t);
        kib += p->anon_kib + p->file_kib + p->shmem_kib;
    }
    return kib;
}

/* ---- an archive ---- */

static void pack_process(pm_capture_run *run, pm_copy_writer *writer, const pm_target *t)
{
    pm_capture_pages *pages = &run->pages;
    pm_proc_fate fate = PM_PROC_GONE;
    pm_proc p;

    if (!t->live.pages.number || !did(run, pm_proc_open(run->root, t->pid, &p, &fate, &run->error)))
        return;
    if (fate != PM_PROC_GOOD)
        return;
    if (p.life.start_time == t->start_time &&
        did(run, read_ranges(pages, &p, &fate, &run->error)) && fate == PM_PROC_GOOD)
        run->result->archived += did(run, pm_copy_writer_add(writer, &p, &t->live.standing,
                                                             &pages->ranges, &fate, &run->error)) &&
                                 fate == PM_PROC_GOOD;
    pm_proc_close(&p);
}

/* Reads maps and pages once more, so that both in the archive are of one moment. */
static void write_archive(pm_capture_run *run)
{
    pm_copy_writer *writer = NULL;

    did(run, pm_copy_writer_open(run->options->archive, run->root, &run->pages.map, &writer,
                                 &run->error));
    for (size_t i = 0; i < run->targets.n && run->st == PMAPDB_OK; i++)
        if (run->targets.item[i]->waiting)
            pack_process(run, writer, run->targets.item[i]);
    if (run->st == PMAPDB_OK && !run->result->archived)
        did(run, pm_fail(&run->error, PMAPDB_USAGE,
                         "no page map can be read: that takes the user of the processes, or "
                         "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH"));
    if (run->st == PMAPDB_OK)
        did(run, pm_copy_writer_end(writer, &run->error));
    pm_copy_writer_close(writer);
}

/* A frame that the kernel moves between two readings counts twice. If many frames moved, all pages
 * are read again. */
void pm_capture_pages_read(pm_capture_run *run)
{
    pm_capture_pages *pages = &run->pages;
    int64_t kib, before, after;

    if (run->options->pages == PMAPDB_PAGES_NONE || run->st != PMAPDB_OK)
        return;
    for (int i = 0; i < TRIES; i++) {
        if (i)
            pm_capture_pages_begin(run);
        before = pm_pagemap_moved(&pages->map);
        kib = read_waiting(run);
        after = pm_pagemap_moved(&pages->map);
        pages->scan.moved_kib = before == PMAPDB_UNKNOWN || after == PMAPDB_UNKNOWN
                                    ? PMAPDB_UNKNOWN
                                    : (after - before) * pages->scan.page_kib;
        if (run->st != PMAPDB_OK || run->capture_id || !pages->map.by_frame ||
            pages->scan.moved_kib <= kib / MOVED_SHARE)
            break;
    }
    pm_buf_clear(&pages->written);
    if (run->st != PMAPDB_OK)
        return;
    pm_chunks_end(&pages->chunks, &pages->sets);
    pages->failed = pm_sets_write(&pages->sets, &pages->written, &run->error) != PMAPDB_OK;
    pages->scan.sets = pm_buf_text(&pages->written);
    if (pages->failed) {
        run->result->trouble++;
        pm_capture_tell(run, PMAPDB_UNKNOWN, true, run->error.text);
    }
    if (run->options->archive)
        write_archive(run);
}

void pm_capture_pages_put(pm_capture_run *run, int64_t capture_id)
{
    if (run->options->pages != PMAPDB_PAGES_NONE && run->st == PMAPDB_OK && !run->pages.failed)
        pm_page_scan_put(run->store->sql, capture_id, &run->pages.scan);
}

/* ---- where smaps would stall the process: pagemap, which locks the memory map for 2 MiB at a
 * time. Pss, the dirty parts and the flags stay unknown. ---- */

/* Pagemap does not show the swapped pages of shared memory: they are known only if no page is
 * swapped. */
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

    block->totals = (pm_totals){{0}};
    for (size_t i = 0; i < t->capture.n_rows && st == PMAPDB_OK; i++) {
        pm_mapping m = *pm_capture_row(&t->capture, i);

        set_numbers(&m, &counts[i], page_kib, swap_used);
        pm_totals_add(&block->totals, &m);
        block->fields |= m.present;
        st = pm_live_map_replace(&t->map, i, &m, err);
    }
    block->dialect = PM_DIALECT_PAGEMAP;
    return st;
}

pmapdb_status pm_capture_pages_ranges(pm_capture_run *run, const pm_target *t)
{
    pm_pagemap *map = &run->pages.map;
    pm_page_ranges *r = &run->pages.ranges;
    pmapdb_status st = map->entries ? PMAPDB_OK : pm_pagemap_open(map, run->root, &run->error);

    PM_STEP(st, pm_page_ranges_of(r, &t->capture, map, &run->error));
    r->pauses = true;
    return st;
}

bool pm_capture_pages_fill(pm_capture_run *run, const pm_proc *p, pm_target *t, pm_proc_fate *fate)
{
    pm_pagemap *map = &run->pages.map;
    pm_page_ranges *r = &run->pages.ranges;
    bool filled = did(run, pm_capture_pages_ranges(run, t)) &&
                  did(run, pm_pagemap_read(map, p, r, fate, &run->error)) &&
                  *fate == PM_PROC_GOOD &&
                  did(run, fill_rows(run, t, r->counts, map->page / 1024, &run->error));

    t->live.read_us += r->read_us;
    if (*fate == PM_PROC_UNREADABLE)
        *fate = PM_PROC_GOOD;
    return filled;
}
