/* pagemap: reads which pages a process has, from /proc/PID/pagemap. Linux.
 *
 * The kernel locks the memory map of the process for 2 MiB of addresses at a time, so reading
 * delays the process by far less than reading smaps. Nothing is mapped, touched or changed. */
#ifndef PM_SOURCE_PAGEMAP_H
#define PM_SOURCE_PAGEMAP_H

#include "pages/book.h"
#include "parse/live_map.h"
#include "source/proc.h"

/* Entries that are read at a time: 64 KiB of the file, 32 MiB of addresses; more is not faster. */
#define PM_PAGEMAP_ENTRIES ((size_t)8192)

typedef struct pm_pagemap {
    int root;         /* a handle on /proc, not owned */
    uint64_t page;    /* bytes of a page */
    bool sees_frames; /* the kernel shows frames to this program: CAP_SYS_ADMIN */
    bool by_frame;    /* pages are known by their frame; else by file, address, or as own */
    uint64_t zero;    /* the frame of the page of zeroes; 0: unknown */
    bool copied;      /* a copy: its page maps may end early, and nobody waits for them */
    pm_map mounts;
    pm_book book; /* of a copy that capture --archive made */
    pm_buf book_text;
    uint64_t *entries;
} pm_pagemap;

/* Sets by_frame if this program sees frames. */
pmapdb_status pm_pagemap_open(pm_pagemap *m, int root, pmapdb_error *err);
void pm_pagemap_close(pm_pagemap *m);

/* How many pages the kernel has moved since boot; PMAPDB_UNKNOWN: it does not say. A page that
 * moves between two readings looks like two pages. */
int64_t pm_pagemap_moved(const pm_pagemap *m);

/* ---- ranges.c: the mappings of a process as ranges of pages ---- */

/* The ranges of one process, then of another; a zeroed struct is valid. */
typedef struct pm_page_ranges {
    pm_page_range *range;
    pm_page_counts *counts; /* zeroes */
    size_t n, cap_range, cap_counts;
    uint64_t family; /* key of its forks: pm_family_add() */
    const pm_pool *pool;
    const uint32_t *rows; /* the mappings in the pool; valid until the next reading */
    pm_live_map live;
    /* How the pages of the ranges are read; pm_page_ranges_read() and pm_page_ranges_of() clear
     * these: */
    pm_sets *sets;     /* its current process must be the one that is read; or NULL */
    pm_chunks *chunks; /* of these sets; or NULL */
    uint64_t space;    /* with sets: the number of address 0 of its family, */
    uint64_t swapped;  /* and of its swapped pages */
    /* Gets the entries of pages from address `at` on, before they are counted; or NULL. */
    void (*on_entries)(void *ctx, const uint64_t *e, size_t n, uint64_t at);
    void *ctx;
    bool pauses;     /* between two reads, so that the process gets the lock of its map */
    int64_t read_us; /* out: how long all calls took; none locks the map for longer than for
                        2 MiB of addresses, or 64 MiB of a scan */
} pm_page_ranges;

/* Reads maps. `sets` may be NULL. *fate is PM_PROC_GOOD only if all of maps was read. Fails with
 * PMAPDB_INPUT if the map changes too quickly. */
pmapdb_status pm_page_ranges_read(pm_page_ranges *r, const pm_proc *p, const pm_pagemap *map,
                                  pm_sets *sets, pm_proc_fate *fate, pmapdb_error *err);
/* The same for the rows of a capture, without sets; `pool` and `rows` stay NULL. */
pmapdb_status pm_page_ranges_of(pm_page_ranges *r, const pm_capture *c, const pm_pagemap *map,
                                pmapdb_error *err);
void pm_page_ranges_free(pm_page_ranges *r);

/* Reads the pages of the ranges and adds them to the counts. *fate is PM_PROC_GOOD only if the
 * process is still the same program. */
pmapdb_status pm_pagemap_read(pm_pagemap *m, const pm_proc *p, pm_page_ranges *ranges,
                              pm_proc_fate *fate, pmapdb_error *err);

static inline const pm_mapping *pm_page_ranges_mapping(const pm_page_ranges *r, size_t i)
{
    return &r->pool->mappings[r->rows[i]]->m;
}

/* ---- machine.c: the flags of frames of memory, from /proc/kpageflags, which needs
 * CAP_DAC_READ_SEARCH ---- */

/* Returns a handle, -1 if this user may not read it. root: a handle on /proc, or on a copy. */
int pm_frames_open(int root);

/* Reads the flags (PM_KPF_...) of n frames. Returns how many there are: fewer at the end of memory.
 */
size_t pm_frames_read(int fd, uint64_t first, size_t n, uint64_t *flags);

/* Writes the names of flags that tell what a page is, separated by blanks. */
#define PM_FRAME_TEXT 96
void pm_frames_text(uint64_t flags, char out[PM_FRAME_TEXT]);
/* These flags; others change from moment to moment. */
extern const uint64_t pm_frames_named;

#endif
