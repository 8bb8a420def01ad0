/* rewind_cut: which captures of a process wait for a late one. */
#include "base/buf.h"
#include "store/dict/versions.h"
#include "store/write/rewind.h"
#include <stdlib.h>

static int by_order(const void *a, const void *b)
{
    return pm_order_compare(&((const pm_waiting *)a)->order, &((const pm_waiting *)b)->order);
}

static void append(pm_sql *sql, pm_queue *q, const pm_waiting *item)
{
    PM_SQL_STEP(sql, pm_grow(&q->item, &q->cap, q->n, sizeof *q->item, &err));
    if (pm_sql_ok(sql))
        q->item[q->n++] = *item;
}

/* The place of a late capture is near the front: all before it were put back. */
void pm_queue_late(pm_sql *sql, pm_queue *q, const pm_waiting *late)
{
    size_t at = q->next;

    append(sql, q, late);
    if (!pm_sql_ok(sql))
        return;
    while (by_order(&q->item[at], late) < 0)
        at++;
    memmove(&q->item[at + 1], &q->item[at], (q->n - 1 - at) * sizeof *q->item);
    q->item[at] = *late;
}

/* Loads the captures of the process with mappings, or with only sums, that do not wait. */
static void load_stored(pm_sql *sql, int64_t process_id, bool totals, pm_queue *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        sql,
        "SELECT taken_ms, s.dialect, state_code, ordinal, hash, snapshot_id, s.epoch_id, off, "
        "e.fields FROM snapshot s CROSS JOIN epoch e ON e.epoch_id = s.epoch_id "
        "WHERE s.process_id = ?1 AND (state_code = 2) = ?2 AND off >= 0 ORDER BY taken_ms",
        PM_ARGS(PM_I(process_id), PM_I(totals)));

    while (pm_sql_next(sql, stmt)) {
        const pm_waiting stored = {.order = {pm_col_ms(stmt, 0), pm_col_dialect(stmt, 1),
                                             pm_col_state(stmt, 2), pm_col_int(stmt, 3),
                                             pm_col_int(stmt, 4)},
                                   .snapshot_id = pm_col_int(stmt, 5),
                                   .epoch_id = pm_col_int(stmt, 6),
                                   .off = pm_col_int(stmt, 7),
                                   .fields = (uint64_t)pm_col_int(stmt, 8)};

        append(sql, out, &stored);
    }
    if (out->n)
        qsort(out->item, out->n, sizeof *out->item, by_order);
}

size_t pm_queue_sitting(const pm_queue *q, size_t from, int64_t sweep_ms, size_t *leader)
{
    pm_order o[PM_DIALECT_COUNT + 1];
    size_t n = 0, length;

    while (n < PM_DIALECT_COUNT + 1 && from + n < q->n) {
        o[n] = q->item[from + n].order;
        n++;
    }
    length = pm_sitting_length(o, n, sweep_ms);
    *leader = from + pm_sitting_leader(o, length);
    if (*leader == from + length)
        *leader = q->n; /* the sitting has no leader */
    return length;
}

/* Sets the base of each capture. *from, *to: the last sitting that begins before `late`. */
static void find_bases(pm_queue *stored, int64_t sweep_ms, const pm_order *late, size_t *from,
                       size_t *to)
{
    size_t leader, length, spine = stored->n;

    *from = *to = 0;
    for (size_t at = 0; at < stored->n; at += length) {
        length = pm_queue_sitting(stored, at, sweep_ms, &leader);
        for (size_t i = at; i < at + length; i++) {
            size_t base = leader == stored->n || i == leader ? spine : leader;

            stored->item[i].base_was = base == stored->n ? 0 : stored->item[base].snapshot_id;
            stored->item[i].led = i == leader;
        }
        if (leader != stored->n)
            spine = leader;
        if (pm_order_compare(&stored->item[at].order, late) < 0) {
            *from = at;
            *to = at + length;
        }
    }
}

/* True if the late capture belongs to the sitting from..to or splits it. */
static bool changes_sitting(const pm_put *p, const pm_queue *stored, size_t from, size_t to)
{
    pm_sitting s = pm_sitting_none();

    if (from == to)
        return false;
    pm_sitting_begin(&s, &stored->item[from].order);
    for (size_t i = from; i < to; i++)
        pm_sitting_add(&s, &stored->item[i].order);
    return pm_order_compare(&p->order, &s.last) < 0 || pm_sitting_joins(&s, &p->order, p->sweep_ms);
}

/* True if a capture after the cut decides categories before it. A lineage has the category of the
 * strongest leader that shows it: a leader after the cut may have decided, or may decide now, the
 * category of lineages that began before it. */
static bool decides_before(const pm_put *p, const pm_queue *stored, size_t cut)
{
    pm_order weakest = {.state = PM_STATE_COMPLETE}, strongest = p->order;

    for (size_t i = 0; i < stored->n; i++) {
        const pm_order *o = &stored->item[i].order;

        if (!stored->item[i].led)
            continue;
        if (i < cut && pm_order_compare_worth(o, &weakest) > 0)
            weakest = *o;
        if (i >= cut && pm_order_compare_worth(o, &strongest) < 0)
            strongest = *o;
    }
    return pm_order_compare_worth(&strongest, &weakest) < 0;
}

/* Returns the index of the first capture that waits. Of captures with only sums, leaves those of
 * the stream after the late one. */
static size_t find_cut(const pm_put *late, pm_rewind *r, pm_queue *stored)
{
    size_t from, to, cut, n = 0;

    if (late->order.state != PM_STATE_TOTALS) {
        find_bases(stored, late->sweep_ms, &late->order, &from, &to);
        cut = changes_sitting(late, stored, from, to) ? from : to;
        r->judges |= decides_before(late, stored, cut);
        return cut;
    }
    for (size_t i = 0; i < stored->n; i++)
        if (stored->item[i].order.dialect == late->order.dialect &&
            pm_order_compare(&stored->item[i].order, &late->order) > 0)
            stored->item[n++] = stored->item[i];
    stored->n = n;
    return 0;
}

/* ---- taking off ---- */

/* Reads the rows of an epoch from `off` on, and deletes them. */
static void take_off(const pm_put *p, pm_rewind *r, int64_t epoch_id, int64_t off)
{
    const pm_arg args[] = {PM_I(epoch_id), PM_I(off)};
    pm_sql *sql = p->sql;
    pm_versions *v = calloc(1, sizeof *v);

    PM_SQL_STEP(
        sql, v ? pm_grow(&r->versions, &r->cap_versions, r->n_versions, sizeof(pm_versions *), &err)
               : pm_fail_nomem(&err));
    if (!pm_sql_ok(sql)) {
        free(v);
        return;
    }
    r->versions[r->n_versions++] = v;
    pm_versions_load(sql, p->objects, epoch_id, off, v);
    pm_sql_do(sql, "DELETE FROM mapping_version WHERE epoch_id = ?1 AND first >= ?2", args, 2);
    pm_sql_do(sql, "UPDATE mapping_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2 - 1",
              args, 2);
    pm_sql_do(sql, "DELETE FROM category_version WHERE epoch_id = ?1 AND first >= ?2", args, 2);
    pm_sql_do(sql, "UPDATE category_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2 - 1",
              args, 2);
    pm_sql_do(sql, "UPDATE snapshot SET off = -snapshot_id WHERE epoch_id = ?1 AND off >= ?2", args,
              2);
}

/* Removes regions that no version shows any more: where one returns, its reason is that of the
 * capture that is then the first one with it. Foreign keys are off: to check that nothing refers to
 * a region, SQLite would read all of mapping_version. */
static void remove_regions(const pm_put *p)
{
    sqlite3 *db = pm_sql_db(p->sql);

    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    pm_sql_do(p->sql,
              "DELETE FROM region WHERE lineage_id IN (SELECT lineage_id FROM lineage "
              "WHERE process_id = ?1) AND region_id NOT IN (SELECT v.region_id FROM epoch e "
              "CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id WHERE e.process_id = ?1)",
              PM_ARGS(PM_I(p->process_id)));
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
}

void pm_rewind_cut(const pm_put *late, pm_rewind *r, pm_queue *q)
{
    pm_queue stored = {0};
    pm_map taken = {0}; /* epoch -> the index of its versions */

    load_stored(late->sql, late->process_id, late->order.state == PM_STATE_TOTALS, &stored);
    for (size_t i = find_cut(late, r, &stored); i < stored.n && pm_sql_ok(late->sql); i++) {
        pm_waiting *w = &stored.item[i];
        int64_t at = (int64_t)r->n_versions;

        if (!pm_map_get(&taken, (uint64_t)w->epoch_id, &at)) {
            take_off(late, r, w->epoch_id, w->off);
            PM_SQL_STEP(late->sql, pm_map_put(&taken, (uint64_t)w->epoch_id, at, &err));
        }
        if (pm_sql_ok(late->sql))
            w->versions = r->versions[at];
        append(late->sql, q, w);
    }
    if (q->n > q->next)
        qsort(q->item + q->next, q->n - q->next, sizeof *q->item, by_order);
    if (late->order.state != PM_STATE_TOTALS)
        remove_regions(late);
    pm_map_free(&taken);
    free(stored.item);
}
