/* neighbour: what the mappings right below and above one add to its category: slug/detail.
 *
 *   anonymous/thread-stack  a private rw anonymous mapping of a size that threads get (8 MiB, or 1,
 *                           2, 4, each give or take a guard) that begins where a reserve of at most
 *                           1 MiB ends
 *   reserve/guard           a reserve of at most 1 MiB that ends where a private rw anonymous
 *                           mapping begins; what an arena of glibc has in reserve lies above it,
 * and is larger
 *
 * Neighbours come and go: whoever stores mappings asks once per lineage, and keeps the answer. */
#ifndef PM_CLASSIFY_NEIGHBOUR_H
#define PM_CLASSIFY_NEIGHBOUR_H

#include "classify/classify.h"

typedef struct pm_neighbour {
    uint64_t start, length; /* bytes */
    pm_category category;   /* by the table of classify.h */
    const char *perms;
} pm_neighbour;

/* What `row` is because of the next mappings by address (NULL: none), or PM_CATEGORY_COUNT where
 * no rule says anything. */
pm_category pm_neighbour_category(const pm_neighbour *below, const pm_neighbour *row,
                                  const pm_neighbour *above);

/* The name of the rule that gives this category; NULL: the table of classify.h does. */
const char *pm_neighbour_rule(pm_category category);

#endif
