/* append: a capture behind all others of its process, as its difference to the newest; any other is
 * handed to late.c. */
#ifndef PM_STORE_APPEND_H
#define PM_STORE_APPEND_H

#include "store/newest.h"

pmapdb_status pm_append_mappings(pm_put *p, pm_newest *newest, pm_newest_of *state,
                                 pmapdb_error *err);

/* Of sums only: in streams of their own, which take no part in the timeline and its lineages. Where
 * mappings are unknown, there is nothing to pair. */
pmapdb_status pm_append_totals(pm_put *p, pm_newest *newest, pm_newest_of *state,
                               pmapdb_error *err);

#endif
