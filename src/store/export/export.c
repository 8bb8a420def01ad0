/* export: a part of a store, or all of it, into a new one. */
#include "store/export/export.h"

#include "base/buf.h"
#include "store/dict/object.h"
#include "store/export/export_tables.h"
#include "store/file/space.h"
#include "store/keep/tidy.h"
#include "store/read/select.h"
#include "store/rules/rule_set.h"
#include "store/rules/rules_file.h"
#include "store/write/live_reading.h"

#define STEPS 100000 /* of SQLite between two questions whether to go on */
#define TRIES 1000   /* for an address that is another's by chance */

typedef struct export_run {
    pmapdb_store *from, *into;
    const pm_export *export;
    pm_export_counts *counts;
    bool whole;     /* every process, and all of their time */
    bool cut;       /* a span of time */
    bool stopped;   /* keep_going said so */
    const char *at; /* table */
} export_run;

/* ---- stopping ---- */

static int ask(void *ctx)
{
    export_run *run = ctx;
    const pm_export *x = run->export;

    if (x->keep_going && !x->keep_going(x->ctx, run->at, run->counts->rows))
        run->stopped = true;
    return run->stopped;
}

static bool tidy_step(void *ctx, const char *step, uint64_t done, uint64_t of)
{
    (void)step;
    (void)done;
    (void)of;
    return ask(ctx) == 0;
}

/* ---- which rows ---- */

/* *scope: of the only selector, else of all. */
static void choose_processes(export_run *run, pm_scope *scope)
{
    static const pm_scope all = {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};
    const pm_export *x = run->export;
    pm_sql *sql = run->from->sql;

    *scope = all;
    for (size_t i = 0; i < x->n_processes || i == 0; i++) {
        if (x->n_processes)
            PM_SQL_STEP(sql, pm_select_process(sql, pm_text_of(x->process[i]), scope, &err));
        pm_sql_do(sql,
                  "INSERT OR IGNORE INTO temp.export_process SELECT process_id FROM process "
                  "WHERE process_id IS coalesce(?1, process_id) AND name_id IS coalesce(?2, "
                  "name_id)",
                  PM_ARGS(PM_I(scope->process_id), PM_I(scope->name_id)));
    }
    if (x->n_processes > 1)
        *scope = all;
}

/* The moment of a selected snapshot. */
static int64_t find_moment(export_run *run, const pm_scope *scope, const char *selector,
                           int64_t back_from, int64_t none)
{
    pm_text any = {NULL, 0};
    pm_pick pick = {.moment_ms = none};

    if (selector)
        PM_SQL_STEP(run->from->sql,
                    pm_select_snapshot(run->from->sql, scope, any, pm_text_of(selector), back_from,
                                       &pick, &err));
    return pick.moment_ms;
}

static void choose_snapshots(export_run *run, const pm_scope *scope)
{
    const pm_export *x = run->export;
    pm_sql *sql = run->from->sql;
    int64_t to = find_moment(run, scope, x->to, PMAPDB_UNKNOWN, INT64_MAX);
    int64_t from = find_moment(run, scope, x->from, x->to ? to : PMAPDB_UNKNOWN, INT64_MIN);

    if (from > to)
        PM_SQL_STEP(sql,
                    pm_fail(&err, PMAPDB_USAGE, "--from '%s' is after --to '%s'", x->from, x->to));
    pm_sql_do(sql,
              "INSERT INTO temp.export_snapshot SELECT snapshot_id FROM snapshot WHERE "
              "moment_ms BETWEEN ?1 AND ?2 AND process_id IN (SELECT id FROM temp.export_process)",
              PM_ARGS(PM_BITS(from), PM_BITS(to)));
}

static uint64_t count(export_run *run, const char *sql)
{
    return (uint64_t)pm_sql_value(run->from->sql, sql, PM_NO_ARGS, 0);
}

static void choose(export_run *run)
{
    pm_sql *sql = run->from->sql;
    pm_export_counts *c = run->counts;
    const pm_param params[] = {{":whole", PM_I(run->whole)}, {":cut", PM_I(run->cut)}};
    pm_scope scope;

    pm_sql_script(sql, "export-begin", NULL, 0);
    choose_processes(run, &scope);
    choose_snapshots(run, &scope);
    pm_sql_script(sql, "export-sets", params, 2);
    c->processes = count(run, "SELECT count(*) FROM temp.export_process");
    c->snapshots = count(run, "SELECT count(*) FROM temp.export_snapshot");
    c->recordings = count(run, "SELECT count(DISTINCT recording_id) FROM traced_process "
                               "WHERE traced_process_id IN (SELECT id FROM temp.export_traced)");
    c->beats = count(run, "SELECT count(*) FROM beat WHERE capture_id IN "
                          "(SELECT id FROM temp.export_capture)") > 0;
    if (run->cut && !c->processes)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND, "no snapshot lies in that span"));
}

/* ---- copying ---- */

/* A version that ends after the last copied capture, or with it, goes on to the end: else the next
 * capture that is imported would show it again. */
#define LAST                                                                             \
    "CASE WHEN t.last < (SELECT max(s.off) FROM temp.export_shown s WHERE s.epoch_id = " \
    "t.epoch_id) THEN t.last END"

typedef struct copying {
    export_run *run;
    const pm_export_table *table;
    sqlite3_stmt *read, *write;
    int address; /* of a frame: the column that may have to move on; else -1 */
} copying;

/* The two statements, column by column; generated columns are not among them. */
static void write_statements(copying *c, pm_buf *select, pm_buf *insert)
{
    const pm_export_table *t = c->table;
    bool redacted = c->run->export->redact != NULL;
    pm_sql *sql = c->run->into->sql;
    pm_buf value = {0};
    int n = 0;
    sqlite3_stmt *row = pm_sql_ask(sql, "SELECT name FROM pragma_table_info(?1) ORDER BY cid",
                                   PM_ARGS(PM_S(t->name)));

    PM_SQL_STEP(sql, pm_buf_addf(select, &err, "SELECT "));
    PM_SQL_STEP(sql, pm_buf_addf(insert, &err, "%s INTO \"%s\" VALUES (",
                                 strcmp(t->name, "rule_set") == 0 ? "REPLACE" : "INSERT", t->name));
    for (; pm_sql_next(sql, row); n++) {
        const char *name = pm_col_text(row, 0).data;

        if (strcmp(t->name, "frame") == 0 && strcmp(name, "offset") == 0 && redacted)
            c->address = n;
        pm_buf_clear(&value);
        PM_SQL_STEP(sql, strcmp(name, "last") == 0 ? pm_buf_addf(&value, &err, LAST)
                                                   : pm_buf_addf(&value, &err, "t.\"%s\"", name));
        PM_SQL_STEP(sql, pm_buf_addf(select, &err, "%s", n ? ", " : ""));
        PM_SQL_STEP(sql, pm_buf_addf(insert, &err, "%s?", n ? ", " : ""));
        PM_SQL_STEP(
            sql, redacted ? pm_redact_expression(select, t->name, name, value.data, t->space, &err)
                          : pm_buf_addf(select, &err, "%s", value.data));
    }
    PM_SQL_STEP(sql, pm_buf_addf(select, &err, " FROM \"%s\" t %s", t->name, t->rows));
    PM_SQL_STEP(sql, pm_buf_addf(insert, &err, ")"));
    pm_buf_free(&value);
}

static pmapdb_status prepare(copying *c, pmapdb_error *err)
{
    pm_buf select = {0}, insert = {0};
    pmapdb_status st;

    write_statements(c, &select, &insert);
    st = pm_sql_end(c->run->into->sql, err);
    if (st == PMAPDB_OK &&
        sqlite3_prepare_v2(c->run->from->db, select.data, -1, &c->read, NULL) != SQLITE_OK)
        st = pm_sql_fail(c->run->from->db, "read", err);
    if (st == PMAPDB_OK &&
        sqlite3_prepare_v2(c->run->into->db, insert.data, -1, &c->write, NULL) != SQLITE_OK)
        st = pm_sql_fail(c->run->into->db, "write", err);
    if (st == PMAPDB_OK && sqlite3_bind_parameter_count(c->read))
        sqlite3_bind_int(c->read, 1, c->run->whole);
    pm_buf_free(&select);
    pm_buf_free(&insert);
    return st;
}

/* Two processes may be moved so that a frame of one, known by nothing but its address, lies where a
 * frame of the other does: it then moves on a little. */
static pmapdb_status write_row(copying *c, pmapdb_error *err)
{
    int n = sqlite3_column_count(c->read), rc = SQLITE_OK;

    for (int i = 0; i < n && rc == SQLITE_OK; i++)
        rc = sqlite3_bind_value(c->write, i + 1, sqlite3_column_value(c->read, i));
    if (rc == SQLITE_OK)
        rc = sqlite3_step(c->write);
    for (int i = 1; c->address >= 0 && (rc & 0xff) == SQLITE_CONSTRAINT && i < TRIES; i++) {
        sqlite3_reset(c->write);
        sqlite3_bind_int64(c->write, c->address + 1, sqlite3_column_int64(c->read, c->address) + i);
        rc = sqlite3_step(c->write);
    }
    if (rc != SQLITE_DONE)
        return pm_sql_fail(c->run->into->db, "write", err);
    sqlite3_reset(c->write);
    c->run->counts->rows++;
    return PMAPDB_OK;
}

/* A failure of the redaction comes before SQLite's words for it. */
static pmapdb_status fail_read(const export_run *run, pmapdb_error *err)
{
    const pm_redact *r = run->export->redact;
    pmapdb_status st = r ? pm_redact_failed(r, err) : PMAPDB_OK;

    return st == PMAPDB_OK ? pm_sql_fail(run->from->db, "read", err) : st;
}

static pmapdb_status copy_table(export_run *run, const pm_export_table *table, pmapdb_error *err)
{
    copying c = {.run = run, .table = table, .address = -1};
    pmapdb_status st = prepare(&c, err);
    int rc = SQLITE_DONE;

    run->at = table->name;
    while (st == PMAPDB_OK && (rc = sqlite3_step(c.read)) == SQLITE_ROW)
        st = write_row(&c, err);
    if (st == PMAPDB_OK && rc != SQLITE_DONE)
        st = fail_read(run, err);
    sqlite3_finalize(c.read);
    sqlite3_finalize(c.write);
    return st;
}

/* A set of the owner's own holds paths: the new store keeps the built-in rules that it was made
 * with, and its categories all the same. Of a built-in set only {app} is the owner's. */
static pmapdb_status redact_rules(export_run *run, pmapdb_error *err)
{
    pm_rule_text rules = {0};
    pm_text built_in, shown = {"", 0};
    pmapdb_status st = pm_rule_text_load(run->from->sql, &rules, err);

    if (st != PMAPDB_OK) {
        pm_rule_text_free(&rules);
        return st;
    }
    built_in = pm_rules_builtin(pm_buf_text(&rules.name));
    run->counts->other_rules = !built_in.data || !pm_text_equal(built_in, pm_buf_text(&rules.text));
    if (!run->counts->other_rules) {
        st = pm_redact_text(run->export->redact, PM_REDACT_PATH, pm_buf_text(&rules.application),
                            PM_TEXT(""), &shown, err);
        pm_buf_clear(&rules.application);
        if (st == PMAPDB_OK)
            st = pm_buf_add(&rules.application, shown.data, shown.len, err);
        if (st == PMAPDB_OK)
            st = pm_rule_text_store(run->into->sql, &rules, err);
    }
    pm_rule_text_free(&rules);
    return st;
}

static void copy_tables(export_run *run)
{
    bool redacted = run->export->redact != NULL;
    pm_sql *into = run->into->sql;

    for (size_t i = 0; i < pm_export_n_tables; i++)
        if (!redacted || !pm_export_tables[i].open)
            PM_SQL_STEP(into, copy_table(run, &pm_export_tables[i], &err));
    if (!redacted)
        return;
    PM_SQL_STEP(into, redact_rules(run, &err));
    PM_SQL_STEP(into, pm_objects_rehash(into, &err));
    PM_SQL_STEP(into, pm_live_reading_rehash(into, &err));
}

/* ---- the new store ---- */

/* What refers to nothing was so in the other store. */
static pmapdb_status check(export_run *run, pmapdb_error *err)
{
    pm_sql *sql = run->into->sql;
    sqlite3_stmt *row =
        pm_sql_ask(sql, "SELECT \"table\" FROM pragma_foreign_key_check", PM_NO_ARGS);
    pmapdb_status st = PMAPDB_OK;

    if (pm_sql_next(sql, row)) {
        st =
            pm_fail(err, PMAPDB_INPUT,
                    "%s: rows of table %s refer to what is not there; the store is damaged, pmapdb "
                    "doctor --deep says more",
                    run->from->path, pm_col_text(row, 0).data);
        pm_sql_done(row);
    }
    return st == PMAPDB_OK ? pm_sql_end(sql, err) : st;
}

/* Only the file is given a name: what stands in its -wal alone would be lost. */
static pmapdb_status empty_wal(const export_run *run, pmapdb_error *err)
{
    sqlite3 *db = run->into->db;
    int rc = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

    return rc == SQLITE_OK ? PMAPDB_OK : pm_sql_fail_code(db, rc, "write", err);
}

/* One transaction of the other store: what another process writes meanwhile is not seen. */
static void look(export_run *run)
{
    pm_redact *redact = run->export->redact;
    pm_sql *from = run->from->sql;

    pm_sql_do(from, "PRAGMA query_only = OFF", PM_NO_ARGS); /* for the temporary tables */
    pm_sql_do(from, "BEGIN", PM_NO_ARGS);
    choose(run);
    if (!redact)
        return;
    PM_SQL_STEP(from, pm_redact_register(redact, run->from->db, &err));
    pm_sql_script(from, "export-survey", NULL, 0);
}

static pmapdb_status copy_all(export_run *run, pmapdb_error *err)
{
    pm_redact *redact = run->export->redact;
    pmapdb_status st;

    look(run);
    st = pm_sql_end(run->from->sql, err);
    if (redact && pm_redact_failed(redact, NULL) != PMAPDB_OK)
        st = pm_redact_failed(redact, err);
    if (st == PMAPDB_OK)
        st = pm_store_begin(run->into, err);
    if (st == PMAPDB_OK) {
        copy_tables(run);
        st = pm_tidy_commit(run->into, err);
    }
    pm_store_rollback(run->from); /* and with it the temporary tables */
    if (redact)
        pm_redact_unregister(run->from->db);
    if (!run->from->writes)
        sqlite3_exec(run->from->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
    return st;
}

static pmapdb_status make(export_run *run, pmapdb_error *err)
{
    pm_steps steps = {run, tidy_step};
    pmapdb_status st = pm_store_begin_tidying(run->into, err);

    if (st != PMAPDB_OK)
        return st;
    st = copy_all(run, err);
    run->at = "process";
    if (st == PMAPDB_OK && run->cut)
        st = pm_tidy_all(run->into, &steps, err);
    if (st == PMAPDB_OK && run->cut)
        st = pm_tidy_rest(run->into, PMAPDB_UNKNOWN, err);
    if (st == PMAPDB_OK)
        st = check(run, err);
    pm_store_end_tidying(run->into);
    if (st == PMAPDB_OK)
        st = pm_space_vacuum(run->into, err);
    return st == PMAPDB_OK ? empty_wal(run, err) : st;
}

pmapdb_status pm_export_store(pmapdb_store *from, pmapdb_store *into, const pm_export *export,
                              pm_export_counts *counts, pmapdb_error *err)
{
    export_run run = {.from = from,
                      .into = into,
                      .export = export,
                      .counts = counts,
                      .cut = export->from || export->to,
                      .at = ""};
    pmapdb_status st;

    *counts = (pm_export_counts){0};
    run.whole = !export->n_processes && !run.cut;
    sqlite3_progress_handler(from->db, STEPS, ask, &run);
    sqlite3_progress_handler(into->db, STEPS, ask, &run);
    st = make(&run, err);
    sqlite3_progress_handler(from->db, 0, NULL, NULL);
    sqlite3_progress_handler(into->db, 0, NULL, NULL);
    return run.stopped ? pm_fail(err, PMAPDB_STOPPED, "stopped") : st;
}
