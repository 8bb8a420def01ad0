/* select: what a user writes for a process or a snapshot -> ids. */
#include "store/read/select.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/near.h"
#include "base/num.h"

/* ---- processes ---- */

#define LISTED 12

/* Appends "\n  ..."-free, one-line lists: "redis (pid 1, 2), nginx". */
static pmapdb_status list_processes(pm_sql *sql, pm_buf *out, pm_near *near, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    int n = 0;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT n.name, h.name, count(*), max(p.process_id), max(p.pid) FROM process p JOIN name n "
        "ON n.name_id = p.name_id LEFT JOIN host h ON h.host_id = n.host_id GROUP BY n.name_id "
        "ORDER BY n.name, h.name",
        PM_NO_ARGS, &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_text name = pm_col_text(stmt, 0), host = pm_col_text(stmt, 1);
        int64_t count = pm_col_int(stmt, 2), pid = pm_col_int(stmt, 4);

        pm_near_try(near, name);
        if (n++ >= LISTED)
            continue;
        st =
            pm_buf_addf(out, err, "%s%.*s%s%.*s", n > 1 ? ", " : "", (int)host.len,
                        host.data ? host.data : "", host.data ? ":" : "", (int)name.len, name.data);
        if (st == PMAPDB_OK && count == 1 && pid != PMAPDB_UNKNOWN)
            st = pm_buf_addf(out, err, "/%lld", (long long)pid);
        else if (st == PMAPDB_OK && count > 1)
            st = pm_buf_addf(out, err, " (%lld processes)", (long long)count);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    if (st == PMAPDB_OK && n > LISTED)
        st = pm_buf_addf(out, err, " and %d more; pmapdb processes lists all", n - LISTED);
    return st;
}

static pmapdb_status no_process(pm_sql *sql, const char *what, pm_text selector, pmapdb_error *err)
{
    const char *slash = selector.len ? memrchr(selector.data, '/', selector.len) : NULL;
    pm_buf list = {0};
    pm_near near;
    pmapdb_status st;

    pm_near_start(&near,
                  slash ? (pm_text){selector.data, (size_t)(slash - selector.data)} : selector);
    st = list_processes(sql, &list, &near, err);
    if (st == PMAPDB_OK && list.len == 0)
        st = pm_fail(err, PMAPDB_NOTFOUND, "the store is empty; import or capture first");
    else if (st == PMAPDB_OK)
        st = pm_fail(err, PMAPDB_NOTFOUND, "%s%.*s%s%s there are: %s", what, (int)selector.len,
                     selector.data, selector.len ? "'" : "", pm_near_hint(&near), list.data);
    pm_buf_free(&list);
    return st;
}

static pmapdb_status by_id(pm_sql *sql, pm_text selector, uint64_t id, pm_scope *out,
                           pmapdb_error *err)
{
    pmapdb_status st = pm_sql_int(sql, "SELECT process_id FROM process WHERE process_id = ?1",
                                  PM_ARGS(PM_I(id)), PMAPDB_UNKNOWN, &out->process_id, err);

    if (st == PMAPDB_OK && out->process_id == PMAPDB_UNKNOWN)
        return no_process(sql, "no process '", selector, err);
    return st;
}

static pmapdb_status by_pid(pm_sql *sql, pm_text selector, pm_text name, uint64_t pid,
                            pm_scope *out, pmapdb_error *err)
{
    int64_t n;
    pm_arg args[2] = {PM_I(pid), PM_T(name)};
    pmapdb_status st =
        pm_sql_int(sql,
                   "SELECT count(*) FROM process p JOIN name n ON n.name_id = p.name_id "
                   "WHERE coalesce(p.pid, -1) = ?1 AND (?2 IS NULL OR n.name = ?2)",
                   args, 2, 0, &n, err);

    if (st == PMAPDB_OK && n > 1)
        return pm_fail(err, PMAPDB_NOTFOUND,
                       "'%.*s' was %lld processes; 'pmapdb processes' lists them, "
                       "choose one as @ID",
                       (int)selector.len, selector.data, (long long)n);
    if (st == PMAPDB_OK && n == 1)
        st = pm_sql_int(sql,
                        "SELECT p.process_id FROM process p JOIN name n ON n.name_id = p.name_id "
                        "WHERE coalesce(p.pid, -1) = ?1 AND (?2 IS NULL OR n.name = ?2)",
                        args, 2, PMAPDB_UNKNOWN, &out->process_id, err);
    return st;
}

/* Sets name_id where exactly one name (on the host, if given) is so called. */
static pmapdb_status by_name(pm_sql *sql, pm_text host, pm_text name, pm_scope *out,
                             pmapdb_error *err)
{
    int64_t n;
    pm_arg args[2] = {PM_T(name), PM_T(host)};
    pmapdb_status st =
        pm_sql_int(sql,
                   "SELECT count(*) FROM name n LEFT JOIN host h ON h.host_id = "
                   "n.host_id WHERE n.name = ?1 AND (?2 IS NULL OR h.name = ?2) "
                   "AND EXISTS (SELECT 1 FROM process p WHERE p.name_id = n.name_id)",
                   args, 2, 0, &n, err);

    if (st == PMAPDB_OK && n > 1)
        return no_process(sql, "which host's HOST:NAME? several have '", name, err);
    if (st == PMAPDB_OK && n == 1)
        st = pm_sql_int(sql,
                        "SELECT n.name_id FROM name n LEFT JOIN host h ON h.host_id = n.host_id "
                        "WHERE n.name = ?1 AND (?2 IS NULL OR h.name = ?2) "
                        "AND EXISTS (SELECT 1 FROM process p WHERE p.name_id = n.name_id)",
                        args, 2, PMAPDB_UNKNOWN, &out->name_id, err);
    return st;
}

static bool found(const pm_scope *s)
{
    return s->process_id != PMAPDB_UNKNOWN || s->name_id != PMAPDB_UNKNOWN;
}

static pmapdb_status the_only(pm_sql *sql, pm_scope *out, pmapdb_error *err)
{
    int64_t n;
    pmapdb_status st =
        pm_sql_int(sql, "SELECT count(DISTINCT name_id) FROM process", PM_NO_ARGS, 0, &n, err);

    if (st != PMAPDB_OK)
        return st;
    if (n != 1)
        return no_process(sql, "which process? give --process", (pm_text){"", 0}, err);
    return pm_sql_int(sql, "SELECT name_id FROM process LIMIT 1", PM_NO_ARGS, PMAPDB_UNKNOWN,
                      &out->name_id, err);
}

/* "?" stands for every process whose name no capture told: they have nothing else in common. */
static pmapdb_status refuse_unnamed(pm_sql *sql, const pm_scope *scope, pmapdb_error *err)
{
    int64_t n;
    pmapdb_status st =
        pm_sql_int(sql,
                   "SELECT count(*) FROM name n JOIN process p ON p.name_id = n.name_id "
                   "WHERE n.name_id = ?1 AND n.name = '?'",
                   PM_ARGS(PM_I(scope->name_id)), 0, &n, err);

    if (st == PMAPDB_OK && n > 1)
        return pm_fail(err, PMAPDB_NOTFOUND,
                       "'?' is no name: of %lld processes no capture tells one; 'pmapdb processes' "
                       "lists them, choose one as @ID",
                       (long long)n);
    return st;
}

static pmapdb_status select_process(pm_sql *sql, pm_text selector, pm_scope *out, pmapdb_error *err)
{
    static const pm_text any = {NULL, 0};
    const char *slash = selector.len ? memrchr(selector.data, '/', selector.len) : NULL;
    const char *colon = selector.len ? memchr(selector.data, ':', selector.len) : NULL;
    uint64_t number;
    pmapdb_status st = PMAPDB_OK;

    *out = (pm_scope){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};
    if (selector.len == 0)
        return PMAPDB_OK;
    if (pm_text_equal(selector, PM_TEXT("only")))
        return the_only(sql, out, err);
    if (selector.data[0] == '@' && pm_num_all(pm_text_from(selector, 1), &number))
        return by_id(sql, selector, number, out, err);
    if (pm_num_all(selector, &number))
        st = by_pid(sql, selector, any, number, out, err);
    if (st == PMAPDB_OK && !found(out))
        st = by_name(sql, any, selector, out, err);
    if (st == PMAPDB_OK && !found(out) && slash &&
        pm_num_all(pm_text_from(selector, (size_t)(slash - selector.data) + 1), &number))
        st = by_pid(sql, selector, (pm_text){selector.data, (size_t)(slash - selector.data)},
                    number, out, err);
    if (st == PMAPDB_OK && !found(out) && colon) {
        size_t n = (size_t)(colon - selector.data);

        st = by_name(sql, (pm_text){selector.data, n}, pm_text_from(selector, n + 1), out, err);
    }
    if (st == PMAPDB_OK && !found(out))
        return no_process(sql, "no process '", selector, err);
    return st;
}

pmapdb_status pm_select_process(pm_sql *sql, pm_text selector, pm_scope *out, pmapdb_error *err)
{
    pmapdb_status st = select_process(sql, selector, out, err);

    return st == PMAPDB_OK && out->name_id != PMAPDB_UNKNOWN ? refuse_unnamed(sql, out, err) : st;
}

pmapdb_status pm_select_of_snapshot(pm_sql *sql, int64_t snapshot_id, pm_scope *out,
                                    pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT p.process_id, CASE WHEN n.name <> '?' THEN n.name_id END FROM snapshot s "
        "JOIN process p ON p.process_id = s.process_id JOIN name n ON n.name_id = p.name_id "
        "WHERE s.snapshot_id = ?1",
        PM_ARGS(PM_I(snapshot_id)), &stmt, err);

    *out = (pm_scope){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};
    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st;
    out->name_id = pm_col_int(stmt, 1);
    if (out->name_id == PMAPDB_UNKNOWN)
        out->process_id = pm_col_int(stmt, 0);
    pm_sql_done(stmt);
    return PMAPDB_OK;
}

pmapdb_status pm_select_host(pm_sql *sql, pm_text name, int64_t *host_id, pmapdb_error *err)
{
    return pm_sql_int(sql, "SELECT host_id FROM host WHERE name = ?1", PM_ARGS(PM_T(name)), 0,
                      host_id, err);
}

/* ---- snapshots ---- */

/* Per process the nearest one, by the index of (process_id, taken_ms); then the best of these. */
#define SCOPE                                                                                    \
    "WHERE p.process_id IS coalesce(?1, p.process_id) AND p.name_id IS coalesce(?2, p.name_id) " \
    "AND (?3 = 0 OR p.host_id = ?3)"
#define USED "(CASE WHEN ?4 IS NULL THEN s.preferred ELSE s.dialect = ?4 END)"

static pmapdb_status at_or_before(pm_sql *sql, const pm_scope *scope, pm_text dialect, int64_t ms,
                                  int64_t *snapshot_id, pmapdb_error *err)
{
    return pm_sql_int(sql,
                      "SELECT z.snapshot_id FROM process p CROSS JOIN snapshot z ON z.snapshot_id "
                      "= (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id "
                      "AND s.taken_ms <= ?5 AND " USED " ORDER BY s.taken_ms DESC LIMIT 1) " SCOPE
                      " ORDER BY z.taken_ms DESC, z.snapshot_id LIMIT 1",
                      PM_ARGS(PM_I(scope->process_id), PM_I(scope->name_id), PM_I(scope->host_id),
                              PM_T(dialect), PM_I(ms)),
                      PMAPDB_UNKNOWN, snapshot_id, err);
}

static pmapdb_status earliest(pm_sql *sql, const pm_scope *scope, pm_text dialect,
                              int64_t *snapshot_id, pmapdb_error *err)
{
    return pm_sql_int(
        sql,
        "SELECT z.snapshot_id FROM process p CROSS JOIN snapshot z ON z.snapshot_id "
        "= (SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id "
        "AND " USED " ORDER BY s.taken_ms LIMIT 1) " SCOPE
        " ORDER BY z.taken_ms, z.snapshot_id LIMIT 1",
        PM_ARGS(PM_I(scope->process_id), PM_I(scope->name_id), PM_I(scope->host_id), PM_T(dialect)),
        PMAPDB_UNKNOWN, snapshot_id, err);
}

static pmapdb_status moment_of(pm_sql *sql, pm_pick *out, pmapdb_error *err)
{
    return pm_sql_int(sql, "SELECT moment_ms FROM snapshot WHERE snapshot_id = ?1",
                      PM_ARGS(PM_I(out->snapshot_id)), PMAPDB_UNKNOWN, &out->moment_ms, err);
}

static pmapdb_status in_scope(pm_sql *sql, const pm_scope *scope, uint64_t id, int64_t *snapshot_id,
                              pmapdb_error *err)
{
    return pm_sql_int(
        sql,
        "SELECT s.snapshot_id FROM snapshot s JOIN process p ON p.process_id = "
        "s.process_id " SCOPE " AND s.snapshot_id = ?4",
        PM_ARGS(PM_I(scope->process_id), PM_I(scope->name_id), PM_I(scope->host_id), PM_I(id)),
        PMAPDB_UNKNOWN, snapshot_id, err);
}

static pmapdb_status no_snapshot(pm_sql *sql, const pm_scope *scope, pm_text dialect,
                                 pm_text selector, pmapdb_error *err)
{
    pm_pick first, last;
    char a[PM_CLOCK_TEXT], b[PM_CLOCK_TEXT];
    pmapdb_status st = earliest(sql, scope, dialect, &first.snapshot_id, err);

    if (st == PMAPDB_OK)
        st = at_or_before(sql, scope, dialect, INT64_MAX, &last.snapshot_id, err);
    if (st != PMAPDB_OK)
        return st;
    if (first.snapshot_id == PMAPDB_UNKNOWN)
        return pm_fail(err, PMAPDB_NOTFOUND, "no snapshots%s%.*s of this process",
                       dialect.len ? " in dialect " : "", (int)dialect.len,
                       dialect.len ? dialect.data : "");
    st = moment_of(sql, &first, err);
    if (st == PMAPDB_OK)
        st = moment_of(sql, &last, err);
    if (st != PMAPDB_OK)
        return st;
    pm_clock_format(first.moment_ms, a);
    pm_clock_format(last.moment_ms, b);
    return pm_fail(err, PMAPDB_NOTFOUND,
                   "no snapshot '%.*s'; there are @%lld (first, %s) to @%lld (last, %s)",
                   (int)selector.len, selector.data, (long long)first.snapshot_id, a,
                   (long long)last.snapshot_id, b);
}

/* The moment that a selector names, for those that are times. */
static pmapdb_status time_of(pm_sql *sql, const pm_scope *scope, pm_text dialect, pm_text selector,
                             int64_t back_from, int64_t *ms, pmapdb_error *err)
{
    pm_pick last;
    int64_t span;
    pmapdb_status st;

    if (pm_text_starts(selector, PM_TEXT("now")) &&
        (selector.len == 3 ||
         (selector.data[3] == '-' && pm_num_span(pm_text_from(selector, 4), &span)))) {
        *ms = pm_clock_now() - (selector.len == 3 ? 0 : span);
        return PMAPDB_OK;
    }
    if (pm_text_equal(selector, PM_TEXT("prev")) ||
        (selector.len > 1 && selector.data[0] == '-' &&
         pm_num_span(pm_text_from(selector, 1), &span))) {
        bool prev = selector.data[0] == 'p';

        last.moment_ms = back_from;
        if (prev || back_from == PMAPDB_UNKNOWN) {
            st = at_or_before(sql, scope, dialect, INT64_MAX, &last.snapshot_id, err);
            if (st == PMAPDB_OK)
                st = moment_of(sql, &last, err);
            if (st != PMAPDB_OK || last.moment_ms == PMAPDB_UNKNOWN)
                return st;
        }
        *ms = prev ? last.moment_ms - 1 : last.moment_ms - span;
        return PMAPDB_OK;
    }
    if (pm_clock_parse(selector, ms))
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_USAGE,
                   "'%.*s' is no snapshot: first, last, prev, @ID, a time (2026-11-21T02:05), -2h, "
                   "now-2h",
                   (int)selector.len, selector.data);
}

pmapdb_status pm_select_time(pm_sql *sql, const pm_scope *scope, pm_text text, int64_t *ms,
                             pmapdb_error *err)
{
    pm_text any = {0};

    *ms = PMAPDB_UNKNOWN;
    if (pm_clock_parse(text, ms))
        return PMAPDB_OK;
    if (text.len < 2 || (text.data[0] != '-' && text.data[0] != 'n'))
        return PMAPDB_USAGE;
    return time_of(sql, scope, any, text, PMAPDB_UNKNOWN, ms, err);
}

pmapdb_status pm_select_snapshot(pm_sql *sql, const pm_scope *scope, pm_text dialect,
                                 pm_text selector, int64_t back_from, pm_pick *out,
                                 pmapdb_error *err)
{
    uint64_t id;
    int64_t ms = PMAPDB_UNKNOWN;
    pmapdb_status st;

    out->snapshot_id = PMAPDB_UNKNOWN;
    if (pm_text_equal(selector, PM_TEXT("first"))) {
        st = earliest(sql, scope, dialect, &out->snapshot_id, err);
    } else if (pm_text_equal(selector, PM_TEXT("last"))) {
        st = at_or_before(sql, scope, dialect, INT64_MAX, &out->snapshot_id, err);
    } else if (selector.len && selector.data[0] == '@' &&
               pm_num_all(pm_text_from(selector, 1), &id) && id < 900000000) {
        st = in_scope(sql, scope, id, &out->snapshot_id, err);
    } else {
        st = time_of(sql, scope, dialect, selector, back_from, &ms, err);
        if (st == PMAPDB_OK && ms != PMAPDB_UNKNOWN)
            st = at_or_before(sql, scope, dialect, ms, &out->snapshot_id, err);
    }
    if (st == PMAPDB_OK && out->snapshot_id == PMAPDB_UNKNOWN)
        return no_snapshot(sql, scope, dialect, selector, err);
    return st == PMAPDB_OK ? moment_of(sql, out, err) : st;
}
