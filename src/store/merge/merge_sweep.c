/* merge_sweep: sweeps of live captures and their jobs. A sweep is known by its job and its clocks,
 * or because a prune removed its job's sweeps up to it here. They are stored last: one that is here
 * was merged whole, or captured here. */
#include "store/merge/merge_run.h"

#include "base/buf.h"
#include "store/process.h"
#include <stdlib.h>

/* A row of table job there; texts last as long as the row. */
typedef struct job {
    int64_t job_id, every_ms, pruned_ms;
    pm_text host, boot_id, selection;
} job;

typedef pmapdb_status see_job(pm_merge *m, const job *j, pmapdb_error *err);

static pmapdb_status each_job(pm_merge *m, see_job *see, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_merge_theirs(
        m,
        pm_sql_rows(m->from->sql,
                    "SELECT j.schedule_id, j.every_ms, j.pruned_ms, h.name, j.boot_id, j.selection "
                    "FROM schedule j JOIN host h ON h.host_id = j.host_id",
                    PM_NO_ARGS, &stmt, err));

    while (st == PMAPDB_OK &&
           (st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err))) == PMAPDB_OK &&
           has) {
        job j = {pm_col_int(stmt, 0),  pm_col_int(stmt, 1),  pm_col_int(stmt, 2),
                 pm_col_text(stmt, 3), pm_col_text(stmt, 4), pm_col_text(stmt, 5)};

        st = see(m, &j, err);
        if (st != PMAPDB_OK)
            pm_sql_done(stmt);
    }
    return st;
}

/* ---- which are known ---- */

/* One of a job here. */
typedef struct beat {
    int64_t started_ms, mono_ns;
} beat;

typedef struct beats {
    beat *beat;
    size_t n, cap;
    int64_t removed_ms; /* up to it, what is not here was pruned here */
} beats;

static int compare_beats(const void *a, const void *b)
{
    const beat *x = a, *y = b;

    if (x->started_ms != y->started_ms)
        return x->started_ms < y->started_ms ? -1 : 1;
    return x->mono_ns < y->mono_ns ? -1 : x->mono_ns > y->mono_ns;
}

#define OF_JOB                                             \
    "h.name = ?1 AND j.boot_id = ?2 AND j.selection = ?3 " \
    "AND coalesce(j.every_ms, 0) = coalesce(?4, 0)"

static pmapdb_status read_beats(pm_sql *sql, const job *j, beats *out, pmapdb_error *err)
{
    const pm_arg args[] = {PM_T(j->host), PM_T(j->boot_id), PM_T(j->selection), PM_I(j->every_ms)};
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_int(
        sql,
        "SELECT j.removed_ms FROM schedule j JOIN host h ON h.host_id = j.host_id WHERE " OF_JOB,
        args, 4, INT64_MIN, &out->removed_ms, err);

    if (st == PMAPDB_OK)
        st =
            pm_sql_rows(sql,
                        "SELECT w.started_ms, w.mono_ns FROM schedule j JOIN host h ON h.host_id = "
                        "j.host_id JOIN beat w ON w.schedule_id = j.schedule_id WHERE " OF_JOB,
                        args, 4, &stmt, err);
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_grow(&out->beat, &out->cap, out->n, sizeof *out->beat, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        out->beat[out->n++] = (beat){pm_col_int(stmt, 0), pm_col_int(stmt, 1)};
    }
    if (st == PMAPDB_OK && out->n)
        qsort(out->beat, out->n, sizeof *out->beat, compare_beats);
    return st;
}

static pmapdb_status find_one(pm_merge *m, const beats *known, int64_t there, const beat *wanted,
                              pmapdb_error *err)
{
    bool pruned = wanted->started_ms <= known->removed_ms;
    bool found = known->n && bsearch(wanted, known->beat, known->n, sizeof *wanted, compare_beats);

    return pm_ids_add(found || pruned ? &m->sweeps : &m->new_sweeps, there, err);
}

static pmapdb_status find_of_job(pm_merge *m, const job *j, pmapdb_error *err)
{
    beats known = {0};
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = read_beats(m->into->sql, j, &known, err);

    if (st == PMAPDB_OK)
        st = pm_merge_theirs(
            m,
            pm_sql_rows(m->from->sql,
                        "SELECT capture_id, started_ms, mono_ns FROM beat WHERE schedule_id = ?1",
                        PM_ARGS(PM_I(j->job_id)), &stmt, err));
    while (st == PMAPDB_OK &&
           (st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err))) == PMAPDB_OK &&
           has) {
        st = find_one(m, &known, pm_col_int(stmt, 0),
                      &(beat){pm_col_int(stmt, 1), pm_col_int(stmt, 2)}, err);
        if (st != PMAPDB_OK)
            pm_sql_done(stmt);
    }
    free(known.beat);
    return st;
}

pmapdb_status pm_merge_find_sweeps(pm_merge *m, pmapdb_error *err)
{
    pmapdb_status st = m->into ? each_job(m, find_of_job, err) : PMAPDB_OK;

    pm_ids_sort(&m->sweeps);
    pm_ids_sort(&m->new_sweeps);
    return st;
}

/* ---- storing ---- */

static pmapdb_status job_here(pm_merge *m, const job *j, int64_t *id, pmapdb_error *err)
{
    char *host = pm_text_copy(j->host);
    int64_t host_id = PMAPDB_UNKNOWN;
    pmapdb_status st = host ? pm_host_of(m->into->sql, host, &host_id, err) : pm_fail_nomem(err);
    const pm_arg args[] = {PM_I(host_id), PM_T(j->boot_id), PM_T(j->selection), PM_I(j->every_ms)};

    free(host);
    if (st == PMAPDB_OK)
        st = pm_sql_run(m->into->sql,
                        "INSERT OR IGNORE INTO schedule (host_id, boot_id, selection, every_ms) "
                        "VALUES (?1, ?2, ?3, ?4)",
                        args, 4, err);
    return st == PMAPDB_OK
               ? pm_sql_int(m->into->sql,
                            "SELECT schedule_id FROM schedule WHERE host_id = ?1 AND boot_id = ?2 "
                            "AND selection = ?3 AND coalesce(every_ms, 0) = coalesce(?4, 0)",
                            args, 4, 0, id, err)
               : st;
}

#define COPIED \
    "started_ms, ended_ms, mono_ns, missed, unreadable, vanished, degraded, unmoved, changed"

static pmapdb_status store_one(pm_merge *m, const job *j, sqlite3_stmt *there, pmapdb_error *err)
{
    int64_t job_id, capture_id;
    pmapdb_status st = m->in_transaction ? PMAPDB_OK : pm_merge_begin(m, err);

    if (st == PMAPDB_OK)
        st = job_here(m, j, &job_id, err);
    if (st == PMAPDB_OK)
        st = pm_merge_capture(m, pm_col_int(there, 0), &capture_id, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(m->into->sql,
                        "INSERT OR IGNORE INTO beat (capture_id, schedule_id, " COPIED ") "
                        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                        PM_ARGS(PM_I(capture_id), PM_I(job_id), PM_I(pm_col_int(there, 1)),
                                PM_I(pm_col_int(there, 2)), PM_I(pm_col_int(there, 3)),
                                PM_I(pm_col_int(there, 4)), PM_I(pm_col_int(there, 5)),
                                PM_I(pm_col_int(there, 6)), PM_I(pm_col_int(there, 7)),
                                PM_I(pm_col_int(there, 8)), PM_I(pm_col_int(there, 9))),
                        err);
    return st == PMAPDB_OK && pm_merge_is_long(m) ? pm_merge_commit(m, err) : st;
}

/* All but the one that may still be going on: the rest of it would be taken for pruned. */
static pmapdb_status store_of_job(pm_merge *m, const job *j, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_merge_theirs(
        m, pm_sql_rows(m->from->sql,
                       "SELECT capture_id, " COPIED " FROM beat w WHERE schedule_id = ?1 "
                       "AND (ended_ms IS NOT NULL OR EXISTS (SELECT 1 FROM beat n WHERE "
                       "n.schedule_id = w.schedule_id AND n.capture_id > w.capture_id))",
                       PM_ARGS(PM_I(j->job_id)), &stmt, err));

    while (st == PMAPDB_OK &&
           (st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err))) == PMAPDB_OK &&
           has) {
        if (!pm_ids_has(&m->new_sweeps, pm_col_int(stmt, 0)))
            continue;
        st = store_one(m, j, stmt, err);
        if (st != PMAPDB_OK)
            pm_sql_done(stmt);
    }
    return st;
}

/* How far it was thinned out there; what came of it before, too, is not complete then. */
static pmapdb_status pruned_of_job(pm_merge *m, const job *j, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (j->pruned_ms == PMAPDB_UNKNOWN)
        return PMAPDB_OK;
    if (!m->in_transaction)
        st = pm_merge_begin(m, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(
            m->into->sql,
            "UPDATE schedule SET pruned_ms = max(?5, coalesce(pruned_ms, ?5)) WHERE schedule_id "
            "IN (SELECT j.schedule_id FROM schedule j JOIN host h ON h.host_id = j.host_id "
            "WHERE " OF_JOB ")",
            PM_ARGS(PM_T(j->host), PM_T(j->boot_id), PM_T(j->selection), PM_I(j->every_ms),
                    PM_I(j->pruned_ms)),
            err);
    return st == PMAPDB_OK && pm_merge_is_long(m) ? pm_merge_commit(m, err) : st;
}

pmapdb_status pm_merge_sweeps(pm_merge *m, pmapdb_error *err)
{
    pmapdb_status st = m->new_sweeps.n ? each_job(m, store_of_job, err) : PMAPDB_OK;

    if (st == PMAPDB_OK)
        st = each_job(m, pruned_of_job, err);
    return st == PMAPDB_OK && m->in_transaction ? pm_merge_commit(m, err) : st;
}
