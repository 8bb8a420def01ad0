/* link: which process of the store a tracee is, and what UTC is on the recording's clock. */
#include "store/perf/link.h"

#include "base/buf.h"
#include "store/perf/align.h"
#include <stdlib.h>

#define MS 1000000
#define CLOCK_SLACK_NS (2 * (int64_t)MS) /* the stored pair of clocks is in ms */
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

typedef struct choice {
    int64_t process_id, offset_ns, slack_ns; /* process_id 0: none */
    const char *source;                      /* NULL: as it was */
    int64_t votes;
} choice;

/* The process is captured while the recording runs. */
static bool overlaps(const tracee *t, const candidate *c, int64_t offset_ns, int64_t slack_ns)
{
    int64_t slack = OVERLAP_NS + slack_ns;

    return t->first_ns + offset_ns - slack <= c->last_ms * MS &&
           t->last_ns + offset_ns + slack >= c->first_ms * MS;
}

static pm_alignment align(pm_sql *sql, const tracee *t, const candidate *c, int64_t lo_ns,
                          int64_t hi_ns)
{
    return pm_align(sql, t->tracee_id, c->process_id, (t->first_ns + lo_ns) / MS,
                    (t->last_ns + hi_ns) / MS, lo_ns, hi_ns);
}

/* The clocks of the process are known; what both saw says whether perf used the same one. */
static choice by_clocks(pm_sql *sql, const tracee *t, const candidate *c)
{
    int64_t offset = c->utc_ms * MS - c->mono_ns;
    pm_alignment a;

    if (!overlaps(t, c, offset, ASTRAY_NS))
        return (choice){0};
    a = align(sql, t, c, offset - ASTRAY_NS, offset + ASTRAY_NS);
    if (a.found && llabs(a.offset_ns - offset) > a.slack_ns + CLOCK_SLACK_NS)
        return (choice){c->process_id, a.offset_ns, a.slack_ns, "events", a.votes};
    if (!overlaps(t, c, offset, CLOCK_SLACK_NS))
        return (choice){0};
    return (choice){c->process_id, offset, CLOCK_SLACK_NS, "clocks", a.found ? a.votes : 1};
}

static choice try_process(pm_sql *sql, const tracee *t, const candidate *c)
{
    pm_alignment a;

    if (c->first_ms == PMAPDB_UNKNOWN)
        return (choice){0};
    if (t->offset_ns != PMAPDB_UNKNOWN)
        return overlaps(t, c, t->offset_ns, t->slack_ns)
                   ? (choice){c->process_id, t->offset_ns, t->slack_ns, NULL, 1}
                   : (choice){0};
    if (c->mono_ns != PMAPDB_UNKNOWN)
        return by_clocks(sql, t, c);
    a = align(sql, t, c, c->first_ms * MS - t->last_ns, c->last_ms * MS - t->first_ns);
    return a.found ? (choice){c->process_id, a.offset_ns, a.slack_ns, "events", a.votes}
                   : (choice){0};
}

/* If the clock stays unknown, the process is known still if there is just one. */
static void write(pm_sql *sql, const tracee *t, const choice *best, const candidate *c, size_t n)
{
    if (best->process_id)
        pm_sql_do(sql,
                  "UPDATE traced_process SET process_id = ?2, offset_ns = ?3, slack_ns = ?4, "
                  "offset_source = coalesce(?5, offset_source) WHERE traced_process_id = ?1",
                  PM_ARGS(PM_I(t->tracee_id), PM_I(best->process_id), PM_I(best->offset_ns),
                          PM_I(best->slack_ns), PM_S(best->source)));
    else if (n == 1 && t->offset_ns == PMAPDB_UNKNOWN)
        pm_sql_do(sql, "UPDATE traced_process SET process_id = ?2 WHERE traced_process_id = ?1",
                  PM_ARGS(PM_I(t->tracee_id), PM_I(c->process_id)));
}

/* ---- all of them ---- */

/* Makes room for one more element; false after a failure. */
static bool grow(pm_sql *sql, void *items, size_t *cap, size_t n, size_t size)
{
    pmapdb_error err = {0};

    if (pm_sql_ok(sql))
        pm_sql_keep(sql, pm_grow(items, cap, n, size, &err), &err);
    return pm_sql_ok(sql);
}

static size_t list_candidates(pm_sql *sql, const tracee *t, candidate **out)
{
    size_t n = 0, cap = 0;
    sqlite3_stmt *row =
        pm_sql_ask(sql,
                   "SELECT p.process_id, p.clock_mono_ns, p.clock_utc_ms, "
                   "(SELECT min(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id), "
                   "(SELECT max(s.taken_ms) FROM snapshot s WHERE s.process_id = p.process_id) "
                   "FROM process p WHERE coalesce(p.pid, -1) = ?1 "
                   "AND (?2 IS NULL OR p.host_id IS NULL OR p.host_id = ?2) ORDER BY p.process_id",
                   PM_ARGS(PM_I(t->pid), PM_I(t->host_id)));

    while (pm_sql_next(sql, row))
        if (grow(sql, out, &cap, n, sizeof **out))
            (*out)[n++] = (candidate){pm_col_int(row, 0), pm_col_int(row, 1), pm_col_int(row, 2),
                                      pm_col_int(row, 3), pm_col_int(row, 4)};
    return n;
}

static void link_tracee(pm_sql *sql, const tracee *t)
{
    candidate *candidates = NULL;
    size_t n = list_candidates(sql, t, &candidates);
    choice best = {0};

    for (size_t i = 0; i < n; i++) {
        choice now = try_process(sql, t, &candidates[i]);

        if (now.process_id && (!best.process_id || now.votes > best.votes))
            best = now;
    }
    write(sql, t, &best, candidates, n);
    free(candidates);
}

static void link_all(pm_sql *sql)
{
    tracee *tracees = NULL;
    size_t n = 0, cap = 0;
    sqlite3_stmt *row =
        pm_sql_ask(sql,
                   "SELECT t.traced_process_id, t.pid, r.host_id, r.first_ns, r.last_ns, "
                   "t.offset_ns, t.slack_ns "
                   "FROM traced_process t JOIN recording r ON r.recording_id = t.recording_id "
                   "WHERE " UNLINKED " ORDER BY t.traced_process_id",
                   PM_NO_ARGS);

    while (pm_sql_next(sql, row))
        if (grow(sql, &tracees, &cap, n, sizeof *tracees))
            tracees[n++] = (tracee){pm_col_int(row, 0), pm_col_int(row, 1), pm_col_int(row, 2),
                                    pm_col_int(row, 3), pm_col_int(row, 4), pm_col_int(row, 5),
                                    pm_col_int(row, 6)};
    for (size_t i = 0; i < n; i++)
        link_tracee(sql, &tracees[i]);
    free(tracees);
}

pmapdb_status pm_perf_link(pmapdb_store *s, pmapdb_error *err)
{
    int64_t any = pm_sql_value(s->sql, "SELECT 1 FROM traced_process WHERE " UNLINKED " LIMIT 1",
                               PM_NO_ARGS, 0);
    pmapdb_status st = pm_sql_end(s->sql, err);

    if (st != PMAPDB_OK || !any)
        return st;
    st = pm_store_begin(s, err);
    if (st != PMAPDB_OK)
        return st;
    link_all(s->sql);
    st = pm_sql_end(s->sql, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}
