/* dialect: describes a capture: the tool that printed it, how complete it is, and what proves its
 * completeness. The names are part of the public interface (columns dialect, state, checked; option
 * --dialect) and are also in the store. */
#ifndef PM_BASE_DIALECT_H
#define PM_BASE_DIALECT_H

#include "base/text.h"
#include <stdbool.h>

/* The dialects, in the order of formats.def: the first has most fields. */
typedef enum pm_dialect {
#define PM_DIALECT(id, name, names, pattern, tool, gives, example) PM_DIALECT_##id,
#define PM_FORMAT(id, pattern, tool, gives, example)
#include "base/record/formats.def"
#undef PM_DIALECT
#undef PM_FORMAT
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

/* True if the tool prints heap, vdso and unnamed memory all as "[ anon ]". */
bool pm_dialect_hides_pseudo(pm_dialect dialect);

#endif
