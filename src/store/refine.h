/* refine: the categories that rules give (classify/rules.h).
 *
 * A lineage has one for its life: what the rules say in the first capture of the strongest kind
 * (complete before partial, then the dialect with most fields) that shows it; where it has several
 * rows there, of the lowest for which they say anything. Its regions repeat it, for whoever reads
 * them. A pure function of the captures: a lineage that begins in the newest capture is refined by
 * write.c, everything else by settle.c. */
#ifndef PM_STORE_REFINE_H
#define PM_STORE_REFINE_H

#include "store/late.h"

/* From here on it is asked of another capture. */
static inline void pm_refine_turn(pm_refine *refine)
{
    refine->has_facts = false;
}

/* What the rules say of row i; rows are all of one capture, sorted by place. */
pmapdb_status pm_refine_row(pm_refine *refine, const pm_rows *rows, size_t i, pm_ruling *out,
                            pmapdb_error *err);

/* What could not be said so far, as a warning to whoever stored it; empty: nothing. */
void pm_refine_doubt(const pm_refine *refine, char *out, size_t size);

/* *out: rows of `own` are refined otherwise than the lineages of `base` that they continue, and
 * `stream`, an older capture that tells as much as `own`, has nothing of those lineages. */
pmapdb_status pm_refine_differs(pm_put *p, const pm_rows *base, const pm_rows *stream, bool *out,
                                pmapdb_error *err);

/* What the rules say of a lineage in item i. */
pmapdb_status pm_refine_lineage(pm_late *l, size_t i, int64_t lineage, pm_ruling *out,
                                pmapdb_error *err);

/* Sums by category of all items that say `recount`, from their rows. */
pmapdb_status pm_late_recount(pm_late *l, pmapdb_error *err);

#endif
