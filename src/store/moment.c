/* moment: which snapshots of one (host, name) were captured together. */
#include "store/moment.h"

#include "base/buf.h"
#include "base/dialect.h"
#include <stdio.h>
#include <stdlib.h>

struct pm_moments {
    pm_sql *sql;
    int64_t sweep_ms;
    pm_moment_item *items;
    size_t n, cap;
    size_t last; /* where the last moment of items begins */
    int64_t last_ms;
    pm_lately *lately;
};

pmapdb_status pm_moments_new(pm_sql *sql, int64_t sweep_ms, pm_moments **out, pmapdb_error *err)
{
    pm_moments *m = calloc(1, sizeof *m);

    if (!m)
        return pm_fail_nomem(err);
    m->sql = sql;
    m->sweep_ms = sweep_ms;
    *out = m;
    return pm_lately_new(sweep_ms, &m->lately, err);
}

void pm_moments_free(pm_moments *m)
{
    if (!m)
        return;
    pm_lately_free(m->lately);
    free(m->items);
    free(m);
}

static int compare_items(const void *a, const void *b)
{
    return pm_moment_compare(a, b);
}

static pmapdb_status load(pm_moments *m, int64_t name_id, int64_t from, int64_t to,
                          pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        m->sql,
        "SELECT s.snapshot_id, s.process_id, s.taken_ms, s.ordinal, s.moment_ms, s.dialect, "
        "s.state, s.preferred, p.pid, s.hash, s.time_source = 'live' FROM process p "
        "CROSS JOIN snapshot s ON s.process_id = p.process_id AND s.taken_ms BETWEEN ?2 AND ?3 "
        "WHERE p.name_id = ?1",
        PM_ARGS(PM_I(name_id), PM_I(from), PM_I(to)), &stmt, err);

    m->n = 0;
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(m->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_grow(&m->items, &m->cap, m->n, sizeof *m->items, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        m->items[m->n++] = (pm_moment_item){.snapshot_id = pm_col_int(stmt, 0),
                                            .process_id = pm_col_int(stmt, 1),
                                            .taken_ms = pm_col_ms(stmt, 2),
                                            .ordinal = pm_col_int(stmt, 3),
                                            .moment_ms = pm_col_ms(stmt, 4),
                                            .dialect = pm_dialect_find(pm_col_text(stmt, 5)),
                                            .state = pm_col_state(stmt, 6),
                                            .preferred = pm_col_int(stmt, 7) != 0,
                                            .pid = pm_col_int(stmt, 8),
                                            .hash = pm_col_int(stmt, 9),
                                            .live = pm_col_int(stmt, 10) != 0};
    }
    if (st == PMAPDB_OK && m->n)
        qsort(m->items, m->n, sizeof *m->items, compare_items);
    return st;
}

static pmapdb_status write_item(pm_moments *m, const pm_moment_item *i, pmapdb_error *err)
{
    return pm_sql_run(
        m->sql, "UPDATE snapshot SET behind_ms = ?2, preferred = ?3 WHERE snapshot_id = ?1",
        PM_ARGS(PM_I(i->snapshot_id), PM_I(i->taken_ms - i->moment_ms), PM_I(i->preferred)), err);
}

static pmapdb_status update(pm_moments *m, pm_moment_item *i, int64_t moment_ms, bool preferred,
                            pmapdb_error *err)
{
    if (i->moment_ms == moment_ms && i->preferred == preferred)
        return PMAPDB_OK;
    i->moment_ms = moment_ms;
    i->preferred = preferred;
    return write_item(m, i, err);
}

static int compare_processes(const void *a, const void *b)
{
    const pm_moment_item *x = a, *y = b;

    if (x->process_id != y->process_id)
        return x->process_id < y->process_id ? -1 : 1;
    return pm_moment_compare_worth(x, y);
}

static bool process_came(const pm_moment_item *from, const pm_moment_item *to,
                         const pm_moment_item *next)
{
    for (; from < to; from++)
        if (from->process_id == next->process_id && from->dialect == next->dialect)
            return true;
    return false;
}

static size_t time_end(const pm_moments *m, size_t from)
{
    size_t i = from + 1;

    while (i < m->n && m->items[i].taken_ms == m->items[from].taken_ms)
        i++;
    return i;
}

static bool any_live(const pm_moments *m, size_t from, size_t to)
{
    for (; from < to; from++)
        if (m->items[from].live)
            return true;
    return false;
}

/* A moment is known by its time, so what was taken at one time is never in two of them. */
static size_t moment_end(const pm_moments *m, size_t from)
{
    size_t i = time_end(m, from);

    if (any_live(m, from, i))
        return i;
    while (i < m->n && m->items[i].taken_ms - m->items[from].taken_ms <= m->sweep_ms) {
        size_t next = time_end(m, i);

        if (any_live(m, i, next))
            return i;
        for (size_t k = i; k < next; k++)
            if (process_came(&m->items[from], &m->items[i], &m->items[k]))
                return i;
        i = next;
    }
    return i;
}

/* Items from..to are one moment; sorts them by process, best first. */
static pmapdb_status write_moment(pm_moments *m, size_t from, size_t to, pmapdb_error *err)
{
    int64_t moment_ms = m->items[from].taken_ms;
    pmapdb_status st = PMAPDB_OK;

    qsort(&m->items[from], to - from, sizeof *m->items, compare_processes);
    for (size_t i = from; i < to && st == PMAPDB_OK; i++) {
        bool first = i == from || m->items[i].process_id != m->items[i - 1].process_id;

        st = update(m, &m->items[i], moment_ms, first, err);
    }
    return st;
}

/* Groups what is loaded, whose first item begins a moment. *settled: from some item behind `after`
 * on, the moments are as they were. */
static pmapdb_status group(pm_moments *m, int64_t after, bool *settled, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    *settled = false;
    for (size_t from = 0, to; from < m->n && st == PMAPDB_OK; from = to) {
        const pm_moment_item *first = &m->items[from];

        if (first->taken_ms > after && first->moment_ms == first->taken_ms) {
            *settled = true;
            return PMAPDB_OK;
        }
        to = moment_end(m, from);
        m->last = from;
        m->last_ms = first->taken_ms;
        st = write_moment(m, from, to, err);
    }
    return st;
}

/* Asks the store. */
static pmapdb_status look_around(pm_moments *m, int64_t name_id, int64_t taken_ms,
                                 pmapdb_error *err)
{
    int64_t from, span = 2 * m->sweep_ms + 2, last, after = taken_ms;
    bool settled = false, quiet;
    pmapdb_status st = pm_sql_int(
        m->sql,
        "SELECT max(moment_ms) FROM (SELECT (SELECT moment_ms FROM snapshot s WHERE "
        "s.process_id = p.process_id AND s.taken_ms < ?2 ORDER BY taken_ms DESC LIMIT 1) "
        "AS moment_ms FROM process p WHERE p.name_id = ?1)",
        PM_ARGS(PM_I(name_id), PM_I(taken_ms)), taken_ms, &from, err);

    if (st == PMAPDB_OK)
        st = pm_sql_int(m->sql,
                        "SELECT max((SELECT max(taken_ms) FROM snapshot s WHERE s.process_id = "
                        "p.process_id)) FROM process p WHERE p.name_id = ?1",
                        PM_ARGS(PM_I(name_id)), taken_ms, &last, err);
    while (st == PMAPDB_OK && !settled) {
        int64_t to = taken_ms + span < last ? taken_ms + span : last;

        st = load(m, name_id, from, to, err);
        quiet = m->n == 0 || m->items[m->n - 1].taken_ms + m->sweep_ms < to;
        if (st == PMAPDB_OK)
            st = group(m, after, &settled, err);
        settled |= quiet || to >= last; /* what comes after a pause begins a moment anyway */
        after = to;                     /* what was written just now is not what was there before */
        span *= 8;
    }
    if (st == PMAPDB_OK && taken_ms >= last)
        st = pm_lately_set(m->lately, name_id, m->last_ms, m->items + m->last, m->n - m->last, err);
    return st;
}

pmapdb_status pm_moments_added(pm_moments *m, int64_t name_id, pm_moment_item *added,
                               pmapdb_error *err)
{
    int64_t demoted = 0;
    bool known = false;
    pmapdb_status st = pm_lately_add(m->lately, name_id, added, &demoted, &known, err);

    if (st == PMAPDB_OK && !known)
        return look_around(m, name_id, added->taken_ms, err);
    if (st == PMAPDB_OK && (added->moment_ms != added->taken_ms || !added->preferred))
        st = write_item(m, added, err); /* another than it was stored with */
    if (st == PMAPDB_OK && demoted)
        st = pm_sql_run(m->sql, "UPDATE snapshot SET preferred = 0 WHERE snapshot_id = ?1",
                        PM_ARGS(PM_I(demoted)), err);
    return st;
}

pmapdb_status pm_moments_regroup(pm_moments *m, int64_t name_id, pmapdb_error *err)
{
    bool settled;
    pmapdb_status st;

    pm_lately_forget(m->lately, name_id);
    st = load(m, name_id, INT64_MIN + 1, INT64_MAX, err);

    return st == PMAPDB_OK ? group(m, INT64_MAX, &settled, err) : st;
}

/* Neighbouring moments without a common process, of which the first one's come again later, and no
 * further apart than a sweep that somebody may have meant. */
pmapdb_status pm_moments_spread(pm_sql *sql, int64_t name_id, int64_t from_ms, int64_t to_ms,
                                int64_t sweep_ms, bool *spread, char *text, size_t size,
                                pmapdb_error *err)
{
    static const int64_t reach = 10;
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st;

    *spread = false;
    if (from_ms == to_ms) /* two moments at most, and it takes three to be in turns */
        return PMAPDB_OK;
    st = pm_sql_rows(
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
        PM_ARGS(PM_I(name_id), PM_I(from_ms), PM_I(to_ms), PM_I(reach * (sweep_ms + 1))), &stmt,
        err);
    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st;
    if (pm_col_int(stmt, 0) > 1) {
        pm_text name = pm_col_text(stmt, 2);
        long long wide_enough = pm_col_int(stmt, 1) * pm_col_int(stmt, 3);

        *spread = true;
        snprintf(
            text, size,
            "processes of '%.*s' were captured in turns, up to %lld ms apart: sums by name see "
            "them as different moments; import with --sweep %lldms to take them together",
            (int)name.len, name.data, (long long)pm_col_int(stmt, 1), wide_enough);
    }
    pm_sql_done(stmt);
    return PMAPDB_OK;
}
