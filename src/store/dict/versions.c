/* versions: the rows of the captures of one epoch. */
#include "store/dict/versions.h"

#include "base/buf.h"
#include "store/dict/region.h"
#include <stdlib.h>

void pm_versions_free(pm_versions *v)
{
    free(v->item);
    *v = (pm_versions){0};
}

/* ---- reading ---- */

#define AT_REGION 3
#define AT_METRICS (AT_REGION + PM_REGION_COLUMNS)

#define ROWS                                                                              \
    "SELECT v.region_id, v.first, v.last, " PM_REGION_SELECT ", " PM_VER_SELECT           \
    " FROM mapping_version v LEFT JOIN region r ON r.region_id = v.region_id" PM_VER_JOIN \
    "WHERE v.epoch_id = ?1 AND "

static void read_row(pm_sql *sql, sqlite3_stmt *stmt, pm_objects *objects, pm_row *row)
{
    pm_region_read(sql, stmt, AT_REGION, pm_col_int(stmt, 0), objects, row);
    row->first = (int32_t)pm_col_int(stmt, 1);
    for (int i = 0; i < PM_VER_READ; i++)
        row->m.v[i] = pm_col_kib(stmt, AT_METRICS + i);
}

void pm_versions_newest(pm_sql *sql, pm_objects *objects, int64_t epoch_id, pm_rows *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql, ROWS "v.last IS NULL", PM_ARGS(PM_I(epoch_id)));

    while (pm_sql_next(sql, stmt)) {
        PM_SQL_STEP(sql, pm_rows_reserve(out, out->n + 1, &err));
        if (pm_sql_ok(sql))
            read_row(sql, stmt, objects, &out->row[out->n++]);
    }
    pm_rows_sort(out);
}

static void read_version(pm_sql *sql, sqlite3_stmt *stmt, pm_objects *objects, pm_versions *v)
{
    pm_version *item;

    PM_SQL_STEP(sql, pm_grow(&v->item, &v->cap, v->n, sizeof *v->item, &err));
    if (!pm_sql_ok(sql))
        return;
    item = &v->item[v->n++];
    item->first = pm_col_int(stmt, 1);
    item->last = pm_col_int(stmt, 2);
    if (item->last == PMAPDB_UNKNOWN)
        item->last = INT64_MAX;
    read_row(sql, stmt, objects, &item->row);
}

static int by_place(const void *a, const void *b)
{
    return pm_place_compare(&((const pm_version *)a)->row.at, &((const pm_version *)b)->row.at);
}

void pm_versions_load(pm_sql *sql, pm_objects *objects, int64_t epoch_id, int64_t from,
                      pm_versions *out)
{
    int64_t fields = pm_sql_value(sql, "SELECT fields FROM epoch WHERE epoch_id = ?1",
                                  PM_ARGS(PM_I(epoch_id)), PMAPDB_UNKNOWN);
    sqlite3_stmt *stmt;

    if (fields == PMAPDB_UNKNOWN)
        PM_SQL_STEP(sql,
                    pm_fail(&err, PMAPDB_DATABASE, "epoch %lld is missing; the store is damaged",
                            (long long)epoch_id));
    *out = (pm_versions){.fields = (uint64_t)fields};
    stmt = pm_sql_ask(sql, ROWS "coalesce(v.last, ?2) >= ?2", PM_ARGS(PM_I(epoch_id), PM_I(from)));
    while (pm_sql_next(sql, stmt))
        read_version(sql, stmt, objects, out);
    if (out->n)
        qsort(out->item, out->n, sizeof *out->item, by_place);
}

void pm_versions_rows(pm_sql *sql, const pm_versions *v, int64_t off, pm_rows *out)
{
    out->n = 0;
    for (size_t i = 0; i < v->n && pm_sql_ok(sql); i++) {
        if (off < v->item[i].first || off > v->item[i].last)
            continue;
        PM_SQL_STEP(sql, pm_rows_reserve(out, out->n + 1, &err));
        if (pm_sql_ok(sql))
            out->row[out->n++] = v->item[i].row;
    }
}
