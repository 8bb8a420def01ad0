/* report: the data of a report, as JSON texts that queries make. */
#include "store/report/report.h"

#include <inttypes.h>
#include <stdlib.h>

#define FLEET_MOST 400
#define FLEET_POINTS 160
#define SINGLES_MOST 1500 /* mappings shown one by one */
#define CELLS_MOST 15000  /* parts of the address space times snapshots, for the others */

/* ---- deltas(x): the values of a column as a JSON array of differences ---- */

typedef struct deltas {
    pm_buf text;
    int64_t last;
} deltas;

static void deltas_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
    deltas *d = sqlite3_aggregate_context(out, sizeof *d);
    int64_t value = sqlite3_value_int64(argv[0]);
    char comma = '[';

    (void)argc;
    if (!d)
        return; /* SQLite has noted that memory ran out */
    if (d->text.len)
        comma = ',';
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL) {
        pm_buf_addf(&d->text, NULL, "%cnull", comma);
    } else {
        pm_buf_addf(&d->text, NULL, "%c%" PRId64, comma, value - d->last);
        d->last = value;
    }
}

static void deltas_final(sqlite3_context *out)
{
    deltas *d = sqlite3_aggregate_context(out, 0);

    if (!d || !d->text.len) {
        sqlite3_result_text(out, "[]", -1, SQLITE_STATIC);
    } else if (pm_buf_add(&d->text, "]", 1, NULL) != PMAPDB_OK) {
        pm_buf_free(&d->text);
        sqlite3_result_error_nomem(out);
    } else {
        sqlite3_result_text64(out, d->text.data, d->text.len, free, SQLITE_UTF8);
    }
}

/* ---- texts ---- */

/* Appends the text of the first row. */
static void ask(pmapdb_store *store, const char *script, const pm_param *params, size_t n_params,
                pm_buf *out)
{
    sqlite3_stmt *row = pm_sql_ask_script(store->sql, script, params, n_params);
    pm_text text;

    if (!pm_sql_next(store->sql, row))
        return;
    text = pm_col_text(row, 0);
    PM_SQL_STEP(store->sql, pm_buf_add(out, text.data, text.len, &err));
    pm_sql_done(row);
}

static void begin(pmapdb_store *store)
{
    int rc = sqlite3_create_function(store->db, "deltas", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                     NULL, NULL, deltas_step, deltas_final);
    pmapdb_error err;

    if (rc != SQLITE_OK)
        pm_sql_keep(store->sql, pm_sql_fail(store->db, "add a function", &err), &err);
    pm_sql_do(store->sql, "SAVEPOINT report", PM_NO_ARGS);
}

/* Drops the temporary tables. */
static pmapdb_status end(pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_end(store->sql, err);

    sqlite3_exec(store->db, "ROLLBACK TO report; RELEASE report", NULL, NULL, NULL);
    return st;
}

pmapdb_status pm_report_process(pmapdb_store *store, const pm_report_scope *scope, pm_buf *out,
                                pmapdb_error *err)
{
    pm_param params[] = {{":process", PM_I(scope->process_id)},
                         {":from_ms", PM_I(scope->from_ms)},
                         {":to_ms", PM_I(scope->to_ms)},
                         {":dialect", PM_T(scope->dialect)},
                         {":singles", PM_I(SINGLES_MOST)},
                         {":stretches", PM_I(scope->stretches)},
                         {":parts", PM_I(CELLS_MOST / scope->with_mappings + 1)},
                         {":level", PM_I(1)},
                         {":most", PM_I(scope->snapshots)}};
    size_t n = sizeof params / sizeof *params;

    begin(store);
    pm_sql_script(store->sql, "report-begin", params, n);
    pm_sql_script(store->sql, "report-keep", params, n);
    params[n - 2].value = PM_I(2);
    params[n - 1].value = PM_I(scope->with_mappings);
    pm_sql_script(store->sql, "report-keep", params, n);
    pm_sql_script(store->sql, "report-mappings", params, n);
    ask(store, "report-data", params, n, out);
    return end(store, err);
}

pmapdb_status pm_report_fleet(pmapdb_store *store, const pm_report_scope *scope, pm_buf *out,
                              pmapdb_error *err)
{
    pm_param params[] = {{":process", PM_I(scope->process_id)}, {":from_ms", PM_I(scope->from_ms)},
                         {":to_ms", PM_I(scope->to_ms)},        {":dialect", PM_T(scope->dialect)},
                         {":most", PM_I(FLEET_MOST)},           {":points", PM_I(FLEET_POINTS)}};

    begin(store);
    ask(store, "report-fleet", params, sizeof params / sizeof *params, out);
    return end(store, err);
}
