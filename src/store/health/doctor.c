/* doctor: pmapdb_doctor(): makes the findings about a store. */
#include "store/health/doctor.h"

#include "base/hash.h"
#include "render/number.h"
#include "store/dict/categories.h"
#include "store/read/statement.h"
#include "store/rules/rule_set.h"
#include "store/rules/rules_file.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define WEEK_MS 604800000

void pmapdb_doctor_defaults(pmapdb_doctor_options *options)
{
    *options = (pmapdb_doctor_options){.max_size_kib = PMAPDB_UNKNOWN};
}

/* ---- one finding ---- */

static void emit(pm_doctor *d, const char *check, pmapdb_health state, const char *value,
                 double number, const char *unit, const char *detail)
{
    char text[PM_NUMBER_TEXT] = "?";

    if (!isnan(number) && strcmp(unit, "KiB") == 0)
        pm_number_size(number, text);
    else if (!isnan(number) && strcmp(unit, "ms") == 0)
        pm_number_span(number, text);
    else if (!isnan(number))
        pm_number_brief(number, text);
    d->result->notes += state == PMAPDB_HEALTH_NOTE;
    d->result->troubles += state == PMAPDB_HEALTH_TROUBLE;
    if (d->options->on_event)
        d->options->on_event(
            d->options->ctx,
            &(pmapdb_doctor_event){check, state, value ? value : text, detail, number, unit});
}

void pm_doctor_tell(pm_doctor *d, const char *check, pmapdb_health state, const char *value,
                    double number, const char *unit, const char *format, ...)
{
    va_list args;
    char detail[1024];

    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    emit(d, check, state, value, number, unit, detail);
}

int pm_doctor_reason(const pmapdb_error *err)
{
    const char *hint = strstr(err->text, "; pmapdb doctor");

    return hint ? (int)(hint - err->text) : (int)strlen(err->text);
}

void pm_doctor_lost(pm_doctor *d, const char *check, const pmapdb_error *err)
{
    d->nomem |= err->status == PMAPDB_NOMEM;
    pm_doctor_word(d, check, PMAPDB_HEALTH_TROUBLE, "?", "%.*s", pm_doctor_reason(err), err->text);
}

/* ---- findings in SQL ---- */

/* A time in the format of queries. */
static const char *time_text(int64_t ms, char out[PM_CLOCK_TEXT])
{
    if (ms == PMAPDB_UNKNOWN)
        return NULL;
    pm_clock_format(ms, out);
    return out;
}

/* Makes the one row of temp.doctor, with which the findings compare. since_ms: a week before the
 * newest snapshot, else before all times; here: this host. */
static void make_facts(pm_doctor *d)
{
    pm_sql *sql = d->store->sql;
    char here[65] = "", oldest_at[PM_CLOCK_TEXT], newest_at[PM_CLOCK_TEXT];
    int64_t oldest = pm_sql_value(sql, "SELECT min(taken_ms) FROM snapshot NOT INDEXED", PM_NO_ARGS,
                                  PMAPDB_UNKNOWN);
    int64_t newest = pm_sql_value(sql, "SELECT max(taken_ms) FROM snapshot NOT INDEXED", PM_NO_ARGS,
                                  PMAPDB_UNKNOWN);
    int64_t size = (d->file_bytes + d->wal_bytes) / 1024;
    int64_t given = d->options->max_size_kib, disk = size + d->free_kib;
    int64_t limit = given != PMAPDB_UNKNOWN && (!d->free_kib || given < disk) ? given : disk;
    int64_t now = pm_clock_now(), since = newest > WEEK_MS ? newest - WEEK_MS : 0;

    pm_sql_end(sql, NULL); /* a separate finding reports that these are unreadable */
    gethostname(here, sizeof here - 1);
    pm_clock_format(now - WEEK_MS, d->week);
    if (newest != PMAPDB_UNKNOWN)
        pm_clock_format(since, d->since);
    if (limit)
        snprintf(d->limit, sizeof d->limit, "%lldK", (long long)limit);
    pm_sql_do(sql,
              "CREATE TEMP TABLE doctor (now_ms, oldest_ms, newest_ms, since_ms, oldest_at, "
              "newest_at, file_kib, wal_kib, size_kib, disk_kib, free_kib, given_kib, limit_kib, "
              "names_most, names_full, here, immutable)",
              PM_NO_ARGS);
    pm_sql_do(
        sql,
        "INSERT INTO temp.doctor VALUES (?1, ?2, ?3, ?17, ?4, ?5, ?6 / 1024.0, ?7 / 1024.0, ?8, "
        "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        PM_ARGS(PM_I(now), PM_I(oldest), PM_I(newest), PM_S(time_text(oldest, oldest_at)),
                PM_S(time_text(newest, newest_at)), PM_I(d->file_bytes), PM_I(d->wal_bytes),
                PM_I(size), PM_I(d->disk_kib), PM_I(d->free_kib), PM_I(given),
                PM_I(limit ? limit : PMAPDB_UNKNOWN), PM_I(PM_CATEGORIES_MAX),
                PM_I(PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT), PM_S(here),
                PM_I(pmapdb_is_immutable(d->store)),
                PM_I(newest == PMAPDB_UNKNOWN ? -9000000000000000 : since)));
}

/* A named query for some findings: its rows go into a table of its name. */
typedef struct input {
    const char *query, *parameter, *value; /* an empty value: the default */
} input;

/* A query of the user may replace the built-in one, and differ from it. */
static pmapdb_status make_table(pm_doctor *d, const input *from, pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pm_buf text = {0};
    char *sql = NULL;
    pmapdb_status st = pmapdb_query(d->store, from->query, &rows, err);

    if (from->parameter && *from->value)
        PM_STEP(st, pmapdb_bind(rows, from->parameter, from->value, err));
    PM_STEP(st, pm_query_resolve(rows, err));
    if (st == PMAPDB_OK && !(sql = sqlite3_expanded_sql(rows->stmt)))
        st = pm_fail_nomem(err);
    PM_STEP(st, pm_buf_addf(&text, err, "CREATE TEMP TABLE \"%s\" AS %s", from->query, sql));
    if (st == PMAPDB_OK) {
        pm_sql_exec(d->store->sql, pm_buf_text(&text).data, "read");
        st = pm_sql_end(d->store->sql, err);
    }
    sqlite3_free(sql);
    pm_buf_free(&text);
    pmapdb_rows_close(rows);
    return st;
}

/* `check` is the name of the first finding, and of the file. */
static void find(pm_doctor *d, const char *check, const input *from)
{
    char name[64];
    sqlite3_stmt *row = NULL;
    pmapdb_error err = {0};
    int rc = SQLITE_ROW;

    if (from && make_table(d, from, &err) != PMAPDB_OK) {
        pm_doctor_lost(d, check, &err);
        return;
    }
    snprintf(name, sizeof name, "doctor-%s", check);
    if (sqlite3_prepare_v2(d->store->db, pm_sql_script_text(name), -1, &row, NULL) != SQLITE_OK)
        rc = SQLITE_ERROR;
    while (rc == SQLITE_ROW && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        const char *detail = pm_col_text(row, 5).data;
        bool unknown = sqlite3_column_type(row, 2) == SQLITE_NULL;

        emit(d, pm_col_text(row, 0).data, (pmapdb_health)sqlite3_column_int(row, 1),
             pm_col_text(row, 4).data, unknown ? NAN : sqlite3_column_double(row, 2),
             pm_col_text(row, 3).data, detail ? detail : "");
    }
    if (rc != SQLITE_DONE) {
        pm_sql_fail(d->store->db, "read", &err);
        pm_doctor_lost(d, check, &err);
    }
    sqlite3_finalize(row);
}

/* ---- rules ---- */

/* Reports unreadable rules: no capture can be stored with them. A store keeps its rules if another
 * version of the program has other rules of the same name. */
static void check_rules(pm_doctor *d)
{
    pm_sql *sql = d->store->sql;
    pm_rule_text text = {0};
    pm_rules *rules;
    char at[PM_CLOCK_TEXT];
    const char *name;
    pm_text built_in;
    pmapdb_error err;

    pm_rule_text_load(sql, &text);
    rules = pm_rules_of_store(sql);
    name = pm_buf_text(&text.name).data;
    built_in = pm_rules_builtin(pm_buf_text(&text.name));
    if (pm_sql_end(sql, &err) != PMAPDB_OK)
        pm_doctor_word(d, "rules", PMAPDB_HEALTH_TROUBLE, "?", "%s", err.text);
    else if (!built_in.data)
        pm_doctor_word(d, "rules", PMAPDB_HEALTH_OK, name, "from a file, applied at %s",
                       text.applied_ms == PMAPDB_UNKNOWN ? "?" : time_text(text.applied_ms, at));
    else if (pm_hash(built_in.data, built_in.len, 0) == text.hash)
        pm_doctor_word(d, "rules", PMAPDB_HEALTH_OK, name, "as built in");
    else
        pm_doctor_word(d, "rules", PMAPDB_HEALTH_NOTE, name,
                       "this pmapdb has other rules of this name: pmapdb rules --diff %s", name);
    pm_rules_free(rules);
    pm_rule_text_free(&text);
}

/* ---- sums ---- */

/* Lists the rows up to a failure of the statement. */
static bool list(pm_doctor *d, const char *select)
{
    pm_sql *sql = d->store->sql;
    pmapdb_status st;
    sqlite3_stmt *row;

    pm_sql_do(sql, "DELETE FROM temp.listed", PM_NO_ARGS);
    row = pm_sql_ask(sql, select, PM_NO_ARGS);
    while (pm_sql_next(sql, row))
        pm_sql_do(sql, "INSERT INTO temp.listed VALUES (?1)", PM_ARGS(PM_I(pm_col_int(row, 0))));
    st = pm_sql_end(sql, NULL);
    d->nomem |= st == PMAPDB_NOMEM;
    return st == PMAPDB_OK;
}

/* A statement that fails on damage does not end the proof: the next snapshot may be intact. */
static void prove(pm_doctor *d, sqlite3_stmt *proof, int64_t id)
{
    int rc;

    sqlite3_bind_int64(proof, 1, id);
    sqlite3_step(proof);
    rc = sqlite3_reset(proof);
    d->nomem |= (rc & 0xff) == SQLITE_NOMEM;
    if (rc != SQLITE_OK)
        pm_sql_do(d->store->sql, "INSERT INTO temp.proof (snapshot_id) VALUES (?1)",
                  PM_ARGS(PM_I(id)));
}

/* Reads every snapshot in full, and compares its stored sums with its mappings and its
 * categories. */
static void prove_all(pm_doctor *d)
{
    pm_sql *sql = d->store->sql;
    sqlite3_stmt *proof = NULL, *row;
    pmapdb_error err = {0};

    pm_sql_do(sql, "CREATE TEMP TABLE listed (snapshot_id INTEGER)", PM_NO_ARGS);
    pm_sql_do(sql, "CREATE TEMP TABLE proof (snapshot_id INTEGER, sums, categories)", PM_NO_ARGS);
    /* if pages of the table are damaged, an index may still have its rows */
    if (!list(d, "SELECT snapshot_id FROM snapshot NOT INDEXED ORDER BY snapshot_id") &&
        !list(d, "SELECT snapshot_id FROM snapshot INDEXED BY snapshot_process "
                 "ORDER BY process_id, taken_ms"))
        pm_sql_do(sql, "INSERT INTO temp.listed VALUES (NULL)", PM_NO_ARGS);
    if (pm_sql_ok(sql) && sqlite3_prepare_v2(d->store->db, pm_sql_script_text("doctor-proof"), -1,
                                             &proof, NULL) != SQLITE_OK)
        pm_sql_keep(sql, pm_sql_fail(d->store->db, "read", &err), &err);
    row = pm_sql_ask(sql, "SELECT snapshot_id FROM temp.listed WHERE snapshot_id IS NOT NULL",
                     PM_NO_ARGS);
    while (pm_sql_next(sql, row))
        prove(d, proof, pm_col_int(row, 0));
    sqlite3_finalize(proof);
    if (pm_sql_end(sql, &err) == PMAPDB_OK)
        find(d, "readable", NULL);
    else
        pm_doctor_lost(d, "readable", &err);
    find(d, "order", NULL);
}

/* ---- all findings ---- */

static void find_all(pm_doctor *d)
{
    pmapdb_error err = {0};

    make_facts(d);
    if (pm_sql_end(d->store->sql, &err) != PMAPDB_OK) {
        pm_doctor_lost(d, "snapshots", &err);
        return;
    }
    find(d, "schema", NULL);
    pm_doctor_writable(d);
    find(d, "snapshots", NULL);
    find(d, "dialects", NULL);
    find(d, "fields", &(input){"unknown-fields", NULL, NULL});
    find(d, "gaps", &(input){"gaps", NULL, NULL});
    find(d, "refused", &(input){"refusals", "since", d->week});
    find(d, "growth", &(input){"store-growth", "max-size", d->limit});
    find(d, "pins", NULL);
    find(d, "push", NULL);
    check_rules(d);
    find(d, "names", NULL);
    find(d, "capture", &(input){"sweeps", "since", d->since});
    find(d, "empty", NULL);
    find(d, "stall", &(input){"read-cost", "since", d->since});
    find(d, "clock", &(input){"clock-jumps", "since", d->since});
}

/* A damaged store is always proved snapshot by snapshot: this shows what is left. */
static void examine(pm_doctor *d)
{
    pm_doctor_whole(d);
    if (!d->damaged) /* damage ends a transaction, and then nothing more could be read */
        pmapdb_begin_read(d->store, NULL);
    if (d->options->deep || d->damaged)
        prove_all(d);
    pm_doctor_measure(d);
    find_all(d);
    if (d->damaged)
        pm_doctor_rescue(d);
}

pmapdb_status pmapdb_doctor(const char *path, const pmapdb_doctor_options *options,
                            pmapdb_doctor_result *result, pmapdb_error *err)
{
    pmapdb_open_options open_options = {.mode = PMAPDB_READ};
    pm_doctor d = {.path = path, .options = options, .result = result};
    pmapdb_error why = {0};
    pmapdb_status st = pmapdb_open(path, &open_options, &d.store, &why);

    *result = (pmapdb_doctor_result){0};
    if (st == PMAPDB_NOTFOUND || st == PMAPDB_NOMEM) {
        if (err)
            *err = why;
        return st;
    }
    PM_STEP(st, pm_statement_functions(d.store, &why));
    if (st == PMAPDB_OK)
        examine(&d);
    else
        pm_doctor_closed(&d, &why);
    pmapdb_close(d.store);
    return d.nomem ? pm_fail_nomem(err) : PMAPDB_OK;
}
