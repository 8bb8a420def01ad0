/* versions: the rows of the captures of one epoch. */
#include "store/dict/versions.h"

#include "base/buf.h"
#include <stdlib.h>

void pm_versions_free(pm_versions *v)
{
    free(v->item);
    *v = (pm_versions){0};
}

/* The columns of versions.sql. */
enum { REGION, FIRST, LAST, LINEAGE, START, LENGTH, OFFSET, SIZE, REASON, CATEGORY, NUMBERS };
#define OBJECT (NUMBERS + PM_VER_READ)

static void read_row(pm_sql *sql, sqlite3_stmt *stmt, pm_objects *objects, pm_row *row)
{
    int64_t lineage = pm_col_int(stmt, LINEAGE), offset = pm_col_int(stmt, OFFSET);
    int64_t kept = pm_col_int(stmt, CATEGORY);

    *row = (pm_row){
        .at = {.lineage = lineage,
               .kept = kept == PMAPDB_UNKNOWN ? 0 : kept,
               .start = (uint64_t)pm_col_int(stmt, START),
               .length = (uint64_t)pm_col_int(stmt, LENGTH),
               .offset = offset == PMAPDB_UNKNOWN ? 0 : (uint64_t)offset,
               .has_offset = offset != PMAPDB_UNKNOWN},
        .region_id = pm_col_int(stmt, REGION),
        .size_kib = pm_col_int(stmt, SIZE),
        .reason = (pm_reason)pm_col_int(stmt, REASON),
        .first = (int32_t)pm_col_int(stmt, FIRST),
    };
    if (lineage == PMAPDB_UNKNOWN)
        PM_SQL_STEP(sql,
                    pm_fail(&err, PMAPDB_DATABASE, "region %lld is missing; the store is damaged",
                            (long long)row->region_id));
    row->at.object = pm_objects_read(objects, stmt, OBJECT);
    for (int i = 0; i < PM_VER_READ; i++)
        row->m.v[i] = pm_col_kib(stmt, NUMBERS + i);
}

static int by_place(const void *a, const void *b)
{
    return pm_place_compare(&((const pm_version *)a)->row.at, &((const pm_version *)b)->row.at);
}

void pm_versions_load(pm_sql *sql, pm_objects *objects, int64_t epoch_id, int64_t from,
                      pm_versions *out)
{
    sqlite3_stmt *stmt =
        pm_sql_ask(sql, pm_sql_script_text("versions"), PM_ARGS(PM_I(epoch_id), PM_I(from)));

    while (pm_sql_next(sql, stmt)) {
        int64_t last = pm_col_int(stmt, LAST);
        pm_version *item;

        PM_SQL_STEP(sql, pm_grow(&out->item, &out->cap, out->n, sizeof *out->item, &err));
        if (!pm_sql_ok(sql))
            continue;
        item = &out->item[out->n++];
        item->first = pm_col_int(stmt, FIRST);
        item->last = last == PMAPDB_UNKNOWN ? INT64_MAX : last;
        read_row(sql, stmt, objects, &item->row);
    }
    if (out->n)
        qsort(out->item, out->n, sizeof *out->item, by_place);
}

void pm_versions_rows(pm_sql *sql, const pm_versions *v, int64_t off, pm_rows *out)
{
    out->n = 0;
    PM_SQL_STEP(sql, pm_rows_reserve(out, v->n, &err));
    for (size_t i = 0; i < v->n && pm_sql_ok(sql); i++)
        if (off >= v->item[i].first && off <= v->item[i].last)
            out->row[out->n++] = v->item[i].row;
}
