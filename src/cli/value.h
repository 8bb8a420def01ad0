/* value: makes cells of C strings and numbers. */
#ifndef PM_CLI_VALUE_H
#define PM_CLI_VALUE_H

#include "render/render.h"
#include <math.h>

static inline pm_value pm_value_text(const char *text)
{
    return (pm_value){.kind = text ? PM_VALUE_TEXT : PM_VALUE_NULL, .t = pm_text_of(text)};
}

/* NaN is unknown. */
static inline pm_value pm_value_real(double v)
{
    return (pm_value){.kind = isnan(v) ? PM_VALUE_NULL : PM_VALUE_REAL, .r = v};
}

static inline pm_value pm_value_int(int64_t v)
{
    return (pm_value){.kind = v == PMAPDB_UNKNOWN ? PM_VALUE_NULL : PM_VALUE_INT, .i = v};
}

#endif
