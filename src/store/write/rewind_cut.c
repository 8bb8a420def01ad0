/* rewind_cut: how many captures of a process are taken off for a late one. */
#include "base/buf.h"
#include "store/write/rewind.h"
#include <stdlib.h>

void pm_queue_reserve(pm_sql *sql, pm_queue *q, size_t more)
{
    for (size_t n = q->n; n < q->n + more; n++)
        PM_SQL_STEP(sql, pm_grow(&q->item, &q->cap, n, sizeof *q->item, &err));
}

static int by_order(const void *a, const void *b)
{
    return pm_order_compare(&((const pm_waiting *)a)->order, &((const pm_waiting *)b)->order);
}

/* Loads the stored captures of the process with mappings; if p has only sums, those of its
 * stream. */
static void load_stored(const pm_put *p, pm_queue *out)
{
    bool totals = p->order.state == PM_STATE_TOTALS;
    sqlite3_stmt *stmt = pm_sql_ask(
        p->sql,
        "SELECT taken_ms, dialect_code, state_code, ordinal, hash, snapshot_id, epoch_id, off "
        "FROM snapshot WHERE process_id = ?1 AND off >= 0 AND (state_code = 2) = ?2 "
        "AND (dialect_code = ?3 OR NOT ?2)",
        PM_ARGS(PM_I(p->process_id), PM_I(totals), PM_I(p->order.dialect)));

    while (pm_sql_next(p->sql, stmt)) {
        pm_queue_reserve(p->sql, out, 1);
        if (pm_sql_ok(p->sql))
            out->item[out->n++] = (pm_waiting){
                .order = {pm_col_ms(stmt, 0), pm_col_dialect(stmt, 1), pm_col_state(stmt, 2),
                          pm_col_int(stmt, 3), pm_col_int(stmt, 4)},
                .snapshot_id = pm_col_int(stmt, 5),
                .epoch_id = pm_col_int(stmt, 6),
                .off = pm_col_int(stmt, 7)};
    }
    if (out->n)
        qsort(out->item, out->n, sizeof *out->item, by_order);
}

size_t pm_queue_beat(const pm_queue *q, size_t from, int64_t sweep_ms, size_t *leader)
{
    pm_order o[PM_DIALECT_COUNT + 1];
    size_t n = 0, length;

    while (n < PM_DIALECT_COUNT + 1 && from + n < q->n) {
        o[n] = q->item[from + n].order;
        n++;
    }
    length = pm_beat_length(o, n, sweep_ms);
    *leader = from + pm_beat_leader(o, length);
    if (*leader == from + length)
        *leader = q->n; /* the beat has no leader */
    return length;
}

/* Sets the base of each capture: the snapshot that gave it its lineages. *from, *to: the last beat
 * that begins before the late capture. */
static void find_bases(const pm_put *p, pm_queue *stored, size_t *from, size_t *to)
{
    size_t leader, length, spine = stored->n;

    *from = *to = 0;
    for (size_t at = 0; at < stored->n; at += length) {
        length = pm_queue_beat(stored, at, p->sweep_ms, &leader);
        for (size_t i = at; i < at + length; i++) {
            size_t base = leader == stored->n || i == leader ? spine : leader;

            stored->item[i].base_was = base == stored->n ? 0 : stored->item[base].snapshot_id;
            stored->item[i].led = i == leader;
        }
        if (leader != stored->n)
            spine = leader;
        if (pm_order_compare(&stored->item[at].order, &p->order) < 0) {
            *from = at;
            *to = at + length;
        }
    }
}

/* True if the late capture belongs to the beat from..to or splits it. */
static bool changes_beat(const pm_put *p, const pm_queue *stored, size_t from, size_t to)
{
    pm_beat b = pm_beat_none();

    if (from == to)
        return false;
    pm_beat_begin(&b, &stored->item[from].order);
    for (size_t i = from; i < to; i++)
        pm_beat_add(&b, &stored->item[i].order);
    return pm_order_compare(&p->order, &b.last) < 0 || pm_beat_joins(&b, &p->order, p->sweep_ms);
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

/* Returns the index of the first capture to take off. */
static size_t find_cut(const pm_put *p, pm_queue *stored)
{
    size_t from, to, cut;

    find_bases(p, stored, &from, &to);
    cut = changes_beat(p, stored, from, to) ? from : to;
    return decides_before(p, stored, cut) ? 0 : cut;
}

static size_t find_cut_of_totals(const pm_put *p, const pm_queue *stored)
{
    size_t cut = 0;

    while (cut < stored->n && pm_order_compare(&stored->item[cut].order, &p->order) < 0)
        cut++;
    return cut;
}

size_t pm_rewind_cut(const pm_put *p, pm_queue *stored)
{
    load_stored(p, stored);
    return p->order.state == PM_STATE_TOTALS ? find_cut_of_totals(p, stored) : find_cut(p, stored);
}
