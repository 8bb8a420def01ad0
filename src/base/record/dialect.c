/* dialect: the names of dialects, states and checks. */
#include "base/record/dialect.h"

static const char *const dialect_names[PM_DIALECT_COUNT] = {
    "smaps",  "pmap-XX", "pmap-X", "pmap-suse", "toybox-x", "busybox-x",    "pmap-x",
    "pmap-d", "pmap",    "toybox", "busybox",   "maps",     "smaps_rollup",
};

const char *pm_dialect_name(pm_dialect dialect)
{
    return dialect < PM_DIALECT_COUNT ? dialect_names[dialect] : "?";
}

const char *pm_state_name(pm_state state)
{
    static const char *const names[] = {"complete", "partial", "totals"};

    return names[state];
}

const char *pm_checked_name(pm_checked checked)
{
    static const char *const names[] = {"none", "footer", "status", "rollup"};

    return names[checked];
}

pm_dialect pm_dialect_find(pm_text name)
{
    return (pm_dialect)pm_text_index(name, dialect_names, PM_DIALECT_COUNT);
}

bool pm_dialect_hides_pseudo(pm_dialect dialect)
{
    return dialect == PM_DIALECT_PMAP_SMALL_X || dialect == PM_DIALECT_PMAP_D ||
           dialect == PM_DIALECT_PMAP || dialect == PM_DIALECT_SUSE;
}
