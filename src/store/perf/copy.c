/* copy: recordings that another store has, into this one. */
#include "store/perf/copy.h"

#include "store/pairs.h"
#include "store/perf/intern.h"
#include "store/process.h"
#include <stdlib.h>

/* Ids there are 1, 2 ... ; stack 0 is the same everywhere. */
typedef struct copying {
    pm_sql *from, *into;
    const char *host;
    pm_intern *intern;
    pm_pairs stacks;           /* there -> here */
    bool has_stacks;           /* they are all read */
    pm_pairs tracees, threads; /* of the recording at hand */
    int64_t recording_id;      /* here */
    int64_t call_shift;        /* a call there plus this is the call here */
    bool theirs;
} copying;

static pmapdb_status theirs(copying *c, pmapdb_status st)
{
    c->theirs |= st != PMAPDB_OK && st != PMAPDB_NOMEM;
    return st;
}

/* ---- rows of one kind ---- */

typedef pmapdb_status (*copy_row)(copying *c, sqlite3_stmt *there, pmapdb_error *err);

static pmapdb_status each(copying *c, const char *sql, int64_t id, copy_row copy, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = theirs(c, pm_sql_rows(c->from, sql, PM_ARGS(PM_I(id)), &stmt, err));

    while (st == PMAPDB_OK &&
           (st = theirs(c, pm_sql_step(c->from, stmt, &has, err))) == PMAPDB_OK && has)
        if ((st = copy(c, stmt, err)) != PMAPDB_OK)
            pm_sql_done(stmt);
    return st;
}

static pmapdb_status damaged(copying *c, const char *what, int64_t id, pmapdb_error *err)
{
    return theirs(c, pm_fail(err, PMAPDB_INPUT, "%s %lld is missing; the store is damaged", what,
                             (long long)id));
}

/* *here of what another row refers to. */
static pmapdb_status refer(copying *c, const pm_pairs *pairs, const char *what, int64_t there,
                           int64_t *here, pmapdb_error *err)
{
    *here = pm_pairs_get(pairs, there);
    return *here ? PMAPDB_OK : damaged(c, what, there, err);
}

static pmapdb_status stack_of(copying *c, int64_t there, int64_t *here, pmapdb_error *err)
{
    *here = 0;
    return there ? refer(c, &c->stacks, "stack", there, here, err) : PMAPDB_OK;
}

/* A caller is older than what it calls. */
static pmapdb_status copy_stack(copying *c, sqlite3_stmt *there, pmapdb_error *err)
{
    pm_frame_texts f = {.symbol = pm_col_text(there, 2),
                        .dso = pm_col_text(there, 4),
                        .offset = (uint64_t)sqlite3_column_int64(there, 3),
                        .inlined = pm_col_int(there, 5) == 1};
    int64_t caller, frame, stack;
    pmapdb_status st = stack_of(c, pm_col_int(there, 1), &caller, err);

    if (st == PMAPDB_OK)
        st = pm_intern_frame(c->intern, &f, &frame, err);
    if (st == PMAPDB_OK)
        st = pm_intern_stack(c->intern, caller, frame, &stack, err);
    return st == PMAPDB_OK ? pm_pairs_put(&c->stacks, pm_col_int(there, 0), stack, err) : st;
}

static pmapdb_status copy_tracee(copying *c, sqlite3_stmt *there, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(c->into,
                                  "INSERT INTO traced_process (recording_id, pid, pid_source, "
                                  "offset_ns, slack_ns, offset_source, "
                                  "pruned) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
                                  PM_ARGS(PM_I(c->recording_id), PM_I(pm_col_int(there, 1)),
                                          PM_T(pm_col_text(there, 2)), PM_I(pm_col_int(there, 3)),
                                          PM_I(pm_col_int(there, 4)), PM_T(pm_col_text(there, 5))),
                                  err);

    return st == PMAPDB_OK
               ? pm_pairs_put(&c->tracees, pm_col_int(there, 0), pm_sql_last_id(c->into), err)
               : st;
}

static pmapdb_status copy_thread(copying *c, sqlite3_stmt *there, pmapdb_error *err)
{
    int64_t tracee;
    pmapdb_status st = refer(c, &c->tracees, "traced_process", pm_col_int(there, 1), &tracee, err);

    if (st == PMAPDB_OK)
        st = pm_sql_run(
            c->into, "INSERT INTO thread (traced_process_id, tid, comm) VALUES (?1, ?2, ?3)",
            PM_ARGS(PM_I(tracee), PM_I(pm_col_int(there, 2)), PM_T(pm_col_text(there, 3))), err);
    return st == PMAPDB_OK
               ? pm_pairs_put(&c->threads, pm_col_int(there, 0), pm_sql_last_id(c->into), err)
               : st;
}

/* An argument may be any number, and it may be missing. */
static pm_arg bits_or_null(sqlite3_stmt *there, int column)
{
    return sqlite3_column_type(there, column) == SQLITE_NULL
               ? PM_I(PMAPDB_UNKNOWN)
               : PM_BITS(sqlite3_column_int64(there, column));
}

static pmapdb_status copy_call(copying *c, sqlite3_stmt *there, pmapdb_error *err)
{
    int64_t thread, stack = 0;
    pmapdb_status st = refer(c, &c->threads, "thread", pm_col_int(there, 1), &thread, err);

    if (st == PMAPDB_OK)
        st = stack_of(c, pm_col_int(there, 12), &stack, err);
    if (st != PMAPDB_OK)
        return st;
    return pm_sql_run(
        c->into,
        "INSERT INTO call (call_id, thread_id, kind, begin_ns, end_ns, a0, a1, a2, a3, a4, a5, "
        "ret, stack_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        PM_ARGS(PM_I(pm_col_int(there, 0) + c->call_shift), PM_I(thread),
                PM_I(pm_col_int(there, 2)), PM_I(pm_col_int(there, 3)), PM_I(pm_col_int(there, 4)),
                bits_or_null(there, 5), bits_or_null(there, 6), bits_or_null(there, 7),
                bits_or_null(there, 8), bits_or_null(there, 9), bits_or_null(there, 10),
                bits_or_null(there, 11), PM_I(stack)),
        err);
}

static pmapdb_status copy_extent(copying *c, sqlite3_stmt *there, pmapdb_error *err)
{
    int64_t tracee;
    pmapdb_status st = refer(c, &c->tracees, "traced_process", pm_col_int(there, 0), &tracee, err);

    if (st != PMAPDB_OK)
        return st;
    return pm_sql_run(
        c->into,
        "INSERT INTO extent (traced_process_id, start, length, call_id, born_ns, died_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        PM_ARGS(PM_I(tracee), bits_or_null(there, 1), bits_or_null(there, 2),
                PM_I(pm_col_int(there, 3) + c->call_shift), PM_I(pm_col_int(there, 4)),
                PM_I(pm_col_int(there, 5))),
        err);
}

static pmapdb_status copy_foreign(copying *c, sqlite3_stmt *there, pmapdb_error *err)
{
    int64_t tracee;
    pmapdb_status st = refer(c, &c->tracees, "traced_process", pm_col_int(there, 0), &tracee, err);

    if (st != PMAPDB_OK)
        return st;
    return pm_sql_run(
        c->into,
        "INSERT INTO foreign_extent (traced_process_id, start, length, call_id, died_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        PM_ARGS(PM_I(tracee), bits_or_null(there, 1), bits_or_null(there, 2),
                PM_I(pm_col_int(there, 3) + c->call_shift), PM_I(pm_col_int(there, 4))),
        err);
}

/* ---- a recording ---- */

#define OF_IT "WHERE t.recording_id = ?1 AND t.pruned = 0 "

/* Its calls have ids in the order of their ends, which stays. */
static pmapdb_status shift_calls(copying *c, int64_t there, pmapdb_error *err)
{
    int64_t first = 1, next = 1;
    pmapdb_status st = theirs(
        c, pm_sql_int(
               c->from,
               "SELECT min(c.call_id) FROM traced_process t JOIN thread h ON h.traced_process_id = "
               "t.traced_process_id JOIN call c ON c.thread_id = h.thread_id " OF_IT,
               PM_ARGS(PM_I(there)), 1, &first, err));

    if (st == PMAPDB_OK)
        st = pm_sql_int(c->into, "SELECT max(call_id) + 1 FROM call", PM_NO_ARGS, 1, &next, err);
    c->call_shift = next - first;
    return st;
}

static pmapdb_status insert_recording(copying *c, sqlite3_stmt *there, pmapdb_error *err)
{
    pm_text host = pm_col_text(there, 2);
    char *name = host.data ? pm_text_copy(host) : NULL;
    int64_t host_id;
    pmapdb_status st = host.data && !name
                           ? pm_fail_nomem(err)
                           : pm_host_of(c->into, name ? name : c->host, &host_id, err);

    free(name);
    if (st == PMAPDB_OK)
        st = pm_sql_run(
            c->into,
            "INSERT INTO recording (hash, host_id, file, first_ns, last_ns, calls, failed, "
            "unended, unbegun, bad, lost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            PM_ARGS(bits_or_null(there, 1), PM_I(host_id), PM_T(pm_col_text(there, 3)),
                    PM_I(pm_col_int(there, 4)), PM_I(pm_col_int(there, 5)),
                    PM_I(pm_col_int(there, 6)), PM_I(pm_col_int(there, 7)),
                    PM_I(pm_col_int(there, 8)), PM_I(pm_col_int(there, 9)),
                    PM_I(pm_col_int(there, 10)), PM_I(pm_col_int(there, 11))),
            err);
    c->recording_id = pm_sql_last_id(c->into);
    return st;
}

static const struct kind {
    const char *sql;
    copy_row copy;
} kinds[] = {
    {"SELECT t.traced_process_id, t.pid, t.pid_source, t.offset_ns, t.slack_ns, t.offset_source "
     "FROM traced_process t " OF_IT "ORDER BY 1",
     copy_tracee},
    {"SELECT h.thread_id, h.traced_process_id, h.tid, h.comm FROM traced_process t JOIN thread h "
     "ON h.traced_process_id = "
     "t.traced_process_id " OF_IT "ORDER BY 1",
     copy_thread},
    {"SELECT c.call_id, c.thread_id, c.kind, c.begin_ns, c.end_ns, c.a0, c.a1, c.a2, c.a3, c.a4, "
     "c.a5, c.ret, c.stack_id FROM traced_process t JOIN thread h ON h.traced_process_id = "
     "t.traced_process_id JOIN call c "
     "ON c.thread_id = h.thread_id " OF_IT "ORDER BY 1",
     copy_call},
    {"SELECT e.traced_process_id, e.start, e.length, e.call_id, e.born_ns, e.died_ns FROM "
     "traced_process t "
     "JOIN extent e ON e.traced_process_id = t.traced_process_id " OF_IT "ORDER BY e.extent_id",
     copy_extent},
    {"SELECT e.traced_process_id, e.start, e.length, e.call_id, e.died_ns FROM traced_process t "
     "JOIN foreign_extent e ON e.traced_process_id = t.traced_process_id " OF_IT
     "ORDER BY e.foreign_extent_id",
     copy_foreign},
};

static pmapdb_status copy_recording(copying *c, sqlite3_stmt *there, pmapdb_error *err)
{
    int64_t id = pm_col_int(there, 0);
    pmapdb_status st = PMAPDB_OK;

    if (!c->has_stacks)
        st = each(c,
                  "SELECT s.stack_id, s.caller_id, f.symbol, f.offset, f.dso, f.inlined FROM stack "
                  "s JOIN frame f ON f.frame_id = s.frame_id WHERE s.stack_id > ?1 ORDER BY 1",
                  0, copy_stack, err);
    if (st == PMAPDB_OK)
        st = insert_recording(c, there, err);
    if (st == PMAPDB_OK)
        st = shift_calls(c, id, err);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && st == PMAPDB_OK; i++)
        st = each(c, kinds[i].sql, id, kinds[i].copy, err);
    c->has_stacks |= st == PMAPDB_OK;
    pm_pairs_free(&c->tracees);
    pm_pairs_free(&c->threads);
    return st;
}

/* ---- all of them ---- */

static pmapdb_status one(copying *c, pmapdb_store *into, sqlite3_stmt *there, pmapdb_error *err)
{
    const pm_arg hash[] = {bits_or_null(there, 1)};
    int64_t known;
    pmapdb_status st = pm_store_begin(into, err);

    if (st != PMAPDB_OK)
        return st;
    st = pm_sql_int(into->sql, "SELECT recording_id FROM recording WHERE hash = ?1", hash, 1, 0,
                    &known, err);
    if (st == PMAPDB_OK && !known)
        st = copy_recording(c, there, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(into, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(into);
    return st;
}

static pmapdb_status all(copying *c, pmapdb_store *into, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = theirs(
        c, pm_sql_rows(c->from,
                       "SELECT r.recording_id, r.hash, h.name, r.file, r.first_ns, r.last_ns, "
                       "r.calls, r.failed, r.unended, r.unbegun, r.bad, r.lost FROM recording r "
                       "LEFT JOIN host h ON h.host_id = r.host_id WHERE EXISTS (SELECT 1 FROM "
                       "traced_process t WHERE t.recording_id = r.recording_id AND t.pruned = 0)",
                       PM_NO_ARGS, &stmt, err));

    while (st == PMAPDB_OK &&
           (st = theirs(c, pm_sql_step(c->from, stmt, &has, err))) == PMAPDB_OK && has)
        if ((st = one(c, into, stmt, err)) != PMAPDB_OK)
            pm_sql_done(stmt);
    return st;
}

pmapdb_status pm_perf_copy(pmapdb_store *into, pmapdb_store *from, const char *host,
                           bool *is_theirs, pmapdb_error *err)
{
    copying c = {.from = from->sql, .into = into->sql, .host = host};
    pmapdb_status st = pm_intern_new(into->sql, &c.intern, err);

    if (st == PMAPDB_OK)
        st = all(&c, into, err);
    pm_intern_free(c.intern);
    pm_pairs_free(&c.stacks);
    *is_theirs |= c.theirs;
    return st;
}
