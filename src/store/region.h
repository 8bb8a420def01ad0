/* region: the rows of table region: an object at an address range, in one lineage. One region per
 * lineage, object and range, however often it comes back; its reason is that of its first
 * appearance in time. */
#ifndef PM_STORE_REGION_H
#define PM_STORE_REGION_H

#include "store/row.h"

/* The region of row->at (its lineage included). Written when it is new, with row->reason; an
 * existing one keeps its reason. Sets row->region_id. */
pmapdb_status pm_region_of(pm_sql *sql, pm_row *row, bool new_lineage, pmapdb_error *err);

/* Of region r, as pm_region_read wants them from `column` on. */
#define PM_REGION_SELECT                                                             \
    "r.lineage_id, r.object_id, r.start, r.length, r.offset, r.size_kib, r.reason, " \
    "r.category_id"
#define PM_REGION_COLUMNS 8
pmapdb_status pm_region_read(sqlite3_stmt *stmt, int column, pm_objects *objects, pm_row *row,
                             pmapdb_error *err);

/* Fills at, size_kib, reason of a row from its region_id. */
pmapdb_status pm_region_get(pm_sql *sql, pm_objects *objects, pm_row *row, pmapdb_error *err);

/* A new lineage of a process, first seen as this row of this snapshot, its category by `rule`
 * (NULL: the object's own). Sets row->at.lineage. */
pmapdb_status pm_lineage_new(pm_sql *sql, int64_t process_id, int64_t snapshot_id, pm_row *row,
                             const char *rule, pmapdb_error *err);

#endif
