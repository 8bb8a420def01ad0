/* unit: the kind of a column or a parameter of a query. One table serves the declaration in the
 * header of a query, the printing of columns, and the reading of parameters. */
#ifndef PM_BASE_UNIT_H
#define PM_BASE_UNIT_H

#include "base/text.h"

typedef enum pm_unit {
    PM_UNIT_TEXT,
    PM_UNIT_INT,
    PM_UNIT_COUNT,
    PM_UNIT_REAL,
    PM_UNIT_KIB,
    PM_UNIT_RATE, /* KiB per hour */
    PM_UNIT_TIME, /* ISO text in rows; bound as ms */
    PM_UNIT_DURATION,
    PM_UNIT_BOOL,
    PM_UNIT_ADDRESS,
    PM_UNIT_SNAPSHOT,
    PM_UNIT_PROCESS,
    PM_UNIT_LINEAGE,
    PM_UNIT_CATEGORY,
    PM_UNIT_RATIO,
    PM_UNIT_AMOUNT, /* KiB; if the column `metric` of the row says mappings, their number */
    PM_UNIT_COUNT_OF_UNITS
} pm_unit;

const char *pm_unit_name(pm_unit unit);
/* Returns PM_UNIT_COUNT_OF_UNITS if no unit has that name. */
pm_unit pm_unit_find(pm_text name);
/* True for units that are right-aligned in a table. */
bool pm_unit_is_number(pm_unit unit);

#endif
