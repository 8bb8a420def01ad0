/* recall_rows: the mappings of the captures of one epoch. */
#include "store/recall/recall_rows.h"

#include "store/recall/recall_row.h"
#include <stdlib.h>

void pm_recall_rows_free(pm_recall_rows *e)
{
    pm_versions_free(&e->versions);
    free(e->mapping);
    *e = (pm_recall_rows){0};
}

static pmapdb_status pool_version(pm_sql *sql, const pm_versions *v, size_t i, pm_pool *pool,
                                  pm_buf *extra, uint32_t *out, pmapdb_error *err)
{
    pm_mapping m;
    pmapdb_status st = pm_recall_row(sql, &v->item[i].row, v->fields, extra, &m, err);

    return st == PMAPDB_OK ? pm_pool_mapping(pool, &m, out, err) : st;
}

static void load(pm_sql *sql, pm_objects *objects, pm_pool *pool, int64_t epoch_id, int64_t from,
                 pm_recall_rows *out)
{
    pm_versions *v = &out->versions;
    pm_buf extra = {0};

    pm_versions_load(sql, objects, epoch_id, from, v);
    out->mapping = malloc((v->n + 1) * sizeof *out->mapping);
    PM_SQL_STEP(sql, out->mapping ? PMAPDB_OK : pm_fail_nomem(&err));
    for (size_t i = 0; i < v->n && pm_sql_ok(sql); i++)
        PM_SQL_STEP(sql, pool_version(sql, v, i, pool, &extra, &out->mapping[i], &err));
    pm_buf_free(&extra);
}

pmapdb_status pm_recall_rows_load(pm_sql *sql, pm_objects *objects, pm_pool *pool, int64_t epoch_id,
                                  int64_t from, pm_recall_rows *out, pmapdb_error *err)
{
    pm_recall_rows e = {0};
    pmapdb_status st;

    load(sql, objects, pool, epoch_id, from, &e);
    st = pm_sql_end(sql, err);
    if (st != PMAPDB_OK) {
        pm_recall_rows_free(&e);
        return st;
    }
    pm_recall_rows_free(out);
    *out = e;
    return PMAPDB_OK;
}

pmapdb_status pm_recall_rows_at(pm_sql *sql, pm_recall_rows *e, int64_t off, uint32_t **rows,
                                size_t *n, pmapdb_error *err)
{
    pm_versions *v = &e->versions;
    pmapdb_status st;

    pm_versions_move(sql, v, off);
    st = pm_sql_end(sql, err);
    *rows = st == PMAPDB_OK ? malloc((v->n_active + 1) * sizeof **rows) : NULL;
    if (st == PMAPDB_OK && !*rows)
        st = pm_fail_nomem(err);
    for (size_t i = 0; i < v->n_active && *rows; i++)
        (*rows)[i] = e->mapping[v->active[i]];
    *n = v->n_active;
    return st;
}
