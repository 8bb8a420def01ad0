/* export: a part of a store, or all of it, into a new one. */
#include "store/export/export.h"

#include "store/dict/object.h"
#include "store/export/export_run.h"
#include "store/file/space.h"
#include "store/keep/tidy.h"
#include "store/rules/rule_set.h"
#include "store/rules/rules_file.h"
#include "store/write/live_reading.h"

#define STEPS 100000 /* of SQLite between two questions whether to go on */

/* ---- stopping ---- */

static int ask(void *ctx)
{
    pm_export_run *run = ctx;
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

/* ---- rules ---- */

/* Whether the set is built in, and so says nothing of the owner but {app}. */
static bool is_built_in(const pm_rule_text *text)
{
    pm_text built_in = pm_rules_builtin(pm_buf_text(&text->name));

    return built_in.data && pm_text_equal(built_in, pm_buf_text(&text->text));
}

static pmapdb_status hide_application(pm_export_run *run, pm_rule_text *text, pmapdb_error *err)
{
    pm_text shown;
    pmapdb_status st = pm_redact_text(run->export->redact, PM_REDACT_PATH,
                                      pm_buf_text(&text->application), &shown, err);

    pm_buf_clear(&text->application);
    return st == PMAPDB_OK ? pm_buf_add(&text->application, shown.data, shown.len, err) : st;
}

/* A set of the owner's own holds paths: the new store keeps the built-in ones that it was made
 * with, and its categories all the same. */
static pmapdb_status redact_rules(pm_export_run *run, pmapdb_error *err)
{
    pm_rule_text text = {0};
    pmapdb_status st = pm_rule_text_load(run->from->sql, &text, err);

    run->counts->other_rules = st == PMAPDB_OK && !is_built_in(&text);
    if (st == PMAPDB_OK && !run->counts->other_rules) {
        st = hide_application(run, &text, err);
        if (st == PMAPDB_OK)
            st = pm_rule_text_store(run->into->sql, &text, err);
    }
    pm_rule_text_free(&text);
    return st;
}

/* ---- copying ---- */

static pmapdb_status copy_tables(pm_export_run *run, pmapdb_error *err)
{
    bool redacted = run->export->redact != NULL;
    pmapdb_status st = pm_store_begin(run->into, err);

    for (size_t i = 0; i < pm_export_n_tables && st == PMAPDB_OK; i++)
        if (!redacted || !pm_export_tables[i].open)
            st = pm_export_copy(run, &pm_export_tables[i], err);
    if (st == PMAPDB_OK && redacted)
        st = redact_rules(run, err);
    if (st == PMAPDB_OK && redacted)
        st = pm_objects_rehash(run->into->sql, err);
    if (st == PMAPDB_OK && redacted)
        st = pm_live_reading_rehash(run->into->sql, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(run->into, err);
    else
        pm_store_rollback(run->into);
    return st;
}

/* In one transaction: what another process writes meanwhile is not seen. */
static pmapdb_status copy_all(pm_export_run *run, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(run->from->sql, "BEGIN", PM_NO_ARGS, err);

    if (st != PMAPDB_OK)
        return st;
    st = pm_export_choose(run, err);
    if (st == PMAPDB_OK && run->export->redact)
        st = pm_export_survey(run, err);
    if (st == PMAPDB_OK)
        st = copy_tables(run, err);
    pm_store_rollback(run->from); /* of temporary tables alone */
    pm_export_forget(run);
    return st;
}

/* ---- the new store ---- */

static pmapdb_status tidy(pm_export_run *run, pmapdb_error *err)
{
    pm_steps steps = {run, tidy_step};
    pmapdb_status st;

    run->at = "process";
    st = pm_tidy_all(run->into, &steps, err);
    return st == PMAPDB_OK ? pm_tidy_rest(run->into, PMAPDB_UNKNOWN, err) : st;
}

/* What refers to nothing was so in the other store. */
static pmapdb_status check(pm_export_run *run, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(run->into->sql, "SELECT \"table\" FROM pragma_foreign_key_check",
                                   PM_NO_ARGS, &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(run->into->sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st;
    pm_fail(err, PMAPDB_INPUT,
            "%s: rows of table %s refer to what is not there; the store is damaged, pmapdb doctor "
            "--deep says more",
            run->from->path, (const char *)sqlite3_column_text(stmt, 0));
    pm_sql_done(stmt);
    return PMAPDB_INPUT;
}

/* Only the file is given a name: what stands in its -wal alone would be lost. */
static pmapdb_status empty_wal(const pm_export_run *run, pmapdb_error *err)
{
    sqlite3 *db = run->into->db;
    int rc = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

    return rc == SQLITE_OK ? PMAPDB_OK : pm_sql_fail_code(db, rc, "write", err);
}

static pmapdb_status make(pm_export_run *run, pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin_tidying(run->into, err);

    if (st != PMAPDB_OK)
        return st;
    st = copy_all(run, err);
    if (st == PMAPDB_OK && run->cut)
        st = tidy(run, err);
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
    pm_export_run run = {.from = from,
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
