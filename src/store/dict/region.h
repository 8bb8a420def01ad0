/* region: the rows of table region: an object at an address range, in one lineage. One region per
 * lineage, object and range, however often it comes back; its reason is that of its first
 * appearance in time. And the rows of table lineage. */
#ifndef PM_STORE_REGION_H
#define PM_STORE_REGION_H

#include "store/dict/row.h"

/* The region of row->at (its lineage included). Written when it is new, with row->reason; an
 * existing one keeps its reason. Sets row->region_id. */
void pm_region_of(pm_sql *sql, pm_row *row, bool new_lineage);

/* Of region r, as pm_region_read wants them from `column` on. */
#define PM_REGION_SELECT                                                             \
    "r.lineage_id, r.object_id, r.start, r.length, r.offset, r.size_kib, r.reason, " \
    "r.category_id"
#define PM_REGION_COLUMNS 8
/* All NULL: the region is missing. */
void pm_region_read(pm_sql *sql, sqlite3_stmt *stmt, int column, int64_t region_id,
                    pm_objects *objects, pm_row *row);

/* A new lineage of a process, first seen as this row of this snapshot, its category by `rule`
 * (NULL: the object's own). Sets row->at.lineage. */
void pm_lineage_new(pm_sql *sql, int64_t process_id, int64_t snapshot_id, pm_row *row,
                    const char *rule);

#endif
