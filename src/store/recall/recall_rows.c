/* recall_rows: the mappings of the captures of one epoch. */
#include "store/recall/recall_rows.h"

#include "base/buf.h"
#include "store/recall_row.h"
#include "store/region.h"
#include <stdlib.h>

typedef struct pm_recall_version {
    uint64_t start, end;
    int64_t first, last; /* last INT64_MAX: to the end of the epoch */
    uint32_t mapping;
} version;

void pm_recall_rows_free(pm_recall_rows *e)
{
    free(e->version);
    free(e->active);
    *e = (pm_recall_rows){0};
}

/* ---- the versions of an epoch ---- */

typedef struct loading {
    pm_sql *sql;
    pm_objects *objects;
    pm_pool *pool;
    pm_recall_rows *e;
    pm_row row; /* versions come region by region: each region is looked up once */
    pm_buf extra;
} loading;

static pmapdb_status add_version(loading *l, sqlite3_stmt *stmt, pmapdb_error *err)
{
    pm_recall_rows *e = l->e;
    int64_t region_id = pm_col_int(stmt, 0);
    version v = {.first = pm_col_int(stmt, 1), .last = pm_col_int(stmt, 2)};
    pm_mapping m;
    pmapdb_status st = PMAPDB_OK;

    if (v.last == PMAPDB_UNKNOWN)
        v.last = INT64_MAX;
    for (int i = 0; i < PM_VER_READ; i++)
        l->row.m.v[i] = pm_col_kib(stmt, i + 3);
    if (region_id != l->row.region_id) {
        l->row.region_id = region_id;
        st = pm_region_get(l->sql, l->objects, &l->row, err);
    }
    if (st != PMAPDB_OK ||
        (st = pm_recall_row(l->sql, &l->row, e->fields, &l->extra, &m, err)) != PMAPDB_OK ||
        (st = pm_pool_mapping(l->pool, &m, &v.mapping, err)) != PMAPDB_OK ||
        (st = pm_grow(&e->version, &e->cap, e->n, sizeof *e->version, err)) != PMAPDB_OK)
        return st;
    v.start = m.start;
    v.end = m.end;
    e->version[e->n++] = v;
    return PMAPDB_OK;
}

static int by_first(const void *a, const void *b)
{
    const version *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static void read_versions(loading *l)
{
    pm_recall_rows *e = l->e;
    sqlite3_stmt *row = pm_sql_ask(l->sql,
                                   "SELECT v.region_id, v.first, v.last, " PM_VER_SELECT
                                   " FROM mapping_version v WHERE v.epoch_id = ?1 "
                                   "AND coalesce(v.last, ?2) >= ?2 "
                                   "ORDER BY v.region_id, v.first",
                                   PM_ARGS(PM_I(e->epoch_id), PM_I(e->from)));

    while (pm_sql_next(l->sql, row)) {
        pmapdb_error err = {0};
        pmapdb_status st = add_version(l, row, &err);

        pm_sql_keep(l->sql, st, &err);
    }
    if (e->n)
        qsort(e->version, e->n, sizeof *e->version, by_first);
}

pmapdb_status pm_recall_rows_load(pm_sql *sql, pm_objects *objects, pm_pool *pool, int64_t epoch_id,
                                  int64_t from, pm_recall_rows *out, pmapdb_error *err)
{
    pm_recall_rows e = {.epoch_id = epoch_id, .from = from, .at = -1};
    loading l = {.sql = sql, .objects = objects, .pool = pool, .e = &e};
    int64_t fields = pm_sql_value(sql, "SELECT fields FROM epoch WHERE epoch_id = ?1",
                                  PM_ARGS(PM_I(epoch_id)), PMAPDB_UNKNOWN);
    pmapdb_status st;

    e.fields = (uint64_t)fields;
    read_versions(&l);
    pm_buf_free(&l.extra);
    st = pm_sql_end(sql, err);
    if (st == PMAPDB_OK && fields == PMAPDB_UNKNOWN)
        st = pm_fail(err, PMAPDB_INPUT, "epoch %lld is missing; the store is damaged",
                     (long long)epoch_id);
    if (st != PMAPDB_OK) {
        pm_recall_rows_free(&e);
        return st;
    }
    pm_recall_rows_free(out);
    *out = e;
    return PMAPDB_OK;
}

/* ---- one capture ---- */

/* Drops the active versions that end before `off`, and adds those that begin by then. */
static pmapdb_status move_to(pm_recall_rows *e, int64_t off, pmapdb_error *err)
{
    size_t n = 0;
    pmapdb_status st = PMAPDB_OK;

    if (off < e->at)
        e->begun = e->n_active = 0;
    for (size_t i = 0; i < e->n_active; i++)
        if (e->version[e->active[i]].last >= off)
            e->active[n++] = e->active[i];
    e->n_active = n;
    for (; e->begun < e->n && e->version[e->begun].first <= off && st == PMAPDB_OK; e->begun++) {
        const version *new = &e->version[e->begun];
        size_t at = e->n_active;

        if (new->last < off)
            continue;
        st = pm_grow(&e->active, &e->cap_active, e->n_active, sizeof *e->active, err);
        if (st != PMAPDB_OK)
            return st;
        for (; at > 0 && e->version[e->active[at - 1]].start > new->start; at--)
            e->active[at] = e->active[at - 1];
        e->active[at] = e->begun;
        e->n_active++;
    }
    e->at = off;
    return st;
}

pmapdb_status pm_recall_rows_at(pm_recall_rows *e, int64_t off, uint32_t **rows, size_t *n,
                                pmapdb_error *err)
{
    pmapdb_status st = move_to(e, off, err);
    uint32_t *ids;

    if (st != PMAPDB_OK)
        return st;
    ids = malloc((e->n_active + 1) * sizeof *ids);
    if (!ids)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < e->n_active; i++)
        ids[i] = e->version[e->active[i]].mapping;
    *rows = ids;
    *n = e->n_active;
    return PMAPDB_OK;
}
