/* prune_remove: takes moments out of the tables that people read. */
#ifndef PM_STORE_PRUNE_REMOVE_H
#define PM_STORE_PRUNE_REMOVE_H

#include "store/prune/prune_plan.h"
#include "store/steps.h"

/* Every moment whose fate is to be removed: its snapshots go, in one transaction for a moment; its
 * processes become untidy. A moment that changed since the plan was made (it was pinned, or
 * something joined it) stays until the next prune. */
pmapdb_status pm_prune_remove(pmapdb_store *s, pm_plan *plan, const pm_steps *steps,
                              pmapdb_error *err);

#endif
