/* rows: runs the statements of a push. */
#include "store/push/rows.h"

#include "base/hash.h"
#include "classify/classify.h"
#include <stdio.h>

#define COLUMNS 32

/* ---- functions ---- */

static pm_text text_of(sqlite3_value *value)
{
    const char *data = (const char *)sqlite3_value_text(value);

    return (pm_text){data, data ? (size_t)sqlite3_value_bytes(value) : 0};
}

/* Hashes the arguments as texts; NULL differs from ''. */
static void hash(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    uint64_t h = 0;

    for (int i = 0; i < n; i++) {
        pm_text t = text_of(arg[i]);

        h = pm_hash_seeded(t.data ? t.data : "", t.len, h + (t.data != NULL));
    }
    sqlite3_result_int64(ctx, (int64_t)(h & INT64_MAX));
}

/* A word of the statements for how a text is redacted; a program of the system is made public. */
static pm_redact_how how_of(pm_text word)
{
    static const struct {
        const char *word;
        pm_redact_how how;
    } words[] = {{"host", PM_REDACT_HOST},    {"name", PM_REDACT_PATH},
                 {"boot", PM_REDACT_BOOT},    {"command", PM_REDACT_COMMAND},
                 {"path", PM_REDACT_PATH},    {"user", PM_REDACT_USER},
                 {"cgroup", PM_REDACT_PATH},  {"category", PM_REDACT_CATEGORY},
                 {"program", PM_REDACT_NEVER}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (pm_text_equal(word, pm_text_of(words[i].word)))
            return words[i].how;
    return PM_REDACT_REASON;
}

/* The program's own words: its categories and the usual keys of labels. */
static bool stays(pm_text word, pm_text text)
{
    if (pm_text_equal(word, PM_TEXT("category")))
        for (int i = 0; i < PM_CATEGORY_COUNT; i++)
            if (pm_text_equal(text, pm_text_of(pm_categories[i].slug)))
                return true;
    return pm_text_equal(word, PM_TEXT("key")) &&
           pm_text_listed(text, " build version role region ");
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
    pm_redact_how how;
    pm_text text = text_of(arg[1]), out;
    pmapdb_error err = {0};

    (void)n;
    if (!names->redact || !text.data || stays(text_of(arg[0]), text)) {
        sqlite3_result_value(ctx, arg[1]);
        return;
    }
    how = how_of(text_of(arg[0]));
    if (replace(names, how, text, &out, &err) == PMAPDB_OK)
        sqlite3_result_text64(ctx, out.data, out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error(ctx, err.text, -1);
    pm_sql_do(names->sql, "INSERT OR IGNORE INTO temp.push_said (how, text) VALUES (?1, ?2)",
              PM_ARGS(PM_I(how), PM_T(text)));
}

pmapdb_status pm_push_names_open(pm_sql *sql, bool redact, pm_push_names *out, pmapdb_error *err)
{
    sqlite3_stmt *row;
    pmapdb_status st = PMAPDB_OK;
    pm_text token;

    *out = (pm_push_names){.sql = sql};
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

pmapdb_status pm_push_functions(pm_push_names *names, pmapdb_error *err)
{
    sqlite3 *db = pm_sql_db(names->sql);
    int how = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    int rc = sqlite3_create_function(db, "push_hash", -1, how | SQLITE_DETERMINISTIC, NULL, hash,
                                     NULL, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_create_function(db, "push_name", 2, how, names, name, NULL, NULL);
    return rc == SQLITE_OK ? PMAPDB_OK : pm_sql_fail_code(db, rc, "add a function", err);
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

static pmapdb_status step_all(sqlite3_stmt *stmt, const char *table, const pm_push_sink *sink,
                              int64_t *rows, pmapdb_error *err)
{
    pm_column columns[COLUMNS];
    pm_value values[COLUMNS];
    int n = sqlite3_column_count(stmt), rc;
    pmapdb_status st;

    for (int i = 0; i < n; i++)
        columns[i] = (pm_column){sqlite3_column_name(stmt, i), PM_UNIT_TEXT};
    st = sink->table(sink->ctx, table, columns, n, err);
    while (st == PMAPDB_OK && (rc = sqlite3_step(stmt)) != SQLITE_DONE) {
        if (rc != SQLITE_ROW)
            return pm_sql_fail_code(sqlite3_db_handle(stmt), rc, "read", err);
        for (int i = 0; i < n; i++)
            values[i] = value_of(stmt, i);
        st = sink->row(sink->ctx, values, err);
        ++*rows;
    }
    return st;
}

pmapdb_status pm_push_rows(pm_sql *sql, const char *table, const pm_param *params, size_t n_params,
                           const pm_push_sink *sink, int64_t *rows, pmapdb_error *err)
{
    sqlite3 *db = pm_sql_db(sql);
    char script[32];
    sqlite3_stmt *stmt = NULL;
    pmapdb_status st = PMAPDB_OK;

    snprintf(script, sizeof script, "push-%s", table);
    if (sqlite3_prepare_v2(db, pm_sql_script_text(script), -1, &stmt, NULL) != SQLITE_OK)
        return pm_sql_fail(db, "prepare a statement", err);
    for (size_t i = 0; i < n_params; i++) {
        int at = sqlite3_bind_parameter_index(stmt, params[i].name);

        if (at && pm_sql_bind(stmt, at, &params[i].value) != SQLITE_OK)
            st = pm_sql_fail(db, "bind a value", err);
    }
    PM_STEP(st, step_all(stmt, table, sink, rows, err));
    sqlite3_finalize(stmt);
    return st;
}
