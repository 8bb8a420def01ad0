/* dialect: describes a capture: the tool that printed it, how complete it is, and what proves its
 * completeness. The names are part of the public interface (columns dialect, state, checked; option
 * --dialect) and are also in the store. */
#ifndef PM_BASE_DIALECT_H
#define PM_BASE_DIALECT_H

#include "base/text.h"
#include <stdbool.h>

/* Ordered from the one with most fields to the one with fewest: of several captures of one moment,
 * queries use the first in this order. Table dialect contains the names with this order as their
 * rank. */
typedef enum pm_dialect {
    PM_DIALECT_SMAPS,
    PM_DIALECT_PMAP_XX,
    PM_DIALECT_PMAP_X,
    PM_DIALECT_SUSE,     /* pmap of openSUSE and SLES: RSS, PSS, Dirty, Swap */
    PM_DIALECT_TOYBOX_X, /* toybox and busybox pmap -x: PSS, Private_Dirty, Swap */
    PM_DIALECT_BUSYBOX_X,
    PM_DIALECT_PMAP_SMALL_X, /* pmap -x */
    PM_DIALECT_PMAP_D,
    PM_DIALECT_PMAP,
    PM_DIALECT_TOYBOX,
    PM_DIALECT_BUSYBOX,
    PM_DIALECT_MAPS,
    PM_DIALECT_ROLLUP, /* smaps_rollup: sums only */
    PM_DIALECT_COUNT
} pm_dialect;

typedef enum pm_state { PM_STATE_COMPLETE, PM_STATE_PARTIAL, PM_STATE_TOTALS } pm_state;

typedef enum pm_checked {
    PM_CHECKED_NONE,
    PM_CHECKED_FOOTER,
    PM_CHECKED_STATUS,
    PM_CHECKED_ROLLUP
} pm_checked;

const char *pm_dialect_name(pm_dialect dialect);
const char *pm_state_name(pm_state state);
const char *pm_checked_name(pm_checked checked);

/* Returns PM_DIALECT_COUNT if no dialect has that name. */
pm_dialect pm_dialect_find(pm_text name);

/* True if the source prints heap, vdso and unnamed memory all as "[ anon ]". */
bool pm_dialect_hides_pseudo(pm_dialect dialect);

#endif
