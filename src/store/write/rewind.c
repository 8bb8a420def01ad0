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

/* ---- taking captures off ---- */

/* Loads the rows of the captures of an epoch from `off` on, before they are deleted. */
static pm_versions *take_rows(pm_put *p, pm_rewind *r, int64_t epoch_id, int64_t off)
{
    pm_versions *v = calloc(1, sizeof *v);

    PM_SQL_STEP(p->sql, v ? pm_grow(&r->versions, &r->cap_versions, r->n_versions,
                                    sizeof(pm_versions *), &err)
                          : pm_fail_nomem(&err));
    if (!pm_sql_ok(p->sql)) {
        free(v);
        return NULL;
    }
    r->versions[r->n_versions++] = v;
    pm_versions_load(p->sql, p->objects, epoch_id, off, v);
    return v;
}

static void cut_epoch(pm_sql *sql, int64_t epoch_id, int64_t off)
{
    const pm_arg args[] = {PM_I(epoch_id), PM_I(off)};

    pm_sql_do(sql, "DELETE FROM mapping_version WHERE epoch_id = ?1 AND first >= ?2", args, 2);
    pm_sql_do(sql, "UPDATE mapping_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2 - 1",
              args, 2);
    pm_sql_do(sql, "DELETE FROM category_version WHERE epoch_id = ?1 AND first >= ?2", args, 2);
    pm_sql_do(sql, "UPDATE category_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2 - 1",
              args, 2);
}

/* Deletes regions that only the captures that were taken off showed. Foreign keys are off: no row
 * refers to these regions any more, but SQLite would read all of mapping_version to check that. */
static void delete_regions(pm_put *p, pm_versions *const *versions, size_t n)
{
    pm_ids regions = {0};

    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < versions[k]->n; i++)
            PM_SQL_STEP(p->sql, pm_ids_add(&regions, versions[k]->item[i].row.region_id, &err));
    pm_ids_sort(&regions);
    for (size_t i = 0; i < regions.n; i++)
        pm_sql_do(p->sql,
                  "DELETE FROM region WHERE region_id = ?1 AND NOT EXISTS (SELECT 1 FROM epoch e "
                  "CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id AND v.region_id = ?1 "
                  "WHERE e.process_id = ?2)",
                  PM_ARGS(PM_I(regions.id[i]), PM_I(p->process_id)));
    pm_ids_free(&regions);
}

static void take_off(pm_put *p, pm_rewind *r, waiting *item, size_t n)
{
    size_t first = r->n_versions;

    for (size_t i = 0; i < n && pm_sql_ok(p->sql); i++) {
        waiting *w = &item[i];
        size_t k = first;

        while (k < r->n_versions && r->versions[k]->epoch_id != w->epoch_id)
            k++;
        if (k == r->n_versions)
            take_rows(p, r, w->epoch_id, w->off);
        w->versions = pm_sql_ok(p->sql) ? r->versions[k] : NULL;
        pm_sql_do(p->sql, "UPDATE snapshot SET off = -snapshot_id WHERE snapshot_id = ?1",
                  PM_ARGS(PM_I(w->snapshot_id)));
    }
    sqlite3_db_config(pm_sql_db(p->sql), SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    for (size_t k = first; k < r->n_versions && pm_sql_ok(p->sql); k++)
        cut_epoch(p->sql, r->versions[k]->epoch_id, r->versions[k]->from);
    if (pm_sql_ok(p->sql))
        delete_regions(p, r->versions + first, r->n_versions - first);
    sqlite3_db_config(pm_sql_db(p->sql), SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
}

static void load_labelled(pm_put *p, pm_rewind *r)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        p->sql, "SELECT lineage_id, category_id FROM lineage WHERE process_id = ?1 AND rule = ?2",
        PM_ARGS(PM_I(p->process_id), PM_S(PM_RULE_LABEL)));

    while (pm_sql_next(p->sql, stmt))
        PM_SQL_STEP(p->sql, pm_map_put(&r->labelled, (uint64_t)pm_col_int(stmt, 0),
                                       pm_col_int(stmt, 1), &err));
}

/* Inserts items at the front of the queue. */
static void queue_first(pm_sql *sql, pm_queue *q, const waiting *item, size_t n)
{
    pm_queue_reserve(sql, q, n);
    if (!pm_sql_ok(sql))
        return;
    memmove(q->item + n, q->item + q->next, (q->n - q->next) * sizeof *q->item);
    memcpy(q->item, item, n * sizeof *item);
    q->n = n + q->n - q->next;
    q->next = 0;
}

static void rewind_to(pm_put *p, pm_newest *n)
{
    pm_queue stored = {0};
    size_t cut = pm_rewind_cut(p, &stored);

    load_labelled(p, n->rewind);
    if (stored.n) {
        take_off(p, n->rewind, stored.item + cut, stored.n - cut);
        queue_first(p->sql, queue_of(n->rewind, &p->order), stored.item + cut, stored.n - cut);
    }
    free(stored.item);
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
                .left = means->left,
                .sweep_ms = means->sweep_ms,
                .process_id = n->process_id,
                .snapshot_id = w->snapshot_id,
                .order = w->order,
                .fields = w->versions->fields,
                .rows = n->rewind->rows,
                .rollup = n->rewind->rollup,
                .rewind = n->rewind,
                .base_was = w->base_was};

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

/* Appends the next beat, its leader first. */
static void append_beat(pm_put *means, pm_newest *n, pm_queue *q)
{
    size_t leader, length = pm_queue_beat(q, q->next, means->sweep_ms, &leader);

    pm_beat_begin(&n->beat, &q->item[q->next].order);
    if (leader != q->n)
        append(means, n, &q->item[leader]);
    for (size_t i = q->next; i < q->next + length; i++)
        if (i != leader)
            append(means, n, &q->item[i]);
    q->next += length;
}

/* Appends the captures up to `until` and the rest of a beat that begins by then; NULL: all
 * captures. */
static void append_waiting(pm_put *means, pm_newest *n, pm_queue *q, const pm_order *until)
{
    while (pm_sql_ok(means->sql) && q->next < q->n) {
        const pm_order *next = &q->item[q->next].order;
        const pm_beat *beat = pm_newest_beat(means->sql, n, means->sweep_ms);

        if (!beat || (until && pm_order_compare(next, until) > 0))
            return;
        if (next->state == PM_STATE_TOTALS || pm_beat_joins(beat, next, means->sweep_ms))
            append(means, n, &q->item[q->next++]);
        else
            append_beat(means, n, q);
    }
}

/* ---- one capture ---- */

static void queue_late(pm_put *p, pm_queue *q)
{
    size_t at = q->n;

    pm_queue_reserve(p->sql, q, 1);
    if (!pm_sql_ok(p->sql))
        return;
    for (; at > q->next && pm_order_compare(&q->item[at - 1].order, &p->order) > 0; at--)
        q->item[at] = q->item[at - 1];
    q->item[at] = (waiting){.order = p->order, .put = p};
    q->n++;
}

static bool is_late(pm_put *p, pm_newest *n)
{
    if (p->order.state == PM_STATE_TOTALS) {
        const pm_stream *s =
            pm_newest_stream(p->sql, p->objects, n, p->order.dialect, p->order.state);

        return s && s->epoch_id && pm_order_compare(&p->order, &s->newest) < 0;
    }
    return pm_newest_beat(p->sql, n, p->sweep_ms) && n->beat.seen &&
           (pm_order_compare(&p->order, &n->beat.last) < 0 ||
            pm_beat_displaces(&n->beat, &p->order, p->sweep_ms));
}

static void begin(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    if (n->rewind)
        return;
    n->rewind = calloc(1, sizeof *n->rewind);
    if (n->rewind)
        all->waiting++;
    else
        PM_SQL_STEP(p->sql, pm_fail_nomem(&err));
}

void pm_rewind_put(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    bool late = is_late(p, n);
    pm_queue *q;

    if (late)
        begin(p, all, n);
    if (!pm_sql_ok(p->sql))
        return;
    if (!n->rewind) {
        if (p->order.state != PM_STATE_TOTALS && !pm_beat_joins(&n->beat, &p->order, p->sweep_ms))
            pm_beat_begin(&n->beat, &p->order);
        pm_append(p, n);
        return;
    }
    if (late)
        rewind_to(p, n);
    q = queue_of(n->rewind, &p->order);
    queue_late(p, q);
    append_waiting(p, n, q, &p->order);
}

#define SHOWN "EXISTS (SELECT 1 FROM region r WHERE r.lineage_id = lineage.lineage_id)"

/* Removes lineages that no region shows and epochs without a snapshot. */
static void remove_rest(pm_put *p, int64_t process_id)
{
    const pm_arg args[] = {PM_I(process_id)};
    sqlite3_stmt *stmt = pm_sql_ask(
        p->sql, "SELECT DISTINCT category_id FROM lineage WHERE process_id = ?1 AND NOT " SHOWN,
        args, 1);

    while (pm_sql_next(p->sql, stmt))
        PM_SQL_STEP(p->sql, pm_ids_add(p->left, pm_col_int(stmt, 0), &err));
    pm_sql_do(p->sql, "DELETE FROM lineage WHERE process_id = ?1 AND NOT " SHOWN, args, 1);
    pm_sql_do(p->sql,
              "DELETE FROM epoch WHERE process_id = ?1 AND NOT EXISTS (SELECT 1 FROM snapshot s "
              "WHERE s.epoch_id = epoch.epoch_id)",
              args, 1);
}

void pm_rewind_end(pm_put *p, pm_newest_all *all)
{
    for (size_t i = 0; i < all->n && all->waiting; i++) {
        pm_newest *n = all->item[i];

        if (!n->rewind)
            continue;
        append_waiting(p, n, &n->rewind->mappings, NULL);
        append_waiting(p, n, &n->rewind->totals, NULL);
        remove_rest(p, n->process_id);
        pm_rewind_free(n->rewind);
        n->rewind = NULL;
    }
    all->waiting = 0;
}
