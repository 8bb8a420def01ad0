/* dialect: the names of dialects, states and checks. */
#include "base/record/dialect.h"

#define PM_FORMAT(id, pattern, tool, gives, example)

static const char *const dialect_names[PM_DIALECT_COUNT] = {
#define PM_DIALECT(id, name, names, pattern, tool, gives, example) name,
#include "base/record/formats.def"
#undef PM_DIALECT
};

static const enum {
    KERNEL_NAMES,
    OWN_NAMES
} kind_of_names[PM_DIALECT_COUNT] = {
#define PM_DIALECT(id, name, names, pattern, tool, gives, example) names,
#include "base/record/formats.def"
#undef PM_DIALECT
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
    return dialect < PM_DIALECT_COUNT && kind_of_names[dialect] == OWN_NAMES;
}
