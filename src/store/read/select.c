/* select: the user's words for a process or a snapshot -> ids. */
#include "store/read/select.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/near.h"
#include "base/num.h"

#define LISTED 12        /* names in an error */
#define LARGEST 3        /* names to choose from, where one is missing */
#define ID_MAX 900000000 /* @20261123 is an id, a larger number is a time */

#define EMPTY "the store is empty; import or capture first"

const pm_scope pm_scope_all = {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};

/* ---- processes ---- */

/* Lists names in one line, those of the largest processes first: "redis/1, web:nginx (3
 * processes)". ids: a JSON array of processes; data NULL: all. */
static void list_names(pm_sql *sql, pm_text ids, int64_t most, pm_buf *out, pm_near *near)
{
    int64_t n = 0;
    sqlite3_stmt *row = pm_sql_ask(
        sql,
        "SELECT n.name, coalesce(h.name || ':', '') || n.name || CASE WHEN count(*) > 1 THEN "
        "' (' || count(*) || ' processes)' ELSE coalesce('/' || p.pid, '') END "
        "FROM process p JOIN name n ON n.name_id = p.name_id LEFT JOIN host h ON h.host_id = "
        "n.host_id WHERE ?1 IS NULL OR p.process_id IN (SELECT value FROM json_each(?1)) "
        "GROUP BY n.name_id "
        "ORDER BY max((SELECT coalesce(s.rss_kib, s.tool_rss_kib, s.size_kib) FROM snapshot s "
        "WHERE s.process_id = p.process_id AND s.preferred ORDER BY s.taken_ms DESC LIMIT 1)) "
        "DESC, n.name, h.name",
        PM_ARGS(PM_T(ids)));

    for (; pm_sql_next(sql, row); n++) {
        pm_text text = pm_col_text(row, 1);

        pm_near_try(near, pm_col_text(row, 0));
        if (n < most)
            PM_SQL_STEP(sql, pm_buf_addf(out, &err, "%s%.*s", n ? ", " : "", (int)text.len,
                                         text.data ? text.data : ""));
    }
    if (n > most)
        PM_SQL_STEP(sql, pm_buf_addf(out, &err, " and %lld more; pmapdb processes lists all",
                                     (long long)(n - most)));
}

/* Fails with a list of names: "no process 'X', did you mean 'Y'? there are: ...". ids and most
 * as in list_names(). */
static void refuse(pm_sql *sql, const char *what, pm_text selector, pm_text ids, int64_t most)
{
    const char *slash = selector.len ? memrchr(selector.data, '/', selector.len) : NULL;
    pm_buf list = {0};
    pm_near near;

    pm_near_start(&near,
                  slash ? (pm_text){selector.data, (size_t)(slash - selector.data)} : selector);
    list_names(sql, ids, most, &list, &near);
    if (list.len == 0)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND, EMPTY));
    else
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND, "%s%.*s%s%s there are: %s", what,
                                 (int)selector.len, selector.data, selector.len ? "'" : "",
                                 pm_near_hint(&near), list.data));
    pm_buf_free(&list);
}

static void find_only(pm_sql *sql, pm_scope *out)
{
    out->name_id = pm_sql_value(
        sql, "SELECT CASE count(DISTINCT name_id) WHEN 1 THEN max(name_id) END FROM process",
        PM_NO_ARGS, PMAPDB_UNKNOWN);
    if (out->name_id == PMAPDB_UNKNOWN)
        refuse(sql, "which process? give one, the largest are first", PM_TEXT(""),
               (pm_text){NULL, 0}, LARGEST);
}

/* Refuses "?", the name of every process without a known name: they have nothing else in common. */
static void refuse_unnamed(pm_sql *sql, int64_t name_id)
{
    int64_t n = pm_sql_value(sql,
                             "SELECT count(*) FROM name n JOIN process p ON p.name_id = n.name_id "
                             "WHERE n.name_id = ?1 AND n.name = '?'",
                             PM_ARGS(PM_I(name_id)), 0);

    if (n > 1)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND,
                                 "'?' is not a name: the names of %lld processes are unknown; "
                                 "'pmapdb processes' lists them: choose one as @ID",
                                 (long long)n));
}

static bool found(const pm_scope *s)
{
    return s->process_id != PMAPDB_UNKNOWN || s->name_id != PMAPDB_UNKNOWN;
}

/* The part of the text before `at`; {NULL, 0} if `at` is NULL. */
static pm_text before(pm_text t, const char *at)
{
    return at ? (pm_text){t.data, (size_t)(at - t.data)} : (pm_text){NULL, 0};
}

static pm_text after(pm_text t, const char *at)
{
    return at ? pm_text_from(t, (size_t)(at - t.data) + 1) : (pm_text){NULL, 0};
}

/* NULL for a text that is not a number. */
static pm_arg number_of(pm_text t)
{
    uint64_t number;

    return t.data && pm_num_all(t, &number) ? PM_I(number) : PM_I(PMAPDB_UNKNOWN);
}

static void find_process(pm_sql *sql, pm_text s, pm_scope *out)
{
    const pm_text all = {NULL, 0};
    const char *slash = memrchr(s.data, '/', s.len), *colon = memchr(s.data, ':', s.len);
    bool is_id = s.data[0] == '@' && number_of(pm_text_from(s, 1)).i != PMAPDB_UNKNOWN;
    sqlite3_stmt *row = pm_sql_ask(sql, pm_sql_script_text("select-process"),
                                   PM_ARGS(PM_T(s), number_of(pm_text_from(s, is_id)), PM_I(is_id),
                                           PM_T(before(s, slash)), number_of(after(s, slash)),
                                           PM_T(before(s, colon)), PM_T(after(s, colon))));
    int64_t n;

    if (!pm_sql_next(sql, row)) {
        refuse(sql, "no process '", s, all, LISTED);
        return;
    }
    n = pm_col_int(row, 1);
    out->process_id = pm_col_int(row, 2);
    out->name_id = pm_col_int(row, 3);
    if (pm_text_equal(pm_col_text(row, 0), PM_TEXT("several")))
        refuse(sql, "several processes are known as '", s, pm_col_text(row, 4), LISTED);
    else if (n > 1 && out->name_id != PMAPDB_UNKNOWN)
        refuse(sql, "give HOST:NAME: several hosts have a process '", s, all, LISTED);
    else if (n > 1)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND,
                                 "'%.*s' means %lld processes; 'pmapdb processes' lists them: "
                                 "choose one as @ID",
                                 (int)s.len, s.data, (long long)n));
    pm_sql_done(row);
}

pmapdb_status pm_select_process(pm_sql *sql, pm_text selector, pm_scope *out, pmapdb_error *err)
{
    *out = pm_scope_all;
    if (pm_text_equal(selector, PM_TEXT("only")))
        find_only(sql, out);
    else if (selector.len)
        find_process(sql, selector, out);
    if (out->name_id != PMAPDB_UNKNOWN)
        refuse_unnamed(sql, out->name_id);
    return pm_sql_end(sql, err);
}

pmapdb_status pm_select_of_snapshot(pm_sql *sql, int64_t snapshot_id, pm_scope *out,
                                    pmapdb_error *err)
{
    sqlite3_stmt *row = pm_sql_ask(
        sql,
        "SELECT CASE WHEN n.name = '?' THEN p.process_id END, CASE WHEN n.name <> '?' THEN "
        "n.name_id END FROM snapshot s JOIN process p ON p.process_id = s.process_id "
        "JOIN name n ON n.name_id = p.name_id WHERE s.snapshot_id = ?1",
        PM_ARGS(PM_I(snapshot_id)));

    *out = pm_scope_all;
    if (pm_sql_next(sql, row)) {
        out->process_id = pm_col_int(row, 0);
        out->name_id = pm_col_int(row, 1);
        pm_sql_done(row);
    }
    return pm_sql_end(sql, err);
}

/* ---- snapshots ---- */

/* The snapshots among which to search. */
typedef struct series {
    pm_sql *sql;
    const pm_scope *scope;
    pm_text dialect; /* data NULL: the preferred captures of any dialect */
} series;

#define SCOPE                                                                                    \
    "WHERE p.process_id IS coalesce(?1, p.process_id) AND p.name_id IS coalesce(?2, p.name_id) " \
    "AND (?3 = 0 OR p.host_id = ?3)"
/* The nearest snapshot of each process, by the index of (process_id, taken_ms); then the best of
 * them. */
#define NEAREST(condition, order)                                                                \
    "SELECT z.snapshot_id, z.moment_ms FROM process p CROSS JOIN snapshot z ON z.snapshot_id = " \
    "(SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id AND " condition     \
    " AND (CASE WHEN ?4 IS NULL THEN s.preferred ELSE s.dialect = ?4 END) ORDER BY "             \
    "s.taken_ms " order " LIMIT 1) " SCOPE " ORDER BY z.taken_ms " order ", z.snapshot_id LIMIT 1"
static const char at_or_before[] = NEAREST("s.taken_ms <= ?5", "DESC");
static const char at_or_after[] = NEAREST("s.taken_ms >= ?5", "");

/* False if the series has no such snapshot; *out is then unknown. */
static bool find_in(const series *in, const char *select, int64_t ms, pm_pick *out)
{
    const pm_scope *s = in->scope;
    sqlite3_stmt *row = pm_sql_ask(in->sql, select,
                                   PM_ARGS(PM_I(s->process_id), PM_I(s->name_id), PM_I(s->host_id),
                                           PM_T(in->dialect), PM_BITS(ms)));

    *out = (pm_pick){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, false};
    if (!pm_sql_next(in->sql, row))
        return false;
    out->snapshot_id = pm_col_int(row, 0);
    out->moment_ms = pm_col_int(row, 1);
    pm_sql_done(row);
    return true;
}

static void no_snapshot(const series *in, pm_text selector)
{
    pm_pick first, last;
    char a[PM_CLOCK_TEXT], b[PM_CLOCK_TEXT];

    if (!find_in(in, at_or_after, INT64_MIN, &first)) {
        bool all = !found(in->scope) && !in->scope->host_id && !in->dialect.len;

        PM_SQL_STEP(in->sql, pm_fail(&err, PMAPDB_NOTFOUND, "%s%s%.*s",
                                     all ? EMPTY : "no snapshots of this process",
                                     in->dialect.len ? " in dialect " : "", (int)in->dialect.len,
                                     in->dialect.len ? in->dialect.data : ""));
        return;
    }
    find_in(in, at_or_before, INT64_MAX, &last);
    pm_clock_format(first.moment_ms, a);
    pm_clock_format(last.moment_ms, b);
    PM_SQL_STEP(in->sql,
                pm_fail(&err, PMAPDB_NOTFOUND,
                        "no snapshot '%.*s'; there are @%lld (first, %s) to @%lld (last, %s)",
                        (int)selector.len, selector.data, (long long)first.snapshot_id, a,
                        (long long)last.snapshot_id, b));
}

/* Reads a time: in words, or as a span (-2h, 2h) back from back_from (as in select.h). If there
 * is no snapshot to count back from, the span counts back from now. */
static bool read_time(const series *in, pm_text t, int64_t back_from, int64_t *ms)
{
    int64_t span = 0;
    pm_pick newest;

    *ms = PMAPDB_UNKNOWN;
    if (pm_clock_parse_words(t, pm_clock_now(), ms))
        return true;
    if (!pm_num_span(pm_text_from(t, pm_text_starts(t, PM_TEXT("-"))), &span))
        return false;
    if (back_from == PMAPDB_UNKNOWN && find_in(in, at_or_before, INT64_MAX, &newest))
        back_from = newest.moment_ms;
    *ms = (back_from == PMAPDB_UNKNOWN ? pm_clock_now() : back_from) - span;
    return true;
}

pmapdb_status pm_select_time(pm_sql *sql, const pm_scope *scope, pm_text text, int64_t *ms,
                             pmapdb_error *err)
{
    series in = {.sql = sql, .scope = scope};

    return read_time(&in, text, PMAPDB_UNKNOWN, ms) ? pm_sql_end(sql, err) : PMAPDB_USAGE;
}

/* Finds the last snapshot at or before the time; before the first one, the first one. */
static void pick_time(const series *in, pm_text selector, int64_t back_from, pm_pick *out)
{
    int64_t ms;

    if (!read_time(in, selector, back_from, &ms))
        PM_SQL_STEP(in->sql,
                    pm_fail(&err, PMAPDB_USAGE,
                            "'%.*s' is not a snapshot: give first, last, prev, @ID, a time "
                            "(2026-11-21T02:05, 02:00, yesterday), -2h or now-2h",
                            (int)selector.len, selector.data));
    else if (!find_in(in, at_or_before, ms, out))
        out->clipped = find_in(in, at_or_after, INT64_MIN, out);
}

pmapdb_status pm_select_snapshot(pm_sql *sql, const pm_scope *scope, pm_text dialect,
                                 pm_text selector, int64_t back_from, pm_pick *out,
                                 pmapdb_error *err)
{
    series in = {sql, scope, dialect};
    uint64_t id;

    *out = (pm_pick){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, false};
    if (pm_text_equal(selector, PM_TEXT("first")))
        find_in(&in, at_or_after, INT64_MIN, out);
    else if (pm_text_equal(selector, PM_TEXT("last")))
        find_in(&in, at_or_before, INT64_MAX, out);
    else if (pm_text_starts(selector, PM_TEXT("@")) && pm_num_all(pm_text_from(selector, 1), &id) &&
             id < ID_MAX)
        find_in(&in,
                "SELECT s.snapshot_id, s.moment_ms FROM snapshot s JOIN process p ON "
                "p.process_id = s.process_id " SCOPE " AND s.snapshot_id = ?5",
                (int64_t)id, out);
    else if (pm_text_equal(selector, PM_TEXT("prev")))
        pick_time(&in, PM_TEXT("-1ms"), PMAPDB_UNKNOWN, out);
    else
        pick_time(&in, selector, back_from, out);
    if (out->snapshot_id == PMAPDB_UNKNOWN)
        no_snapshot(&in, selector);
    return pm_sql_end(sql, err);
}
