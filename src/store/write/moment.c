/* moment: which snapshots of one (host, name) were captured together. */
#include "store/write/moment.h"

#include "base/buf.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct item {
    int64_t snapshot_id, process_id, taken_ms, moment_ms;
    int64_t worth;    /* the snapshot with the lowest is preferred; of two equals, the later one */
    int64_t again_ms; /* no moment from here on has the snapshot; PMAPDB_UNKNOWN: any may */
    bool live;        /* its moment has no other taken_ms */
    bool preferred;
} item;

/* ---- grouping ---- */

/* Writes n items as one moment. */
static void write_moment(pm_sql *sql, const item *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool preferred = true;

        for (size_t k = 0; k < n && preferred; k++)
            preferred = s[k].process_id != s[i].process_id || s[k].worth > s[i].worth ||
                        (s[k].worth == s[i].worth && k <= i);
        if (s[i].moment_ms != s->taken_ms || s[i].preferred != preferred)
            pm_sql_do(sql,
                      "UPDATE snapshot SET moment_ms = ?2, preferred = ?3 WHERE snapshot_id = ?1",
                      PM_ARGS(PM_I(s[i].snapshot_id), PM_I(s->taken_ms), PM_I(preferred)));
    }
}

/* True if the snapshot `s` begins another moment than `first`. `before` is the item before it. */
static bool begins(const item *first, const item *before, const item *s, int64_t sweep_ms)
{
    return s->taken_ms != before->taken_ms &&
           (s->live || first->live || s->taken_ms - first->taken_ms > sweep_ms ||
            s->again_ms >= first->taken_ms);
}

/* Groups items that are sorted by time; the first item begins a moment. Returns true as soon as a
 * moment begins after `after` as it did before: all later moments are unchanged then. */
static bool group(pm_sql *sql, int64_t sweep_ms, const item *s, size_t n, int64_t after)
{
    size_t from = 0;

    for (size_t i = 1; i <= n; i++) {
        if (i < n && !begins(&s[from], &s[i - 1], &s[i], sweep_ms))
            continue;
        write_moment(sql, &s[from], i - from);
        from = i;
        if (i < n && s[i].taken_ms > after && s[i].moment_ms == s[i].taken_ms)
            return true;
    }
    return false;
}

/* Reads the snapshots from..to, and groups them. Returns true if that changes no later moment. */
static bool group_span(pm_sql *sql, int64_t sweep_ms, int64_t name_id, int64_t from, int64_t to,
                       int64_t after)
{
    item *s = NULL;
    size_t n = 0, cap = 0;
    bool settled;
    sqlite3_stmt *stmt = pm_sql_ask(sql, pm_sql_script_text("moment-rows"),
                                    PM_ARGS(PM_I(name_id), PM_I(from), PM_I(to)));

    while (pm_sql_next(sql, stmt)) {
        PM_SQL_STEP(sql, pm_grow(&s, &cap, n, sizeof *s, &err));
        if (pm_sql_ok(sql))
            s[n++] = (item){.snapshot_id = pm_col_int(stmt, 0),
                            .process_id = pm_col_int(stmt, 1),
                            .taken_ms = pm_col_ms(stmt, 2),
                            .moment_ms = pm_col_ms(stmt, 3),
                            .preferred = pm_col_int(stmt, 4) != 0,
                            .worth = pm_col_int(stmt, 5),
                            .live = pm_col_int(stmt, 6) != 0,
                            .again_ms = pm_col_int(stmt, 7)};
    }
    /* a snapshot after a pause begins a moment in any case */
    settled = n == 0 || s[n - 1].taken_ms + sweep_ms < to;
    settled |= pm_sql_ok(sql) && group(sql, sweep_ms, s, n, after);
    free(s);
    return settled;
}

/* True if the new snapshot at from_ms comes after a pause and is the last of its name: the usual
 * case. The snapshot is already a moment of its own. */
static bool is_alone(pm_sql *sql, int64_t sweep_ms, int64_t name_id, int64_t from_ms)
{
    return pm_sql_value(sql,
                        "SELECT count(*) FROM (SELECT 1 FROM process p CROSS JOIN snapshot s ON "
                        "s.process_id = p.process_id AND s.taken_ms >= ?2 WHERE p.name_id = ?1 "
                        "LIMIT 2)",
                        PM_ARGS(PM_I(name_id), PM_I(from_ms - sweep_ms)), 0) == 1;
}

void pm_moments_group(pm_sql *sql, int64_t sweep_ms, int64_t name_id, int64_t from_ms,
                      int64_t to_ms)
{
    int64_t span = 2 * sweep_ms + 2, newest_ms = to_ms, before_ms, to;
    sqlite3_stmt *stmt;

    if (from_ms == to_ms && is_alone(sql, sweep_ms, name_id, from_ms))
        return;
    stmt = pm_sql_ask(
        sql,
        "SELECT max((SELECT max(taken_ms) FROM snapshot s WHERE s.process_id = p.process_id)), "
        "max((SELECT moment_ms FROM snapshot s WHERE s.process_id = p.process_id "
        "AND s.taken_ms < ?2 ORDER BY taken_ms DESC LIMIT 1)) FROM process p WHERE p.name_id = ?1",
        PM_ARGS(PM_I(name_id), PM_I(from_ms)));
    if (pm_sql_next(sql, stmt)) {
        newest_ms = pm_col_ms(stmt, 0);
        before_ms = pm_col_ms(stmt, 1);
        from_ms = before_ms == PMAPDB_UNKNOWN ? from_ms : before_ms;
        pm_sql_done(stmt);
    }
    for (int64_t after = to_ms; newest_ms != PMAPDB_UNKNOWN && pm_sql_ok(sql); after = to) {
        to = after < newest_ms - span ? after + span : newest_ms;
        if (group_span(sql, sweep_ms, name_id, from_ms, to, after) || to == newest_ms)
            return;
        span *= 8;
    }
}

/* ---- moments that should be one ---- */

void pm_moments_spread(pm_sql *sql, int64_t name_id, int64_t from_ms, int64_t to_ms,
                       int64_t sweep_ms, char *text, size_t size)
{
    static const int64_t reach = 10;
    sqlite3_stmt *stmt;

    *text = '\0';
    if (from_ms == to_ms) /* at most two moments, and turns take three */
        return;
    stmt = pm_sql_ask(
        sql, pm_sql_script_text("moment-spread"),
        PM_ARGS(PM_I(name_id), PM_I(from_ms), PM_I(to_ms), PM_I(reach * (sweep_ms + 1))));
    if (!pm_sql_next(sql, stmt))
        return;
    if (pm_col_int(stmt, 0) > 1)
        snprintf(text, size,
                 "processes of '%s' were captured in turns, up to %" PRId64
                 " ms apart: sums by name count "
                 "them as different moments; import with --sweep %" PRId64
                 "ms to make them one moment",
                 pm_col_text(stmt, 2).data, pm_col_int(stmt, 1),
                 pm_col_int(stmt, 1) * pm_col_int(stmt, 3));
    pm_sql_done(stmt);
}
