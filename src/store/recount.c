/* recount: the sums by category of captures whose rows changed lineage, or whose lineages changed
 * category. Every cell of an epoch is looked up once, however many captures show it. */
#include "store/refine.h"

#include <stdlib.h>

/* What a cell adds. */
typedef struct share {
    int64_t category_id; /* 0: not looked up yet */
    pm_totals totals;
} share;

static pmapdb_status look_up(pm_sql *sql, const pm_epoch *e, const pm_cell *cell, share *out,
                             pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT coalesce(r.category_id, o.category_id), coalesce(r.size_kib, r.length / 1024) "
        "FROM region r CROSS JOIN object o ON o.object_id = r.object_id WHERE r.region_id = ?1",
        PM_ARGS(PM_I(cell->key)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK)
        return st;
    if (!has)
        return pm_fail(err, PMAPDB_DATABASE, "region %lld is missing; the store is damaged",
                       (long long)cell->key);
    out->category_id = pm_col_int(stmt, 0);
    pm_row_decode(&cell->m, e->fields, pm_col_int(stmt, 1), &out->totals);
    pm_sql_done(stmt);
    return PMAPDB_OK;
}

static pmapdb_status recount(pm_sql *sql, pm_epoch *e, size_t k, share *shares, pmapdb_error *err)
{
    const pm_strip_capture *c = &e->ver.captures[k];
    pm_rollup rollup = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++) {
        share *s = &shares[c->cell[i]];

        if (!s->category_id)
            st = look_up(sql, e, &e->ver.cells[c->cell[i]], s, err);
        if (st == PMAPDB_OK)
            st = pm_rollup_add(&rollup, s->category_id, &s->totals, err);
    }
    if (st == PMAPDB_OK)
        st = pm_epoch_set_rollup(e, k, &rollup, err);
    pm_rollup_free(&rollup);
    return st;
}

/* Item `first` and all behind it of the same epoch. */
static pmapdb_status recount_epoch(pm_late *l, size_t first, pmapdb_error *err)
{
    int64_t epoch_id = l->line.item[first].epoch_id;
    share *shares = NULL;
    pm_epoch *e;
    pmapdb_status st = pm_late_epoch(l, epoch_id, &e, err);

    if (st != PMAPDB_OK)
        return st;
    shares = calloc(e->ver.n_cells + 1, sizeof *shares);
    if (!shares)
        return pm_fail_nomem(err);
    for (size_t i = first; i < l->line.n && st == PMAPDB_OK; i++)
        if (l->item[i].recount && l->line.item[i].epoch_id == epoch_id) {
            st = recount(l->p->sql, e, (size_t)l->line.item[i].off, shares, err);
            l->item[i].recount = false;
        }
    free(shares);
    return st;
}

pmapdb_status pm_late_recount(pm_late *l, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < l->line.n && st == PMAPDB_OK; i++)
        if (l->item[i].recount)
            st = recount_epoch(l, i, err);
    return st;
}
