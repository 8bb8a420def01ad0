/* idle: page idle tracking of the kernel: which pages nobody has touched since they were marked.
 * Needs CONFIG_IDLE_PAGE_TRACKING and root.
 *
 * A mark is on a frame of memory. The kernel removes the mark when the page is touched: by any
 * process that maps the page, or by a read or write of its file. No process waits for the marking.
 */
#ifndef PM_SOURCE_IDLE_H
#define PM_SOURCE_IDLE_H

#include "source/pages/pagemap.h"

#define PM_IDLE_BITMAP "/sys/kernel/mm/page_idle/bitmap"

typedef struct pm_idle pm_idle;

/* The pages of a range that are in memory. */
typedef struct pm_idle_pages {
    int64_t marked;    /* and not touched since */
    int64_t unmarked;  /* touched, or newer than the marks */
    int64_t untracked; /* the kernel gives them no marks */
} pm_idle_pages;

/* *out is NULL if the kernel has no page idle tracking, or not for this user. */
pmapdb_status pm_idle_open(const pm_pagemap *map, const char *bitmap, pm_idle **out,
                           pmapdb_error *err);
void pm_idle_free(pm_idle *idle);

/* Walks the pages of the ranges: marks them if `pages` is NULL, else adds the pages of each range
 * to its element of `pages`. Sets work->on_entries. */
pmapdb_status pm_idle_walk(pm_idle *idle, pm_pagemap *map, const pm_proc *p, pm_page_ranges *work,
                           pm_idle_pages *pages, pm_proc_fate *fate, pmapdb_error *err);

#endif
