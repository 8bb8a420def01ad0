/* link: which process of the store a tracee is, and what UTC is on the recording's clock. */
#include "store/perf/link.h"

#include "base/buf.h"
#include "store/perf/saw.h"
#include <stdlib.h>

#define MS 1000000
#define CLOCK_SLACK_NS (2 * (int64_t)MS) /* the pair is in ms */
#define OVERLAP_NS (2000 * (int64_t)MS)  /* captures have their time in seconds at worst */
/* How far perf's own clock may have gone from CLOCK_MONOTONIC: some months of 10 ppm. */
#define ASTRAY_NS (120000 * (int64_t)MS)

#define UNLINKED "pid IS NOT NULL AND pruned = 0 AND (process_id IS NULL OR offset_ns IS NULL)"

typedef struct tracee {
    int64_t tracee_id, pid, host_id, first_ns, last_ns; /* of its recording */
    int64_t offset_ns, slack_ns;                        /* PMAPDB_UNKNOWN: to be found */
} tracee;

typedef struct candidate {
    int64_t process_id, mono_ns, utc_ms, first_ms, last_ms; /* of its captures */
} candidate;

typedef struct link_run {
    pm_sql *sql;
    pm_saw saw;
    struct {
        int64_t process_id, offset_ns, slack_ns;
        const char *source;
        size_t votes;
    } best;
} link_run;

/* ---- one process ---- */

/* The process is captured while the recording runs. */
static bool overlaps(const tracee *t, const candidate *c, int64_t offset_ns, int64_t slack_ns)
{
    int64_t slack = OVERLAP_NS + slack_ns;

    return t->first_ns + offset_ns - slack <= c->last_ms * MS &&
           t->last_ns + offset_ns + slack >= c->first_ms * MS;
}

static pmapdb_status align(link_run *l, const tracee *t, const candidate *c, int64_t lo_ns,
                           int64_t hi_ns, pm_alignment *out, pmapdb_error *err)
{
    pmapdb_status st = pm_saw_captures(&l->saw, l->sql, c->process_id, (t->first_ns + lo_ns) / MS,
                                       (t->last_ns + hi_ns) / MS, err);

    if (st == PMAPDB_OK)
        st = pm_saw_calls(&l->saw, l->sql, t->tracee_id, err);
    if (st == PMAPDB_OK)
        st = pm_align(l->saw.edge, l->saw.n_edges, l->saw.step, l->saw.n_steps, lo_ns, hi_ns, out,
                      err);
    return st;
}

static void take(link_run *l, const candidate *c, const char *source, int64_t offset_ns,
                 int64_t slack_ns, size_t votes)
{
    if (l->best.process_id && l->best.votes >= votes)
        return;
    l->best.process_id = c->process_id;
    l->best.offset_ns = offset_ns;
    l->best.slack_ns = slack_ns;
    l->best.source = source;
    l->best.votes = votes;
}

/* Its clocks are known: events say whether perf used the same one. */
static pmapdb_status try_clocks(link_run *l, const tracee *t, const candidate *c, pmapdb_error *err)
{
    int64_t offset = c->utc_ms * MS - c->mono_ns;
    pm_alignment a = {0};
    pmapdb_status st;

    if (!overlaps(t, c, offset, ASTRAY_NS))
        return PMAPDB_OK;
    st = align(l, t, c, offset - ASTRAY_NS, offset + ASTRAY_NS, &a, err);
    if (st != PMAPDB_OK)
        return st;
    if (a.found && llabs(a.offset_ns - offset) > a.slack_ns + CLOCK_SLACK_NS)
        take(l, c, "events", a.offset_ns, a.slack_ns, a.votes);
    else if (overlaps(t, c, offset, CLOCK_SLACK_NS))
        take(l, c, "clocks", offset, CLOCK_SLACK_NS, a.found ? a.votes : 1);
    return PMAPDB_OK;
}

static pmapdb_status try_events(link_run *l, const tracee *t, const candidate *c, pmapdb_error *err)
{
    pm_alignment a = {0};
    pmapdb_status st =
        align(l, t, c, c->first_ms * MS - t->last_ns, c->last_ms * MS - t->first_ns, &a, err);

    if (st == PMAPDB_OK && a.found)
        take(l, c, "events", a.offset_ns, a.slack_ns, a.votes);
    return st;
}

static pmapdb_status try_process(link_run *l, const tracee *t, const candidate *c,
                                 pmapdb_error *err)
{
    if (c->first_ms == PMAPDB_UNKNOWN)
        return PMAPDB_OK;
    if (t->offset_ns != PMAPDB_UNKNOWN) {
        if (overlaps(t, c, t->offset_ns, t->slack_ns))
            take(l, c, NULL, t->offset_ns, t->slack_ns, 1);
        return PMAPDB_OK;
    }
    return c->mono_ns != PMAPDB_UNKNOWN ? try_clocks(l, t, c, err) : try_events(l, t, c, err);
}

/* ---- one tracee ---- */

static pmapdb_status list_candidates(pm_sql *sql, const tracee *t, candidate **out, size_t *n,
                                     pmapdb_error *err)
{
    size_t cap = 0;
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_sql_rows(sql,
                    "SELECT p.process_id, p.clock_mono_ns, p.clock_utc_ms, "
                    "(SELECT min(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id), "
                    "(SELECT max(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id) "
                    "FROM process p WHERE coalesce(p.pid, -1) = ?1 "
                    "AND (?2 IS NULL OR p.host_id IS NULL OR p.host_id = ?2) ORDER BY p.process_id",
                    PM_ARGS(PM_I(t->pid), PM_I(t->host_id)), &stmt, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_grow(out, &cap, *n, sizeof **out, err);
        if (st == PMAPDB_OK)
            (*out)[(*n)++] =
                (candidate){pm_col_int(stmt, 0), pm_col_int(stmt, 1), pm_col_int(stmt, 2),
                            pm_col_int(stmt, 3), pm_col_int(stmt, 4)};
        else
            pm_sql_done(stmt);
    }
    return st;
}

/* Where the clock stays unknown the process may be known yet: there is just one. */
static pmapdb_status write(link_run *l, const tracee *t, const candidate *c, size_t n,
                           pmapdb_error *err)
{
    if (!l->best.process_id && n == 1 && t->offset_ns == PMAPDB_UNKNOWN)
        return pm_sql_run(l->sql,
                          "UPDATE traced_process SET process_id = ?2 WHERE traced_process_id = ?1",
                          PM_ARGS(PM_I(t->tracee_id), PM_I(c->process_id)), err);
    if (!l->best.process_id)
        return PMAPDB_OK;
    return pm_sql_run(l->sql,
                      "UPDATE traced_process SET process_id = ?2, offset_ns = ?3, slack_ns = ?4, "
                      "offset_source = coalesce(?5, offset_source) WHERE traced_process_id = ?1",
                      PM_ARGS(PM_I(t->tracee_id), PM_I(l->best.process_id), PM_I(l->best.offset_ns),
                              PM_I(l->best.slack_ns), PM_S(l->best.source)),
                      err);
}

static pmapdb_status link_tracee(link_run *l, const tracee *t, pmapdb_error *err)
{
    candidate *candidates = NULL;
    size_t n = 0;
    pmapdb_status st = list_candidates(l->sql, t, &candidates, &n, err);

    l->best.process_id = 0;
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        st = try_process(l, t, &candidates[i], err);
    if (st == PMAPDB_OK)
        st = write(l, t, candidates, n, err);
    free(candidates);
    return st;
}

/* ---- all of them ---- */

static pmapdb_status list_tracees(pm_sql *sql, tracee **out, size_t *n, pmapdb_error *err)
{
    size_t cap = 0;
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT t.traced_process_id, t.pid, r.host_id, r.first_ns, r.last_ns, t.offset_ns, "
        "t.slack_ns FROM traced_process t JOIN recording r ON r.recording_id = t.recording_id "
        "WHERE " UNLINKED " ORDER BY t.traced_process_id",
        PM_NO_ARGS, &stmt, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_grow(out, &cap, *n, sizeof **out, err);
        if (st == PMAPDB_OK)
            (*out)[(*n)++] = (tracee){pm_col_int(stmt, 0), pm_col_int(stmt, 1), pm_col_int(stmt, 2),
                                      pm_col_int(stmt, 3), pm_col_int(stmt, 4), pm_col_int(stmt, 5),
                                      pm_col_int(stmt, 6)};
        else
            pm_sql_done(stmt);
    }
    return st;
}

static pmapdb_status link_all(pmapdb_store *s, pmapdb_error *err)
{
    link_run l = {.sql = s->sql};
    tracee *tracees = NULL;
    size_t n = 0;
    pmapdb_status st = list_tracees(s->sql, &tracees, &n, err);

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        st = link_tracee(&l, &tracees[i], err);
    pm_saw_free(&l.saw);
    free(tracees);
    return st;
}

pmapdb_status pm_perf_link(pmapdb_store *s, pmapdb_error *err)
{
    int64_t any;
    pmapdb_status st = pm_sql_int(s->sql, "SELECT 1 FROM traced_process WHERE " UNLINKED " LIMIT 1",
                                  PM_NO_ARGS, 0, &any, err);

    if (st != PMAPDB_OK || !any)
        return st;
    st = pm_store_begin(s, err);
    if (st == PMAPDB_OK)
        st = link_all(s, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}
