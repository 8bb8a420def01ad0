/* machine: the facts about pages and frames that the kernel, or a copy of its /proc, shows to this
 * program. */
#include "source/pages/pagemap.h"

#include "pages/entry.h"
#include "source/proc_text.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOUNTINFO_MAX ((size_t)4 << 20)
#define BOOK_MAX ((size_t)256 << 20)

/* Looks at two pages of this program: one that was only read is the page of zeroes, and the frame
 * of one that was written shows whether the kernel hides frames. In a container, even root sees
 * frame 0. */
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

/* Calls `see` with the entries of a sparse file, piece by piece, until it returns true. */
static bool find_entry(pm_pagemap *m, const char *name,
                       bool (*see)(pm_pagemap *m, size_t n, uint64_t at))
{
    int fd = openat(m->root, name, O_RDONLY | O_CLOEXEC);
    const off_t size = (off_t)(PM_PAGEMAP_ENTRIES * sizeof *m->entries);
    bool found = false;
    off_t at = 0;
    ssize_t n = 1;

    while (fd >= 0 && !found && n > 0 && (at = lseek(fd, at, SEEK_DATA)) >= 0) {
        at -= at % (off_t)sizeof *m->entries;
        n = pread(fd, m->entries, (size_t)size, at);
        found = n > 0 && see(m, (size_t)n / sizeof *m->entries, (uint64_t)at / sizeof *m->entries);
        at += n;
    }
    if (fd >= 0)
        close(fd);
    return found;
}

static bool see_present(pm_pagemap *m, size_t n, uint64_t at)
{
    (void)at;
    for (size_t i = 0; i < n; i++)
        if (m->entries[i] & PM_ENTRY_PRESENT) {
            m->sees_frames = m->by_frame = (m->entries[i] & PM_ENTRY_FRAME) != 0;
            return true;
        }
    return false;
}

/* Skips the huge page of zeroes, which take_run() in pagemap.c recognises by its entries. */
static bool see_zero(pm_pagemap *m, size_t n, uint64_t at)
{
    const uint64_t zero = (uint64_t)1 << PM_KPF_ZERO, huge = (uint64_t)1 << PM_KPF_THP;

    for (size_t i = 0; i < n; i++)
        if ((m->entries[i] & (zero | huge)) == zero) {
            m->zero = at + i;
            return true;
        }
    return false;
}

static pmapdb_status open_book(pm_pagemap *m, pmapdb_error *err)
{
    pmapdb_status st = pm_book_open(pm_buf_text(&m->book_text), &m->book, err);

    if (st == PMAPDB_OK && m->book.page != m->page)
        st = pm_fail(err, PMAPDB_INPUT, "the copy is of a machine with pages of %" PRIu64 " bytes",
                     m->book.page);
    m->sees_frames = m->by_frame = m->book.by_frame;
    m->zero = m->book.zero;
    return st;
}

/* Without a book, the first page that some process has shows whether the copy has frames. */
static pmapdb_status look_at_copy(pm_pagemap *m, pmapdb_error *err)
{
    int64_t *pids = NULL;
    size_t n = 0;
    bool found = false;
    int failed = pm_proc_slurp(m->root, "book", BOOK_MAX, &m->book_text);
    pmapdb_status st;

    if (failed == ENOMEM)
        return pm_fail_nomem(err);
    if (failed == 0)
        return open_book(m, err);
    st = pm_proc_list(m->root, &pids, &n, err);
    if (st != PMAPDB_OK)
        return st;
    for (size_t i = 0; i < n && !found; i++) {
        char name[40];

        snprintf(name, sizeof name, "%" PRId64 "/pagemap", pids[i]);
        found = find_entry(m, name, see_present);
    }
    free(pids);
    find_entry(m, "kpageflags", see_zero);
    return PMAPDB_OK;
}

pmapdb_status pm_pagemap_open(pm_pagemap *m, int root, pmapdb_error *err)
{
    pm_buf text = {0};
    pmapdb_status st = PMAPDB_OK;

    *m = (pm_pagemap){
        .root = root, .page = (uint64_t)sysconf(_SC_PAGESIZE), .copied = pm_proc_is_copy(root)};
    m->entries = malloc(PM_PAGEMAP_ENTRIES * sizeof *m->entries);
    if (!m->entries)
        return pm_fail_nomem(err);
    if (m->copied)
        st = look_at_copy(m, err);
    else
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
    pm_book_close(&m->book);
    pm_buf_free(&m->book_text);
    *m = (pm_pagemap){0};
}

int64_t pm_pagemap_moved(const pm_pagemap *m)
{
    pm_buf text = {0};
    int64_t moved = PMAPDB_UNKNOWN;

    if (pm_proc_slurp(m->root, "vmstat", (size_t)1 << 20, &text) == 0)
        moved = pm_proc_number(pm_buf_text(&text), "pgmigrate_success ");
    pm_buf_free(&text);
    return moved;
}

/* ---- frames ---- */

#define BIT(flag) ((uint64_t)1 << (flag))

static const struct {
    uint64_t bit;
    const char *name;
} names[] = {{BIT(PM_KPF_ZERO), "zero"},           {BIT(PM_KPF_THP), "thp"},
             {BIT(PM_KPF_HUGE), "huge"},           {BIT(PM_KPF_KSM), "ksm"},
             {BIT(PM_KPF_SWAPCACHE), "swapcache"}, {BIT(PM_KPF_DIRTY), "dirty"},
             {BIT(PM_KPF_WRITEBACK), "writeback"}, {BIT(PM_KPF_UNEVICTABLE), "unevictable"},
             {BIT(PM_KPF_HWPOISON), "hwpoison"},   {BIT(PM_KPF_NOPAGE), "nopage"}};

const uint64_t pm_frames_named = BIT(PM_KPF_ZERO) | BIT(PM_KPF_THP) | BIT(PM_KPF_HUGE) |
                                 BIT(PM_KPF_KSM) | BIT(PM_KPF_SWAPCACHE) | BIT(PM_KPF_DIRTY) |
                                 BIT(PM_KPF_WRITEBACK) | BIT(PM_KPF_UNEVICTABLE) |
                                 BIT(PM_KPF_HWPOISON) | BIT(PM_KPF_NOPAGE);

int pm_frames_open(int root)
{
    return openat(root, "kpageflags", O_RDONLY | O_CLOEXEC);
}

size_t pm_frames_read(int fd, uint64_t first, size_t n, uint64_t *flags)
{
    ssize_t got =
        TEMP_FAILURE_RETRY(pread(fd, flags, n * sizeof *flags, (off_t)(first * sizeof *flags)));

    return got > 0 ? (size_t)got / sizeof *flags : 0;
}

void pm_frames_text(uint64_t flags, char out[PM_FRAME_TEXT])
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags & names[i].bit)
            n += (size_t)snprintf(out + n, PM_FRAME_TEXT - n, "%s%s", n ? " " : "", names[i].name);
}
