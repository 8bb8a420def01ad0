/* apply: applies other rules to everything that a store contains. The apply-*.sql files change the
 * tables. */
#include "store/rules/apply.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "store/dict/categories.h"
#include "store/dict/row.h"
#include "store/file/steps.h"
#include <stdlib.h>

/* ---- matching the rules ---- */

/* Selects one process, or all (0). */
static void select_process(pm_sql *sql, int64_t process_id)
{
    pm_sql_script(sql, "tidy-begin", NULL, 0);
    pm_sql_script(sql, "apply-process",
                  PM_PARAMS({":process_id", PM_I(process_id ? process_id : PMAPDB_UNKNOWN)}));
}

void pm_apply_judge(pm_sql *sql, int64_t process_id, bool ruled, bool labelled)
{
    select_process(sql, process_id);
    pm_sql_script(sql, "order", NULL, 0);
    pm_sql_script(sql, "apply-judge",
                  PM_PARAMS({":ruled", PM_I(ruled)}, {":labelled", PM_I(labelled)}));
}

/* The captures of one epoch, one after the other. */
typedef struct asking {
    pm_sql *sql;
    pm_refine *refine;
    pm_rows versions;
    pm_rows rows;
    pm_map asked; /* lineage -> 1: the current capture decides it; 0: already decided */
} asking;

/* Matches the rules against one capture. The lowest row of a lineage that a rule matches
 * decides. */
static void ask_capture(asking *a, int64_t off, int64_t place)
{
    sqlite3_stmt *stmt = pm_sql_ask(a->sql, "SELECT lineage_id FROM apply_judge WHERE place = ?1",
                                    PM_ARGS(PM_I(place)));

    pm_map_clear(&a->asked);
    while (pm_sql_next(a->sql, stmt))
        PM_SQL_STEP(a->sql, pm_map_put(&a->asked, (uint64_t)pm_col_int(stmt, 0), 1, &err));
    pm_refine_turn(a->refine);
    pm_versions_rows(a->sql, &a->versions, off, &a->rows);
    for (size_t i = 0; i < a->rows.n && pm_sql_ok(a->sql); i++) {
        int64_t lineage = a->rows.row[i].at.lineage, asked = 0;
        pm_ruling said;

        if (!pm_map_get(&a->asked, (uint64_t)lineage, &asked) || !asked)
            continue;
        said = pm_refine_row(a->sql, a->refine, &a->rows, i);
        if (!said.kept)
            continue;
        pm_sql_do(a->sql,
                  "UPDATE apply_judge SET category_id = ?2, rule = ?3 WHERE lineage_id = ?1",
                  PM_ARGS(PM_I(lineage), PM_I(said.kept), PM_S(said.rule)));
        PM_SQL_STEP(a->sql, pm_map_put(&a->asked, (uint64_t)lineage, 0, &err));
    }
}

/* Matches the rules against one epoch. Frees its objects afterwards: a store may have more than fit
 * into memory. */
static void ask_epoch(asking *a, int64_t epoch_id)
{
    pm_objects objects = {0};
    sqlite3_stmt *stmt;

    pm_versions_load(a->sql, &objects, epoch_id, 0, &a->versions);
    stmt = pm_sql_ask(a->sql, "SELECT off, place FROM apply_ask WHERE epoch_id = ?1 ORDER BY off",
                      PM_ARGS(PM_I(epoch_id)));
    while (pm_sql_next(a->sql, stmt))
        ask_capture(a, pm_col_int(stmt, 0), pm_col_int(stmt, 1));
    free(a->versions.row);
    a->versions = (pm_rows){0};
    pm_objects_free(&objects);
}

static pmapdb_status check_regexes(const pm_apply *apply, uint64_t before, pmapdb_error *err)
{
    size_t rule;
    uint64_t n = pm_rules_gave_up(apply->rules, &rule) - before;

    if (n == 0)
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_INPUT,
                   "rule '%s': its regex takes too long on a path in this store and gave up (%llu "
                   "times); nothing was changed",
                   pm_rules_texts(apply->rules, rule)->name, (unsigned long long)n);
}

void pm_apply_ask(pm_sql *sql, pm_refine *refine, const pm_apply *apply)
{
    asking a = {.sql = sql, .refine = refine};
    size_t rule, done = 0;
    uint64_t gave_up = apply ? pm_rules_gave_up(apply->rules, &rule) : 0;
    size_t of =
        (size_t)pm_sql_value(sql, "SELECT count(DISTINCT epoch_id) FROM apply_ask", PM_NO_ARGS, 0);
    sqlite3_stmt *stmt =
        pm_sql_ask(sql, "SELECT DISTINCT epoch_id FROM apply_ask ORDER BY epoch_id", PM_NO_ARGS);

    while (pm_sql_next(sql, stmt)) {
        ask_epoch(&a, pm_col_int(stmt, 0));
        if (apply)
            PM_SQL_STEP(sql, check_regexes(apply, gave_up, &err));
        if (apply)
            PM_SQL_STEP(sql,
                        pm_steps_tell(&(pm_steps){apply->options->ctx, apply->options->on_progress},
                                      "rules", "epochs", ++done, of, &err));
    }
    free(a.rows.row);
    pm_map_free(&a.asked);
}

/* ---- writing ---- */

/* Finds the regions that change, and the epochs that show one; `all`: all epochs. */
static void find_changes(pm_sql *sql, bool all)
{
    pm_sql_script(sql, "apply-set", NULL, 0);
    pm_sql_script(sql, "apply-changed", PM_PARAMS({":all", PM_I(all)}));
}

/* Writes the sums of the next epochs with `most` versions. Returns whether some are left. */
static bool write_sums(pm_sql *sql, int64_t most)
{
    int64_t broken;

    pm_sql_script(sql, "apply-sums", PM_PARAMS({":most", PM_I(most)}));
    broken = pm_sql_value(sql, "SELECT min(snapshot_id) FROM apply_broken", PM_NO_ARGS, 0);
    if (broken)
        PM_SQL_STEP(sql,
                    pm_fail(&err, PMAPDB_DATABASE,
                            "the categories of snapshot %lld would not add up to its totals: the "
                            "store is damaged, and the rules are not applied to all of it; "
                            "'pmapdb doctor --deep' lists the damaged snapshots",
                            (long long)broken));
    return pm_sql_value(sql, "SELECT 1 FROM apply_epoch LIMIT 1", PM_NO_ARGS, 0);
}

void pm_apply_write(pm_sql *sql)
{
    pm_sql_script(sql, "category-new", NULL, 0);
    find_changes(sql, false);
    pm_sql_script(sql, "apply-write", NULL, 0);
    write_sums(sql, INT64_MAX);
}

void pm_apply_again(pm_sql *sql, int64_t process_id)
{
    pm_refine refine = {0};

    pm_apply_judge(sql, process_id, true, false);
    pm_apply_ask(sql, &refine, NULL);
    pm_apply_write(sql);
    pm_refine_free(&refine);
}

/* ---- the report ---- */

/* Reports the changes that the survey found. Called last, after the changes are stored if they are
 * to be stored. */
static void tell(pm_sql *sql, const pm_apply *apply)
{
    sqlite3_stmt *row =
        pm_sql_ask(sql,
                   "SELECT from_category, to_category, rule, lineages, mappings, size_kib, rss_kib "
                   "FROM apply_change ORDER BY rss_kib DESC, size_kib DESC, lineages DESC, 1, 2, 3",
                   PM_NO_ARGS);

    while (pm_sql_next(sql, row))
        apply->options->on_change(apply->options->ctx,
                                  &(pmapdb_rules_change){.from = pm_col_text(row, 0).data,
                                                         .to = pm_col_text(row, 1).data,
                                                         .rule = pm_col_text(row, 2).data,
                                                         .lineages = pm_col_int(row, 3),
                                                         .mappings = pm_col_int(row, 4),
                                                         .size_kib = pm_col_int(row, 5),
                                                         .rss_kib = pm_col_int(row, 6)});
}

/* ---- the store ---- */

/* The result of the survey. */
typedef struct found {
    bool own;         /* the store has these rules */
    bool interrupted; /* the sums of some epochs may be by other rules than their lineages */
    int64_t version;  /* PRAGMA data_version, which changes if another program writes */
} found;

static void count(pm_sql *sql, pmapdb_rules_result *out)
{
    out->processes = pm_sql_value(sql, "SELECT count(*) FROM process", PM_NO_ARGS, 0);
    out->lineages = pm_sql_value(sql, "SELECT count(*) FROM lineage", PM_NO_ARGS, 0);
    out->changed_lineages =
        pm_sql_value(sql, "SELECT sum(lineages) FROM apply_change", PM_NO_ARGS, 0);
    out->snapshots =
        pm_sql_value(sql, "SELECT count(*) FROM snapshot WHERE state <> 'totals'", PM_NO_ARGS, 0);
    out->changed_snapshots = pm_sql_value(
        sql, "SELECT count(*) FROM apply_epoch e JOIN snapshot s ON s.epoch_id = e.epoch_id",
        PM_NO_ARGS, 0);
}

/* Matches the rules for the lineages of one process, or of all (0). */
static void ask(pm_sql *sql, const pm_apply *apply, pm_refine *refine, bool own, int64_t process_id)
{
    pm_category_ids_anew(sql, &refine->categories);
    pm_apply_judge(sql, process_id, !own, apply->options->forget_labels);
    pm_apply_ask(sql, refine, process_id ? NULL : apply);
}

static int64_t data_version(pmapdb_store *s)
{
    return pm_sql_value(s->sql, "PRAGMA data_version", PM_NO_ARGS, 0);
}

/* Finds the changes without the write lock, and leaves them in temporary tables. */
static pmapdb_status survey(pmapdb_store *s, const pm_apply *apply, pm_refine *refine, found *f,
                            pmapdb_rules_result *out, pmapdb_error *err)
{
    pm_rule_text text = {0};
    pmapdb_status st = pmapdb_begin_read(s, err);

    if (st != PMAPDB_OK)
        return st;
    /* the store's own rules have decided each of its lineages, some in captures that were pruned
     * since; these categories stay */
    pm_rule_text_load(s->sql, &text);
    f->own = text.hash == pm_hash(pm_buf_text(&apply->text->text).data, apply->text->text.len, 0);
    f->interrupted = text.hash == 0;
    f->version = data_version(s);
    pm_rule_text_free(&text);
    out->same = f->own && !apply->options->forget_labels;
    if (!out->same) {
        ask(s->sql, apply, refine, f->own, 0);
        out->unnamed = (int64_t)refine->unnamed;
        pm_sql_script(s->sql, "apply-report", NULL, 0);
        find_changes(s->sql, f->interrupted);
        count(s->sql, out);
    }
    if (apply->options->forget_labels)
        out->reports = pm_sql_value(
            s->sql,
            "SELECT count(*) FROM (SELECT DISTINCT process_id, taken_ms, source FROM label)",
            PM_NO_ARGS, 0);
    return pm_store_end(s, err); /* keeps the temp tables */
}

/* Fails if the rules of the store are not those that are applied: another program has begun to
 * apply its own. That program decides every lineage again, so this one ends. */
static void check_rules_are(pmapdb_store *s, const pm_apply *apply)
{
    pm_text own = pm_buf_text(&apply->text->text);

    if (!pm_sql_value(s->sql, "SELECT text = ?1 FROM rule_set", PM_ARGS(PM_T(own)), 0))
        PM_SQL_STEP(s->sql, pm_fail(&err, PMAPDB_BUSY,
                                    "%s: another program has begun to apply other rules, which now "
                                    "decide all categories; to apply these rules instead, run this "
                                    "again after that program",
                                    s->path));
}

/* Writes the rules, from which on new captures follow them. A hash of 0 says that they are not
 * applied to all processes yet. */
static pmapdb_status store_rules(pmapdb_store *s, const pm_apply *apply, bool done, found *f,
                                 pmapdb_error *err)
{
    pm_rule_text text = *apply->text;
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    if (done)
        check_rules_are(s, apply);
    f->interrupted |= pm_sql_value(s->sql, "SELECT hash = 0 FROM rule_set", PM_NO_ARGS, 0);
    text.applied_ms = pm_clock_now();
    pm_rule_text_store(s->sql, &text);
    if (!done)
        pm_sql_do(s->sql, "UPDATE rule_set SET hash = 0", PM_NO_ARGS);
    if (done && apply->options->forget_labels)
        pm_sql_do(s->sql, "DELETE FROM label", PM_NO_ARGS);
    if (done)
        pm_category_remove_unused(s->sql);
    return pm_store_end(s, err);
}

/* Writes the categories of a process, except for sums. If another program has written since the
 * survey, the process is judged again: the ids of its lineages may belong to others now. */
static void change_lineages(pmapdb_store *s, const pm_apply *apply, pm_refine *refine,
                            const found *f, int64_t process_id)
{
    if (data_version(s) == f->version)
        select_process(s->sql, process_id);
    else
        ask(s->sql, apply, refine, f->own, process_id);
    pm_category_ids_insert(s->sql, &refine->categories);
    find_changes(s->sql, f->interrupted);
    pm_sql_script(s->sql, "apply-write", NULL, 0);
}

/* Changes one process, in several transactions if it has many versions of mappings. */
static pmapdb_status change(pmapdb_store *s, const pm_apply *apply, pm_refine *refine,
                            const found *f, int64_t process_id, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    bool more = true;

    for (bool first = true; st == PMAPDB_OK && more; first = false) {
        st = pm_store_begin(s, err);
        if (st != PMAPDB_OK)
            break;
        check_rules_are(s, apply);
        if (first)
            change_lineages(s, apply, refine, f, process_id);
        more = write_sums(s->sql, apply->versions ? apply->versions : PM_APPLY_VERSIONS);
        st = pm_store_end(s, err);
    }
    return st;
}

/* If this program is killed, the hash of 0 says that the rules must be applied again. */
static pmapdb_status change_all(pmapdb_store *s, const pm_apply *apply, pm_refine *refine, found *f,
                                bool same, pmapdb_error *err)
{
    static const char next[] = "SELECT min(process_id) FROM process WHERE process_id > ?1";
    int64_t process_id = same ? 0 : pm_sql_value(s->sql, next, PM_ARGS(PM_I(0)), 0);
    pmapdb_status st = pm_sql_end(s->sql, err);

    if (!same)
        PM_STEP(st, store_rules(s, apply, false, f, err));
    while (st == PMAPDB_OK && process_id) {
        st = change(s, apply, refine, f, process_id, err);
        process_id = pm_sql_value(s->sql, next, PM_ARGS(PM_I(process_id)), 0);
    }
    return st == PMAPDB_OK ? store_rules(s, apply, true, f, err) : st;
}

/* Foreign keys are off, as in a prune: otherwise, to remove a category, SQLite would read all rows
 * that could refer to it. */
pmapdb_status pm_apply_rules(pmapdb_store *s, const pm_apply *apply, pmapdb_rules_result *out,
                             pmapdb_error *err)
{
    pm_refine refine = {.rules = apply->rules};
    found f = {0};
    pmapdb_status st = pm_store_begin_tidying(s, err);

    *out = (pmapdb_rules_result){0};
    PM_STEP(st, survey(s, apply, &refine, &f, out, err));
    if (st == PMAPDB_OK && !apply->options->dry_run)
        st = change_all(s, apply, &refine, &f, out->same, err);
    pm_store_end_tidying(s);
    pm_refine_free(&refine);
    if (st == PMAPDB_OK && !out->same && apply->options->on_change)
        tell(s->sql, apply);
    return st == PMAPDB_OK ? pm_sql_end(s->sql, err) : st;
}
