/* lineage: which mapping of the next capture continues which of the one before. Pure.
 *
 * The start address alone is no identity: the kernel merges neighbours, so the start of a growing
 * mapping moves down at every step, and a freed place is taken within seconds by something else.
 * A mapping continues another when both are alike (perms, device, inode, path; the file offset
 * consistent with the place) and
 *   same         it lies at the same addresses,
 *   same-start,  same-end, overlap   it shares addresses with it,
 *   file-offset  it shares none, but shows the same offset of the same file, which moved.
 * Split: every piece continues the lineage. Merge: the lineage with most bytes in the result, at a
 * tie the one that lies lower. */
#ifndef PM_STORE_LINEAGE_H
#define PM_STORE_LINEAGE_H

#include "store/dict/row.h"

typedef struct pm_descent {
    int64_t lineage; /* PM_NO_LINEAGE: a new one */
    int64_t kept;    /* the lineage's */
    pm_reason reason;
} pm_descent;

/* Both in the order of (start, length). out has n_new elements. */
pmapdb_status pm_lineage_pair(const pm_place *old, size_t n_old, const pm_place *new, size_t n_new,
                              pm_descent *out, pmapdb_error *err);

/* How rows continue those of an older capture, both sorted: *out has own->n elements and is the
 * caller's to free. */
pmapdb_status pm_rows_descent(const pm_rows *older, const pm_rows *own, pm_descent **out,
                              pmapdb_error *err);

#endif
