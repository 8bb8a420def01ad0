/* rewind: stores captures that are older than the newest one of their process. */
#include "store/write/rewind.h"

#include "base/buf.h"
#include <stdlib.h>

/* Captures of one process with mappings, or with only sums, in their order. */
typedef struct captures {
    pm_waiting *item;
    size_t n, cap;
} captures;

/* Moves the item with its rows; after a failure it keeps them. */
static void move(pm_sql *sql, captures *c, pm_waiting *item)
{
    PM_SQL_STEP(sql, pm_grow(&c->item, &c->cap, c->n, sizeof *c->item, &err));
    if (!pm_sql_ok(sql))
        return;
    c->item[c->n++] = *item;
    item->rows = (pm_rows){0};
}

void pm_rewind_free(pm_newest *n)
{
    for (size_t i = 0; i < n->n_late; i++)
        free(n->late[i].rows.row);
    free(n->late);
    n->late = NULL;
    n->n_late = n->cap_late = 0;
}

/* ---- one capture ---- */

/* Until it is appended, a late capture is in any epoch of its process, at a place below zero. */
void pm_rewind_wait(pm_put *p, pm_newest_all *all, pm_newest *n)
{
    int64_t epoch_id = pm_sql_value(p->sql, "SELECT max(epoch_id) FROM epoch WHERE process_id = ?1",
                                    PM_ARGS(PM_I(p->process_id)), 0);
    int64_t newest = pm_sql_value(p->sql, "SELECT max(snapshot_id) FROM snapshot", PM_NO_ARGS, 0);

    pm_put_snapshot(p, epoch_id, -1 - newest);
    PM_SQL_STEP(p->sql, pm_grow(&n->late, &n->cap_late, n->n_late, sizeof *n->late, &err));
    if (!pm_sql_ok(p->sql))
        return;
    n->late[n->n_late++] = (pm_waiting){.order = p->order,
                                        .snapshot_id = p->snapshot_id,
                                        .fields = p->fields,
                                        .totals = p->totals,
                                        .rows = p->rows};
    p->rows = (pm_rows){0};
    all->waiting++;
    all->waiting_rows += n->late[n->n_late - 1].rows.n;
}

/* ---- which captures are taken off ---- */

/* Loads the stored captures of the process that do not wait. */
static void load_stored(pm_sql *sql, int64_t process_id, bool totals, captures *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        sql,
        "SELECT taken_ms, s.dialect, state_code, ordinal, hash, snapshot_id, s.epoch_id, off, "
        "e.fields, mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib "
        "FROM snapshot s CROSS JOIN epoch e ON e.epoch_id = s.epoch_id "
        "WHERE s.process_id = ?1 AND (state_code = 2) = ?2 AND off >= 0 ORDER BY taken_ms",
        PM_ARGS(PM_I(process_id), PM_I(totals)));

    while (pm_sql_next(sql, stmt)) {
        pm_waiting stored = {.order = pm_order_read(stmt),
                             .snapshot_id = pm_col_int(stmt, 5),
                             .epoch_id = pm_col_int(stmt, 6),
                             .off = pm_col_int(stmt, 7),
                             .fields = (uint64_t)pm_col_int(stmt, 8)};

        for (int i = 0; i < PM_TOTAL_COUNT; i++)
            stored.totals.v[i] = pm_col_kib(stmt, 9 + i);
        move(sql, out, &stored);
    }
    if (out->n)
        qsort(out->item, out->n, sizeof *out->item, pm_order_compare);
}

/* Returns the end of the sitting *s, which begins with capture `from`. *leader: the index of its
 * leader, or c->n if no capture of the sitting is complete. */
static size_t end_of_sitting(const captures *c, size_t from, int64_t sweep_ms, pm_sitting *s,
                             size_t *leader)
{
    size_t i = from;

    *s = pm_sitting_none();
    *leader = c->n;
    pm_sitting_begin(s, &c->item[from].order);
    do {
        int led = s->leader;

        pm_sitting_add(s, &c->item[i].order);
        if (s->leader != led)
            *leader = i;
        i++;
    } while (i < c->n && pm_sitting_joins(s, &c->item[i].order, sweep_ms));
    return i;
}

/* Sets the base of each capture. Returns the index of the first capture that must be taken off for
 * `late`: the one after the last sitting that begins before `late`; the first one of this sitting
 * if the late capture belongs to it or splits it. */
static size_t find_bases(captures *stored, int64_t sweep_ms, const pm_order *late)
{
    size_t leader, to, spine = stored->n, cut = 0;
    pm_sitting s;

    for (size_t from = 0; from < stored->n; from = to) {
        to = end_of_sitting(stored, from, sweep_ms, &s, &leader);
        for (size_t i = from; i < to; i++) {
            size_t base = leader == stored->n || i == leader ? spine : leader;

            stored->item[i].base_was = base == stored->n ? 0 : stored->item[base].snapshot_id;
            stored->item[i].led = i == leader;
        }
        if (leader != stored->n)
            spine = leader;
        if (pm_order_compare(&stored->item[from].order, late) < 0)
            cut = pm_order_compare(late, &s.last) < 0 || pm_sitting_joins(&s, late, sweep_ms) ? from
                                                                                              : to;
    }
    return cut;
}

/* True if a capture after the cut may decide the category of a lineage that began before. A lineage
 * has the category of the strongest leader that shows it: a leader after the cut may have decided,
 * or a late capture may decide now, the category of lineages that began before it. */
static bool decides_before(const captures *stored, size_t cut, const captures *late)
{
    pm_order weakest = {.state = PM_STATE_COMPLETE}, strongest = late->item[0].order;

    for (size_t i = 1; i < late->n; i++)
        if (pm_order_compare_worth(&late->item[i].order, &strongest) < 0)
            strongest = late->item[i].order;
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

/* ---- taking off ---- */

/* Reads the rows of an epoch from `off` on, and deletes them. NULL after a failure. */
static pm_rows *take_off(const pm_put *p, int64_t epoch_id, int64_t off)
{
    const pm_arg args[] = {PM_I(epoch_id), PM_I(off)};
    pm_sql *sql = p->sql;
    pm_rows *v = calloc(1, sizeof *v);

    if (!v) {
        PM_SQL_STEP(sql, pm_fail_nomem(&err));
        return NULL;
    }
    pm_versions_load(sql, p->objects, epoch_id, off, v);
    pm_sql_do(sql, "DELETE FROM mapping_version WHERE epoch_id = ?1 AND first >= ?2", args, 2);
    pm_sql_do(sql, "UPDATE mapping_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2 - 1",
              args, 2);
    pm_sql_do(sql, "DELETE FROM category_version WHERE epoch_id = ?1 AND first >= ?2", args, 2);
    pm_sql_do(sql, "UPDATE category_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2 - 1",
              args, 2);
    pm_sql_do(sql, "UPDATE snapshot SET off = -snapshot_id WHERE epoch_id = ?1 AND off >= ?2", args,
              2);
    return v;
}

/* Removes regions that no version shows any more. A region that returns gets its reason from the
 * capture that is then the first to show it. */
static void remove_regions(const pm_put *p)
{
    pm_sql_do(p->sql,
              "DELETE FROM region WHERE lineage_id IN (SELECT lineage_id FROM lineage "
              "WHERE process_id = ?1) AND region_id NOT IN (SELECT v.region_id FROM epoch e "
              "CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id WHERE e.process_id = ?1)",
              PM_ARGS(PM_I(p->process_id)));
}

/* Takes off the captures from `cut` on, and leaves only these in *stored. Captures of one epoch
 * share its rows. */
static void cut_off(const pm_put *p, captures *stored, size_t cut)
{
    stored->n -= cut;
    if (cut)
        memmove(stored->item, stored->item + cut, stored->n * sizeof *stored->item);
    for (size_t i = 0; i < stored->n && pm_sql_ok(p->sql); i++) {
        const pm_waiting *w = &stored->item[i];
        pm_rows *v = w->versions ? NULL : take_off(p, w->epoch_id, w->off);

        for (size_t k = i; k < stored->n && v; k++)
            if (stored->item[k].epoch_id == w->epoch_id)
                stored->item[k].versions = v;
    }
}

static void free_captures(captures *c)
{
    for (size_t i = 0; i < c->n; i++) {
        pm_rows *v = c->item[i].versions;

        free(c->item[i].rows.row);
        for (size_t k = i; k < c->n && v; k++)
            if (c->item[k].versions == v)
                c->item[k].versions = NULL;
        if (v)
            free(v->row);
        free(v);
    }
    free(c->item);
}

/* ---- appending ---- */

static void append(pm_put *p, pm_newest *n, pm_waiting *w)
{
    p->snapshot_id = w->snapshot_id;
    p->order = w->order;
    p->fields = w->fields;
    p->base_was = w->base_was;
    pm_refine_turn(p->refine);
    p->totals = w->totals;
    if (w->versions && w->order.state != PM_STATE_TOTALS) {
        pm_versions_rows(p->sql, w->versions, w->off, &p->rows);
    } else {
        free(p->rows.row);
        p->rows = w->rows;
        w->rows = (pm_rows){0};
    }
    if (pm_sql_ok(p->sql))
        pm_append(p, n);
}

/* Appends sitting by sitting, the leader of each first. */
static void append_all(pm_put *p, pm_newest *n, captures *c, bool totals)
{
    size_t leader = c->n, to;
    pm_sitting s;

    for (size_t from = 0; from < c->n && pm_sql_ok(p->sql); from = to) {
        to = totals ? c->n : end_of_sitting(c, from, p->sweep_ms, &s, &leader);
        if (!totals && pm_newest_sitting(p->sql, n, p->sweep_ms))
            pm_sitting_begin(&n->sitting, &c->item[from].order);
        if (leader != c->n)
            append(p, n, &c->item[leader]);
        for (size_t i = from; i < to; i++)
            if (i != leader)
                append(p, n, &c->item[i]);
    }
}

/* ---- the end ---- */

/* Appends the late captures of one kind, and the stored ones after them. Returns true if categories
 * of lineages that began before may change. */
static bool replay(pm_put *p, pm_newest *n, bool totals)
{
    captures late = {0}, all = {0};
    size_t cut = 0;
    bool decides = false;

    for (size_t i = 0; i < n->n_late; i++)
        if ((n->late[i].order.state == PM_STATE_TOTALS) == totals)
            move(p->sql, &late, &n->late[i]);
    if (late.n)
        qsort(late.item, late.n, sizeof *late.item, pm_order_compare);
    if (late.n)
        load_stored(p->sql, p->process_id, totals, &all);
    if (late.n && pm_sql_ok(p->sql)) {
        if (!totals) {
            cut = find_bases(&all, p->sweep_ms, &late.item[0].order);
            decides = decides_before(&all, cut, &late);
        }
        while (totals && cut < all.n && pm_order_compare(&all.item[cut], late.item) < 0)
            cut++;
        cut_off(p, &all, cut);
        pm_newest_forget(n);
        if (!totals)
            remove_regions(p);
        for (size_t i = 0; i < late.n; i++)
            move(p->sql, &all, &late.item[i]);
        qsort(all.item, all.n, sizeof *all.item, pm_order_compare);
        append_all(p, n, &all, totals);
    }
    free_captures(&late);
    free_captures(&all);
    return decides;
}

/* Removes epochs without captures, and lineages that no region shows. */
static void remove_rest(const pm_put *p)
{
    const pm_arg args[] = {PM_I(p->process_id)};

    pm_sql_do(p->sql,
              "DELETE FROM epoch WHERE process_id = ?1 AND NOT EXISTS (SELECT 1 FROM snapshot s "
              "WHERE s.epoch_id = epoch.epoch_id)",
              args, 1);
    pm_sql_do(p->sql,
              "DELETE FROM lineage WHERE process_id = ?1 AND NOT EXISTS (SELECT 1 FROM region r "
              "WHERE r.lineage_id = lineage.lineage_id)",
              args, 1);
}

/* Foreign keys are off meanwhile: to check that nothing refers to a region that is removed, SQLite
 * would read all of mapping_version; and the rows that come back refer to rows that are there. */
void pm_rewind_end(pm_put *p, pm_newest_all *all)
{
    sqlite3 *db = pm_sql_db(p->sql);

    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    for (size_t i = 0; i < all->n && all->waiting; i++) {
        pm_newest *n = all->item[i];
        bool decides;

        if (!n->n_late)
            continue;
        p->process_id = n->process_id;
        decides = replay(p, n, false);
        replay(p, n, true);
        remove_rest(p);
        pm_put_again(p, decides ? PM_AGAIN_BOTH : PM_AGAIN_LABELS);
        pm_map_clear(&p->renamed);
        all->waiting -= n->n_late;
        pm_rewind_free(n);
    }
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    all->waiting_rows = 0;
    free(p->rows.row);
    p->rows = (pm_rows){0};
    pm_map_free(&p->renamed);
}
