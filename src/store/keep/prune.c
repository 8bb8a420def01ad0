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

static pmapdb_status check_rules(const pmapdb_keep *keep, bool *given, pmapdb_error *err)
{
    const int64_t counts[] = {keep->last,   keep->hourly,  keep->daily,
                              keep->weekly, keep->monthly, keep->yearly};

    *given = keep->within_ms > 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        *given |= counts[i] != 0;
        if (counts[i] < PMAPDB_KEEP_ALL)
            return pm_fail(err, PMAPDB_USAGE, "a rule keeps a number of moments, not %lld",
                           (long long)counts[i]);
    }
    if (keep->within_ms < 0)
        return pm_fail(err, PMAPDB_USAGE, "keep-within wants a span above zero");
    return PMAPDB_OK;
}

static pmapdb_status check_options(const pmapdb_prune_options *o, bool *rules, pmapdb_error *err)
{
    pmapdb_status st = check_rules(&o->keep, rules, err);

    if (st != PMAPDB_OK)
        return st;
    if (!*rules && o->max_kib == PMAPDB_UNKNOWN && !o->drop)
        return pm_fail(err, PMAPDB_USAGE, "a prune wants at least one rule of what to keep");
    if (o->drop && (*rules || o->max_kib != PMAPDB_UNKNOWN))
        return pm_fail(err, PMAPDB_USAGE, "drop takes no rule of what to keep");
    if ((o->process && !*o->process) || (o->host && !*o->host))
        return pm_fail(
            err, PMAPDB_USAGE,
            "'' is not the name of a process or a host: give a name, or leave the option out");
    if (o->drop && !o->process && !o->host)
        return pm_fail(err, PMAPDB_USAGE, "drop what? a process or a host");
    if (o->max_kib != PMAPDB_UNKNOWN && o->max_kib <= 0)
        return pm_fail(err, PMAPDB_USAGE, "the largest size of the store must be above zero");
    return PMAPDB_OK;
}

/* ---- the plan ---- */

/* Selects the series. A name is pruned in full: processes that were captured together stay or go
 * together. */
static pmapdb_status select_series(const prune *p, pm_scope *scope, pmapdb_error *err)
{
    const char *process = p->options->process;
    pmapdb_status st = PMAPDB_OK;
    bool named = false;

    *scope = (pm_scope){.process_id = PMAPDB_UNKNOWN, .name_id = PMAPDB_UNKNOWN};
    if (process)
        st = pm_select_process(p->sql, pm_text_of(process), scope, err);
    if (st == PMAPDB_OK && scope->process_id != PMAPDB_UNKNOWN) {
        named = pm_sql_value(p->sql,
                             "SELECT count(*) FROM process p JOIN name n ON n.name_id = p.name_id "
                             "WHERE p.process_id = ?1 AND n.name <> '?'",
                             PM_ARGS(PM_I(scope->process_id)), 0);
        st = pm_sql_end(p->sql, err);
    }
    if (st == PMAPDB_OK && named)
        return pm_fail(err, PMAPDB_USAGE,
                       "'%s' is one process: prune works on all processes of a NAME, which were "
                       "captured together",
                       process);
    return st;
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

/* Refuses to remove all moments of a series, and a series that does not exist. */
static pmapdb_status check_plan(const prune *p, pmapdb_error *err)
{
    const pmapdb_prune_options *o = p->options;
    sqlite3_stmt *rows = pm_sql_ask(
        p->sql,
        "SELECT q.host, q.name FROM keep_series q JOIN keep_moment m ON m.series_id = q.series_id "
        "GROUP BY q.series_id HAVING count(m.fate) = count(*) ORDER BY q.series_id",
        PM_NO_ARGS);
    pmapdb_error own = {0};

    if (!o->force && pm_sql_next(p->sql, rows)) {
        const char *host = pm_col_text(rows, 0).data;

        pm_fail(&own, PMAPDB_USAGE, "nothing of '%s%s%s' would stay; --force means it",
                host ? host : "", host ? ":" : "", pm_col_text(rows, 1).data);
    }
    if (rows)
        pm_sql_done(rows);
    pm_sql_keep(p->sql, own.status, &own);
    p->result->series =
        (uint64_t)pm_sql_value(p->sql, "SELECT count(*) FROM keep_series", PM_NO_ARGS, 0);
    if (o->host && p->result->series == 0 && pm_sql_ok(p->sql))
        pm_sql_keep(p->sql,
                    pm_fail(&own, PMAPDB_NOTFOUND,
                            "no series of a host '%s'; 'pmapdb processes' lists the hosts",
                            o->host),
                    &own);
    return pm_sql_end(p->sql, err);
}

/* Makes the plan from one state of the store. A read-only store may have temp tables, too. */
static pmapdb_status plan(prune *p, bool rules, pmapdb_error *err)
{
    pm_scope scope;
    pmapdb_status st;

    if (!p->store->writes)
        pm_sql_do(p->sql, "PRAGMA query_only = OFF", PM_NO_ARGS);
    pm_sql_do(p->sql, "BEGIN", PM_NO_ARGS);
    pm_sql_keep(p->sql, select_series(p, &scope, err), err);
    make_plan(p, &scope, rules);
    st = pm_tidy_commit(p->store, err);
    PM_STEP(st, check_plan(p, err));
    return st;
}

/* ---- reporting ---- */

/* Reports the planned moments, per series the newest first. */
static pmapdb_status tell_moments(const prune *p, pmapdb_error *err)
{
    sqlite3_stmt *rows;

    if (!p->options->on_moment)
        return PMAPDB_OK;
    rows = pm_sql_ask(
        p->sql,
        "SELECT q.host, q.name, m.moment_ms, m.snapshots, m.fate IS NULL, coalesce(m.fate, "
        "(SELECT group_concat(substr('oldest ', 1, 7 * r.oldest) || r.word, ', ') "
        "FROM keep_reason r WHERE r.series_id = m.series_id AND r.moment_ms = m.moment_ms)) "
        "FROM keep_series q CROSS JOIN keep_moment m ON m.series_id = q.series_id "
        "ORDER BY q.series_id, m.moment_ms DESC",
        PM_NO_ARGS);
    while (pm_sql_next(p->sql, rows))
        p->options->on_moment(p->options->ctx,
                              &(pmapdb_prune_moment){.host = pm_col_text(rows, 0).data,
                                                     .name = pm_col_text(rows, 1).data,
                                                     .moment_ms = pm_col_int(rows, 2),
                                                     .snapshots = pm_col_int(rows, 3),
                                                     .kept = pm_col_int(rows, 4) != 0,
                                                     .why = pm_col_text(rows, 5).data});
    return pm_sql_end(p->sql, err);
}

static void add_up(pmapdb_prune_result *r, const pmapdb_prune_series *s)
{
    r->moments_kept += (uint64_t)s->moments_kept;
    r->moments_removed += (uint64_t)s->moments_removed;
    r->snapshots_kept += (uint64_t)s->snapshots_kept;
    r->snapshots_removed += (uint64_t)s->snapshots_removed;
}

/* Reports the series. why: the number of moments that each rule keeps, "last 5, daily 30". */
static pmapdb_status tell_series(const prune *p, pmapdb_error *err)
{
    sqlite3_stmt *rows = pm_sql_ask(
        p->sql,
        "SELECT q.host, q.name, sum(m.fate IS NULL), count(m.fate), "
        "sum(CASE WHEN m.fate IS NULL THEN m.snapshots ELSE 0 END), "
        "sum(CASE WHEN m.fate IS NULL THEN 0 ELSE m.snapshots END), "
        "coalesce((SELECT group_concat(word || ' ' || n, ', ') FROM (SELECT r.rule, r.word, "
        "count(*) AS n FROM keep_reason r JOIN keep_moment k ON k.series_id = r.series_id "
        "AND k.moment_ms = r.moment_ms AND k.fate IS NULL WHERE r.series_id = q.series_id "
        "GROUP BY r.rule, r.word)), '') "
        "FROM keep_series q JOIN keep_moment m ON m.series_id = q.series_id "
        "GROUP BY q.series_id ORDER BY q.series_id",
        PM_NO_ARGS);

    while (pm_sql_next(p->sql, rows)) {
        pmapdb_prune_series told = {.host = pm_col_text(rows, 0).data,
                                    .name = pm_col_text(rows, 1).data,
                                    .moments_kept = pm_col_int(rows, 2),
                                    .moments_removed = pm_col_int(rows, 3),
                                    .snapshots_kept = pm_col_int(rows, 4),
                                    .snapshots_removed = pm_col_int(rows, 5),
                                    .why = pm_col_text(rows, 6).data};

        add_up(p->result, &told);
        if (p->options->on_series)
            p->options->on_series(p->options->ctx, &told);
    }
    return pm_sql_end(p->sql, err);
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
static pmapdb_status estimate(prune *p, const pm_space *space, pmapdb_error *err)
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
    return pm_sql_end(p->sql, err);
}

/* ---- the run ---- */

static pmapdb_status remove_some(const prune *p, pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin(p->store, err);

    if (st != PMAPDB_OK)
        return st;
    pm_sql_script(p->sql, "keep-remove",
                  PM_PARAMS({":most", PM_I(PM_TIDY_SNAPSHOTS)}, {":last_id", PM_I(p->last_id)}));
    pm_tidy_some(p->store);
    return pm_tidy_commit(p->store, err);
}

static pmapdb_status count_to_go(const prune *p, int64_t *left, pmapdb_error *err)
{
    *left = pm_sql_value(p->sql, TO_GO, PM_NO_ARGS, 0);
    return pm_sql_end(p->sql, err);
}

/* Removes some moments in each transaction, which leaves the store consistent and tidy; the last
 * one removes rows of dictionaries. */
static pmapdb_status carry_out(const prune *p, pmapdb_error *err)
{
    int64_t all = 0, left;
    int64_t newest_ms =
        pm_sql_value(p->sql, "SELECT max(moment_ms) FROM keep_moment WHERE fate IS NOT NULL",
                     PM_NO_ARGS, PMAPDB_UNKNOWN);
    pmapdb_status st = count_to_go(p, &all, err);

    for (left = all; st == PMAPDB_OK && left > 0;) {
        st = pm_steps_tell(&p->steps, "removing", "snapshots", (uint64_t)(all - left),
                           (uint64_t)all, err);
        PM_STEP(st, remove_some(p, err));
        PM_STEP(st, count_to_go(p, &left, err));
    }
    return st == PMAPDB_OK ? pm_tidy_rest(p->store, newest_ms, err) : st;
}

/* Shrinks the store step by step and measures it each time. The oldest snapshots share rows with
 * snapshots that stay, so each step removes somewhat fewer than their average size suggests. */
static pmapdb_status shrink(const prune *p, pmapdb_error *err)
{
    int64_t max_kib = p->options->max_kib;
    pm_space space;
    pmapdb_status st = pm_space_read(p->store, &space, err);

    p->result->fits = max_kib == PMAPDB_UNKNOWN || space.used_kib <= max_kib;
    while (st == PMAPDB_OK && !p->result->fits) {
        double each = weight_of_one(&space, pm_sql_value(p->sql, KEPT, PM_NO_ARGS, 0));
        bool more = shrink_plan(p, 0.8 * (double)(space.used_kib - max_kib) / each);

        st = pm_sql_end(p->sql, err);
        if (st != PMAPDB_OK || !more)
            return st;
        st = carry_out(p, err);
        PM_STEP(st, pm_space_read(p->store, &space, err));
        p->result->fits = space.used_kib <= max_kib;
    }
    return st;
}

static pmapdb_status work(const prune *p, pmapdb_error *err)
{
    pm_space space;
    pmapdb_status st = carry_out(p, err);

    PM_STEP(st, shrink(p, err));
    PM_STEP(st, pm_space_give_back(p->store, &p->steps, &p->result->held, err));
    PM_STEP(st, pm_space_read(p->store, &space, err));
    if (st != PMAPDB_OK)
        return st;
    p->result->kib_after = space.file_kib;
    p->result->wants_vacuum = !space.shrinks && space.used_kib < space.file_kib;
    return PMAPDB_OK;
}

static pmapdb_status run(prune *p, bool rules, pmapdb_error *err)
{
    pm_space space;
    pmapdb_status st = pm_space_read(p->store, &space, err);

    PM_STEP(st, plan(p, rules, err));
    if (st != PMAPDB_OK)
        return st;
    p->result->kib_before = space.file_kib;
    if (p->options->dry_run)
        st = estimate(p, &space, err);
    PM_STEP(st, tell_moments(p, err));
    if (st != PMAPDB_OK || p->options->dry_run)
        return st;
    st = pm_store_begin_tidying(p->store, err);
    PM_STEP(st, work(p, err));
    pm_store_end_tidying(p->store);
    return st;
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
    pmapdb_status st = check_options(options, &rules, err);

    if (st != PMAPDB_OK)
        return st;
    *result = (pmapdb_prune_result){0};
    st = run(&p, rules, err);
    if (!store->writes)
        sqlite3_exec(store->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
    return st == PMAPDB_OK ? tell_series(&p, err) : st;
}
