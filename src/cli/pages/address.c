/* address: pmapdb map PID: the address space of a process, a band for each mapping. */
#include "cli/pages/pages.h"

#include "pages/entry.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BANDS_MAX 80
#define SMALL ((uint64_t)1 << 20) /* smaller mappings share a band with their neighbours */

enum {
    PAGE_NONE = 1, /* 0 is not drawn */

    PAGE_OWN,
    PAGE_FORKED,
    PAGE_FILE,
    PAGE_SHARED,
    PAGE_SWAPPED,
    PAGE_ZERO,
    PAGE_KINDS
};

static const pm_memory_legend legend_of_kinds = {
    .classes = {[PAGE_NONE] = {"not in memory", 0xececea, ' ', 0},
                [PAGE_OWN] = {"its own", 0x0072b2, 'o', 0},
                [PAGE_FORKED] = {"anonymous, shared with forks", 0x56b4e9, 'f', 0},
                [PAGE_FILE] = {"of files", 0x009e73, '-', 0},
                [PAGE_SHARED] = {"shared memory", 0xe69f00, 's', 0},
                [PAGE_SWAPPED] = {"swapped", 0xd55e00, '~', 0},
                [PAGE_ZERO] = {"of zeroes: no memory", 0xaaaaaa, '0', 0}},
    .n = PAGE_KINDS};

typedef struct band {
    uint64_t start, end;
    size_t first, last; /* mappings */
} band;

typedef struct address {
    pm_pagemap map;
    pm_page_ranges ranges;
    band band[BANDS_MAX];
    pm_memory_band drawn[BANDS_MAX];
    size_t n, at, at_range; /* the number of bands; the current band and range */
    pm_memory_legend legend;
} address;

/* ---- bands ---- */

/* Puts a mapping that is smaller than `small` into the band below it, if the gap between them is
 * smaller than `small`, and there is no gap or the band is smaller than 4 * small. Returns the
 * number of bands; BANDS_MAX + 1: there would be too many. */
static size_t make_bands(address *a, uint64_t small)
{
    const pm_page_ranges *r = &a->ranges;
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        const pm_page_range *range = &r->range[i];
        band *last = n ? &a->band[n - 1] : NULL;

        if (range->is_kernel || range->end >> 63)
            continue;
        if (last && range->end - range->start < small && range->start - last->end < small &&
            (range->start == last->end || last->end - last->start < 4 * small)) {
            last->end = range->end;
            last->last = i;
            continue;
        }
        if (n == BANDS_MAX)
            return n + 1;
        a->band[n++] = (band){range->start, range->end, i, i};
    }
    return n;
}

/* ---- pages ---- */

static int kind_of(const address *a, const pm_page_range *range, uint64_t e)
{
    uint64_t frame = e & PM_ENTRY_FRAME;

    if (!(e & PM_ENTRY_PRESENT))
        return pm_entry_is_swap(e) ? PAGE_SWAPPED : PAGE_NONE;
    if (e & PM_ENTRY_FILE)
        return !range->has_file                  ? PAGE_ZERO
               : range->of_file == PM_PAGE_SHMEM ? PAGE_SHARED
                                                 : PAGE_FILE;
    if (a->map.sees_frames && frame == a->map.zero)
        return PAGE_ZERO;
    return e & PM_ENTRY_EXCLUSIVE ? PAGE_OWN : PAGE_FORKED;
}

static void on_entries(void *ctx, const uint64_t *e, size_t n, uint64_t at)
{
    address *a = ctx;
    const pm_page_range *range;
    const band *b;
    uint64_t pages;

    while (a->at_range + 1 < a->ranges.n && at >= a->ranges.range[a->at_range].end)
        a->at_range++;
    range = &a->ranges.range[a->at_range];
    while (a->at + 1 < a->n && at >= a->band[a->at].end)
        a->at++;
    b = &a->band[a->at];
    pages = (b->end - b->start) / a->map.page;
    for (size_t i = 0; i < n; i++, at += a->map.page) {
        int kind = kind_of(a, range, e[i]);
        __uint128_t page = (at - b->start) / a->map.page;

        if (kind == PAGE_NONE)
            continue;
        a->drawn[a->at].dots[page * PM_BAND_DOTS / pages][kind]++;
        a->legend.classes[kind].pages++;
    }
}

/* Counts the pages of each dot that on_entries() did not meet: they are not in memory. In a band
 * with fewer pages than dots, a dot without a page repeats the dot before it. */
static void add_nothing(address *a, size_t i)
{
    const band *b = &a->band[i];
    uint64_t pages = (b->end - b->start) / a->map.page, before = 0;

    for (uint64_t d = 0; d < PM_BAND_DOTS; d++) {
        uint64_t end = (uint64_t)(((__uint128_t)(d + 1) * pages + PM_BAND_DOTS - 1) / PM_BAND_DOTS);
        uint32_t *dot = a->drawn[i].dots[d], met = 0;

        for (int k = PAGE_NONE; k < PAGE_KINDS; k++)
            met += dot[k];
        if (end > before) {
            dot[PAGE_NONE] = end - before > met ? (uint32_t)(end - before - met) : 0;
            a->legend.classes[PAGE_NONE].pages += dot[PAGE_NONE];
        } else if (d)
            memcpy(dot, a->drawn[i].dots[d - 1], sizeof *a->drawn[i].dots);
        before = end;
    }
}

static void name_band(address *a, size_t i)
{
    const band *b = &a->band[i];
    pm_text path = pm_page_ranges_mapping(&a->ranges, b->first)->path;
    char more[32] = "";
    double present = 0;

    for (size_t k = b->first; k <= b->last; k++)
        for (int c = 0; c < PM_PAGE_CLASSES - 1; c++)
            present += (double)a->ranges.counts[k].class[c];
    if (b->last > b->first)
        snprintf(more, sizeof more, " +%zu", b->last - b->first);
    if (path.len > 34)
        path = pm_text_from(path, path.len - 34);
    snprintf(a->drawn[i].label, sizeof a->drawn[i].label, "%012" PRIx64 " %.1f of %.1f MiB %.*s%s",
             b->start, present * (double)a->map.page / 1048576,
             (double)(b->end - b->start) / 1048576, (int)path.len, path.data, more);
}

/* ---- the picture ---- */

static void read_all(address *a, const pm_map_ask *ask, const pm_proc *p)
{
    uint64_t small = SMALL;
    pm_proc_fate fate = PM_PROC_GOOD;
    pmapdb_error err;

    pm_cli_must(pm_page_ranges_read(&a->ranges, p, &a->map, NULL, &fate, &err), &err);
    pm_cli_must_be_read(ask->pid, fate);
    while ((a->n = make_bands(a, small)) > BANDS_MAX)
        small *= 2;
    for (size_t i = 0; i < a->n; i++)
        a->drawn[i].dots = pm_cli_memory(calloc(PM_BAND_DOTS, sizeof *a->drawn[i].dots));
    a->ranges.on_entries = on_entries;
    a->ranges.ctx = a;
    pm_cli_must(pm_pagemap_read(&a->map, p, &a->ranges, &fate, &err), &err);
    pm_cli_must_be_read(ask->pid, fate);
}

void pm_map_process(const pm_map_ask *ask, pm_output *out)
{
    address *a = pm_cli_memory(calloc(1, sizeof *a));
    char title[128];
    int width, height;
    pm_proc p;
    pm_proc_fate fate;
    pm_picture picture;
    pmapdb_error err;

    pm_cli_must(pm_pagemap_open(&a->map, pm_cli_open_proc(ask->proc), &err), &err);
    pm_cli_must(pm_proc_open(a->map.root, ask->pid, &p, &fate, &err), &err);
    pm_cli_must_be_read(ask->pid, fate);
    a->legend = legend_of_kinds;
    a->legend.page_kib = (int64_t)a->map.page / 1024;
    read_all(a, ask, &p);
    for (size_t i = 0; i < a->n; i++) {
        add_nothing(a, i);
        name_band(a, i);
    }
    snprintf(title, sizeof title, "Address space of %.40s, pid %" PRId64, p.comm, ask->pid);
    a->legend.title = title;
    pm_memory_bands_size(a->n, &width, &height);
    pm_map_picture(ask, width, height, (int)a->n + 14, title, out, &picture, &err);
    pm_memory_bands_draw(&picture, a->drawn, a->n, &a->legend);
    pm_output_check(out, pm_picture_end(&picture), &err);
    for (size_t i = 0; i < a->n; i++)
        free(a->drawn[i].dots);
    pm_page_ranges_free(&a->ranges);
    pm_pagemap_close(&a->map);
    pm_proc_close(&p);
    free(a);
}
