/* rewind: stores a capture that is older than the newest one of its process. */
#include "store/write/rewind.h"

#include "base/buf.h"
#include "store/dict/versions.h"
#include <stdlib.h>

typedef struct pm_waiting waiting;

void pm_rewind_free(pm_rewind *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n_versions; i++) {
        pm_versions_free(r->versions[i]);
        free(r->versions[i]);
    }
    free(r->versions);
    pm_rows_free(&r->rows);
    pm_rollup_free(&r->rollup);
    free(r->mappings.item);
    free(r->totals.item);
    pm_map_free(&r->renamed);
    free(r);
}

static pm_queue *queue_of(pm_rewind *r, const pm_order *o)
{
    return o->state == PM_STATE_TOTALS ? &r->totals : &r->mappings;
}

/* ---- the captures that wait ---- */

static void begin(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    if (n->rewind)
        return;
    n->rewind = calloc(1, sizeof *n->rewind);
    if (!n->rewind) {
        PM_SQL_STEP(p->sql, pm_fail_nomem(&err));
        return;
    }
    all->waiting++;
    pm_newest_forget(n);
}

/* ---- putting back ---- */

/* Takes the sums of the capture from its row in table snapshot. */
static void read_totals(pm_put *p)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        p->sql,
        "SELECT mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib "
        "FROM snapshot WHERE snapshot_id = ?1",
        PM_ARGS(PM_I(p->snapshot_id)));
    pm_totals totals;

    if (!pm_sql_next(p->sql, stmt))
        return;
    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        int64_t v = pm_col_kib(stmt, i);

        totals.v[i] = v == PMAPDB_UNKNOWN ? -1 : v;
    }
    pm_sql_done(stmt);
    PM_SQL_STEP(p->sql, pm_rollup_totals(&p->rollup, &totals, &err));
}

static void put_back(pm_put *means, pm_newest *n, const waiting *w)
{
    pm_put p = {.sql = means->sql,
                .objects = means->objects,
                .refine = means->refine,
                .again = means->again,
                .sweep_ms = means->sweep_ms,
                .process_id = n->process_id,
                .snapshot_id = w->snapshot_id,
                .order = w->order,
                .fields = w->fields,
                .rows = n->rewind->rows,
                .rollup = n->rewind->rollup,
                .rewind = n->rewind,
                .base_was = w->base_was};

    p.rows.n = 0;
    pm_refine_turn(&p.refine);
    if (w->order.state == PM_STATE_TOTALS)
        read_totals(&p);
    else
        pm_versions_rows(p.sql, w->versions, w->off, &p.rows);
    pm_append(&p, n);
    n->rewind->rows = p.rows; /* the memory is used again */
    n->rewind->rollup = p.rollup;
}

static void append(pm_put *means, pm_newest *n, const waiting *w)
{
    if (w->put)
        pm_append(w->put, n);
    else
        put_back(means, n, w);
}

/* Appends the next sitting, its leader first. */
static void append_sitting(pm_put *means, pm_newest *n, pm_queue *q)
{
    size_t leader, length = pm_queue_sitting(q, q->next, means->sweep_ms, &leader);

    pm_sitting_begin(&n->sitting, &q->item[q->next].order);
    if (leader != q->n)
        append(means, n, &q->item[leader]);
    for (size_t i = q->next; i < q->next + length; i++)
        if (i != leader)
            append(means, n, &q->item[i]);
    q->next += length;
}

/* Appends captures up to `until`, and completes the last sitting; NULL means all captures. */
static void append_waiting(pm_put *means, pm_newest *n, pm_queue *q, const pm_order *until)
{
    while (pm_sql_ok(means->sql) && q->next < q->n) {
        const pm_order *next = &q->item[q->next].order;
        const pm_sitting *sitting = pm_newest_sitting(means->sql, n, means->sweep_ms);

        if (!sitting || (until && pm_order_compare(next, until) > 0))
            return;
        if (next->state == PM_STATE_TOTALS || pm_sitting_joins(sitting, next, means->sweep_ms))
            append(means, n, &q->item[q->next++]);
        else
            append_sitting(means, n, q);
    }
}

/* ---- one capture ---- */

static bool is_late(pm_put *p, pm_newest *n)
{
    if (p->order.state == PM_STATE_TOTALS) {
        const pm_stream *s =
            pm_newest_stream(p->sql, p->objects, n, p->order.dialect, p->order.state);

        return s && s->epoch_id && pm_order_compare(&p->order, &s->newest) < 0;
    }
    return pm_newest_sitting(p->sql, n, p->sweep_ms) && n->sitting.seen &&
           (pm_order_compare(&p->order, &n->sitting.last) < 0 ||
            pm_sitting_displaces(&n->sitting, &p->order, p->sweep_ms));
}

void pm_rewind_put(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    const waiting late = {.order = p->order, .put = p};
    pm_queue *q;

    if (is_late(p, n)) {
        begin(p, all, n);
        if (!pm_sql_ok(p->sql))
            return;
        pm_rewind_cut(p, n->rewind, queue_of(n->rewind, &p->order));
        pm_newest_forget(n);
    }
    if (!pm_sql_ok(p->sql))
        return;
    if (!n->rewind) {
        if (p->order.state != PM_STATE_TOTALS &&
            !pm_sitting_joins(&n->sitting, &p->order, p->sweep_ms))
            pm_sitting_begin(&n->sitting, &p->order);
        pm_append(p, n);
        return;
    }
    q = queue_of(n->rewind, &p->order);
    pm_queue_late(p->sql, q, &late);
    append_waiting(p, n, q, &p->order);
}

/* ---- the end ---- */

/* Removes epochs without captures, and lineages that no region shows. */
static void remove_rest(pm_put *p, int64_t process_id)
{
    const pm_arg args[] = {PM_I(process_id)};

    pm_sql_do(p->sql,
              "DELETE FROM epoch WHERE process_id = ?1 AND NOT EXISTS (SELECT 1 FROM snapshot s "
              "WHERE s.epoch_id = epoch.epoch_id)",
              args, 1);
    pm_sql_do(p->sql,
              "DELETE FROM lineage WHERE process_id = ?1 AND NOT EXISTS (SELECT 1 FROM region r "
              "WHERE r.lineage_id = lineage.lineage_id)",
              args, 1);
}

void pm_rewind_end(pm_put *p, pm_newest_all *all)
{
    for (size_t i = 0; i < all->n && all->waiting; i++) {
        pm_newest *n = all->item[i];

        if (!n->rewind)
            continue;
        p->process_id = n->process_id;
        append_waiting(p, n, &n->rewind->mappings, NULL);
        append_waiting(p, n, &n->rewind->totals, NULL);
        remove_rest(p, n->process_id);
        if (n->rewind->mappings.n)
            pm_put_again(p, n->rewind->judges ? PM_AGAIN_BOTH : PM_AGAIN_LABELS);
        pm_rewind_free(n->rewind);
        n->rewind = NULL;
        all->waiting--;
    }
}
