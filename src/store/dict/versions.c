/* versions: the rows of the captures of one epoch. */
#include "store/dict/versions.h"

#include "base/buf.h"
#include "store/dict/region.h"
#include <stdlib.h>

void pm_versions_free(pm_versions *v)
{
    free(v->item);
    free(v->active);
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

static int by_first(const void *a, const void *b)
{
    const pm_version *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return pm_place_compare(&x->row.at, &y->row.at);
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
    *out = (pm_versions){
        .epoch_id = epoch_id, .from = from, .fields = (uint64_t)fields, .at = from - 1};
    stmt = pm_sql_ask(sql, ROWS "coalesce(v.last, ?2) >= ?2", PM_ARGS(PM_I(epoch_id), PM_I(from)));
    while (pm_sql_next(sql, stmt))
        read_version(sql, stmt, objects, out);
    if (out->n)
        qsort(out->item, out->n, sizeof *out->item, by_first);
}

/* ---- one capture ---- */

static int by_place(const void *a, const void *b, void *versions)
{
    const pm_version *item = ((const pm_versions *)versions)->item;

    return pm_place_compare(&item[*(const size_t *)a].row.at, &item[*(const size_t *)b].row.at);
}

/* Moves to the capture at `off`: `active` then has its versions. */
static void move(pm_sql *sql, pm_versions *v, int64_t off)
{
    size_t n = 0, stay;

    if (off < v->at)
        v->begun = v->n_active = 0;
    for (size_t i = 0; i < v->n_active; i++)
        if (v->item[v->active[i]].last >= off)
            v->active[n++] = v->active[i];
    v->n_active = stay = n;
    for (; v->begun < v->n && v->item[v->begun].first <= off; v->begun++) {
        PM_SQL_STEP(sql, pm_grow(&v->active, &v->cap_active, v->n_active, sizeof *v->active, &err));
        if (v->item[v->begun].last >= off && pm_sql_ok(sql))
            v->active[v->n_active++] = v->begun;
    }
    if (v->n_active > stay)
        qsort_r(v->active, v->n_active, sizeof *v->active, by_place, v);
    v->at = off;
}

void pm_versions_rows(pm_sql *sql, pm_versions *v, int64_t off, pm_rows *out)
{
    move(sql, v, off);
    out->n = 0;
    PM_SQL_STEP(sql, pm_rows_reserve(out, v->n_active, &err));
    for (size_t i = 0; i < v->n_active && pm_sql_ok(sql); i++)
        out->row[out->n++] = v->item[v->active[i]].row;
}
