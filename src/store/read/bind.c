/* bind: the parameters of a query, from what a user writes to bound values. */
#include "store/read/query.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/near.h"
#include "base/num.h"
#include "store/read/adhoc.h"
#include "store/read/choice.h"
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

/* ", did you mean 'X'?" among the names of the parameters. */
static pmapdb_status no_param(const pmapdb_rows *r, const char *param, pmapdb_error *err)
{
    const char *what = r->adhoc ? "the statement" : r->info->name.data;
    int len = r->adhoc ? (int)strlen(what) : (int)r->info->name.len;
    pm_near near;

    pm_near_start(&near, pm_text_of(param));
    for (int i = 0; i < r->info->n_params; i++)
        pm_near_try(&near, r->info->param[i].name);
    return pm_fail(err, PMAPDB_USAGE, "%.*s has no parameter '%s'%s", len, what, param,
                   near.best[0] ? pm_near_hint(&near) : "");
}

static int find_param(const pmapdb_rows *r, const char *name)
{
    for (int i = 0; i < r->info->n_params; i++)
        if (pm_text_equal(r->info->param[i].name, pm_text_of(name)))
            return i;
    return -1;
}

pmapdb_status pmapdb_bind(pmapdb_rows *r, const char *param, const char *value, pmapdb_error *err)
{
    int i = find_param(r, param);
    char *copy;

    if (i < 0)
        return no_param(r, param, err);
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

/* Where the statement wants it, or 0. */
static int slot(const pmapdb_rows *r, pm_text name)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(r->stmt); i++) {
        const char *bound = sqlite3_bind_parameter_name(r->stmt, i);

        if (bound && pm_query_is_param(bound, name))
            return i;
    }
    return 0;
}

static void bind_int(pmapdb_rows *r, pm_text name, int64_t value)
{
    int at = slot(r, name);

    if (at && value == PMAPDB_UNKNOWN)
        sqlite3_bind_null(r->stmt, at);
    else if (at)
        sqlite3_bind_int64(r->stmt, at, value);
}

/* Unlike a number, a text needs memory: without it, it would be NULL, and that another question. */
static pmapdb_status bind_text(pmapdb_rows *r, pm_text name, pm_text value, pmapdb_error *err)
{
    int at = slot(r, name), rc = SQLITE_OK;

    if (at && value.len == 0)
        rc = sqlite3_bind_null(r->stmt, at);
    else if (at)
        rc = sqlite3_bind_text64(r->stmt, at, value.data, value.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    return rc == SQLITE_OK ? PMAPDB_OK
                           : pm_sql_fail(sqlite3_db_handle(r->stmt), "bind a value", err);
}

/* Of a default the header is at fault. */
static pmapdb_status wrong(const pmapdb_rows *r, const pm_query_param *p, pm_text value,
                           const char *want, pmapdb_error *err)
{
    pm_script script = pm_query_script(r->info);

    if (value.data == p->fallback.data)
        return pm_script_fail(&script, value.data, err, PMAPDB_USAGE,
                              "the default of '%.*s' is to be %s, not '%.*s'", (int)p->name.len,
                              p->name.data, want, (int)value.len, value.data);
    return pm_fail(err, PMAPDB_USAGE, "--%.*s wants %s, not '%.*s'", (int)p->name.len, p->name.data,
                   want, (int)value.len, value.data);
}

/* "only": the process that --snapshot @7 is of, or the only name that the store has. */
static pmapdb_status the_only(pmapdb_rows *r, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    uint64_t id;

    r->scope = (pm_scope){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};
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
        return pm_fail(err, PMAPDB_USAGE, "--%.*s is empty; leave it out where there is one name",
                       (int)p->name.len, p->name.data);
    if (pm_text_equal(value, PM_TEXT("only")))
        st = the_only(r, err);
    else
        st = pm_select_process(r->store->sql, value, &r->scope, err);
    if (st == PMAPDB_OK) {
        bind_int(r, p->name, r->scope.process_id);
        bind_int(r, PM_TEXT("name_id"), r->scope.name_id);
    }
    return st;
}

static bool is_host(const pm_query_param *p)
{
    return p->unit == PM_UNIT_TEXT && pm_text_equal(p->name, PM_TEXT("host"));
}

static pm_text dialect_of(const pmapdb_rows *r)
{
    int i = find_param(r, "dialect");
    pm_text t = i < 0 ? (pm_text){NULL, 0} : value_of(r, i);

    return t.len ? t : (pm_text){NULL, 0};
}

static pmapdb_status bind_snapshot(pmapdb_rows *r, const pm_query_param *p, pm_text value,
                                   pmapdb_error *err)
{
    pm_pick pick;
    bool is_from = pm_text_equal(p->name, PM_TEXT("from"));
    pmapdb_status st = pm_select_snapshot(r->store->sql, &r->scope, dialect_of(r), value,
                                          is_from ? r->back_from : PMAPDB_UNKNOWN, &pick, err);

    if (st != PMAPDB_OK)
        return st;
    if (is_from && r->back_from != PMAPDB_UNKNOWN && pick.moment_ms > r->back_from)
        return pm_fail(err, PMAPDB_USAGE, "--from is later than --%s",
                       find_param(r, "at") < 0 ? "to" : "at");
    if (pm_text_equal(p->name, PM_TEXT("to")) || pm_text_equal(p->name, PM_TEXT("at")))
        r->back_from = pick.moment_ms;
    if (!is_from)
        r->moment_ms = pick.moment_ms;
    bind_int(r, p->name, pick.snapshot_id);
    return PMAPDB_OK;
}

static pmapdb_status bind_number(pmapdb_rows *r, const pm_query_param *p, pm_text value,
                                 pmapdb_error *err)
{
    uint64_t plain;
    int64_t v;
    char *end;

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
        if (pm_select_time(r->store->sql, &r->scope, value, &v, err))
            return wrong(r, p, value, "a time like 2026-11-21T02:05, -7d or now-7d", err);
        break;
    case PM_UNIT_ADDRESS:
        if (pm_num_hex(value.data, value.data + value.len, &plain) != value.len)
            return wrong(r, p, value, "a hexadecimal address", err);
        v = (int64_t)plain;
        break;
    case PM_UNIT_REAL:
    case PM_UNIT_RATIO:
    case PM_UNIT_RATE:
        sqlite3_bind_double(r->stmt, slot(r, p->name), strtod(value.data, &end));
        return end == value.data + value.len ? PMAPDB_OK : wrong(r, p, value, "a number", err);
    default:
        if (!pm_num_all(value, &plain) || plain > INT64_MAX)
            return wrong(r, p, value, "a whole number", err);
        v = (int64_t)plain;
    }
    bind_int(r, p->name, v);
    return PMAPDB_OK;
}

/* The host narrows where snapshots are looked for. */
static pmapdb_status bind_words(pmapdb_rows *r, const pm_query_param *p, pm_text value,
                                pmapdb_error *err)
{
    pmapdb_status st = value.len ? pm_choice_check(r->store->sql, p, value, err) : PMAPDB_OK;

    if (st == PMAPDB_OK && is_host(p))
        st = pm_select_host(r->store->sql, value, &r->scope.host_id, err);
    return st == PMAPDB_OK ? bind_text(r, p->name, value, err) : st;
}

static pmapdb_status not_given(const pmapdb_rows *r, const pm_query_param *p, pmapdb_error *err)
{
    if (r->adhoc)
        return pm_fail(err, PMAPDB_USAGE, "the statement needs --param %.*s=VALUE",
                       (int)p->name.len, p->name.data);
    return pm_fail(err, PMAPDB_USAGE, "%.*s needs --%.*s", (int)r->info->name.len,
                   r->info->name.data, (int)p->name.len, p->name.data);
}

static pmapdb_status bind_one(pmapdb_rows *r, int i, pmapdb_error *err)
{
    const pm_query_param *p = &r->info->param[i];
    pm_text value = value_of(r, i);

    if (!r->given[i] && pm_text_equal(value, PM_TEXT("-")))
        return not_given(r, p, err);
    if (r->adhoc)
        return pm_adhoc_bind(r, i, value, err);
    if (p->unit == PM_UNIT_PROCESS)
        return bind_process(r, p, value, err);
    if (p->unit == PM_UNIT_SNAPSHOT)
        return bind_snapshot(r, p, value, err);
    if (value.len == 0 || p->unit == PM_UNIT_TEXT || p->unit == PM_UNIT_CATEGORY)
        return bind_words(r, p, value, err);
    return bind_number(r, p, value, err);
}

/* Processes, then dialect and host: snapshots are looked for among theirs; of those, --to before
 * --from. */
static int pass_of(const pm_query_param *p)
{
    if (p->unit == PM_UNIT_PROCESS)
        return 0;
    if (pm_text_equal(p->name, PM_TEXT("dialect")) || is_host(p))
        return 1;
    if (p->unit == PM_UNIT_SNAPSHOT)
        return pm_text_equal(p->name, PM_TEXT("from")) ? 3 : 2;
    return 4;
}

/* A query that asks for a snapshot and not for its process means the only name that there is. */
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
    pmapdb_status st = r->adhoc ? PMAPDB_OK : default_scope(r, err);

    sqlite3_reset(r->stmt);
    r->back_from = PMAPDB_UNKNOWN;
    r->moment_ms = 0;
    for (int pass = 0; pass < 5; pass++)
        for (int i = 0; i < r->info->n_params && st == PMAPDB_OK; i++)
            if (pass_of(&r->info->param[i]) == pass)
                st = bind_one(r, i, err);
    r->bound = st == PMAPDB_OK;
    return st;
}
