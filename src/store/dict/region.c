/* region: reads and writes rows of table region. */
#include "store/dict/region.h"

static pm_arg offset_of(const pm_place *at)
{
    return PM_I(at->has_offset ? (int64_t)at->offset : PMAPDB_UNKNOWN);
}

void pm_region_of(pm_sql *sql, pm_row *row, bool new_lineage)
{
    const pm_place *at = &row->at;

    row->region_id = 0;
    if (!new_lineage)
        row->region_id = pm_sql_value(
            sql,
            "SELECT region_id FROM region WHERE lineage_id = ?1 AND length = ?2 AND start = ?3 "
            "AND object_id = ?4 AND offset IS ?5 AND size_kib IS ?6",
            PM_ARGS(PM_I(at->lineage), PM_BITS(at->length), PM_BITS(at->start),
                    PM_I(at->object->id), offset_of(at), PM_I(row->size_kib)),
            0);
    if (row->region_id)
        return;
    pm_sql_do(sql,
              "INSERT INTO region (lineage_id, object_id, start, length, offset, size_kib, "
              "category_id, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
              PM_ARGS(PM_I(at->lineage), PM_I(at->object->id), PM_BITS(at->start),
                      PM_BITS(at->length), offset_of(at), PM_I(row->size_kib),
                      PM_I(at->kept ? at->kept : PMAPDB_UNKNOWN), PM_I(row->reason)));
    row->region_id = pm_sql_last_id(sql);
}

void pm_region_read(pm_sql *sql, sqlite3_stmt *stmt, int column, int64_t region_id,
                    pm_objects *objects, pm_row *row)
{
    int64_t lineage = pm_col_int(stmt, column), offset = pm_col_int(stmt, column + 4);
    int64_t kept = pm_col_int(stmt, column + 7);

    *row = (pm_row){
        .at = {.lineage = lineage,
               .kept = kept == PMAPDB_UNKNOWN ? 0 : kept,
               .start = (uint64_t)pm_col_int(stmt, column + 2),
               .length = (uint64_t)pm_col_int(stmt, column + 3),
               .offset = offset == PMAPDB_UNKNOWN ? 0 : (uint64_t)offset,
               .has_offset = offset != PMAPDB_UNKNOWN},
        .region_id = region_id,
        .size_kib = pm_col_int(stmt, column + 5),
        .reason = (pm_reason)pm_col_int(stmt, column + 6),
    };
    if (lineage == PMAPDB_UNKNOWN)
        PM_SQL_STEP(sql,
                    pm_fail(&err, PMAPDB_DATABASE, "region %lld is missing; the store is damaged",
                            (long long)region_id));
    row->at.object = pm_objects_get(objects, pm_col_int(stmt, column + 1));
}
