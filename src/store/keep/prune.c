/* prune: plans which moments stay, removes the others, gives space back; repeats this while the
 * store is too large. The plan is in the temp tables of keep-plan.sql. */
#include "base/clock/clock.h"
#include "store/file/space.h"
#include "store/keep/tidy.h"
#include "store/read/select.h"

typedef struct prune {
    pmapdb_store *store;
    pm_sql *sql;
    const pmapdb_prune_options *options;
    pmapdb_prune_result *result;
    pm_steps steps;
    int64_t last_id; /* the newest snapshot at the time of the plan */
} prune;

void pmapdb_prune_defaults(pmapdb_prune_options *o)
{
    *o = (pmapdb_prune_options){.max_kib = PMAPDB_UNKNOWN};
}

/* ---- options ---- */

/* NULL: nothing is wrong. *rules: some rule of what to keep is given. */
static const char *wrong_option(const pmapdb_prune_options *o, bool *rules)
{
    const pmapdb_keep *keep = &o->keep;
    const int64_t counts[] = {keep->last,   keep->hourly,  keep->daily,
                              keep->weekly, keep->monthly, keep->yearly};
    bool sized = o->max_kib != PMAPDB_UNKNOWN;

    *rules = keep->within_ms > 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        *rules |= counts[i] != 0;
        if (counts[i] < PMAPDB_KEEP_ALL)
            return "the number of moments to keep must not be negative";
    }
    if (keep->within_ms < 0)
        return "keep-within needs a time span above zero";
    if (!*rules && !sized && !o->drop)
        return "a prune needs at least one rule about what to keep";
    if (o->drop && (*rules || sized))
        return "drop takes no rule about what to keep";
    if ((o->process && !*o->process) || (o->host && !*o->host))
        return "'' is not the name of a process or a host: give a name, or leave the option out";
    if (o->drop && !o->process && !o->host)
        return "drop needs a process or a host";
    if (sized && o->max_kib <= 0)
        return "the largest size of the store must be above zero";
    return NULL;
}

/* ---- the plan ---- */

/* Selects the series. A name is pruned in full: processes that were captured together stay or go
 * together. */
static pm_scope select_series(const prune *p)
{
    const char *process = p->options->process;
    pm_scope scope = pm_scope_all;

    if (process)
        PM_SQL_STEP(p->sql, pm_select_process(p->sql, pm_text_of(process), &scope, &err));
    if (scope.process_id != PMAPDB_UNKNOWN &&
        pm_sql_value(p->sql,
                     "SELECT count(*) FROM process p JOIN name n ON n.name_id = p.name_id "
                     "WHERE p.process_id = ?1 AND n.name <> '?'",
                     PM_ARGS(PM_I(scope.process_id)), 0))
        PM_SQL_STEP(p->sql, pm_fail(&err, PMAPDB_USAGE,
                                    "'%s' is one process: prune works on all processes of a NAME, "
                                    "which were captured together",
                                    process));
    return scope;
}

static void make_plan(prune *p, const pm_scope *scope, bool rules)
{
    const pmapdb_prune_options *o = p->options;
    const pmapdb_keep *keep = &o->keep;

    p->last_id = pm_sql_value(p->sql, "SELECT max(snapshot_id) FROM snapshot", PM_NO_ARGS, 0);
    pm_sql_script(p->sql, "keep-plan",
                  PM_PARAMS({":name_id", PM_I(scope->name_id)},
                            {":process_id", PM_I(scope->process_id)}, {":host", PM_S(o->host)},
                            {":last", PM_I(keep->last)}, {":hourly", PM_I(keep->hourly)},
                            {":daily", PM_I(keep->daily)}, {":weekly", PM_I(keep->weekly)},
                            {":monthly", PM_I(keep->monthly)}, {":yearly", PM_I(keep->yearly)},
                            {":within_ms", PM_I(keep->within_ms)},
                            {":now_ms", PM_I(pm_clock_now())}, {":rules", PM_I(rules)},
                            {":drop", PM_I(o->drop)}));
}

/* Makes the plan from one state of the store. A read-only store may have temp tables, too. */
static void plan(prune *p, bool rules)
{
    const pmapdb_prune_options *o = p->options;
    pm_scope scope;
    sqlite3_stmt *row;

    pm_sql_do(p->sql, "BEGIN", PM_NO_ARGS);
    scope = select_series(p);
    make_plan(p, &scope, rules);
    pm_tidy_commit(p->store);
    row = pm_sql_ask(/* series of which no moment would stay */
                     p->sql,
                     "SELECT q.host, q.name FROM keep_series q JOIN keep_moment m ON m.series_id = "
                     "q.series_id "
                     "WHERE NOT ?1 GROUP BY q.series_id HAVING count(m.fate) = count(*) "
                     "ORDER BY q.series_id LIMIT 1",
                     PM_ARGS(PM_I(o->force)));
    while (pm_sql_next(p->sql, row)) {
        const char *host = pm_col_text(row, 0).data;

        PM_SQL_STEP(p->sql,
                    pm_fail(&err, PMAPDB_USAGE,
                            "nothing of '%s%s%s' would stay; --force removes it all the same",
                            host ? host : "", host ? ":" : "", pm_col_text(row, 1).data));
    }
    p->result->series =
        (uint64_t)pm_sql_value(p->sql, "SELECT count(*) FROM keep_series", PM_NO_ARGS, 0);
    if (o->host && p->result->series == 0)
        PM_SQL_STEP(p->sql, pm_fail(&err, PMAPDB_NOTFOUND,
                                    "no series of a host '%s'; 'pmapdb processes' lists the hosts",
                                    o->host));
}

/* ---- reporting ---- */

/* Reports the planned moments, per series the newest first. */
static void tell_moments(const prune *p)
{
    sqlite3_stmt *rows;

    if (!p->options->on_moment)
        return;
    rows = pm_sql_ask(p->sql, pm_sql_script_text("keep-tell-moments"), PM_NO_ARGS);
    while (pm_sql_next(p->sql, rows))
        p->options->on_moment(p->options->ctx,
                              &(pmapdb_prune_moment){.host = pm_col_text(rows, 0).data,
                                                     .name = pm_col_text(rows, 1).data,
                                                     .moment_ms = pm_col_int(rows, 2),
                                                     .snapshots = pm_col_int(rows, 3),
                                                     .kept = pm_col_int(rows, 4) != 0,
                                                     .why = pm_col_text(rows, 5).data});
}

static void tell_series(const prune *p)
{
    sqlite3_stmt *rows = pm_sql_ask(p->sql, pm_sql_script_text("keep-tell-series"), PM_NO_ARGS);

    while (pm_sql_next(p->sql, rows)) {
        pmapdb_prune_series told = {.host = pm_col_text(rows, 0).data,
                                    .name = pm_col_text(rows, 1).data,
                                    .moments_kept = pm_col_int(rows, 2),
                                    .moments_removed = pm_col_int(rows, 3),
                                    .snapshots_kept = pm_col_int(rows, 4),
                                    .snapshots_removed = pm_col_int(rows, 5),
                                    .why = pm_col_text(rows, 6).data};

        p->result->moments_kept += (uint64_t)told.moments_kept;
        p->result->moments_removed += (uint64_t)told.moments_removed;
        p->result->snapshots_kept += (uint64_t)told.snapshots_kept;
        p->result->snapshots_removed += (uint64_t)told.snapshots_removed;
        if (p->options->on_series)
            p->options->on_series(p->options->ctx, &told);
    }
}

/* ---- the size of the store ---- */

#define KEPT "SELECT sum(snapshots) FROM keep_moment WHERE fate IS NULL"
#define TO_GO "SELECT sum(snapshots) FROM keep_moment WHERE fate IS NOT NULL AND NOT removed"

/* Returns the average size of a snapshot in KiB. */
static double weight_of_one(const pm_space *space, int64_t snapshots)
{
    int64_t all = space->used_kib - space->bare_kib;

    return all > 0 && snapshots > 0 ? (double)all / (double)snapshots : 1;
}

/* Marks the oldest kept moments for removal, at least n snapshots. Returns false if no moment can
 * be removed. */
static bool shrink_plan(const prune *p, double n)
{
    int64_t before = pm_sql_value(p->sql, TO_GO, PM_NO_ARGS, 0);

    pm_sql_script(p->sql, "keep-shrink",
                  PM_PARAMS({":snapshots", PM_I(n)}, {":force", PM_I(p->options->force)}));
    return pm_sql_value(p->sql, TO_GO, PM_NO_ARGS, 0) > before;
}

/* For a dry run: estimates the remaining size as if all snapshots had the same size. */
static void estimate(prune *p, const pm_space *space)
{
    int64_t max_kib = p->options->max_kib, left;
    int64_t all = pm_sql_value(p->sql, "SELECT count(*) FROM snapshot", PM_NO_ARGS, 0);
    double each = weight_of_one(space, all);
    bool more = true;

    while (more) {
        int64_t gone = pm_sql_value(p->sql, TO_GO, PM_NO_ARGS, 0);

        left = space->used_kib - (int64_t)(each * (double)gone);
        p->result->fits = max_kib == PMAPDB_UNKNOWN || left <= max_kib;
        p->result->kib_after = left;
        more = !p->result->fits && shrink_plan(p, (double)(left - max_kib) / each);
    }
}

/* ---- the run ---- */

/* Removes some moments in each transaction, which leaves the store consistent and tidy; the last
 * one removes rows of dictionaries. */
static void carry_out(const prune *p)
{
    int64_t newest_ms =
        pm_sql_value(p->sql, "SELECT max(moment_ms) FROM keep_moment WHERE fate IS NOT NULL",
                     PM_NO_ARGS, PMAPDB_UNKNOWN);
    int64_t all = pm_sql_value(p->sql, TO_GO, PM_NO_ARGS, 0), left = all;

    while (left > 0) {
        PM_SQL_STEP(p->sql, pm_steps_tell(&p->steps, "removing", "snapshots",
                                          (uint64_t)(all - left), (uint64_t)all, &err));
        PM_SQL_STEP(p->sql, pm_store_begin(p->store, &err));
        pm_sql_script(p->sql, "tidy-begin", NULL, 0);
        pm_sql_script(
            p->sql, "keep-remove",
            PM_PARAMS({":most", PM_I(PM_TIDY_SNAPSHOTS)}, {":last_id", PM_I(p->last_id)}));
        pm_tidy_some(p->store, false);
        pm_tidy_commit(p->store);
        left = pm_sql_value(p->sql, TO_GO, PM_NO_ARGS, 0);
    }
    pm_tidy_rest(p->store, newest_ms);
}

/* Shrinks the store step by step and measures it each time. The oldest snapshots share rows with
 * snapshots that stay, so each step removes somewhat fewer than their average size suggests. */
static void shrink(const prune *p)
{
    int64_t max_kib = p->options->max_kib;
    pm_space space = pm_space_read(p->store);
    bool more = true;

    p->result->fits = max_kib == PMAPDB_UNKNOWN || space.used_kib <= max_kib;
    while (more && !p->result->fits) {
        double each = weight_of_one(&space, pm_sql_value(p->sql, KEPT, PM_NO_ARGS, 0));

        more = shrink_plan(p, 0.8 * (double)(space.used_kib - max_kib) / each);
        if (more)
            carry_out(p);
        space = pm_space_read(p->store);
        p->result->fits = space.used_kib <= max_kib;
    }
}

static void run(prune *p, bool rules)
{
    pm_space space = pm_space_read(p->store);

    p->result->kib_before = space.file_kib;
    plan(p, rules);
    if (p->options->dry_run)
        estimate(p, &space);
    tell_moments(p);
    if (p->options->dry_run)
        return;
    PM_SQL_STEP(p->sql, pm_store_begin_tidying(p->store, &err));
    if (pm_sql_ok(p->sql)) {
        carry_out(p);
        shrink(p);
        p->result->held = pm_space_give_back(p->store, &p->steps);
        space = pm_space_read(p->store);
        p->result->kib_after = space.file_kib;
        p->result->wants_vacuum = !space.shrinks && space.used_kib < space.file_kib;
    }
    pm_store_end_tidying(p->store);
}

pmapdb_status pmapdb_prune(pmapdb_store *store, const pmapdb_prune_options *options,
                           pmapdb_prune_result *result, pmapdb_error *err)
{
    prune p = {.store = store,
               .sql = store->sql,
               .options = options,
               .result = result,
               .steps = {options->ctx, options->on_progress}};
    bool rules = false;
    const char *wrong = wrong_option(options, &rules);

    if (wrong)
        return pm_fail(err, PMAPDB_USAGE, "%s", wrong);
    *result = (pmapdb_prune_result){0};
    run(&p, rules);
    tell_series(&p);
    return pm_sql_end(p.sql, err);
}
