/* pagemap: reads which pages a process has. */
#include "source/pages/pagemap.h"

#include "pages/entry.h"
#include "source/proc_text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES ((size_t)8192) /* 64 KiB of the file, 32 MiB of addresses: larger is not faster */
#define MOUNTINFO_MAX ((size_t)4 << 20)

/* An empty page costs a read 1 ns, and a present one some 50. A scan finds the pages of a range
 * without visiting the holes, and costs 11 ns for each: it is worth it for large ranges that must
 * be mostly empty. */
#define SCAN_BYTES ((uint64_t)256 << 20)
#define SCAN_TIMES 8
#define STEP ((uint64_t)64 << 20) /* a scan locks the memory map for as long as it walks */
#define GAP ((uint64_t)2 << 20)   /* smaller holes between pages are read */

/* ---- PAGEMAP_SCAN: newer than the headers of some distributions ---- */

typedef struct scan_region {
    uint64_t start, end, categories;
} scan_region;

typedef struct scan_arg {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
} scan_arg;

#define PAGEMAP_SCAN_CALL _IOWR('f', 16, scan_arg)
#define IS_PRESENT 8
#define IS_SWAPPED 16
#define IS_ZERO 32
#define REGIONS 512

typedef struct reader {
    pm_pagemap *m;
    pm_pagemap_work *work;
    const pm_page_range *range;
    pm_page_counts *counts;
    int fd;
    int failed; /* errno of the first call that failed */
    bool ended; /* the process has no memory any more */
    scan_region region[REGIONS], zeroes[REGIONS];
} reader;

static int64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void note_time(reader *r, int64_t began)
{
    r->work->read_us += now_us() - began;
}

/* Returns the number of regions of start..end that have pages of any of these categories; -1: the
 * kernel does not know the call, or it failed. */
static int scan(reader *r, uint64_t start, uint64_t end, uint64_t any, scan_region *out)
{
    int64_t began = now_us();
    scan_arg arg = {.size = sizeof arg,
                    .start = start,
                    .end = end,
                    .vec = (uintptr_t)out,
                    .vec_len = REGIONS,
                    .category_anyof_mask = any,
                    .return_mask = any};
    int n = ioctl(r->fd, PAGEMAP_SCAN_CALL, &arg);

    note_time(r, began);
    return n;
}

/* ---- entries ---- */

static void take_swapped(reader *r, const uint64_t *e, size_t n, uint64_t at)
{
    const pm_pagemap_work *w = r->work;

    for (size_t i = 0; i < n; i++, at += r->m->page) {
        uint64_t slot = ((e[i] & 31) << 36) + pm_entry_slot(e[i]) % ((uint64_t)1 << 36);

        if (!pm_entry_is_swap(e[i]))
            continue;
        r->counts->class[PM_PAGE_SWAP]++;
        /* Without frames, slots are hidden, too; a page of a family is swapped at one address. */
        slot = r->m->by_frame ? PM_SPACE_SLOTS + slot : w->swapped + at / r->m->page;
        if (w->sets)
            pm_sets_see(w->sets, &slot, 1, UINT64_MAX, PM_NO_PAGE, PM_PAGE_SWAP);
    }
}

/* Replaces the entries by the numbers of the pages: of their file, or of their family. */
static void give_numbers(const reader *r, uint64_t *e, size_t n, uint64_t at, bool anon)
{
    uint64_t first = anon ? r->work->family + at / r->m->page
                          : r->range->file + (at - r->range->start) / r->m->page;

    for (size_t i = 0; i < n; i++)
        e[i] = first + i;
}

/* Pages in memory that count. */
static void take_memory(reader *r, uint64_t *e, size_t n, uint64_t at, bool anon, bool own)
{
    pm_page_class class = anon ? PM_PAGE_ANON : r->range->of_file;
    uint64_t zero = anon && !own && r->m->by_frame ? r->m->zero : PM_NO_PAGE;
    uint64_t mask = r->m->by_frame ? PM_ENTRY_FRAME : UINT64_MAX;
    pm_sets *sets = r->work->sets;
    size_t seen = n;

    if (!r->m->by_frame && sets && !(anon && own))
        give_numbers(r, e, n, at, anon);
    if (sets && !r->m->by_frame && anon && own)
        pm_sets_add_alone(sets, class, (int64_t)n);
    else if (sets)
        seen = pm_sets_see(sets, e, n, mask, zero, class);
    else
        for (size_t i = 0; i < n; i++)
            seen -= (e[i] & mask) == zero;
    r->counts->class[class] += (int64_t)seen;
    r->counts->zero += (int64_t)(n - seen);
    r->counts->own += own ? (int64_t)n : 0;
}

/* Pages that differ only in their frames. The huge page of zeroes looks like a page of a file in
 * memory that has no file; a page of a shared mapping that looks anonymous is of a device. */
static void take_run(reader *r, uint64_t *e, size_t n, uint64_t at, uint64_t kind)
{
    bool anon = !(kind & PM_ENTRY_FILE);

    if (!(kind & PM_ENTRY_PRESENT))
        take_swapped(r, e, kind & PM_ENTRY_SWAPPED ? n : 0, at);
    else if (r->range->is_hugetlb)
        r->counts->hugetlb += (int64_t)n;
    else if (anon ? kind & PM_ENTRY_ZERO : !r->range->has_file)
        r->counts->zero += (int64_t)n;
    else if (!anon || !r->range->is_shared)
        take_memory(r, e, n, at, anon, kind & PM_ENTRY_EXCLUSIVE);
}

/* Marks pages of zeroes among those that look like forked ones. */
static void mark_zeroes(reader *r, uint64_t *e, size_t n, uint64_t at)
{
    uint64_t unlike = PM_ENTRY_FILE | PM_ENTRY_EXCLUSIVE, end = at + n * r->m->page, from = at;
    bool any = false;
    int found = REGIONS;

    for (size_t i = 0; i < n && !any; i++)
        any = (e[i] & (PM_ENTRY_PRESENT | unlike)) == PM_ENTRY_PRESENT;
    while (any && found == REGIONS && from < end) {
        found = scan(r, from, end, IS_ZERO, r->zeroes);
        for (int i = 0; i < found; i++) {
            for (uint64_t a = r->zeroes[i].start; a < r->zeroes[i].end; a += r->m->page)
                e[(a - at) / r->m->page] |= PM_ENTRY_ZERO;
            from = r->zeroes[i].end;
        }
    }
}

static void take_runs(reader *r, uint64_t *e, size_t n, uint64_t at)
{
    uint64_t kinds = PM_ENTRY_PRESENT | PM_ENTRY_SWAPPED | PM_ENTRY_FILE | PM_ENTRY_EXCLUSIVE;

    if (!r->m->by_frame) {
        kinds |= PM_ENTRY_ZERO;
        if (!r->range->is_shared)
            mark_zeroes(r, e, n, at);
    }
    for (size_t i = 0, end; i < n; i = end) {
        uint64_t kind = e[i] & kinds;

        for (end = i + 1; end < n && (e[end] & kinds) == kind;)
            end++;
        take_run(r, e + i, end - i, at + i * r->m->page, kind);
    }
}

/* A full chunk, and what its range says of it, name its pages: those that another process has
 * alike are counted there. Without frames, the entries name no pages. */
static void take_chunk(reader *r, uint64_t *e, uint64_t at)
{
    const pm_page_range *range = r->range;
    uint64_t seed = (uint64_t)range->of_file << 3 | (uint64_t)range->has_file << 2 |
                    (uint64_t)range->is_shared << 1 | range->is_hugetlb;
    pm_chunks *chunks = r->work->chunks;
    pm_chunk_sight sight;

    if (pm_chunks_saw(chunks, r->work->sets, e, seed, r->counts, &sight))
        return;
    take_runs(r, e, PM_CHUNK_PAGES, at);
    pm_chunks_keep(chunks, r->work->sets, r->counts, &sight);
}

static void take(reader *r, uint64_t *e, size_t n, uint64_t at)
{
    bool chunks = r->work->chunks && r->work->sets && r->m->by_frame;

    if (r->work->on_entries)
        r->work->on_entries(r->work->ctx, e, n, at);
    for (size_t i = 0, here; i < n; i += here) {
        uint64_t first = at / r->m->page + i;

        here = PM_CHUNK_PAGES - first % PM_CHUNK_PAGES;
        here = here < n - i ? here : n - i;
        if (chunks && here == PM_CHUNK_PAGES)
            take_chunk(r, e + i, at + i * r->m->page);
        else
            take_runs(r, e + i, here, at + i * r->m->page);
    }
}

static bool goes_on(const reader *r)
{
    return !r->failed && !r->ended;
}

/* Reads aligned pieces, so that no 2 MiB are walked twice. */
static void read_span(reader *r, uint64_t start, uint64_t end)
{
    while (start < end && goes_on(r)) {
        uint64_t first = start / r->m->page, n = ENTRIES - first % ENTRIES;
        int64_t began = now_us();
        ssize_t got;

        if (n > end / r->m->page - first)
            n = end / r->m->page - first;
        got = pread(r->fd, r->m->entries, n * sizeof(uint64_t), (off_t)(first * sizeof(uint64_t)));
        note_time(r, began);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            r->failed = errno;
        else if (got < (ssize_t)sizeof(uint64_t))
            r->ended = true;
        else
            take(r, r->m->entries, (size_t)got / sizeof(uint64_t), start);
        start += (uint64_t)(got > 0 ? got : 0) / sizeof(uint64_t) * r->m->page;
    }
}

/* Reads the regions that a scan found, and small holes between them. */
static void read_regions(reader *r, int n)
{
    uint64_t start = n > 0 ? r->region[0].start : 0;

    for (int i = 0; i < n; i++)
        if (i + 1 == n || r->region[i + 1].start - r->region[i].end >= GAP) {
            read_span(r, start, r->region[i].end);
            start = i + 1 < n ? r->region[i + 1].start : 0;
        }
}

/* Steps over holes: the step doubles with each empty answer. walk_end of the answer is not used:
 * it may lie before the last region. */
static void read_sparse(reader *r, uint64_t start, uint64_t end)
{
    uint64_t step = STEP;

    while (start < end && goes_on(r)) {
        uint64_t stop = end - start > step ? start + step : end;
        int n = scan(r, start, stop, IS_PRESENT | IS_SWAPPED, r->region);

        if (n < 0) {
            read_span(r, start, end);
            return;
        }
        read_regions(r, n);
        start = n == REGIONS ? r->region[REGIONS - 1].end : stop;
        step = n ? STEP : step * 2;
    }
}

static void read_range(reader *r)
{
    uint64_t size = r->range->end - r->range->start;
    uint64_t full = (uint64_t)(r->work->resident_kib > 0 ? r->work->resident_kib : 0) * 1024;

    if (r->range->is_kernel || r->range->start >= r->range->end || r->range->end >> 63)
        return;
    if (size > SCAN_BYTES && size / SCAN_TIMES > full)
        read_sparse(r, r->range->start, r->range->end);
    else
        read_span(r, r->range->start, r->range->end);
}

pmapdb_status pm_pagemap_read(pm_pagemap *m, const pm_proc *p, pm_pagemap_work *work,
                              pm_proc_fate *fate, pmapdb_error *err)
{
    reader r = {.m = m, .work = work};

    work->read_us = 0;
    r.fd = openat(p->dir, "pagemap", O_RDONLY | O_CLOEXEC);
    if (r.fd < 0)
        r.failed = errno;
    for (size_t i = 0; i < work->n && goes_on(&r); i++) {
        r.range = &work->range[i];
        r.counts = &work->counts[i];
        read_range(&r);
    }
    if (r.fd >= 0)
        close(r.fd);
    *fate = r.failed == EACCES || r.failed == EPERM              ? PM_PROC_UNREADABLE
            : r.failed == ENOENT || r.failed == ESRCH || r.ended ? PM_PROC_GONE
                                                                 : pm_proc_same(p);
    if (r.failed && *fate == PM_PROC_GOOD)
        return pm_fail_io(err, r.failed, "cannot read /proc/%lld/pagemap", (long long)p->pid);
    return PMAPDB_OK;
}

/* ---- the machine ---- */

/* Looks at two pages of this program: one that was only read is the page of zeroes, and the frame
 * of one that was written shows whether the kernel hides frames. In a container, root sees 0. */
static void look_at_own_pages(pm_pagemap *m)
{
    char *two = mmap(NULL, 2 * m->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fd = openat(m->root, "self/pagemap", O_RDONLY | O_CLOEXEC);
    uint64_t e[2] = {0};

    if (two != MAP_FAILED && fd >= 0) {
        volatile char *touch = two;

        madvise(two, 2 * m->page, MADV_NOHUGEPAGE);
        touch[0] = 1;
        (void)touch[m->page];
        if (pread(fd, e, sizeof e, (off_t)((uintptr_t)two / m->page * sizeof *e)) ==
            (ssize_t)sizeof e)
            m->zero = e[1] & PM_ENTRY_FRAME;
        m->sees_frames = m->by_frame = (e[0] & PM_ENTRY_FRAME) != 0;
    }
    if (two != MAP_FAILED)
        munmap(two, 2 * m->page);
    if (fd >= 0)
        close(fd);
}

pmapdb_status pm_pagemap_open(pm_pagemap *m, int root, pmapdb_error *err)
{
    pm_buf text = {0};
    pmapdb_status st = PMAPDB_OK;

    *m = (pm_pagemap){.root = root, .page = (uint64_t)sysconf(_SC_PAGESIZE)};
    m->entries = malloc(ENTRIES * sizeof *m->entries);
    if (!m->entries)
        return pm_fail_nomem(err);
    look_at_own_pages(m);
    if (pm_proc_slurp(root, "self/mountinfo", MOUNTINFO_MAX, &text) == ENOMEM)
        st = pm_fail_nomem(err);
    PM_STEP(st, pm_mounts_read(pm_buf_text(&text), &m->mounts, err));
    pm_buf_free(&text);
    return st;
}

void pm_pagemap_close(pm_pagemap *m)
{
    free(m->entries);
    pm_map_free(&m->mounts);
    *m = (pm_pagemap){0};
}

int64_t pm_pagemap_moved(const pm_pagemap *m)
{
    pm_buf text = {0};
    pm_text rest;
    int64_t moved = PMAPDB_UNKNOWN;

    if (pm_proc_slurp(m->root, "vmstat", (size_t)1 << 20, &text) == 0) {
        rest = pm_proc_after(pm_buf_text(&text), "pgmigrate_success ");
        moved = pm_proc_number(pm_proc_word(&rest));
    }
    pm_buf_free(&text);
    return moved;
}
