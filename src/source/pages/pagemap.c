/* pagemap: reads which pages a process has. */
#include "source/pages/pagemap.h"

#include "base/clock/clock.h"
#include "pages/entry.h"
#include "source/proc_text.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LIST_MAX ((size_t)64 << 20)

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
    const pm_proc *p;
    pm_page_ranges *work;
    const pm_page_range *range;
    pm_page_counts *counts;
    int fd;
    int failed; /* errno of the first call that failed */
    bool ended; /* the process has no memory any more */
    pm_book_list list;
    bool listed, on_chunk; /* the list is read, and has a current chunk */
    scan_region region[REGIONS], zeroes[REGIONS];
} reader;

static void note_time(reader *r, int64_t began)
{
    r->work->read_us += pm_now_ns(CLOCK_MONOTONIC) / 1000 - began;
}

/* Returns the time before a call. The kernel locks the map anew for each 2 MiB: without a pause,
 * this program has the lock again before a writer that waits has woken up, until the lock is handed
 * over after 4 ms. */
static int64_t begin_call(const reader *r)
{
    const struct timespec moment = {.tv_nsec = 50000};

    if (r->work->pauses)
        nanosleep(&moment, NULL);
    return pm_now_ns(CLOCK_MONOTONIC) / 1000;
}

/* Returns the number of regions of start..end that have pages of any of these categories; -1: the
 * kernel does not know the call, or it failed. */
static int scan(reader *r, uint64_t start, uint64_t end, uint64_t any, scan_region *out)
{
    int64_t began = begin_call(r);
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
    const pm_page_ranges *w = r->work;

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
    uint64_t first = anon ? r->work->space + at / r->m->page
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

/* The entries of a full chunk, with the properties of its range, identify its pages: if another
 * process had the same chunk, its counts are used again. Without frames, entries do not identify
 * pages. */
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
        uint64_t first = start / r->m->page, n = PM_PAGEMAP_ENTRIES - first % PM_PAGEMAP_ENTRIES;
        int64_t began;
        ssize_t got;

        began = begin_call(r);
        if (n > end / r->m->page - first)
            n = end / r->m->page - first;
        got = pread(r->fd, r->m->entries, n * sizeof(uint64_t), (off_t)(first * sizeof(uint64_t)));
        note_time(r, began);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            r->failed = errno;
        else if (got < (ssize_t)sizeof(uint64_t) && r->m->copied)
            return;
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

/* In the file of a copy, missing pages are holes; lseek fails after the last data. */
static void read_data(reader *r, uint64_t start, uint64_t end)
{
    const uint64_t page = r->m->page, entry = sizeof(uint64_t);
    off_t data, hole;

    while (start < end && goes_on(r) &&
           (data = lseek(r->fd, (off_t)(start / page * entry), SEEK_DATA)) >= 0 &&
           (hole = lseek(r->fd, data, SEEK_HOLE)) >= 0) {
        uint64_t stop = ((uint64_t)hole + entry - 1) / entry * page;

        read_span(r, (uint64_t)data / entry * page, stop < end ? stop : end);
        start = stop;
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

/* Ranges ascend, so the list is read once. Two ranges may share a chunk. */
static void read_listed(reader *r)
{
    const uint64_t page = r->m->page, chunk = PM_CHUNK_PAGES * page;

    while (r->on_chunk || pm_book_next(&r->m->book, &r->list)) {
        uint64_t at = r->list.index * chunk, start = r->range->start, end = r->range->end;

        r->on_chunk = at + chunk > start;
        if (!r->on_chunk)
            continue;
        if (at >= end)
            break;
        start = start > at ? start : at;
        end = end < at + chunk ? end : at + chunk;
        pm_book_chunk(&r->m->book, (size_t)r->list.number, r->m->entries);
        take(r, r->m->entries + (start - at) / page, (end - start) / page, start);
        r->on_chunk = at + chunk > r->range->end;
        if (r->on_chunk)
            break;
    }
    if (r->list.damaged)
        r->failed = EBADMSG;
}

/* Returns about how many bytes of the process are resident, which decides how holes are found. */
static uint64_t resident_bytes(const reader *r)
{
    pm_proc_extent extent;

    return pm_proc_statm(r->p, &extent) ? (uint64_t)extent.resident_kib * 1024 : 0;
}

static void read_range(reader *r)
{
    uint64_t size = r->range->end - r->range->start;

    if (r->range->is_kernel || r->range->start >= r->range->end || r->range->end >> 63)
        return;
    if (r->listed)
        read_listed(r);
    else if (r->m->copied)
        read_data(r, r->range->start, r->range->end);
    else if (size > SCAN_BYTES && size / SCAN_TIMES > resident_bytes(r))
        read_sparse(r, r->range->start, r->range->end);
    else
        read_span(r, r->range->start, r->range->end);
}

pmapdb_status pm_pagemap_read(pm_pagemap *m, const pm_proc *p, pm_page_ranges *work,
                              pm_proc_fate *fate, pmapdb_error *err)
{
    reader r = {.m = m, .p = p, .work = work};
    pm_buf list = {0};

    work->read_us = 0;
    r.fd = openat(p->dir, "pagemap", O_RDONLY | O_CLOEXEC);
    if (r.fd < 0)
        r.failed = errno;
    if (r.failed == ENOENT && m->book.text.len) {
        r.failed = pm_proc_slurp(p->dir, "pages", LIST_MAX, &list);
        r.list.rest = pm_buf_text(&list);
        r.listed = true;
    }
    for (size_t i = 0; i < work->n && goes_on(&r); i++) {
        r.range = &work->range[i];
        r.counts = &work->counts[i];
        read_range(&r);
    }
    if (r.fd >= 0)
        close(r.fd);
    pm_buf_free(&list);
    if (!pm_proc_caused(r.failed, fate))
        *fate = r.ended ? PM_PROC_GONE : pm_proc_same(p);
    if (r.failed == EBADMSG)
        return pm_fail(err, PMAPDB_INPUT, "the pages of process %lld are damaged",
                       (long long)p->pid);
    if (r.failed && *fate == PM_PROC_GOOD)
        return pm_fail_io(err, r.failed, "cannot read /proc/%lld/pagemap", (long long)p->pid);
    return PMAPDB_OK;
}
