/* export: copies a part of a store, or all of it, into a new store. */
#include "store/export/export.h"

#include "base/buf.h"
#include "store/file/space.h"
#include "store/keep/tidy.h"
#include "store/read/select.h"
#include "store/rules/rule_set.h"
#include "store/rules/rules_file.h"

#define STEPS 100000 /* steps of SQLite between two calls of on_progress */

typedef struct export_run {
    pmapdb_store *from, *into;
    const pmapdb_export_options *options;
    pmapdb_export_result *result;
    pm_export_notes *notes;
    pm_redact *redact; /* NULL: no redaction */
    bool whole;        /* every process, at all times */
    bool cut;          /* only a span of time */
    bool stopped;      /* on_progress returned false */
    const char *at;    /* the current table */
    uint64_t n_rows;   /* copied so far */
} export_run;

/* ---- stopping ---- */

static int ask(void *ctx)
{
    export_run *run = ctx;
    const pmapdb_export_options *o = run->options;
    const pmapdb_progress progress = {.what = run->at, .unit = "rows", .done = run->n_rows};

    if (o->on_progress && !o->on_progress(o->ctx, &progress))
        run->stopped = true;
    return run->stopped;
}

static bool tidy_step(void *ctx, const pmapdb_progress *progress)
{
    (void)progress;
    return ask(ctx) == 0;
}

/* ---- which rows ---- */

/* *scope: the scope of the selector if there is only one; otherwise all processes. */
static void choose_processes(export_run *run, pm_scope *scope)
{
    const pmapdb_export_options *o = run->options;
    pm_sql *sql = run->from->sql;

    *scope = pm_scope_all;
    for (size_t i = 0; i < o->n_processes || i == 0; i++) {
        if (o->n_processes)
            PM_SQL_STEP(sql, pm_select_process(sql, pm_text_of(o->processes[i]), scope, &err));
        pm_sql_do(sql,
                  "INSERT OR IGNORE INTO temp.export_process SELECT process_id FROM process "
                  "WHERE process_id IS coalesce(?1, process_id) AND name_id IS coalesce(?2, "
                  "name_id)",
                  PM_ARGS(PM_I(scope->process_id), PM_I(scope->name_id)));
    }
    if (o->n_processes > 1)
        *scope = pm_scope_all;
}

/* Returns the moment of the selected snapshot, or `none` without a selector. */
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
    const pmapdb_export_options *o = run->options;
    pm_sql *sql = run->from->sql;
    int64_t to = find_moment(run, scope, o->to, PMAPDB_UNKNOWN, INT64_MAX);
    int64_t from = find_moment(run, scope, o->from, o->to ? to : PMAPDB_UNKNOWN, INT64_MIN);

    if (from > to)
        PM_SQL_STEP(sql,
                    pm_fail(&err, PMAPDB_USAGE, "--from '%s' is after --to '%s'", o->from, o->to));
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
    pmapdb_export_result *r = run->result;
    const pm_param params[] = {{":whole", PM_I(run->whole)}, {":cut", PM_I(run->cut)}};
    pm_scope scope;

    pm_sql_script(sql, "export-begin", NULL, 0);
    choose_processes(run, &scope);
    choose_snapshots(run, &scope);
    pm_sql_script(sql, "export-sets", params, 2);
    r->processes = count(run, "SELECT count(*) FROM temp.export_process");
    r->snapshots = count(run, "SELECT count(*) FROM temp.export_snapshot");
    r->recordings = count(run, "SELECT count(DISTINCT recording_id) FROM traced_process "
                               "WHERE traced_process_id IN (SELECT id FROM temp.export_traced)");
    run->notes->beats = count(run, "SELECT count(*) FROM beat WHERE capture_id IN "
                                   "(SELECT id FROM temp.export_capture)") > 0;
    if (run->cut && !r->processes)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND,
                                 "no snapshot in that time span; pmapdb snapshots lists them"));
}

/* ---- copying ---- */

/* Copies the rows that `read` returns, each redacted before it is written. */
static pmapdb_status copy_rows(export_run *run, sqlite3_stmt *read, sqlite3_stmt *write,
                               pmapdb_error *err)
{
    int rc;

    while ((rc = sqlite3_step(read)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(read); i++)
            if (sqlite3_bind_value(write, i + 1, sqlite3_column_value(read, i)) != SQLITE_OK)
                return pm_sql_fail(run->into->db, "write", err);
        if (sqlite3_step(write) != SQLITE_DONE || sqlite3_reset(write) != SQLITE_OK)
            return pm_sql_fail(run->into->db, "write", err);
        run->n_rows++;
    }
    if (run->redact && pm_redact_failed(run->redact, NULL) != PMAPDB_OK)
        return pm_redact_failed(run->redact, err); /* has a better message than SQLite's */
    return rc == SQLITE_DONE ? PMAPDB_OK : pm_sql_fail(run->from->db, "read", err);
}

/* `reading` and `writing` are the statements of export-tables.sql. */
static pmapdb_status copy_table(export_run *run, const char *reading, const char *writing,
                                pmapdb_error *err)
{
    sqlite3_stmt *read = NULL, *write = NULL;
    pmapdb_status st = PMAPDB_OK;

    if (sqlite3_prepare_v2(run->from->db, reading, -1, &read, NULL) != SQLITE_OK)
        st = pm_sql_fail(run->from->db, "read", err);
    else if (sqlite3_prepare_v2(run->into->db, writing, -1, &write, NULL) != SQLITE_OK)
        st = pm_sql_fail(run->into->db, "write", err);
    if (st == PMAPDB_OK && sqlite3_bind_parameter_count(read))
        sqlite3_bind_int(read, 1, run->whole);
    PM_STEP(st, copy_rows(run, read, write, err));
    sqlite3_finalize(read);
    sqlite3_finalize(write);
    return st;
}

/* A rule set of the owner contains paths: a redacted store keeps its built-in rules instead, but
 * the categories stay. */
static void copy_tables(export_run *run)
{
    bool redacted = run->redact != NULL;
    pm_sql *from = run->from->sql, *into = run->into->sql;
    pm_rule_text rules = {0};
    pm_text built_in;
    sqlite3_stmt *row;

    pm_sql_script(into, "export-tables", PM_PARAMS({":redacted", PM_I(redacted)}));
    row =
        pm_sql_ask(into, "SELECT name, reading, writing FROM temp.export_statement ORDER BY place",
                   PM_NO_ARGS);
    while (pm_sql_next(into, row)) {
        run->at = pm_col_text(row, 0).data;
        PM_SQL_STEP(into,
                    copy_table(run, pm_col_text(row, 1).data, pm_col_text(row, 2).data, &err));
    }
    run->at = "rule_set";
    if (!redacted)
        return;
    pm_rule_text_load(from, &rules);
    PM_SQL_STEP(into, pm_sql_end(from, &err));
    built_in = pm_rules_builtin(pm_buf_text(&rules.name));
    run->notes->other_rules = !built_in.data || !pm_text_equal(built_in, pm_buf_text(&rules.text));
    if (!run->notes->other_rules)
        pm_rule_text_store(into, &rules);
    pm_rule_text_free(&rules);
}

/* ---- the new store ---- */

/* Fails for a row that refers to a missing row: the store that was exported has the same damage. */
static pmapdb_status check(export_run *run, pmapdb_error *err)
{
    pm_sql *sql = run->into->sql;
    sqlite3_stmt *row =
        pm_sql_ask(sql, "SELECT \"table\" FROM pragma_foreign_key_check", PM_NO_ARGS);
    pmapdb_status st = PMAPDB_OK;

    if (pm_sql_next(sql, row)) {
        st = pm_fail(err, PMAPDB_INPUT,
                     "%s: rows of table %s refer to rows that are missing; the store is damaged; "
                     "pmapdb doctor --deep lists them",
                     run->from->path, pm_col_text(row, 0).data);
        pm_sql_done(row);
    }
    return st == PMAPDB_OK ? pm_sql_end(sql, err) : st;
}

/* Reads the other store in one transaction, so that concurrent writes are not seen. */
static void look(export_run *run)
{
    pm_redact *redact = run->redact;
    pm_sql *from = run->from->sql;

    pm_sql_do(from, "BEGIN", PM_NO_ARGS);
    choose(run);
    if (!redact)
        return;
    PM_SQL_STEP(from, pm_redact_register(redact, run->from->db, &err));
    pm_sql_script(from, "export-survey", NULL, 0);
    pm_sql_script(from, "export-move", NULL, 0);
}

static pmapdb_status copy_all(export_run *run, pmapdb_error *err)
{
    pm_redact *redact = run->redact;
    pmapdb_status st;

    look(run);
    st = pm_sql_end(run->from->sql, err);
    if (redact && pm_redact_failed(redact, NULL) != PMAPDB_OK)
        st = pm_redact_failed(redact, err);
    PM_STEP(st, pm_store_begin(run->into, err));
    if (st == PMAPDB_OK) {
        copy_tables(run);
        st = pm_store_end(run->into, err);
    }
    pm_store_rollback(run->from); /* also drops the temporary tables */
    if (redact)
        pm_redact_register(NULL, run->from->db, NULL);
    return st;
}

static pmapdb_status make(export_run *run, pmapdb_error *err)
{
    pm_steps steps = {run, tidy_step};
    pm_sql *into = run->into->sql;
    int rc = SQLITE_OK;
    pmapdb_status st = pm_store_begin_tidying(run->into, err);

    if (st != PMAPDB_OK)
        return st;
    st = copy_all(run, err);
    run->at = "process";
    if (st == PMAPDB_OK && run->cut) {
        pm_tidy_all(run->into, &steps);
        pm_tidy_rest(run->into, PMAPDB_UNKNOWN);
        st = pm_sql_end(into, err);
    }
    PM_STEP(st, check(run, err));
    pm_store_end_tidying(run->into);
    if (st == PMAPDB_OK)
        pm_space_vacuum(run->into);
    PM_STEP(st, pm_sql_end(into, err));
    /* only the file gets the final name: rows in the -wal would be lost */
    if (st == PMAPDB_OK)
        rc = sqlite3_wal_checkpoint_v2(run->into->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                       NULL);
    return rc == SQLITE_OK ? st : pm_sql_fail_code(run->into->db, rc, "write", err);
}

pmapdb_status pm_export_store(pmapdb_store *from, pmapdb_store *into,
                              const pmapdb_export_options *options, pmapdb_export_result *result,
                              pm_export_notes *notes, pmapdb_error *err)
{
    export_run run = {.from = from,
                      .into = into,
                      .options = options,
                      .result = result,
                      .notes = notes,
                      .whole = !options->n_processes && !options->from && !options->to,
                      .cut = options->from || options->to,
                      .at = ""};
    pmapdb_status st = options->redact
                           ? pm_redact_new(options->keep, options->n_keep, &run.redact, err)
                           : PMAPDB_OK;

    sqlite3_progress_handler(from->db, STEPS, ask, &run);
    sqlite3_progress_handler(into->db, STEPS, ask, &run);
    PM_STEP(st, make(&run, err));
    sqlite3_progress_handler(from->db, 0, NULL, NULL);
    sqlite3_progress_handler(into->db, 0, NULL, NULL);
    result->tokens = run.redact ? run.redact->token.used : 0;
    pm_redact_free(run.redact);
    return run.stopped ? pm_fail(err, PMAPDB_STOPPED, "stopped") : st;
}
