/* bind: the parameters of a query, from the user's words to bound values. */
#include "store/read/query.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/near.h"
#include "base/num.h"
#include <stdio.h>
#include <stdlib.h>

bool pm_query_is_param(const char *bound, pm_text name)
{
    if (bound[0] != ':' || strlen(bound) != name.len + 1)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (bound[i + 1] != (name.data[i] == '-' ? '_' : name.data[i]))
            return false;
    return true;
}

static bool is_called(const pm_query_param *p, const char *name)
{
    return pm_text_equal(p->name, pm_text_of(name));
}

int pm_query_param_at(const pm_query_info *q, pm_text name)
{
    for (int i = 0; i < q->n_params; i++)
        if (pm_text_equal(q->param[i].name, name))
            return i;
    return -1;
}

pmapdb_status pmapdb_bind(pmapdb_rows *r, const char *param, const char *value, pmapdb_error *err)
{
    pm_text what = r->adhoc ? PM_TEXT("the statement") : r->info->name;
    int i = pm_query_param_at(r->info, pm_text_of(param));
    char *copy;
    pm_near near;

    if (i < 0) {
        pm_near_start(&near, pm_text_of(param));
        for (int k = 0; k < r->info->n_params; k++)
            pm_near_try(&near, r->info->param[k].name);
        return pm_fail(err, PMAPDB_USAGE, "%.*s has no parameter '%s'%s", (int)what.len, what.data,
                       param, near.best[0] ? pm_near_hint(&near) : "");
    }
    copy = strdup(value);
    if (!copy)
        return pm_fail_nomem(err);
    free(r->given[i]);
    r->given[i] = copy;
    r->bound = false;
    return PMAPDB_OK;
}

static pm_text value_of(const pmapdb_rows *r, int i)
{
    return r->given[i] ? pm_text_of(r->given[i]) : r->info->param[i].fallback;
}

/* ---- values ---- */

/* Binds a value: as :name, for ad-hoc SQL also as @name and $name. SQLite needs memory to copy a
 * text; the failure must stop the query, because a NULL would make it a different one. */
static pmapdb_status bind(pmapdb_rows *r, pm_text name, pm_arg value, pmapdb_error *err)
{
    for (int at = 1; at <= sqlite3_bind_parameter_count(r->stmt); at++) {
        const char *bound = sqlite3_bind_parameter_name(r->stmt, at);

        if (!bound || !(r->adhoc ? pm_text_equal(pm_text_of(bound + 1), name)
                                 : pm_query_is_param(bound, name)))
            continue;
        if ((value.kind == PM_ARG_TEXT && value.t.data
                 ? sqlite3_bind_text64(r->stmt, at, value.t.data, value.t.len, SQLITE_TRANSIENT,
                                       SQLITE_UTF8)
                 : pm_sql_bind(r->stmt, at, &value)) != SQLITE_OK)
            return pm_sql_fail(r->store->db, "bind a value", err);
    }
    return PMAPDB_OK;
}

static bool is_real(pm_text t, double *out)
{
    char *end;

    if (!t.len || strspn(t.data, "0123456789.eE+-") < t.len || !strpbrk(t.data, "0123456789"))
        return false;
    *out = strtod(t.data, &end);
    return end == t.data + t.len;
}

/* A value for ad-hoc SQL: empty for NULL, a number, an address (0x...), 'text' or text. */
static pm_arg literal(pm_text t)
{
    bool minus = t.len && t.data[0] == '-';
    uint64_t n;
    double real;

    if (pm_text_starts(t, PM_TEXT("0x")) && t.len > 2 &&
        pm_num_hex(t.data + 2, t.data + t.len, &n) == t.len - 2)
        return PM_BITS(n);
    if (pm_num_all(pm_text_from(t, minus ? 1 : 0), &n) && n <= INT64_MAX)
        return PM_BITS(minus ? -(int64_t)n : (int64_t)n);
    if (is_real(t, &real))
        return PM_R(real);
    if (t.len >= 2 && t.data[0] == '\'' && t.data[t.len - 1] == '\'')
        return PM_T(((pm_text){t.data + 1, t.len - 2}));
    return t.len ? PM_T(t) : PM_I(PMAPDB_UNKNOWN);
}

/* Reports a wrong value; a wrong default is an error in the header. */
static pmapdb_status wrong(const pmapdb_rows *r, const pm_query_param *p, pm_text value,
                           const char *want, pmapdb_error *err)
{
    if (value.data == p->fallback.data)
        return pm_query_fail(r->info, value.data, err,
                             "the default of '%.*s' must be %s, not '%.*s'", (int)p->name.len,
                             p->name.data, want, (int)value.len, value.data);
    return pm_fail(err, PMAPDB_USAGE, "--%.*s wants %s, not '%.*s'", (int)p->name.len, p->name.data,
                   want, (int)value.len, value.data);
}

static pmapdb_status bind_number(pmapdb_rows *r, const pm_query_param *p, pm_text value,
                                 pmapdb_error *err)
{
    uint64_t plain = 0;
    int64_t v = 0;
    double real;
    pm_text digits;
    pmapdb_status st;

    switch (p->unit) {
    case PM_UNIT_KIB:
        if (!pm_num_size(value, &v))
            return wrong(r, p, value, "a size like 10M", err);
        break;
    case PM_UNIT_DURATION:
        if (!pm_num_span(value, &v))
            return wrong(r, p, value, "a span like 2h", err);
        break;
    case PM_UNIT_TIME:
        st = pm_select_time(r->store->sql, &r->scope, value, &v, err);
        if (st == PMAPDB_USAGE)
            return wrong(r, p, value, "a time like 2026-11-21T02:05, yesterday, -7d or now-7d",
                         err);
        if (st != PMAPDB_OK)
            return st;
        break;
    case PM_UNIT_ADDRESS:
        digits = pm_text_from(value, pm_text_starts(value, PM_TEXT("0x")) ? 2 : 0);
        if (pm_num_hex(digits.data, digits.data + digits.len, &plain) != digits.len)
            return wrong(r, p, value, "a hexadecimal address", err);
        return bind(r, p->name, PM_BITS(plain), err);
    case PM_UNIT_REAL:
    case PM_UNIT_RATIO:
    case PM_UNIT_RATE:
        if (!is_real(value, &real))
            return wrong(r, p, value, "a number", err);
        return bind(r, p->name, PM_R(real), err);
    default:
        if (!pm_num_all(value, &plain) || plain > INT64_MAX)
            return wrong(r, p, value, "a whole number", err);
        v = (int64_t)plain;
    }
    return bind(r, p->name, PM_I(v), err);
}

/* ---- words ---- */

/* A SELECT of the words that a parameter may be; NULL: any word. */
static const char *words_of(const pm_query_param *p)
{
    if (p->unit == PM_UNIT_CATEGORY)
        return "SELECT category FROM category ORDER BY 1";
    if (is_called(p, "dialect"))
        return "SELECT name FROM dialect ORDER BY rank";
    if (is_called(p, "state"))
        return "VALUES ('complete'), ('partial'), ('totals')";
    if (is_called(p, "host"))
        return "SELECT name FROM host ORDER BY 1";
    /* "One of rss, pss, size: ..." */
    if (pm_text_starts(p->help, PM_TEXT("One of ")))
        return "WITH listed (list) AS (SELECT substr(?1, 8, instr(?1 || ':', ':') - 8)), "
               "word (word, rest) AS (SELECT NULL, list FROM listed UNION ALL SELECT "
               "trim(substr(rest, 1, instr(rest || ',', ',') - 1)), "
               "substr(rest, instr(rest || ',', ',') + 1) FROM word WHERE rest <> '') "
               "SELECT word FROM word WHERE word IS NOT NULL";
    return NULL;
}

static pmapdb_status check_word(pm_sql *sql, const pm_query_param *p, pm_text value,
                                pmapdb_error *err)
{
    const char *words = words_of(p);
    pm_arg help = PM_T(p->help);
    sqlite3_stmt *row = words ? pm_sql_ask(sql, words, &help, strchr(words, '?') ? 1 : 0) : NULL;
    pm_buf all = {0};
    pm_near near;
    bool found = !words;
    pmapdb_status st;

    pm_near_start(&near, value);
    while (pm_sql_next(sql, row)) {
        pm_text word = pm_col_text(row, 0);

        found |= pm_text_equal(word, value);
        pm_near_try(&near, word);
        pm_sql_keep(sql, pm_buf_addf(&all, err, " %.*s", (int)word.len, word.data), err);
    }
    st = pm_sql_end(sql, err);
    if (st == PMAPDB_OK && !found)
        st = pm_fail(err, PMAPDB_NOTFOUND, "no %.*s '%.*s'%s there are:%s", (int)p->name.len,
                     p->name.data, (int)value.len, value.data, pm_near_hint(&near),
                     all.len ? all.data : " none");
    pm_buf_free(&all);
    return st;
}

/* ---- processes and snapshots ---- */

/* "only": the process of --snapshot @7, or the only name in the store. */
static pmapdb_status the_only(pmapdb_rows *r, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    uint64_t id;

    r->scope = pm_scope_all;
    for (int i = 0; i < r->info->n_params && st == PMAPDB_OK; i++)
        if (r->info->param[i].unit == PM_UNIT_SNAPSHOT && r->given[i] && r->given[i][0] == '@' &&
            pm_num_all(pm_text_of(r->given[i] + 1), &id) && id <= INT64_MAX)
            st = pm_select_of_snapshot(r->store->sql, (int64_t)id, &r->scope, err);
    if (st != PMAPDB_OK || r->scope.process_id != PMAPDB_UNKNOWN ||
        r->scope.name_id != PMAPDB_UNKNOWN)
        return st;
    return pm_select_process(r->store->sql, PM_TEXT("only"), &r->scope, err);
}

static pmapdb_status bind_process(pmapdb_rows *r, const pm_query_param *p, pm_text value,
                                  pmapdb_error *err)
{
    pmapdb_status st;

    if (value.len == 0 && p->fallback.len)
        return pm_fail(err, PMAPDB_USAGE,
                       "--%.*s is empty: leave it out if the store has only one name",
                       (int)p->name.len, p->name.data);
    if (pm_text_equal(value, PM_TEXT("only")))
        st = the_only(r, err);
    else
        st = pm_select_process(r->store->sql, value, &r->scope, err);
    PM_STEP(st, bind(r, p->name, PM_I(r->scope.process_id), err));
    return st == PMAPDB_OK ? bind(r, PM_TEXT("name_id"), PM_I(r->scope.name_id), err) : st;
}

static pmapdb_status bind_snapshot(pmapdb_rows *r, const pm_query_param *p, pm_text value,
                                   pmapdb_error *err)
{
    int dialect_at = pm_query_param_at(r->info, PM_TEXT("dialect"));
    pm_text dialect = dialect_at < 0 ? (pm_text){NULL, 0} : value_of(r, dialect_at);
    bool is_from = is_called(p, "from");
    char first[PM_CLOCK_TEXT];
    pm_pick pick;
    pmapdb_status st =
        pm_select_snapshot(r->store->sql, &r->scope, dialect.len ? dialect : (pm_text){NULL, 0},
                           value, is_from ? r->back_from : PMAPDB_UNKNOWN, &pick, err);

    if (st != PMAPDB_OK)
        return st;
    if (pick.clipped) {
        pm_clock_format(pick.moment_ms, first);
        snprintf(r->clipped, sizeof r->clipped,
                 "no snapshot is as old as --%.*s %.*s: the first one, of %s, is used",
                 (int)p->name.len, p->name.data, (int)value.len, value.data, first);
    }
    if (is_from && r->back_from != PMAPDB_UNKNOWN && pick.moment_ms > r->back_from)
        return pm_fail(err, PMAPDB_USAGE, "--from is later than --%s",
                       pm_query_param_at(r->info, PM_TEXT("at")) < 0 ? "to" : "at");
    if (is_called(p, "to") || is_called(p, "at"))
        r->back_from = pick.moment_ms;
    if (!is_from)
        r->moment_ms = pick.moment_ms;
    return bind(r, p->name, PM_I(pick.snapshot_id), err);
}

/* ---- all parameters ---- */

static pmapdb_status bind_one(pmapdb_rows *r, int i, pmapdb_error *err)
{
    const pm_query_param *p = &r->info->param[i];
    pm_text value = value_of(r, i);
    pmapdb_status st = PMAPDB_OK;

    if (!r->given[i] && pm_text_equal(value, PM_TEXT("-")))
        return r->adhoc ? pm_fail(err, PMAPDB_USAGE, "the statement needs --param %.*s=VALUE",
                                  (int)p->name.len, p->name.data)
                        : pm_fail(err, PMAPDB_USAGE, "%.*s needs --%.*s", (int)r->info->name.len,
                                  r->info->name.data, (int)p->name.len, p->name.data);
    if (r->adhoc)
        return bind(r, p->name, literal(value), err);
    if (p->unit == PM_UNIT_PROCESS)
        return bind_process(r, p, value, err);
    if (p->unit == PM_UNIT_SNAPSHOT)
        return bind_snapshot(r, p, value, err);
    if (value.len && p->unit != PM_UNIT_TEXT && p->unit != PM_UNIT_CATEGORY)
        return bind_number(r, p, value, err);
    if (value.len)
        st = check_word(r->store->sql, p, value, err);
    if (st == PMAPDB_OK && p->unit == PM_UNIT_TEXT &&
        is_called(p, "host")) /* limits the search for snapshots */
        r->scope.host_id = pm_sql_value(r->store->sql, "SELECT host_id FROM host WHERE name = ?1",
                                        PM_ARGS(PM_T(value)), 0);
    PM_STEP(st, pm_sql_end(r->store->sql, err));
    PM_STEP(st, bind(r, p->name, value.len ? PM_T(value) : PM_I(PMAPDB_UNKNOWN), err));
    return st;
}

/* The order of resolving: processes; then dialect and host, which limit the search for snapshots;
 * then snapshots, --to before --from. */
static int pass_of(const pm_query_param *p)
{
    if (p->unit == PM_UNIT_PROCESS)
        return 0;
    if (is_called(p, "dialect") || (p->unit == PM_UNIT_TEXT && is_called(p, "host")))
        return 1;
    if (p->unit == PM_UNIT_SNAPSHOT)
        return is_called(p, "from") ? 3 : 2;
    return 4;
}

/* A query with a snapshot but no process means the only name in the store. */
static pmapdb_status default_scope(pmapdb_rows *r, pmapdb_error *err)
{
    bool wants = false;

    for (int i = 0; i < r->info->n_params; i++) {
        if (r->info->param[i].unit == PM_UNIT_PROCESS)
            return PMAPDB_OK;
        wants |= r->info->param[i].unit == PM_UNIT_SNAPSHOT;
    }
    return wants ? the_only(r, err) : PMAPDB_OK;
}

pmapdb_status pm_query_resolve(pmapdb_rows *r, pmapdb_error *err)
{
    pmapdb_status st = r->stmt ? PMAPDB_OK : pm_query_check(r->store, r->info, &r->stmt, err);

    PM_STEP(st, default_scope(r, err));
    sqlite3_reset(r->stmt);
    r->back_from = PMAPDB_UNKNOWN;
    r->moment_ms = 0;
    r->clipped[0] = '\0';
    for (int pass = 0; pass < 5; pass++)
        for (int i = 0; i < r->info->n_params && st == PMAPDB_OK; i++)
            if (pass_of(&r->info->param[i]) == pass)
                st = bind_one(r, i, err);
    r->bound = st == PMAPDB_OK;
    return st;
}
