/* rows: runs the statements of a push. */
#include "store/push/rows.h"

#include "base/hash.h"
#include "classify/classify.h"
#include "store/func/argument.h"
#include <stdio.h>

#define COLUMNS 32

/* ---- functions ---- */

/* Hashes the arguments as texts; NULL differs from ''. */
static void hash(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    uint64_t h = 0;

    for (int i = 0; i < n; i++) {
        pm_text t = pm_argument_text(arg[i]);

        h = pm_hash_seeded(t.data ? t.data : "", t.len, h + (t.data != NULL));
    }
    sqlite3_result_int64(ctx, (int64_t)(h & INT64_MAX));
}

static bool is_slug(pm_text text)
{
    for (int i = 0; i < PM_CATEGORY_COUNT; i++)
        if (pm_text_equal(text, pm_text_of(pm_categories[i].slug)))
            return true;
    return false;
}

static pmapdb_status replace(pm_push_names *names, pm_redact_how how, pm_text text, pm_text *out,
                             pmapdb_error *err)
{
    *out = text;
    return how == PM_REDACT_NEVER
               ? pm_redact_publish(names->redact, text, err)
               : pm_redact_text(names->redact, how, text, (pm_text){0}, out, err);
}

static void name(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    pm_push_names *names = sqlite3_user_data(ctx);
    pm_redact_how how = pm_redact_way(arg[0]);
    pm_text text = pm_argument_text(arg[1]), out;
    pmapdb_error err = {0};

    (void)n;
    if (!names->redact || !text.data || (how == PM_REDACT_CATEGORY && is_slug(text))) {
        sqlite3_result_value(ctx, arg[1]);
        return;
    }
    if (replace(names, how, text, &out, &err) == PMAPDB_OK)
        sqlite3_result_text64(ctx, out.data, out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error(ctx, err.text, -1);
    pm_sql_do(names->sql, "INSERT OR IGNORE INTO temp.push_said (how, text) VALUES (?1, ?2)",
              PM_ARGS(PM_I(how), PM_T(text)));
}

pmapdb_status pm_push_names_open(pm_sql *sql, bool redact, pm_push_names *out, pmapdb_error *err)
{
    sqlite3 *db = pm_sql_db(sql);
    int how = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    int rc = sqlite3_create_function(db, "push_hash", -1, how | SQLITE_DETERMINISTIC, NULL, hash,
                                     NULL, NULL);
    sqlite3_stmt *row;
    pmapdb_status st = PMAPDB_OK;
    pm_text token;

    *out = (pm_push_names){.sql = sql};
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function(db, "push_name", 2, how, out, name, NULL, NULL);
    if (rc != SQLITE_OK)
        return pm_sql_fail_code(db, rc, "add a function", err);
    pm_sql_do(sql,
              "CREATE TEMP TABLE IF NOT EXISTS push_said "
              "(how INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (how, text))",
              PM_NO_ARGS);
    if (redact)
        st = pm_redact_new(NULL, 0, &out->redact, err);
    row = redact ? pm_sql_ask(sql, "SELECT how, text FROM push_token ORDER BY place", PM_NO_ARGS)
                 : NULL;
    while (st == PMAPDB_OK && row && pm_sql_next(sql, row))
        st = replace(out, (pm_redact_how)pm_col_int(row, 0), pm_col_text(row, 1), &token, err);
    PM_STEP(st, pm_sql_end(sql, err));
    return st;
}

void pm_push_names_close(pm_push_names *names)
{
    if (names->redact)
        pm_redact_free(names->redact);
}

/* ---- rows ---- */

static pm_value value_of(sqlite3_stmt *stmt, int i)
{
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_NULL:
        return (pm_value){.kind = PM_VALUE_NULL};
    case SQLITE_INTEGER:
        return (pm_value){.kind = PM_VALUE_INT, .i = sqlite3_column_int64(stmt, i)};
    case SQLITE_FLOAT:
        return (pm_value){.kind = PM_VALUE_REAL, .r = sqlite3_column_double(stmt, i)};
    default:
        return (pm_value){.kind = PM_VALUE_TEXT, .t = pm_col_text(stmt, i)};
    }
}

pmapdb_status pm_push_rows(pm_sql *sql, const char *table, const pm_param *params, size_t n_params,
                           const pm_push_sink *sink, int64_t *rows, pmapdb_error *err)
{
    pm_column columns[COLUMNS];
    pm_value values[COLUMNS];
    char script[32];
    sqlite3_stmt *stmt;
    pmapdb_status st;
    int n;

    snprintf(script, sizeof script, "push-%s", table);
    stmt = pm_sql_ask_script(sql, script, params, n_params);
    n = stmt ? sqlite3_column_count(stmt) : 0;
    for (int i = 0; i < n; i++)
        columns[i] = (pm_column){sqlite3_column_name(stmt, i), PM_UNIT_TEXT};
    st = stmt ? sink->table(sink->ctx, table, columns, n, err) : PMAPDB_OK;
    for (; st == PMAPDB_OK && stmt && pm_sql_next(sql, stmt); ++*rows) {
        for (int i = 0; i < n; i++)
            values[i] = value_of(stmt, i);
        st = sink->row(sink->ctx, values, err);
    }
    if (st != PMAPDB_OK)
        pm_sql_done(stmt);
    PM_STEP(st, pm_sql_end(sql, err));
    return st;
}
