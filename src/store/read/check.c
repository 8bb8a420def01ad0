/* check: a query's statement against its header. */
#include "store/read/query.h"

#include "base/near.h"
#include "store/read/statement.h"

static pmapdb_status check_columns(const pm_query_info *q, sqlite3_stmt *stmt, pmapdb_error *err)
{
    int n = sqlite3_column_count(stmt);

    for (int i = 0; i < n; i++) {
        const char *is = sqlite3_column_name(stmt, i);
        pm_text says;

        if (i >= q->n_columns)
            return pm_query_fail(q, q->body, err,
                                 "column %d, '%s', is not declared: the header needs '-- column: "
                                 "%s TYPE TEXT'",
                                 i + 1, is, is);
        says = q->column[i].name;
        if (!pm_text_equal(pm_text_of(is), says))
            return pm_query_fail(q, says.data, err,
                                 "column %d is called '%s', the header declares '%.*s'", i + 1, is,
                                 (int)says.len, says.data);
    }
    if (n < q->n_columns)
        return pm_query_fail(
            q, q->column[n].name.data, err,
            "column %d is declared as '%.*s', the statement gives only %d column%s", n + 1,
            (int)q->column[n].name.len, q->column[n].name.data, n, n == 1 ? "" : "s");
    return PMAPDB_OK;
}

/* Refuses a parameter that is not declared, which would silently be NULL. */
static pmapdb_status undeclared(const pm_query_info *q, const char *bound, pmapdb_error *err)
{
    const char *at = strstr(q->body, bound ? bound : "?");
    pm_near near;

    if (!bound || bound[0] != ':')
        return pm_query_fail(q, at, err, "a parameter is written :name, not '%s'",
                             bound ? bound : "?");
    if (strcmp(bound, ":name_id") == 0)
        return pm_query_fail(q, at, err,
                             ":name_id comes with a parameter of type process, which is not "
                             "declared");
    pm_near_start(&near, pm_text_of(bound + 1));
    for (int i = 0; i < q->n_params; i++)
        pm_near_try(&near, q->param[i].name);
    return pm_query_fail(q, at, err,
                         "the parameter '%s' is not declared%s the header needs '-- param: %s "
                         "TYPE DEFAULT TEXT'",
                         bound, pm_near_hint(&near), bound + 1);
}

static pmapdb_status check_params(const pm_query_info *q, sqlite3_stmt *stmt, pmapdb_error *err)
{
    bool used[PM_QUERY_ITEMS] = {false};
    int snapshots = 0;

    for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
        const char *bound = sqlite3_bind_parameter_name(stmt, i);
        int at = 0;

        while (bound && at < q->n_params && !pm_query_is_param(bound, q->param[at].name) &&
               !(q->param[at].unit == PM_UNIT_PROCESS && strcmp(bound, ":name_id") == 0))
            at++; /* a process also gives :name_id */
        if (!bound || at == q->n_params)
            return undeclared(q, bound, err);
        used[at] = true;
    }
    for (int i = 0; i < q->n_params; i++)
        snapshots += q->param[i].unit == PM_UNIT_SNAPSHOT;
    for (int i = 0; i < q->n_params; i++) {
        pm_unit unit = q->param[i].unit;
        bool selects = snapshots > (unit == PM_UNIT_SNAPSHOT) &&
                       (unit == PM_UNIT_PROCESS || unit == PM_UNIT_SNAPSHOT ||
                        pm_text_equal(q->param[i].name, PM_TEXT("dialect")));

        if (!used[i] && !selects) /* a parameter that selects snapshots need not be used */
            return pm_query_fail(q, q->param[i].name.data, err,
                                 "the parameter '%.*s' is declared, but the statement does not "
                                 "use it",
                                 (int)q->param[i].name.len, q->param[i].name.data);
    }
    return PMAPDB_OK;
}

pmapdb_status pm_query_check(pmapdb_store *store, const pm_query_info *q, sqlite3_stmt **stmt,
                             pmapdb_error *err)
{
    pmapdb_status st = q->engine.len ? pm_query_fail(q, q->engine.data, err,
                                                     "this asks %.*s: pmapdb fleet runs it",
                                                     (int)q->engine.len, q->engine.data)
                                     : pm_statement_prepare(store, q, "a query", stmt, err);

    PM_STEP(st, check_columns(q, *stmt, err));
    PM_STEP(st, check_params(q, *stmt, err));
    if (st != PMAPDB_OK) {
        sqlite3_finalize(*stmt);
        *stmt = NULL;
    }
    return st;
}

pmapdb_status pm_query_check_alone(const pm_query_info *q, pmapdb_error *err)
{
    const pmapdb_open_options how = {.mode = PMAPDB_WRITE, .in_memory = true};
    pmapdb_store *store = NULL;
    sqlite3_stmt *stmt = NULL;
    pmapdb_status st = pmapdb_open("memory", &how, &store, err);

    PM_STEP(st, pm_query_check(store, q, &stmt, err));
    sqlite3_finalize(stmt);
    pmapdb_close(store);
    return st;
}
