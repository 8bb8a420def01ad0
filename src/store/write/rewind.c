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
    pm_map_free(&r->labelled);
    pm_map_free(&r->renamed);
    free(r);
}

static pm_queue *queue_of(pm_rewind *r, const pm_order *o)
{
    return o->state == PM_STATE_TOTALS ? &r->totals : &r->mappings;
}

/* ---- the captures that wait ---- */

static void load_labelled(pm_put *p, pm_rewind *r)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        p->sql, "SELECT lineage_id, category_id FROM lineage WHERE process_id = ?1 AND rule = ?2",
        PM_ARGS(PM_I(p->process_id), PM_S(PM_RULE_LABEL)));

    while (pm_sql_next(p->sql, stmt))
        PM_SQL_STEP(p->sql, pm_map_put(&r->labelled, (uint64_t)pm_col_int(stmt, 0),
                                       pm_col_int(stmt, 1), &err));
}

/* Some captures of the process may wait already: an earlier program was killed, or another one
 * writes, too. */
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
    pm_rewind_load(p->sql, n->process_id, false, p->sweep_ms, &n->rewind->mappings);
    pm_rewind_load(p->sql, n->process_id, true, p->sweep_ms, &n->rewind->totals);
    load_labelled(p, n->rewind);
}

/* Returns the rows of the epoch, from this capture on. */
static pm_versions *versions_of(pm_put *p, pm_rewind *r, const waiting *w)
{
    pm_versions *v;

    for (size_t i = 0; i < r->n_versions; i++)
        if (r->versions[i]->epoch_id == w->epoch_id)
            return r->versions[i];
    v = calloc(1, sizeof *v);
    PM_SQL_STEP(p->sql, v ? pm_grow(&r->versions, &r->cap_versions, r->n_versions,
                                    sizeof(pm_versions *), &err)
                          : pm_fail_nomem(&err));
    if (!pm_sql_ok(p->sql)) {
        free(v);
        return NULL;
    }
    r->versions[r->n_versions++] = v;
    pm_versions_load(p->sql, p->objects, w->epoch_id, w->off, v);
    return v;
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
    pm_versions *versions = versions_of(means, n->rewind, w);
    pm_put p = {.sql = means->sql,
                .objects = means->objects,
                .refine = means->refine,
                .left = means->left,
                .sweep_ms = means->sweep_ms,
                .process_id = n->process_id,
                .snapshot_id = w->snapshot_id,
                .order = w->order,
                .fields = versions ? versions->fields : 0,
                .rows = n->rewind->rows,
                .rollup = n->rewind->rollup,
                .rewind = n->rewind,
                .base_was = w->base_was};

    if (!versions)
        return;
    p.rows.n = 0;
    pm_refine_turn(&p.refine);
    if (w->order.state == PM_STATE_TOTALS)
        read_totals(&p);
    else
        pm_versions_rows(p.sql, versions, w->off, &p.rows);
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

/* Appends captures up to `until`, and completes the last sitting; NULL means all captures. Appends
 * at least one, and stops when the turn is over. */
static void append_waiting(pm_put *means, pm_newest *n, pm_queue *q, const pm_order *until)
{
    for (size_t from = q->next; pm_sql_ok(means->sql) && q->next < q->n;) {
        const pm_order *next = &q->item[q->next].order;
        const pm_sitting *sitting = pm_newest_sitting(means->sql, n, means->sweep_ms);

        if (!sitting || (until && pm_order_compare(next, until) > 0) ||
            (means->turn && q->next > from && pm_store_turn_is_over(means->turn)))
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

/* If the capture is late, makes all captures after it wait. */
static void make_way(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    if (is_late(p, n))
        begin(p, all, n);
    if (!n->rewind || !is_late(p, n)) /* among the captures that do not wait */
        return;
    pm_rewind_cut(p, queue_of(n->rewind, &p->order));
    pm_newest_forget(n);
}

bool pm_rewind_reach(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    pm_order until = p->order;
    pm_queue *q;

    until.taken_ms -= p->sweep_ms + 1; /* no sitting that begins by then has the capture in it */
    make_way(p, all, n);
    if (!pm_sql_ok(p->sql) || !n->rewind)
        return true;
    q = queue_of(n->rewind, &p->order);
    append_waiting(p, n, q, &until);
    return q->next == q->n || pm_order_compare(&q->item[q->next].order, &until) > 0;
}

void pm_rewind_put(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    const waiting late = {.order = p->order, .put = p};
    pm_queue *q;

    make_way(p, all, n);
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

void pm_rewind_go_on(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    p->process_id = n->process_id;
    begin(p, all, n);
    if (!pm_sql_ok(p->sql))
        return;
    append_waiting(p, n, &n->rewind->mappings, NULL);
    append_waiting(p, n, &n->rewind->totals, NULL);
}

#define LEFT                                                                                   \
    "epoch_id IN (SELECT e.epoch_id FROM epoch e WHERE e.process_id = ?1 AND e.waits AND NOT " \
    "EXISTS (SELECT 1 FROM snapshot s WHERE s.epoch_id = e.epoch_id))"
#define UNTIL "epoch_id = ?1 AND last < (SELECT min(off) FROM snapshot WHERE epoch_id = ?1)"

/* Removes the versions that only moved captures showed. */
static void remove_versions(pm_put *p, const pm_newest *n)
{
    pm_rewind *r = n->rewind;
    const pm_arg process[] = {PM_I(n->process_id)};
    size_t stay = 0;

    for (size_t i = 0; i < r->n_versions; i++) {
        const pm_arg epoch[] = {PM_I(r->versions[i]->epoch_id)};

        pm_sql_do(p->sql, "DELETE FROM mapping_version WHERE " UNTIL, epoch, 1);
        pm_sql_do(p->sql, "DELETE FROM category_version WHERE " UNTIL, epoch, 1);
        if (pm_sql_value(p->sql, "SELECT 1 FROM snapshot WHERE epoch_id = ?1", epoch, 1, 0)) {
            r->versions[stay++] = r->versions[i];
            continue;
        }
        pm_versions_free(r->versions[i]);
        free(r->versions[i]);
    }
    r->n_versions = stay;
    pm_sql_do(p->sql, "DELETE FROM mapping_version WHERE " LEFT, process, 1);
    pm_sql_do(p->sql, "DELETE FROM category_version WHERE " LEFT, process, 1);
    pm_sql_do(p->sql, "DELETE FROM epoch WHERE " LEFT, process, 1);
}

#define SHOWN "EXISTS (SELECT 1 FROM region r WHERE r.lineage_id = lineage.lineage_id)"

/* Removes regions that no version shows and lineages that no region shows. Foreign keys are off: to
 * check that nothing refers to a region, SQLite would read all of mapping_version. */
static void remove_rest(pm_put *p, int64_t process_id)
{
    const pm_arg args[] = {PM_I(process_id)};
    sqlite3_stmt *stmt;

    sqlite3_db_config(pm_sql_db(p->sql), SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    pm_sql_do(p->sql,
              "DELETE FROM region WHERE lineage_id IN (SELECT lineage_id FROM lineage "
              "WHERE process_id = ?1) AND region_id NOT IN (SELECT v.region_id FROM epoch e "
              "CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id WHERE e.process_id = ?1)",
              args, 1);
    sqlite3_db_config(pm_sql_db(p->sql), SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    stmt = pm_sql_ask(
        p->sql, "SELECT DISTINCT category_id FROM lineage WHERE process_id = ?1 AND NOT " SHOWN,
        args, 1);
    while (pm_sql_next(p->sql, stmt))
        PM_SQL_STEP(p->sql, pm_map_put(p->left, (uint64_t)pm_col_int(stmt, 0), 1, &err));
    pm_sql_do(p->sql, "DELETE FROM lineage WHERE process_id = ?1 AND NOT " SHOWN, args, 1);
}

void pm_rewind_tidy(pm_put *p, pm_newest_all *all)
{
    for (size_t i = 0; i < all->n && all->waiting; i++) {
        pm_newest *n = all->item[i];

        if (!n->rewind)
            continue;
        remove_versions(p, n);
        if (n->rewind->mappings.next < n->rewind->mappings.n ||
            n->rewind->totals.next < n->rewind->totals.n)
            continue;
        remove_rest(p, n->process_id);
        pm_rewind_free(n->rewind);
        n->rewind = NULL;
        all->waiting--;
    }
}
