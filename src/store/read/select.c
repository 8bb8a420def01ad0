/* select: the user's words for a process or a snapshot -> ids. */
#include "store/read/select.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/near.h"
#include "base/num.h"

#define LISTED 12        /* names in an error */
#define ID_MAX 900000000 /* @20261123 is an id, a larger number is a time */

const pm_scope pm_scope_all = {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};

/* ---- processes ---- */

/* Lists the names in one line: "redis/1, web:nginx (3 processes)". */
static void list_names(pm_sql *sql, pm_buf *out, pm_near *near)
{
    int64_t n = 0;
    sqlite3_stmt *row = pm_sql_ask(
        sql,
        "SELECT n.name, coalesce(h.name || ':', '') || n.name || CASE WHEN count(*) > 1 THEN "
        "' (' || count(*) || ' processes)' ELSE coalesce('/' || p.pid, '') END "
        "FROM process p JOIN name n ON n.name_id = p.name_id LEFT JOIN host h ON h.host_id = "
        "n.host_id GROUP BY n.name_id ORDER BY n.name, h.name",
        PM_NO_ARGS);

    for (; pm_sql_next(sql, row); n++) {
        pm_text text = pm_col_text(row, 1);

        pm_near_try(near, pm_col_text(row, 0));
        if (n < LISTED)
            PM_SQL_STEP(sql, pm_buf_addf(out, &err, "%s%.*s", n ? ", " : "", (int)text.len,
                                         text.data ? text.data : ""));
    }
    if (n > LISTED)
        PM_SQL_STEP(sql, pm_buf_addf(out, &err, " and %lld more; pmapdb processes lists all",
                                     (long long)(n - LISTED)));
}

/* Fails with a list of the names in the store. */
static void no_process(pm_sql *sql, const char *what, pm_text selector)
{
    const char *slash = selector.len ? memrchr(selector.data, '/', selector.len) : NULL;
    pm_buf list = {0};
    pm_near near;

    pm_near_start(&near,
                  slash ? (pm_text){selector.data, (size_t)(slash - selector.data)} : selector);
    list_names(sql, &list, &near);
    if (list.len == 0)
        PM_SQL_STEP(sql,
                    pm_fail(&err, PMAPDB_NOTFOUND, "the store is empty; import or capture first"));
    else
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND, "%s%.*s%s%s there are: %s", what,
                                 (int)selector.len, selector.data, selector.len ? "'" : "",
                                 pm_near_hint(&near), list.data));
    pm_buf_free(&list);
}

/* Returns the number of ids, and the last of them. */
static int64_t count_ids(pm_sql *sql, const char *select, const pm_arg *args, size_t n_args,
                         int64_t *id)
{
    sqlite3_stmt *row = pm_sql_ask(sql, select, args, n_args);
    int64_t n = 0;

    if (pm_sql_next(sql, row)) {
        n = pm_col_int(row, 0);
        *id = pm_col_int(row, 1);
        pm_sql_done(row);
    }
    return n;
}

static void find_pid(pm_sql *sql, pm_text selector, pm_text name, uint64_t pid, pm_scope *out)
{
    int64_t n = count_ids(sql,
                          "SELECT count(*), max(p.process_id) FROM process p JOIN name n ON "
                          "n.name_id = p.name_id "
                          "WHERE coalesce(p.pid, -1) = ?1 AND (?2 IS NULL OR n.name = ?2)",
                          PM_ARGS(PM_I(pid), PM_T(name)), &out->process_id);

    if (n > 1)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND,
                                 "'%.*s' was %lld processes; 'pmapdb processes' lists them, choose "
                                 "one as @ID",
                                 (int)selector.len, selector.data, (long long)n));
}

static void find_name(pm_sql *sql, pm_text host, pm_text name, pm_scope *out)
{
    int64_t n = count_ids(sql,
                          "SELECT count(*), max(n.name_id) FROM name n LEFT JOIN host h ON "
                          "h.host_id = n.host_id WHERE n.name = ?1 AND (?2 IS NULL OR h.name = ?2) "
                          "AND EXISTS (SELECT 1 FROM process p WHERE p.name_id = n.name_id)",
                          PM_ARGS(PM_T(name), PM_T(host)), &out->name_id);

    if (n > 1)
        no_process(sql, "give HOST:NAME: several hosts have a process '", name);
}

static void find_only(pm_sql *sql, pm_scope *out)
{
    if (count_ids(sql, "SELECT count(DISTINCT name_id), max(name_id) FROM process", PM_NO_ARGS,
                  &out->name_id) != 1)
        no_process(sql, "which process? give --process", (pm_text){"", 0});
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
                                 "'pmapdb processes' lists them, choose one as @ID",
                                 (long long)n));
}

static bool found(const pm_scope *s)
{
    return s->process_id != PMAPDB_UNKNOWN || s->name_id != PMAPDB_UNKNOWN;
}

/* PID, NAME, NAME/PID, HOST:NAME. A name may look like any of these, so each is tried in turn. */
static void find_process(pm_sql *sql, pm_text s, pm_scope *out)
{
    static const pm_text any = {NULL, 0};
    const char *slash = memrchr(s.data, '/', s.len), *colon = memchr(s.data, ':', s.len);
    size_t before_slash = slash ? (size_t)(slash - s.data) : 0;
    size_t before_colon = colon ? (size_t)(colon - s.data) : 0;
    uint64_t number;

    if (s.data[0] == '@' && pm_num_all(pm_text_from(s, 1), &number)) {
        out->process_id = pm_sql_value(sql, "SELECT process_id FROM process WHERE process_id = ?1",
                                       PM_ARGS(PM_I(number)), PMAPDB_UNKNOWN);
    } else {
        if (pm_num_all(s, &number))
            find_pid(sql, s, any, number, out);
        if (!found(out))
            find_name(sql, any, s, out);
        if (!found(out) && slash && pm_num_all(pm_text_from(s, before_slash + 1), &number))
            find_pid(sql, s, (pm_text){s.data, before_slash}, number, out);
        if (!found(out) && colon)
            find_name(sql, (pm_text){s.data, before_colon}, pm_text_from(s, before_colon + 1), out);
    }
    if (!found(out))
        no_process(sql, "no process '", s);
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

pmapdb_status pm_select_host(pm_sql *sql, pm_text name, int64_t *host_id, pmapdb_error *err)
{
    *host_id =
        pm_sql_value(sql, "SELECT host_id FROM host WHERE name = ?1", PM_ARGS(PM_T(name)), 0);
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
#define NEAREST(condition, order)                                                            \
    "SELECT z.snapshot_id FROM process p CROSS JOIN snapshot z ON z.snapshot_id = "          \
    "(SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id AND " condition \
    " AND (CASE WHEN ?4 IS NULL THEN s.preferred ELSE s.dialect = ?4 END) ORDER BY "         \
    "s.taken_ms " order " LIMIT 1) " SCOPE " ORDER BY z.taken_ms " order ", z.snapshot_id LIMIT 1"

static int64_t find_in(const series *in, const char *select, int64_t ms)
{
    const pm_scope *s = in->scope;

    return pm_sql_value(in->sql, select,
                        PM_ARGS(PM_I(s->process_id), PM_I(s->name_id), PM_I(s->host_id),
                                PM_T(in->dialect), PM_BITS(ms)),
                        PMAPDB_UNKNOWN);
}

static int64_t at_or_before(const series *in, int64_t ms)
{
    return find_in(in, NEAREST("s.taken_ms <= ?5", "DESC"), ms);
}

static int64_t earliest(const series *in)
{
    return find_in(in, NEAREST("s.taken_ms >= ?5", ""), INT64_MIN);
}

static int64_t moment_of(const series *in, int64_t snapshot_id)
{
    return pm_sql_value(in->sql, "SELECT moment_ms FROM snapshot WHERE snapshot_id = ?1",
                        PM_ARGS(PM_I(snapshot_id)), PMAPDB_UNKNOWN);
}

static void no_snapshot(const series *in, pm_text selector)
{
    int64_t first = earliest(in), last = at_or_before(in, INT64_MAX);
    char a[PM_CLOCK_TEXT], b[PM_CLOCK_TEXT];

    if (first == PMAPDB_UNKNOWN) {
        PM_SQL_STEP(in->sql, pm_fail(&err, PMAPDB_NOTFOUND, "no snapshots%s%.*s of this process",
                                     in->dialect.len ? " in dialect " : "", (int)in->dialect.len,
                                     in->dialect.len ? in->dialect.data : ""));
        return;
    }
    pm_clock_format(moment_of(in, first), a);
    pm_clock_format(moment_of(in, last), b);
    PM_SQL_STEP(in->sql,
                pm_fail(&err, PMAPDB_NOTFOUND,
                        "no snapshot '%.*s'; there are @%lld (first, %s) to @%lld (last, %s)",
                        (int)selector.len, selector.data, (long long)first, a, (long long)last, b));
}

/* "-2h" after `prefix`. */
static bool is_back(pm_text text, const char *prefix, int64_t *span)
{
    size_t n = strlen(prefix);

    return pm_text_starts(text, pm_text_of(prefix)) && text.len > n + 1 && text.data[n] == '-' &&
           pm_num_span(pm_text_from(text, n + 1), span);
}

/* The time of a selector; PMAPDB_UNKNOWN if there is no snapshot to count back from. back_from as
 * in select.h. */
static int64_t time_of(const series *in, pm_text selector, int64_t back_from)
{
    bool prev = pm_text_equal(selector, PM_TEXT("prev"));
    int64_t span = prev ? 1 : 0, ms = PMAPDB_UNKNOWN;

    if (pm_text_equal(selector, PM_TEXT("now")) || is_back(selector, "now", &span))
        return pm_clock_now() - span;
    if (prev || is_back(selector, "", &span)) {
        if (prev || back_from == PMAPDB_UNKNOWN)
            back_from = moment_of(in, at_or_before(in, INT64_MAX));
        return back_from == PMAPDB_UNKNOWN ? back_from : back_from - span;
    }
    if (!pm_clock_parse(selector, &ms))
        PM_SQL_STEP(in->sql,
                    pm_fail(&err, PMAPDB_USAGE,
                            "'%.*s' is not a snapshot: give first, last, prev, @ID, a time "
                            "(2026-11-21T02:05), -2h or now-2h",
                            (int)selector.len, selector.data));
    return ms;
}

pmapdb_status pm_select_time(pm_sql *sql, const pm_scope *scope, pm_text text, int64_t *ms,
                             pmapdb_error *err)
{
    series in = {.sql = sql, .scope = scope};

    *ms = PMAPDB_UNKNOWN;
    if (pm_clock_parse(text, ms))
        return PMAPDB_OK;
    if (text.len < 2 || (text.data[0] != '-' && text.data[0] != 'n'))
        return PMAPDB_USAGE;
    *ms = time_of(&in, text, PMAPDB_UNKNOWN);
    return pm_sql_end(sql, err);
}

pmapdb_status pm_select_snapshot(pm_sql *sql, const pm_scope *scope, pm_text dialect,
                                 pm_text selector, int64_t back_from, pm_pick *out,
                                 pmapdb_error *err)
{
    series in = {sql, scope, dialect};
    uint64_t id;
    int64_t ms;

    *out = (pm_pick){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN};
    if (pm_text_equal(selector, PM_TEXT("first")))
        out->snapshot_id = earliest(&in);
    else if (pm_text_equal(selector, PM_TEXT("last")))
        out->snapshot_id = at_or_before(&in, INT64_MAX);
    else if (pm_text_starts(selector, PM_TEXT("@")) && pm_num_all(pm_text_from(selector, 1), &id) &&
             id < ID_MAX)
        out->snapshot_id = find_in(&in,
                                   "SELECT s.snapshot_id FROM snapshot s JOIN process p ON "
                                   "p.process_id = s.process_id " SCOPE " AND s.snapshot_id = ?5",
                                   (int64_t)id);
    else if ((ms = time_of(&in, selector, back_from)) != PMAPDB_UNKNOWN)
        out->snapshot_id = at_or_before(&in, ms);
    if (out->snapshot_id == PMAPDB_UNKNOWN)
        no_snapshot(&in, selector);
    out->moment_ms = moment_of(&in, out->snapshot_id);
    return pm_sql_end(sql, err);
}
