/* moment: which snapshots of one (host, name) were captured together. */
#include "store/write/moment.h"

#include "base/buf.h"
#include "base/record/dialect.h"
#include <stdio.h>
#include <stdlib.h>

#define NAMES_MAX 16384 /* then all names are forgotten: most are no longer captured */

typedef struct item {
    int64_t snapshot_id, process_id, pid, taken_ms, ordinal, hash, moment_ms;
    pm_dialect dialect;
    pm_state state;
    bool preferred;
    bool live; /* its moment is the live sweep: every snapshot with this taken_ms and no other */
} item;

typedef struct pm_moment_items {
    item *item;
    size_t n, cap;
} items;

void pm_moments_forget(pm_moments *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->newest[i].item);
    free(m->newest);
    pm_map_free(&m->index);
    *m = (pm_moments){0};
}

static void add_item(pm_sql *sql, items *to, const item *i)
{
    PM_SQL_STEP(sql, pm_grow(&to->item, &to->cap, to->n, sizeof *to->item, &err));
    if (pm_sql_ok(sql))
        to->item[to->n++] = *i;
}

/* Returns the newest moment of the name, empty if it is not known; NULL after a failure. */
static items *newest_of(pm_sql *sql, pm_moments *m, int64_t name_id)
{
    int64_t at = (int64_t)m->n;

    if (pm_map_get(&m->index, (uint64_t)name_id, &at))
        return &m->newest[at];
    if (m->n >= NAMES_MAX)
        pm_moments_forget(m);
    at = (int64_t)m->n;
    PM_SQL_STEP(sql, pm_grow(&m->newest, &m->cap, m->n, sizeof *m->newest, &err));
    PM_SQL_STEP(sql, pm_map_put(&m->index, (uint64_t)name_id, at, &err));
    if (!pm_sql_ok(sql))
        return NULL;
    m->newest[m->n++] = (items){0};
    return &m->newest[at];
}

/* ---- order ---- */

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* Compares by time, then by values that do not depend on the order of import, as ids do. */
static int by_time(const void *x, const void *y)
{
    const item *a = x, *b = y;
    int order = compare(a->taken_ms, b->taken_ms);

    if (order == 0)
        order = compare(a->ordinal, b->ordinal);
    if (order == 0)
        order = compare(a->dialect, b->dialect);
    if (order == 0)
        order = compare(a->pid, b->pid);
    return order == 0 ? compare(a->hash, b->hash) : order;
}

/* Sorts by process; within a process the preferred snapshot comes first: the later of two
 * equals. */
static int by_process(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int order = compare(x->process_id, y->process_id);

    if (order == 0)
        order = compare(x->state, y->state);
    if (order == 0)
        order = compare(x->dialect, y->dialect);
    return order == 0 ? -by_time(x, y) : order;
}

/* ---- where moments end ---- */

static size_t time_end(const items *s, size_t from)
{
    size_t i = from + 1;

    while (i < s->n && s->item[i].taken_ms == s->item[from].taken_ms)
        i++;
    return i;
}

static bool any_live(const items *s, size_t from, size_t to)
{
    for (; from < to; from++)
        if (s->item[from].live)
            return true;
    return false;
}

/* Returns the end of the moment that begins at `from`. The time identifies a moment, so snapshots
 * of one time always share a moment. */
static size_t moment_end(const items *s, size_t from, int64_t sweep_ms)
{
    size_t i = time_end(s, from);

    if (any_live(s, from, i))
        return i;
    while (i < s->n && s->item[i].taken_ms - s->item[from].taken_ms <= sweep_ms) {
        size_t next = time_end(s, i);

        if (any_live(s, i, next))
            return i;
        for (size_t k = i; k < next; k++) /* a process must not come twice in one dialect */
            for (size_t j = from; j < i; j++)
                if (s->item[j].process_id == s->item[k].process_id &&
                    s->item[j].dialect == s->item[k].dialect)
                    return i;
        i = next;
    }
    return i;
}

/* ---- writing ---- */

static void update(pm_sql *sql, item *i, int64_t moment_ms, bool preferred)
{
    if (i->moment_ms == moment_ms && i->preferred == preferred)
        return;
    i->moment_ms = moment_ms;
    i->preferred = preferred;
    pm_sql_do(sql, "UPDATE snapshot SET moment_ms = ?2, preferred = ?3 WHERE snapshot_id = ?1",
              PM_ARGS(PM_I(i->snapshot_id), PM_I(i->moment_ms), PM_I(i->preferred)));
}

/* Writes items from..to as one moment; sorts them by process, the preferred one first. */
static void write_moment(pm_sql *sql, items *s, size_t from, size_t to)
{
    int64_t moment_ms = s->item[from].taken_ms;

    qsort(&s->item[from], to - from, sizeof *s->item, by_process);
    for (size_t i = from; i < to; i++)
        update(sql, &s->item[i], moment_ms,
               i == from || s->item[i].process_id != s->item[i - 1].process_id);
}

/* Groups items that are sorted by time; the first item begins a moment. *last: where the last
 * moment begins. Returns false as soon as a moment begins after `after` as it did before: all later
 * moments are unchanged then. */
static bool group(pm_sql *sql, int64_t sweep_ms, items *s, int64_t after, size_t *last)
{
    *last = 0;
    for (size_t from = 0, to; from < s->n && pm_sql_ok(sql); from = to) {
        const item *first = &s->item[from];

        if (first->taken_ms > after && first->moment_ms == first->taken_ms)
            return false;
        to = moment_end(s, from, sweep_ms);
        *last = from;
        write_moment(sql, s, from, to);
    }
    return true;
}

/* ---- reading the store ---- */

static void load(pm_sql *sql, int64_t name_id, int64_t from, int64_t to, items *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        sql,
        "SELECT s.snapshot_id, s.process_id, s.taken_ms, s.ordinal, s.moment_ms, s.dialect, "
        "s.state_code, s.preferred, p.pid, s.hash, s.time_source_code FROM process p "
        "CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms BETWEEN ?2 AND ?3 "
        "WHERE p.name_id = ?1",
        PM_ARGS(PM_I(name_id), PM_I(from), PM_I(to)));

    out->n = 0;
    while (pm_sql_next(sql, stmt))
        add_item(sql, out,
                 &(item){.snapshot_id = pm_col_int(stmt, 0),
                         .process_id = pm_col_int(stmt, 1),
                         .taken_ms = pm_col_ms(stmt, 2),
                         .ordinal = pm_col_int(stmt, 3),
                         .moment_ms = pm_col_ms(stmt, 4),
                         .dialect = pm_col_dialect(stmt, 5),
                         .state = pm_col_state(stmt, 6),
                         .preferred = pm_col_int(stmt, 7) != 0,
                         .pid = pm_col_int(stmt, 8),
                         .hash = pm_col_int(stmt, 9),
                         .live = pm_col_int(stmt, 10) == PM_TIME_LIVE});
    if (out->n)
        qsort(out->item, out->n, sizeof *out->item, by_time);
}

/* Groups the snapshots around taken_ms. If the name has no later snapshot, *newest becomes its
 * newest moment. */
static void look_around(pm_sql *sql, int64_t sweep_ms, int64_t name_id, int64_t taken_ms,
                        items *newest)
{
    int64_t span = 2 * sweep_ms + 2, after = taken_ms, from = taken_ms, newest_ms = taken_ms;
    bool settled = false;
    items near = {0};
    size_t last = 0;
    sqlite3_stmt *stmt = pm_sql_ask(
        sql,
        "SELECT max(before_ms), max(newest_ms) FROM (SELECT (SELECT moment_ms FROM snapshot s "
        "WHERE s.process_id = p.process_id AND s.taken_ms < ?2 ORDER BY taken_ms DESC LIMIT 1) "
        "AS before_ms, (SELECT max(taken_ms) FROM snapshot s WHERE s.process_id = p.process_id) "
        "AS newest_ms FROM process p WHERE p.name_id = ?1)",
        PM_ARGS(PM_I(name_id), PM_I(taken_ms)));

    if (pm_sql_next(sql, stmt)) {
        from = pm_col_int(stmt, 0) == PMAPDB_UNKNOWN ? taken_ms : pm_col_int(stmt, 0);
        newest_ms = pm_col_int(stmt, 1) == PMAPDB_UNKNOWN ? taken_ms : pm_col_int(stmt, 1);
        pm_sql_done(stmt);
    }
    while (pm_sql_ok(sql) && !settled) {
        int64_t to = taken_ms + span < newest_ms ? taken_ms + span : newest_ms;

        load(sql, name_id, from, to, &near);
        /* a snapshot after a pause begins a moment in any case */
        settled = to >= newest_ms || near.n == 0 || near.item[near.n - 1].taken_ms + sweep_ms < to;
        settled |= !group(sql, sweep_ms, &near, after, &last);
        after = to; /* the moments up to here were just written */
        span *= 8;
    }
    for (size_t i = last; taken_ms >= newest_ms && i < near.n; i++)
        add_item(sql, newest, &near.item[i]);
    free(near.item);
}

/* True if the name has no later snapshot and no other one within a sweep before: the usual case.
 * The stored snapshot is already a moment of its own then. */
static bool is_alone(pm_sql *sql, int64_t sweep_ms, int64_t name_id, const item *i)
{
    int64_t last_ms =
        pm_sql_value(/* INT64_MIN if there is no other snapshot */
                     sql,
                     "SELECT max((SELECT taken_ms FROM snapshot s WHERE s.process_id = "
                     "p.process_id "
                     "AND s.snapshot_id <> ?2 ORDER BY taken_ms DESC LIMIT 1)) FROM process p "
                     "WHERE p.name_id = ?1",
                     PM_ARGS(PM_I(name_id), PM_I(i->snapshot_id)), PMAPDB_UNKNOWN);

    return pm_sql_ok(sql) && last_ms < i->taken_ms - sweep_ms;
}

/* Adds the snapshot to the newest moment of its name. */
static void join(pm_sql *sql, int64_t sweep_ms, items *newest, const item *i)
{
    size_t last;

    add_item(sql, newest, i);
    qsort(newest->item, newest->n, sizeof *newest->item, by_time);
    group(sql, sweep_ms, newest, INT64_MAX, &last);
    memmove(newest->item, newest->item + last, (newest->n - last) * sizeof *newest->item);
    newest->n -= last;
}

void pm_moments_added(pm_sql *sql, pm_moments *m, int64_t sweep_ms, int64_t name_id,
                      int64_t snapshot_id, int64_t process_id, const pm_capture *c)
{
    const item added = {.snapshot_id = snapshot_id,
                        .process_id = process_id,
                        .pid = c->pid,
                        .taken_ms = c->taken_ms,
                        .ordinal = c->ordinal,
                        .hash = (int64_t)c->block.hash,
                        .moment_ms = c->taken_ms,
                        .dialect = c->block.dialect,
                        .state = c->block.state,
                        .preferred = true,
                        .live = c->time_source == PM_TIME_LIVE};
    items *newest = newest_of(sql, m, name_id);
    bool known = newest && newest->n;

    for (size_t k = 0; known && k < newest->n; k++)
        known = newest->item[k].taken_ms <= c->taken_ms;
    if (known) {
        join(sql, sweep_ms, newest, &added);
    } else if (newest) {
        newest->n = 0;
        if (is_alone(sql, sweep_ms, name_id, &added))
            add_item(sql, newest, &added);
        else
            look_around(sql, sweep_ms, name_id, c->taken_ms, newest);
    }
}

void pm_moments_regroup(pm_sql *sql, int64_t sweep_ms, int64_t name_id)
{
    items all = {0};
    size_t last;

    load(sql, name_id, INT64_MIN + 1, INT64_MAX, &all);
    group(sql, sweep_ms, &all, INT64_MAX, &last);
    free(all.item);
}

/* ---- moments that should be one ---- */

/* Finds neighbouring moments without a common process, where processes of the first appear again
 * later. They are at most ten sweeps apart, so that one sweep may have been meant. */
void pm_moments_spread(pm_sql *sql, int64_t name_id, int64_t from_ms, int64_t to_ms,
                       int64_t sweep_ms, char *text, size_t size)
{
    static const int64_t reach = 10;
    sqlite3_stmt *stmt;

    *text = '\0';
    if (from_ms == to_ms) /* at most two moments, and turns take three */
        return;
    stmt = pm_sql_ask(
        sql,
        "WITH seen AS (SELECT s.process_id, s.moment_ms FROM process p CROSS JOIN snapshot s ON "
        "s.process_id = p.process_id AND s.taken_ms BETWEEN ?2 AND ?3 WHERE p.name_id = ?1 "
        "AND s.preferred), "
        "pair AS (SELECT moment_ms, lag(moment_ms) OVER (ORDER BY moment_ms) AS before FROM "
        "(SELECT DISTINCT moment_ms FROM seen)), "
        "close AS (SELECT * FROM pair WHERE moment_ms - before <= ?4) "
        "SELECT count(*), max(moment_ms - before), (SELECT name FROM name WHERE name_id = ?1), "
        "(SELECT count(DISTINCT process_id) FROM seen) "
        "FROM close c WHERE NOT EXISTS (SELECT 1 FROM seen a JOIN seen b ON b.process_id = "
        "a.process_id AND b.moment_ms = c.moment_ms WHERE a.moment_ms = c.before) "
        "AND EXISTS (SELECT 1 FROM seen a JOIN seen b ON b.process_id = a.process_id "
        "AND b.moment_ms > c.moment_ms WHERE a.moment_ms = c.before)",
        PM_ARGS(PM_I(name_id), PM_I(from_ms), PM_I(to_ms), PM_I(reach * (sweep_ms + 1))));
    while (pm_sql_next(sql, stmt)) {
        pm_text name = pm_col_text(stmt, 2);
        long long wide_enough;

        if (pm_col_int(stmt, 0) <= 1)
            continue;
        wide_enough = pm_col_int(stmt, 1) * pm_col_int(stmt, 3);
        snprintf(
            text, size,
            "processes of '%.*s' were captured in turns, up to %lld ms apart: sums by name count "
            "them as different moments; import with --sweep %lldms to make them one moment",
            (int)name.len, name.data, (long long)pm_col_int(stmt, 1), wide_enough);
    }
}
