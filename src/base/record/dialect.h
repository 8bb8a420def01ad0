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

extern const char *const pm_dialect_names[PM_DIALECT_COUNT + 1]; /* the last is "?" */
extern const char *const pm_state_names[];
extern const char *const pm_checked_names[];

/* Returns PM_DIALECT_COUNT if no dialect has that name. */
pm_dialect pm_dialect_find(pm_text name);

/* True if the tool prints heap, vdso and unnamed memory all as "[ anon ]". */
extern const bool pm_dialect_hides_pseudo[PM_DIALECT_COUNT + 1];

#endif
