/* idle: page idle tracking of the kernel. */
#include "source/pages/idle.h"

#include "pages/entry.h"
#include "source/pages/pagemap.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HAS(flags, bit) (((flags) >> (bit)) & 1)
#define MOST PM_PAGEMAP_ENTRIES
#define WORD 64 /* frames of a word of the bitmap: the kernel takes whole words */

struct pm_idle {
    int bitmap, flags_fd;
    int failed; /* errno of the first call that failed */
    /* of the current walk: */
    const pm_page_ranges *work;
    pm_idle_pages *pages; /* NULL: the walk marks pages */
    size_t range;
    /* Of the current entries: the frames in ascending order; for each, the first frame of its
     * folio, and the flags of that first frame. */
    uint64_t frame[MOST], head[MOST], flags[MOST];
    uint64_t word[MOST];
    size_t n;
};

pmapdb_status pm_idle_open(const pm_pagemap *map, const char *bitmap, pm_idle **out,
                           pmapdb_error *err)
{
    int flags = map->sees_frames ? pm_frames_open(map->root) : -1;
    int fd = flags < 0 ? -1 : openat(AT_FDCWD, bitmap, O_RDWR | O_CLOEXEC);

    *out = fd < 0 ? NULL : calloc(1, sizeof **out);
    if (*out) {
        (*out)->bitmap = fd;
        (*out)->flags_fd = flags;
        return PMAPDB_OK;
    }
    if (fd >= 0)
        close(fd);
    if (flags >= 0)
        close(flags);
    return fd < 0 ? PMAPDB_OK : pm_fail_nomem(err);
}

void pm_idle_free(pm_idle *idle)
{
    if (!idle)
        return;
    close(idle->bitmap);
    close(idle->flags_fd);
    free(idle);
}

/* ---- folios ---- */

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Returns the number of items from i on whose values count up by one. */
static size_t run_of(const uint64_t *value, size_t i, size_t n)
{
    size_t end = i + 1;

    while (end < n && value[end] == value[end - 1] + 1)
        end++;
    return end - i;
}

/* A mark of a folio, such as a huge page, is on its first frame. A folio of 2^k frames begins at a
 * multiple of 2^k: the nearest such frame that begins a folio begins this one. */
static uint64_t find_head(pm_idle *idle, uint64_t frame, uint64_t *flags)
{
    for (uint64_t size = 2; size <= frame && size <= (uint64_t)1 << 20; size *= 2) {
        uint64_t head = frame & ~(size - 1);

        if (pm_frames_read(idle->flags_fd, head, 1, flags) == 1 && HAS(*flags, PM_KPF_HEAD))
            return head;
    }
    *flags = 0; /* the folio was split meanwhile */
    return frame;
}

/* Frames that cannot be read become untracked. */
static void read_flags(pm_idle *idle)
{
    for (size_t i = 0, n; i < idle->n; i += n) {
        size_t got;

        n = run_of(idle->frame, i, idle->n);
        got = pm_frames_read(idle->flags_fd, idle->frame[i], n, idle->flags + i);
        for (; got < n; got++)
            idle->flags[i + got] = 0;
    }
    for (size_t i = 0; i < idle->n; i++) {
        bool follows = i > 0 && idle->frame[i] == idle->frame[i - 1] + 1;

        idle->head[i] = idle->frame[i];
        if (!HAS(idle->flags[i], PM_KPF_TAIL))
            continue;
        if (follows || (i > 0 && idle->frame[i] == idle->frame[i - 1])) {
            idle->head[i] = idle->head[i - 1];
            idle->flags[i] = idle->flags[i - 1];
        } else {
            idle->head[i] = find_head(idle, idle->frame[i], &idle->flags[i]);
        }
    }
}

/* ---- marks ---- */

/* Reads or writes the words of the bitmap from `first` on. */
static void pass_words(pm_idle *idle, uint64_t first, size_t n)
{
    const off_t at = (off_t)(first * sizeof *idle->word);
    ssize_t got;

    got = TEMP_FAILURE_RETRY(idle->pages
                                 ? pread(idle->bitmap, idle->word, n * sizeof *idle->word, at)
                                 : pwrite(idle->bitmap, idle->word, n * sizeof *idle->word, at));
    if (got < 0)
        idle->failed = errno;
    else /* the kernel leaves out a last word that is not whole: no frame of it is marked */
        memset((char *)idle->word + got, 0, n * sizeof *idle->word - (size_t)got);
}

static void count(const pm_idle *idle, size_t i, bool marked)
{
    pm_idle_pages *pages = &idle->pages[idle->range];
    uint64_t flags = idle->flags[i];

    if (HAS(flags, PM_KPF_ZERO) || HAS(flags, PM_KPF_HUGE) || HAS(flags, PM_KPF_NOPAGE))
        return; /* not part of any Rss */
    if (!HAS(flags, PM_KPF_LRU))
        pages->untracked++;
    else if (marked)
        pages->marked++;
    else
        pages->unmarked++;
}

/* Passes the words of the heads from i on, as long as each word follows the one before. Returns the
 * number of heads. Each word is passed only once, because for each marked page the kernel searches
 * all processes that map the page. */
static size_t pass_heads(pm_idle *idle, size_t i)
{
    uint64_t first = idle->head[i] / WORD, last = first;
    size_t end = i;

    for (; end < idle->n && idle->head[end] / WORD <= last + 1; end++) {
        uint64_t word = idle->head[end] / WORD;

        if (end == i || word > last)
            idle->word[word - first] = 0;
        idle->word[word - first] |= (uint64_t)1 << idle->head[end] % WORD;
        last = word;
    }
    pass_words(idle, first, (size_t)(last - first) + 1);
    for (size_t k = i; idle->pages && !idle->failed && k < end; k++)
        count(idle, k, HAS(idle->word[idle->head[k] / WORD - first], idle->head[k] % WORD));
    return end - i;
}

static void take(void *ctx, const uint64_t *e, size_t n, uint64_t at)
{
    pm_idle *idle = ctx;

    while (at >= idle->work->range[idle->range].end)
        idle->range++;
    idle->n = 0;
    for (size_t i = 0; i < n; i++)
        if (e[i] & PM_ENTRY_PRESENT && e[i] & PM_ENTRY_FRAME)
            idle->frame[idle->n++] = e[i] & PM_ENTRY_FRAME;
    qsort(idle->frame, idle->n, sizeof *idle->frame, by_number);
    read_flags(idle);
    for (size_t i = 0; i < idle->n && !idle->failed;)
        i += pass_heads(idle, i);
}

pmapdb_status pm_idle_walk(pm_idle *idle, pm_pagemap *map, const pm_proc *p, pm_page_ranges *work,
                           pm_idle_pages *pages, pm_proc_fate *fate, pmapdb_error *err)
{
    pmapdb_status st;

    idle->work = work;
    idle->pages = pages;
    idle->range = 0;
    idle->failed = 0;
    work->on_entries = take;
    work->ctx = idle;
    st = pm_pagemap_read(map, p, work, fate, err);
    if (st == PMAPDB_OK && idle->failed)
        return pm_fail_io(err, idle->failed, "cannot %s the bitmap of page idle tracking",
                          pages ? "read" : "write");
    return st;
}
