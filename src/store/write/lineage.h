/* lineage: which mapping of the next capture continues which mapping of the one before. Pure.
 *
 * The start address alone does not identify a mapping: the kernel merges neighbours, so the start
 * of a growing mapping moves down at every step, and another mapping takes a freed place within
 * seconds. A mapping continues another if both are alike (perms, device, inode, path; file offset
 * consistent with the place) and
 *   same         both have the same addresses,
 *   same-start,  same-end, overlap   they share addresses,
 *   file-offset  they share no address, but have the same offset of the same file, which moved.
 * Split: every piece continues the lineage. Merge: the lineage with most bytes in the result wins;
 * at a tie, the lower one. */
#ifndef PM_STORE_LINEAGE_H
#define PM_STORE_LINEAGE_H

#include "store/dict/row.h"

typedef struct pm_descent {
    int64_t lineage; /* PM_NO_LINEAGE: a new lineage */
    int64_t kept;    /* category_id that a rule gave the lineage, or 0 */
    pm_reason reason;
} pm_descent;

/* Finds how rows continue the rows of an older capture; both are sorted. *out has own->n elements;
 * the caller frees it. */
pmapdb_status pm_rows_descent(const pm_rows *older, const pm_rows *own, pm_descent **out,
                              pmapdb_error *err);

#endif
