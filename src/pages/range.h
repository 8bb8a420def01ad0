/* range: the kinds of pages that a mapping can have, by its row of maps. Pure. */
#ifndef PM_PAGES_RANGE_H
#define PM_PAGES_RANGE_H

#include "base/map.h"
#include "base/record/mapping.h"
#include "pages/sets.h"

typedef struct pm_page_range {
    uint64_t start, end;
    bool has_file;
    uint64_t file;         /* the number of its first page as a page of its file */
    pm_page_class of_file; /* the class of its pages that are not anonymous */
    bool is_shared;        /* its pages are never anonymous: those that look so are of a device */
    bool is_hugetlb;       /* in the pool of huge pages, which is in no RSS */
    bool is_kernel;        /* [vvar] and the like: no memory of the process */
} pm_page_range;

/* The number of pages of a range, by kind. */
typedef struct pm_page_counts {
    int64_t class[PM_PAGE_CLASSES];
    int64_t own;     /* in memory, and mapped once */
    int64_t zero;    /* the page of zeroes: no memory */
    int64_t hugetlb; /* of the pool of huge pages: not in class */
} pm_page_counts;

/* Adds `c`, multiplied by `times`. */
void pm_page_counts_add(pm_page_counts *sum, const pm_page_counts *c, int64_t times);

/* What is mounted where: the device of a filesystem -> its kind. */
typedef enum pm_mount_kind { PM_MOUNT_TMPFS = 1, PM_MOUNT_HUGETLBFS } pm_mount_kind;

/* Reads mountinfo. */
pmapdb_status pm_mounts_read(pm_text mountinfo, pm_map *out, pmapdb_error *err);

/* Without sets, `file` is not set. */
pm_page_range pm_page_range_of(const pm_mapping *m, const pm_map *mounts, uint64_t page_bytes,
                               pm_sets *sets);

/* Adds the mapping to the key of a family: processes whose [stack] ends and whose [vdso] begins at
 * one address are forks of each other. A page that they have in common is at the same address in
 * both. */
void pm_family_add(uint64_t *key, const pm_mapping *m);

#endif
