/* prune_plan: the series of the store, their moments, and what is to become of each. */
#include "store/prune/prune_plan.h"

#include "store/select.h"
#include <stdlib.h>

void pm_plan_free(pm_plan *plan)
{
    for (size_t i = 0; i < plan->n_series; i++) {
        free(plan->series[i].host);
        free(plan->series[i].name);
    }
    free(plan->series);
    free(plan->moment);
    free(plan->id);
    *plan = (pm_plan){0};
}

const char *pm_fate_text(pm_fate fate)
{
    static const char *const text[] = {
        [PM_FATE_KEPT] = "",           [PM_FATE_NO_RULE] = "no rule keeps it",
        [PM_FATE_DROPPED] = "dropped", [PM_FATE_MAX_SIZE] = "max-size",
        [PM_FATE_GONE] = "removed",
    };

    return text[fate];
}

/* ---- which series ---- */

/* A name is pruned as a whole: processes that were captured together stay or go together. */
static pmapdb_status select_series(pm_sql *sql, const pmapdb_prune_options *o, pm_scope *scope,
                                   pmapdb_error *err)
{
    int64_t named = 0;
    pmapdb_status st;

    *scope = (pm_scope){.process_id = PMAPDB_UNKNOWN, .name_id = PMAPDB_UNKNOWN};
    if (!o->process)
        return PMAPDB_OK;
    st = pm_select_process(sql, pm_text_of(o->process), scope, err);
    if (st == PMAPDB_OK && scope->process_id != PMAPDB_UNKNOWN)
        st = pm_sql_int(sql,
                        "SELECT count(*) FROM process p JOIN name n ON n.name_id = p.name_id "
                        "WHERE p.process_id = ?1 AND n.name <> '?'",
                        PM_ARGS(PM_I(scope->process_id)), 0, &named, err);
    if (st == PMAPDB_OK && named)
        return pm_fail(err, PMAPDB_USAGE,
                       "'%s' is one process: prune works on all processes of a NAME, which were "
                       "captured together",
                       o->process);
    return st;
}

static char *copy_text(pm_text t)
{
    return t.data ? pm_text_copy(t) : NULL;
}

static pmapdb_status add_series(pm_plan *plan, sqlite3_stmt *stmt, pmapdb_error *err)
{
    pm_plan_series series = {.name_id = pm_col_int(stmt, 0), .process_id = pm_col_int(stmt, 1)};
    pmapdb_status st =
        pm_grow(&plan->series, &plan->cap_series, plan->n_series, sizeof *plan->series, err);

    if (st != PMAPDB_OK)
        return st;
    series.host = copy_text(pm_col_text(stmt, 2));
    series.name = copy_text(pm_col_text(stmt, 3));
    plan->series[plan->n_series++] = series;
    return series.name ? PMAPDB_OK : pm_fail_nomem(err);
}

/* Processes that no capture names have nothing in common: each is a series. */
static pmapdb_status read_series(pm_sql *sql, const pmapdb_prune_options *o, pm_plan *plan,
                                 pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pm_scope scope;
    bool has;
    pmapdb_status st = select_series(sql, o, &scope, err);

    if (st == PMAPDB_OK)
        st = pm_sql_rows(
            sql,
            "SELECT DISTINCT n.name_id, CASE WHEN n.name = '?' THEN p.process_id END, h.name, "
            "n.name || CASE WHEN n.name = '?' AND p.pid IS NOT NULL THEN '/' || p.pid ELSE '' END "
            "FROM name n CROSS JOIN process p ON p.name_id = n.name_id "
            "LEFT JOIN host h ON h.host_id = n.host_id "
            "WHERE n.name_id IS coalesce(?1, n.name_id) "
            "AND p.process_id IS coalesce(?2, p.process_id) AND (?3 IS NULL OR h.name = ?3) "
            "ORDER BY 3, 4, 1, 2",
            PM_ARGS(PM_I(scope.name_id), PM_I(scope.process_id), PM_S(o->host)), &stmt, err);
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = add_series(plan, stmt, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    if (st == PMAPDB_OK && o->host && plan->n_series == 0)
        return pm_fail(err, PMAPDB_NOTFOUND,
                       "no series of a host '%s'; 'pmapdb processes' lists "
                       "what there is",
                       o->host);
    return st;
}

/* ---- their moments ---- */

static pmapdb_status add_snapshot(pm_plan *plan, size_t first, sqlite3_stmt *stmt,
                                  pmapdb_error *err)
{
    int64_t moment_ms = pm_col_ms(stmt, 0);
    pmapdb_status st = pm_grow(&plan->id, &plan->cap_ids, plan->n_ids, sizeof *plan->id, err);

    if (st == PMAPDB_OK)
        st = pm_grow(&plan->moment, &plan->cap_moments, plan->n_moments, sizeof *plan->moment, err);
    if (st != PMAPDB_OK)
        return st;
    if (plan->n_moments == first || plan->moment[plan->n_moments - 1].moment_ms != moment_ms)
        plan->moment[plan->n_moments++] =
            (pm_plan_moment){.moment_ms = moment_ms, .first = plan->n_ids};
    plan->moment[plan->n_moments - 1].n++;
    plan->moment[plan->n_moments - 1].pinned |= pm_col_int(stmt, 2) != 0;
    plan->id[plan->n_ids++] = pm_col_int(stmt, 1);
    return PMAPDB_OK;
}

static pmapdb_status read_moments(pm_sql *sql, pm_plan *plan, pm_plan_series *series,
                                  pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT s.moment_ms, s.snapshot_id, EXISTS (SELECT 1 FROM pin i WHERE i.snapshot_id = "
        "s.snapshot_id) FROM process p CROSS JOIN snapshot s ON s.process_id = p.process_id "
        "WHERE p.name_id = ?1 AND p.process_id IS coalesce(?2, p.process_id) "
        "ORDER BY s.moment_ms DESC, s.snapshot_id",
        PM_ARGS(PM_I(series->name_id), PM_I(series->process_id)), &stmt, err);

    series->first = plan->n_moments;
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = add_snapshot(plan, series->first, stmt, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    series->n = plan->n_moments - series->first;
    return st;
}

/* ---- their fates ---- */

static pmapdb_status judge(pm_plan *plan, const pm_plan_series *series,
                           const pmapdb_prune_options *o, int64_t now_ms, pmapdb_error *err)
{
    pm_plan_moment *moment = plan->moment + series->first;
    bool rules = pm_prune_has_rules(&o->keep);
    int64_t *ms = calloc(series->n + 1, sizeof *ms);
    unsigned *why = calloc(series->n + 1, sizeof *why);

    if (!ms || !why) {
        free(ms);
        free(why);
        return pm_fail_nomem(err);
    }
    for (size_t i = 0; i < series->n; i++)
        ms[i] = moment[i].moment_ms;
    if (rules)
        pm_prune_rules(&o->keep, ms, series->n, now_ms, why);
    for (size_t i = 0; i < series->n; i++) {
        unsigned all = why[i];

        if (!rules && !o->drop)
            all |= PM_KEPT(PM_KEPT_FITS);
        if (moment[i].pinned)
            all |= PM_KEPT(PM_KEPT_PINNED);
        moment[i].why = all;
        moment[i].fate = all ? PM_FATE_KEPT : o->drop ? PM_FATE_DROPPED : PM_FATE_NO_RULE;
    }
    free(ms);
    free(why);
    return PMAPDB_OK;
}

static pmapdb_status refuse_vanishing(const pm_plan *plan, const pm_plan_series *series,
                                      pmapdb_error *err)
{
    for (size_t i = 0; i < series->n; i++)
        if (pm_plan_is_kept(&plan->moment[series->first + i]))
            return PMAPDB_OK;
    if (series->n == 0)
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_USAGE, "nothing of '%s%s%s' would stay; --force means it",
                   series->host ? series->host : "", series->host ? ":" : "", series->name);
}

static pmapdb_status read_all(pmapdb_store *s, const pmapdb_prune_options *o, int64_t now_ms,
                              pm_plan *out, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_int(s->sql, "SELECT max(snapshot_id) FROM snapshot", PM_NO_ARGS, 0,
                                  &out->last_id, err);

    if (st == PMAPDB_OK)
        st = read_series(s->sql, o, out, err);
    for (size_t i = 0; i < out->n_series && st == PMAPDB_OK; i++) {
        st = read_moments(s->sql, out, &out->series[i], err);
        if (st == PMAPDB_OK)
            st = judge(out, &out->series[i], o, now_ms, err);
        if (st == PMAPDB_OK && !o->force)
            st = refuse_vanishing(out, &out->series[i], err);
    }
    return st;
}

pmapdb_status pm_plan_read(pmapdb_store *s, const pmapdb_prune_options *options, int64_t now_ms,
                           pm_plan *out, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(s->sql, "BEGIN", PM_NO_ARGS, err); /* one state of the store */

    *out = (pm_plan){0};
    if (st == PMAPDB_OK)
        st = read_all(s, options, now_ms, out, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

/* ---- too large ---- */

typedef struct candidate {
    int64_t moment_ms;
    size_t at; /* in plan->moment */
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;

    if (x->moment_ms != y->moment_ms)
        return x->moment_ms < y->moment_ms ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

size_t pm_plan_shrink(pm_plan *plan, size_t n, bool force)
{
    candidate *all = calloc(plan->n_moments + 1, sizeof *all);
    size_t found = 0, moments = 0;

    for (size_t i = 0; all && i < plan->n_series; i++) {
        bool newest = !force;

        for (size_t k = 0; k < plan->series[i].n; k++) {
            pm_plan_moment *m = &plan->moment[plan->series[i].first + k];

            if (pm_plan_is_kept(m) && newest)
                m->why = (m->why & ~PM_KEPT(PM_KEPT_FITS)) | PM_KEPT(PM_KEPT_NEWEST);
            else if (pm_plan_is_kept(m) && !m->pinned)
                all[found++] = (candidate){m->moment_ms, plan->series[i].first + k};
            newest &= !pm_plan_is_kept(m);
        }
    }
    if (found)
        qsort(all, found, sizeof *all, compare_candidates);
    for (size_t taken = 0; moments < found && (moments == 0 || taken < n); moments++) {
        pm_plan_moment *m = &plan->moment[all[moments].at];

        m->fate = PM_FATE_MAX_SIZE;
        taken += m->n;
    }
    free(all);
    return moments;
}
