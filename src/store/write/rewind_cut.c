/* rewind_cut: which captures of a process wait for a late one. */
#include "base/buf.h"
#include "store/dict/row.h"
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

static void add(pm_sql *sql, pm_queue *q, const pm_waiting *item, size_t n)
{
    for (size_t i = 0; i < n; i++)
        append(sql, q, &item[i]);
    if (q->n > q->next)
        qsort(q->item + q->next, q->n - q->next, sizeof *q->item, by_order);
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

/* Loads the stored captures of the process with mappings, or with only sums: all of them, or those
 * that do not wait. */
static void load_stored(pm_sql *sql, int64_t process_id, bool totals, bool all, pm_queue *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        sql,
        "SELECT s.taken_ms, s.dialect, s.state_code, s.ordinal, s.hash, s.snapshot_id, "
        "s.epoch_id, s.off, e.waits FROM snapshot s CROSS JOIN epoch e ON e.epoch_id = s.epoch_id "
        "WHERE s.process_id = ?1 AND (s.state_code = 2) = ?2 AND (?3 OR NOT e.waits) "
        "ORDER BY s.taken_ms",
        PM_ARGS(PM_I(process_id), PM_I(totals), PM_I(all)));

    while (pm_sql_next(sql, stmt)) {
        const pm_waiting stored = {.order = {pm_col_ms(stmt, 0), pm_col_dialect(stmt, 1),
                                             pm_col_state(stmt, 2), pm_col_int(stmt, 3),
                                             pm_col_int(stmt, 4)},
                                   .snapshot_id = pm_col_int(stmt, 5),
                                   .epoch_id = pm_col_int(stmt, 6),
                                   .off = pm_col_int(stmt, 7),
                                   .waits = pm_col_int(stmt, 8) != 0};

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

/* Returns the snapshot that gave capture i its lineages, or 0. `base` is the one that would now. If
 * the capture waits and `base` does not, `base` may be a late capture: then its id is greater. */
static int64_t base_of(const pm_queue *stored, size_t i, size_t base)
{
    const pm_waiting *b = &stored->item[base], *w = &stored->item[i];

    return base == stored->n || (w->waits && !b->waits && b->snapshot_id > w->snapshot_id)
               ? 0
               : b->snapshot_id;
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
            stored->item[i].base_was =
                base_of(stored, i, leader == stored->n || i == leader ? spine : leader);
            stored->item[i].led = i == leader;
        }
        if (leader != stored->n)
            spine = leader;
        if (late && pm_order_compare(&stored->item[at].order, late) < 0) {
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

/* Returns the index of the first capture that waits. */
static size_t find_cut(const pm_put *late, pm_queue *stored)
{
    size_t from, to, cut;

    find_bases(stored, late->sweep_ms, &late->order, &from, &to);
    cut = changes_sitting(late, stored, from, to) ? from : to;
    return decides_before(late, stored, cut) ? 0 : cut;
}

/* Leaves the captures of the stream after the late one; all of them wait. */
static size_t find_cut_of_totals(const pm_put *late, pm_queue *stored)
{
    size_t n = 0;

    for (size_t i = 0; i < stored->n; i++)
        if (stored->item[i].order.dialect == late->order.dialect &&
            pm_order_compare(&stored->item[i].order, &late->order) > 0)
            stored->item[n++] = stored->item[i];
    stored->n = n;
    return 0;
}

/* ---- marking ---- */

#define SUMS "mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib"

/* Moves the captures of an epoch from `off` on to a new epoch, at the same places. */
static int64_t split(pm_sql *sql, int64_t epoch_id, int64_t off)
{
    pm_arg args[] = {PM_I(epoch_id), PM_I(off), PM_I(0)};

    pm_sql_do(sql,
              "INSERT INTO epoch (process_id, dialect, state, fields, waits) "
              "SELECT process_id, dialect, state, fields, 1 FROM epoch WHERE epoch_id = ?1",
              args, 1);
    args[2] = PM_I(pm_sql_last_id(sql));
    pm_sql_do(sql,
              "INSERT INTO mapping_version (epoch_id, region_id, first, last, " PM_VER_COLUMNS ") "
              "SELECT ?3, region_id, first, last, " PM_VER_COLUMNS
              " FROM mapping_version WHERE epoch_id = ?1 AND coalesce(last, ?2) >= ?2",
              args, 3);
    pm_sql_do(sql,
              "INSERT INTO category_version (epoch_id, category_id, first, last, " SUMS ") "
              "SELECT ?3, category_id, first, last, " SUMS
              " FROM category_version WHERE epoch_id = ?1 AND coalesce(last, ?2) >= ?2",
              args, 3);
    pm_sql_do(sql, "DELETE FROM mapping_version WHERE epoch_id = ?1 AND first >= ?2", args, 2);
    pm_sql_do(sql, "UPDATE mapping_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2 - 1",
              args, 2);
    pm_sql_do(sql, "DELETE FROM category_version WHERE epoch_id = ?1 AND first >= ?2", args, 2);
    pm_sql_do(sql, "UPDATE category_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2 - 1",
              args, 2);
    pm_sql_do(sql, "UPDATE snapshot SET epoch_id = ?3 WHERE epoch_id = ?1 AND off >= ?2", args, 3);
    return args[2].i;
}

/* Marks the epochs of the captures, of which the first of an epoch comes first. An epoch that has
 * earlier ones is split. */
static void mark(pm_sql *sql, pm_waiting *item, size_t n)
{
    pm_map marked = {0}; /* epoch -> the epoch that has its captures now */

    for (size_t i = 0; i < n && pm_sql_ok(sql); i++) {
        pm_waiting *w = &item[i];
        int64_t now = w->epoch_id;

        if (!pm_map_get(&marked, (uint64_t)w->epoch_id, &now)) {
            if (pm_sql_value(sql, "SELECT 1 FROM snapshot WHERE epoch_id = ?1 AND off < ?2",
                             PM_ARGS(PM_I(w->epoch_id), PM_I(w->off)), 0))
                now = split(sql, w->epoch_id, w->off);
            else
                pm_sql_do(sql, "UPDATE epoch SET waits = 1 WHERE epoch_id = ?1",
                          PM_ARGS(PM_I(w->epoch_id)));
            PM_SQL_STEP(sql, pm_map_put(&marked, (uint64_t)w->epoch_id, now, &err));
        }
        w->epoch_id = now;
    }
    pm_map_free(&marked);
}

void pm_rewind_cut(const pm_put *late, pm_queue *q)
{
    bool totals = late->order.state == PM_STATE_TOTALS;
    pm_queue stored = {0};
    size_t cut;

    load_stored(late->sql, late->process_id, totals, false, &stored);
    cut = totals ? find_cut_of_totals(late, &stored) : find_cut(late, &stored);
    if (stored.n > cut) {
        mark(late->sql, stored.item + cut, stored.n - cut);
        add(late->sql, q, stored.item + cut, stored.n - cut);
    }
    free(stored.item);
}

void pm_rewind_load(pm_sql *sql, int64_t process_id, bool totals, int64_t sweep_ms, pm_queue *q)
{
    pm_queue stored = {0};
    size_t from, to;

    load_stored(sql, process_id, totals, true, &stored);
    if (!totals)
        find_bases(&stored, sweep_ms, NULL, &from, &to);
    for (from = to = 0; from < stored.n; from++)
        if (stored.item[from].waits)
            stored.item[to++] = stored.item[from];
    add(sql, q, stored.item, to);
    free(stored.item);
}
