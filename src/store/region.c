/* region: the rows of tables region and lineage. */
#include "store/region.h"

static pmapdb_status find(pm_sql *sql, pm_row *row, pmapdb_error *err)
{
    const pm_place *at = &row->at;

    return pm_sql_int(
        sql,
        "SELECT region_id FROM region WHERE lineage_id = ?1 AND length = ?2 "
        "AND start = ?3 AND object_id = ?4 AND offset IS ?5 AND size_kib IS ?6",
        PM_ARGS(PM_I(at->lineage), PM_BITS(at->length), PM_BITS(at->start), PM_I(at->object->id),
                PM_I(at->has_offset ? (int64_t)at->offset : PMAPDB_UNKNOWN), PM_I(row->size_kib)),
        0, &row->region_id, err);
}

pmapdb_status pm_region_of(pm_sql *sql, pm_row *row, bool new_lineage, pmapdb_error *err)
{
    const pm_place *at = &row->at;
    pmapdb_status st;

    row->region_id = 0;
    if (!new_lineage && ((st = find(sql, row, err)) != PMAPDB_OK || row->region_id))
        return st;
    st = pm_sql_run(
        sql,
        "INSERT INTO region (lineage_id, object_id, start, length, offset, size_kib, category_id, "
        "reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        PM_ARGS(PM_I(at->lineage), PM_I(at->object->id), PM_BITS(at->start), PM_BITS(at->length),
                PM_I(at->has_offset ? (int64_t)at->offset : PMAPDB_UNKNOWN), PM_I(row->size_kib),
                PM_I(at->kept ? at->kept : PMAPDB_UNKNOWN), PM_I(row->reason)),
        err);
    row->region_id = pm_sql_last_id(sql);
    return st;
}

pmapdb_status pm_region_read(sqlite3_stmt *stmt, int column, pm_objects *objects, pm_row *row,
                             pmapdb_error *err)
{
    int64_t offset = pm_col_int(stmt, column + 4), kept = pm_col_int(stmt, column + 7);

    row->at = (pm_place){
        .lineage = pm_col_int(stmt, column),
        .kept = kept == PMAPDB_UNKNOWN ? 0 : kept,
        .start = (uint64_t)pm_col_int(stmt, column + 2),
        .length = (uint64_t)pm_col_int(stmt, column + 3),
        .offset = offset == PMAPDB_UNKNOWN ? 0 : (uint64_t)offset,
        .has_offset = offset != PMAPDB_UNKNOWN,
    };
    row->size_kib = pm_col_int(stmt, column + 5);
    row->reason = (pm_reason)pm_col_int(stmt, column + 6);
    return pm_objects_get(objects, pm_col_int(stmt, column + 1), &row->at.object, err);
}

pmapdb_status pm_region_get(pm_sql *sql, pm_objects *objects, pm_row *row, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st =
        pm_sql_rows(sql, "SELECT " PM_REGION_SELECT " FROM region r WHERE r.region_id = ?1",
                    PM_ARGS(PM_I(row->region_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK)
        return st;
    if (!has)
        return pm_fail(err, PMAPDB_DATABASE, "region %lld is missing; the store is damaged",
                       (long long)row->region_id);
    st = pm_region_read(stmt, 0, objects, row, err);
    pm_sql_done(stmt);
    return st;
}

pmapdb_status pm_lineage_new(pm_sql *sql, int64_t process_id, int64_t snapshot_id, pm_row *row,
                             const char *rule, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(
        sql,
        "INSERT INTO lineage (process_id, first_snapshot_id, category_id, rule) "
        "VALUES (?1, ?2, ?3, ?4)",
        PM_ARGS(PM_I(process_id), PM_I(snapshot_id), PM_I(pm_row_category(row)), PM_S(rule)), err);

    row->at.lineage = pm_sql_last_id(sql);
    return st;
}
