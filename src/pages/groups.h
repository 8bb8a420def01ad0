/* groups: the pages of groups of processes, from sets (sets.h). Pure. */
#ifndef PM_PAGES_GROUPS_H
#define PM_PAGES_GROUPS_H

#include "base/err.h"
#include "base/text.h"

/* In pages; each page counts once. */
typedef struct pm_group_pages {
    int64_t rss;   /* in memory; anonymous, shared memory, and files */
    int64_t anon;  /* of rss */
    int64_t shmem; /* of rss */
    int64_t alone; /* of rss: no process outside the group has them */
    int64_t swap;
    int64_t swap_alone;
} pm_group_pages;

/* group_of[process] is 1 to n_groups, or 0 for a process in no group, as are all from n_processes
 * on. A page that a process in no group maps, too, belongs to no group alone.
 *
 * out[1] to out[n_groups] are the groups, out[0] is their union, and out[n_groups + 1] has the
 * pages of groups that belong to no group alone: these and all `alone` add up to the union. Damaged
 * sets are PMAPDB_INPUT. */
pmapdb_status pm_group_pages_of(pm_text sets, const uint32_t *group_of, size_t n_processes,
                                pm_group_pages *out, uint32_t n_groups, pmapdb_error *err);

#endif
