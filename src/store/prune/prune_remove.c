/* prune_remove: takes moments out of the tables that people read.
 *
 * A snapshot goes with what hangs on it, and leaves a hole in its epoch, which the views and the
 * writer step over. But the end of an epoch is where the next capture is compared, so versions are
 * cut there at once. An epoch or a process without snapshots goes entirely. What is left untidy
 * (holes, regions and lineages that nothing shows) is compact.c's.
 */
#include "store/prune/prune_remove.h"

#include "store/ids.h"
#include "store/prune/trace.h"
#include "store/space.h"
#include <stdlib.h>

#define PART 2048 /* snapshots in one transaction; a moment may have more */

typedef struct part {
    pm_sql *sql;
    pm_plan *plan;
    pm_ids ended, processes; /* epochs whose last capture went; all processes */
} part;

/* ---- is it still what was planned ---- */

/* Something came after the plan was made and belongs to this moment. */
static pmapdb_status was_joined(const part *p, const pm_plan_series *series,
                                const pm_plan_moment *m, bool *out, pmapdb_error *err)
{
    int64_t n;
    pmapdb_status st = pm_sql_int(
        p->sql,
        "SELECT count(*) FROM snapshot s CROSS JOIN process p ON p.process_id = s.process_id "
        "WHERE s.snapshot_id > ?1 AND s.moment_ms = ?2 AND p.name_id = ?3",
        PM_ARGS(PM_I(p->plan->last_id), PM_I(m->moment_ms), PM_I(series->name_id)), 0, &n, err);

    *out = n > 0;
    return st;
}

static pmapdb_status is_as_planned(const part *p, const pm_plan_series *series,
                                   const pm_plan_moment *m, bool *out, pmapdb_error *err)
{
    bool joined = false;
    int64_t n = 0;
    pmapdb_status st = was_joined(p, series, m, &joined, err);

    *out = !joined;
    for (size_t i = 0; i < m->n && *out && st == PMAPDB_OK; i++) {
        st = pm_sql_int(
            p->sql,
            "SELECT count(*) FROM snapshot s JOIN process p ON p.process_id = s.process_id "
            "WHERE s.snapshot_id = ?1 AND s.moment_ms = ?2 AND p.name_id = ?3 "
            "AND NOT EXISTS (SELECT 1 FROM pin i WHERE i.snapshot_id = s.snapshot_id)",
            PM_ARGS(PM_I(p->plan->id[m->first + i]), PM_I(m->moment_ms), PM_I(series->name_id)), 0,
            &n, err);
        *out = n == 1;
    }
    return st;
}

/* ---- one moment ---- */

/* Where the snapshot stands; the epoch is noted if it ends there now. */
static pmapdb_status note_place(part *p, int64_t snapshot_id, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(
        p->sql,
        "SELECT process_id, epoch_id, NOT EXISTS (SELECT 1 FROM snapshot e WHERE e.epoch_id = "
        "s.epoch_id AND e.off > s.off) FROM snapshot s WHERE snapshot_id = ?1",
        PM_ARGS(PM_I(snapshot_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(p->sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st;
    st = pm_ids_add(&p->processes, pm_col_int(stmt, 0), err);
    if (st == PMAPDB_OK && pm_col_int(stmt, 2))
        st = pm_ids_add(&p->ended, pm_col_int(stmt, 1), err);
    pm_sql_done(stmt);
    return st;
}

static pmapdb_status remove_snapshot(part *p, int64_t snapshot_id, pmapdb_error *err)
{
    pmapdb_status st = note_place(p, snapshot_id, err);

    if (st == PMAPDB_OK)
        st = pm_trace_leave(p->sql, snapshot_id, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(p->sql, "DELETE FROM live_reading WHERE snapshot_id = ?1",
                        PM_ARGS(PM_I(snapshot_id)), err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(p->sql, "DELETE FROM snapshot WHERE snapshot_id = ?1",
                        PM_ARGS(PM_I(snapshot_id)), err);
    return st;
}

static pmapdb_status remove_moment(part *p, const pm_plan_series *series, pm_plan_moment *m,
                                   pmapdb_error *err)
{
    pmapdb_status st = is_as_planned(p, series, m, &m->leaves, err);

    for (size_t i = 0; i < m->n && m->leaves && st == PMAPDB_OK; i++)
        st = remove_snapshot(p, p->plan->id[m->first + i], err);
    return st;
}

/* ---- what is left of epochs and processes ---- */

static pmapdb_status run_each(pm_sql *sql, const char *const *statements, int64_t a, int64_t b,
                              pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    const pm_arg args[] = {PM_I(a), PM_I(b)};

    for (; *statements && st == PMAPDB_OK; statements++)
        st = pm_sql_run(sql, *statements, args, strstr(*statements, "?2") ? 2 : 1, err);
    return st;
}

static pmapdb_status cut_epoch(pm_sql *sql, int64_t epoch_id, pmapdb_error *err)
{
    static const char *const empty[] = {"DELETE FROM mapping_version WHERE epoch_id = ?1",
                                        "DELETE FROM category_version WHERE epoch_id = ?1",
                                        "DELETE FROM epoch WHERE epoch_id = ?1", NULL};
    static const char *const end[] = {
        "DELETE FROM mapping_version WHERE epoch_id = ?1 AND first > ?2",
        "UPDATE mapping_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2",
        "DELETE FROM category_version WHERE epoch_id = ?1 AND first > ?2",
        "UPDATE category_version SET last = NULL WHERE epoch_id = ?1 AND last >= ?2", NULL};
    int64_t last;
    pmapdb_status st = pm_sql_int(sql, "SELECT max(off) FROM snapshot WHERE epoch_id = ?1",
                                  PM_ARGS(PM_I(epoch_id)), PMAPDB_UNKNOWN, &last, err);

    return st == PMAPDB_OK
               ? run_each(sql, last == PMAPDB_UNKNOWN ? empty : end, epoch_id, last, err)
               : st;
}

static pmapdb_status remove_process(pm_sql *sql, int64_t process_id, pmapdb_error *err)
{
    static const char *const all[] = {("DELETE FROM region WHERE lineage_id IN "
                                       "(SELECT lineage_id FROM lineage WHERE process_id = ?1)"),
                                      "DELETE FROM lineage WHERE process_id = ?1",
                                      "DELETE FROM label WHERE process_id = ?1",
                                      ("UPDATE traced_process SET process_id = NULL, pruned = 1 "
                                       "WHERE process_id = ?1"),
                                      "DELETE FROM untidy WHERE process_id = ?1",
                                      "DELETE FROM process WHERE process_id = ?1",
                                      NULL};

    return run_each(sql, all, process_id, 0, err);
}

/* Lineages that began in what was removed begin in the oldest that is left, until compact.c has
 * looked where they do. What a JVM said before that one is of nothing that is left, but for the
 * last time. */
static pmapdb_status leave_untidy(pm_sql *sql, int64_t process_id, int64_t oldest,
                                  pmapdb_error *err)
{
    static const char *const all[] = {
        "INSERT OR IGNORE INTO untidy (process_id) VALUES (?1)",
        "DELETE FROM label WHERE process_id = ?1 AND taken_ms < (SELECT max(l.taken_ms) FROM label "
        "l "
        "WHERE l.process_id = ?1 AND l.taken_ms <= (SELECT min(s.taken_ms) FROM snapshot s "
        "WHERE s.process_id = ?1))",
        "UPDATE lineage SET first_snapshot_id = ?2 WHERE process_id = ?1 AND NOT EXISTS "
        "(SELECT 1 FROM snapshot s WHERE s.snapshot_id = lineage.first_snapshot_id)",
        NULL};

    return run_each(sql, all, process_id, oldest, err);
}

static pmapdb_status settle_process(pm_sql *sql, int64_t process_id, pmapdb_error *err)
{
    int64_t oldest;
    pmapdb_status st = pm_sql_int(
        sql, "SELECT snapshot_id FROM snapshot WHERE process_id = ?1 ORDER BY taken_ms LIMIT 1",
        PM_ARGS(PM_I(process_id)), 0, &oldest, err);

    if (st != PMAPDB_OK)
        return st;
    return oldest ? leave_untidy(sql, process_id, oldest, err)
                  : remove_process(sql, process_id, err);
}

static pmapdb_status settle(part *p, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    pm_ids_sort(&p->ended);
    pm_ids_sort(&p->processes);
    for (size_t i = 0; i < p->ended.n && st == PMAPDB_OK; i++)
        st = cut_epoch(p->sql, p->ended.id[i], err);
    for (size_t i = 0; i < p->processes.n && st == PMAPDB_OK; i++)
        st = settle_process(p->sql, p->processes.id[i], err);
    return st;
}

/* A series knows how far it was thinned out: what is missing up to there is no gap. */
static pmapdb_status remember(pm_sql *sql, int64_t name_id, int64_t newest_ms, pmapdb_error *err)
{
    if (newest_ms == PMAPDB_UNKNOWN)
        return PMAPDB_OK;
    return pm_sql_run(
        sql, "UPDATE name SET pruned_ms = max(?2, coalesce(pruned_ms, ?2)) WHERE name_id = ?1",
        PM_ARGS(PM_I(name_id), PM_I(newest_ms)), err);
}

/* ---- all of them ---- */

static bool is_to_go(const pm_plan_moment *m)
{
    return m->fate != PM_FATE_KEPT && m->fate != PM_FATE_GONE;
}

/* The next moments of a series, from *k on, until they have `most` snapshots. */
static pmapdb_status remove_part(part *p, const pm_plan_series *series, size_t most, size_t *k,
                                 pmapdb_error *err)
{
    size_t taken = 0;
    int64_t newest_ms = PMAPDB_UNKNOWN; /* of those that went: moments are sorted so */
    pmapdb_status st = PMAPDB_OK;

    p->ended.n = p->processes.n = 0;
    for (; *k < series->n && taken < most && st == PMAPDB_OK; ++*k) {
        pm_plan_moment *m = &p->plan->moment[series->first + *k];

        if (!is_to_go(m))
            continue;
        taken += m->n;
        st = remove_moment(p, series, m, err);
        if (m->leaves && newest_ms == PMAPDB_UNKNOWN)
            newest_ms = m->moment_ms;
    }
    if (st == PMAPDB_OK)
        st = remember(p->sql, series->name_id, newest_ms, err);
    return st == PMAPDB_OK ? settle(p, err) : st;
}

static uint64_t count_to_go(const pm_plan *plan)
{
    uint64_t n = 0;

    for (size_t i = 0; i < plan->n_moments; i++)
        n += is_to_go(&plan->moment[i]) ? plan->moment[i].n : 0;
    return n;
}

static bool has_more(const pm_plan *plan, const pm_plan_series *series, size_t k)
{
    for (; k < series->n; k++)
        if (is_to_go(&plan->moment[series->first + k]))
            return true;
    return false;
}

/* What was committed of the moments from `from` to `to`; how many snapshots are dealt with. */
static uint64_t decide(pm_plan_moment *moment, size_t from, size_t to)
{
    uint64_t n = 0;

    for (size_t i = from; i < to; i++)
        if (is_to_go(&moment[i])) {
            n += moment[i].n;
            moment[i].fate = moment[i].leaves ? PM_FATE_GONE : PM_FATE_KEPT;
            moment[i].pinned |= !moment[i].leaves; /* this plan does not try again */
        }
    return n;
}

/* One transaction, from *k on; where it does not fit on the disk, *k stays for a smaller one. */
static pmapdb_status remove_next(pmapdb_store *s, part *p, const pm_plan_series *series,
                                 pm_pace *pace, size_t *k, uint64_t *done, pmapdb_error *err)
{
    size_t to = *k;
    pmapdb_status st = pm_store_begin(s, err);

    if (st == PMAPDB_OK)
        st = remove_part(p, series, pace->now, &to, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        return pm_space_try_again(s, pace, st, err) ? PMAPDB_OK : st;
    *done += decide(p->plan->moment + series->first, *k, to);
    *k = to;
    pm_pace_fitted(pace);
    return PMAPDB_OK;
}

pmapdb_status pm_prune_remove(pmapdb_store *s, pm_plan *plan, const pm_steps *steps,
                              pmapdb_error *err)
{
    part p = {.sql = s->sql, .plan = plan};
    pm_pace pace = pm_pace_of(PART, 1);
    uint64_t done = 0, of = count_to_go(plan);
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < plan->n_series && st == PMAPDB_OK; i++)
        for (size_t k = 0; st == PMAPDB_OK && has_more(plan, &plan->series[i], k);) {
            st = pm_steps_tell(steps, "removing snapshots", done, of, err);
            if (st == PMAPDB_OK)
                st = remove_next(s, &p, &plan->series[i], &pace, &k, &done, err);
        }
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    pm_ids_free(&p.ended);
    pm_ids_free(&p.processes);
    return st;
}
