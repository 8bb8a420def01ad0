/* region: the rows of tables region and lineage. */
#include "store/region.h"

static int64_t kept_or_null(const pm_row *row)
{
    return row->at.kept ? row->at.kept : PMAPDB_UNKNOWN;
}

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

#define REGION                                                                      \
    "INSERT OR FAIL INTO region (region_id, lineage_id, object_id, start, length, " \
    "offset, size_kib, category_id, reason)"
#define REGION_ROW "(?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define REGION_WIDTH 9

const pm_bulk_table pm_region_table = {
    .one = PM_BULK_INSERT(REGION, REGION_ROW),
    .many = PM_BULK_INSERTS(REGION, REGION_ROW),
    .last = "SELECT max(region_id) FROM region",
    .columns = REGION_WIDTH,
};

/* Behind the id. */
static void set_region(const pm_row *row, pm_arg out[REGION_WIDTH - 1])
{
    const pm_place *at = &row->at;

    out[0] = PM_I(at->lineage);
    out[1] = PM_I(at->object->id);
    out[2] = PM_BITS(at->start);
    out[3] = PM_BITS(at->length);
    out[4] = PM_I(at->has_offset ? (int64_t)at->offset : PMAPDB_UNKNOWN);
    out[5] = PM_I(row->size_kib);
    out[6] = PM_I(kept_or_null(row));
    out[7] = PM_I(row->reason);
}

pmapdb_status pm_region_of(pm_sql *sql, pm_row *row, bool new_lineage, pmapdb_error *err)
{
    pm_arg args[REGION_WIDTH] = {PM_I(PMAPDB_UNKNOWN)};
    pmapdb_status st;

    row->region_id = 0;
    if (!new_lineage && ((st = find(sql, row, err)) != PMAPDB_OK || row->region_id))
        return st;
    set_region(row, args + 1);
    st = pm_sql_run(sql, pm_region_table.one, args, REGION_WIDTH, err);
    row->region_id = pm_sql_last_id(sql);
    return st;
}

pmapdb_status pm_region_among(pm_bulk *regions, pm_row *row, bool new_lineage, pmapdb_error *err)
{
    pm_arg *args;
    pmapdb_status st;

    row->region_id = 0;
    if (!new_lineage && ((st = find(regions->sql, row, err)) != PMAPDB_OK || row->region_id))
        return st;
    st = pm_bulk_row(regions, &args, &row->region_id, err);
    if (st == PMAPDB_OK)
        set_region(row, args + 1);
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

#define LINEAGE \
    "INSERT OR FAIL INTO lineage (lineage_id, process_id, first_snapshot_id, category_id, rule)"
#define LINEAGE_ROW "(?, ?, ?, ?, ?)"
#define LINEAGE_WIDTH 5

const pm_bulk_table pm_lineage_table = {
    .one = PM_BULK_INSERT(LINEAGE, LINEAGE_ROW),
    .many = PM_BULK_INSERTS(LINEAGE, LINEAGE_ROW),
    .last = "SELECT max(lineage_id) FROM lineage",
    .columns = LINEAGE_WIDTH,
};

/* Behind the id. */
static void set_lineage(int64_t process_id, int64_t snapshot_id, const pm_row *row,
                        const char *rule, pm_arg out[LINEAGE_WIDTH - 1])
{
    out[0] = PM_I(process_id);
    out[1] = PM_I(snapshot_id);
    out[2] = PM_I(pm_row_category(row));
    out[3] = PM_S(rule);
}

pmapdb_status pm_lineage_new(pm_sql *sql, int64_t process_id, int64_t snapshot_id, pm_row *row,
                             const char *rule, pmapdb_error *err)
{
    pm_arg args[LINEAGE_WIDTH] = {PM_I(PMAPDB_UNKNOWN)};
    pmapdb_status st;

    set_lineage(process_id, snapshot_id, row, rule, args + 1);
    st = pm_sql_run(sql, pm_lineage_table.one, args, LINEAGE_WIDTH, err);
    row->at.lineage = pm_sql_last_id(sql);
    return st;
}

pmapdb_status pm_lineage_among(pm_bulk *lineages, int64_t process_id, int64_t snapshot_id,
                               pm_row *row, const char *rule, pmapdb_error *err)
{
    pm_arg *args;
    pmapdb_status st = pm_bulk_row(lineages, &args, &row->at.lineage, err);

    if (st == PMAPDB_OK)
        set_lineage(process_id, snapshot_id, row, rule, args + 1);
    return st;
}
