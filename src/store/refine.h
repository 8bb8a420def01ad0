/* refine: the categories that rules about neighbours give (classify/neighbour.h).
 *
 * A lineage has one for its life: what the rules say in the first capture of the strongest kind
 * (complete before partial, then the dialect with most fields) that shows it; where it has several
 * rows there, of the lowest for which they say anything. Its regions repeat it, for whoever reads
 * them. A pure function of the captures: a lineage that begins in the newest capture is refined by
 * write.c, everything else by settle.c. */
#ifndef PM_STORE_REFINE_H
#define PM_STORE_REFINE_H

#include "store/late.h"

/* category_id for row i because of the rows beside it, or 0; rows are sorted by place. */
int64_t pm_refine_row(const pm_rows *rows, size_t i);

/* The rule that gives category_id `kept`; NULL: none. */
const char *pm_refine_rule(int64_t kept);

/* *out: rows of `own` are refined otherwise than the lineages of `base` that they continue, and
 * `stream`, an older capture that tells as much as `own`, has nothing of those lineages. */
pmapdb_status pm_refine_differs(const pm_rows *base, const pm_rows *stream, const pm_rows *own,
                                bool *out, pmapdb_error *err);

/* What the rules say of a lineage in item i. */
pmapdb_status pm_refine_lineage(pm_late *l, size_t i, int64_t lineage, int64_t *kept,
                                pmapdb_error *err);

/* Sums by category of all items that say `recount`, from their rows. */
pmapdb_status pm_late_recount(pm_late *l, pmapdb_error *err);

#endif
