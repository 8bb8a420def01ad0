/* unit: the names of units. */
#include "base/unit.h"

static const char *const names[PM_UNIT_COUNT_OF_UNITS] = {
    "text", "int",     "count",    "real",    "kib",     "rate",     "time",  "duration",
    "bool", "address", "snapshot", "process", "lineage", "category", "ratio", "amount",
};

const char *pm_unit_name(pm_unit unit)
{
    return unit < PM_UNIT_COUNT_OF_UNITS ? names[unit] : "?";
}

pm_unit pm_unit_find(pm_text name)
{
    return (pm_unit)pm_text_index(name, names, PM_UNIT_COUNT_OF_UNITS);
}

bool pm_unit_is_number(pm_unit unit)
{
    return unit != PM_UNIT_TEXT && unit != PM_UNIT_TIME && unit != PM_UNIT_CATEGORY;
}
