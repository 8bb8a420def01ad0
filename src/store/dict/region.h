/* region: rows of table region: an object at an address range, in one lineage. A lineage, object
 * and range have one region, however often they return; its reason is the reason of the first
 * appearance in time. */
#ifndef PM_STORE_REGION_H
#define PM_STORE_REGION_H

#include "store/dict/row.h"

/* Finds the region of row->at (including its lineage); inserts a new one with row->reason. An
 * existing region keeps its reason. Sets row->region_id. */
void pm_region_of(pm_sql *sql, pm_row *row, bool new_lineage);

/* The columns of region r that pm_region_read expects from `column` on. */
#define PM_REGION_SELECT                                                             \
    "r.lineage_id, r.object_id, r.start, r.length, r.offset, r.size_kib, r.reason, " \
    "r.category_id"
#define PM_REGION_COLUMNS 8
/* Reads a region. It is missing if all columns are NULL. */
void pm_region_read(pm_sql *sql, sqlite3_stmt *stmt, int column, int64_t region_id,
                    pm_objects *objects, pm_row *row);

#endif
