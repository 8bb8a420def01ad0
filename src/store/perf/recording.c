/* recording: stores a text of perf script. */
#include "store/perf/recording.h"

#include "base/hash.h"
#include "perf/replay.h"
#include "store/write/process.h"
#include <stdlib.h>

typedef struct writing {
    pm_trace *t;
    pm_sql *sql;
    int64_t host_id, recording_id;
    int64_t *tracee_id; /* per address space */
    size_t n_tracees;
    size_t *space_of;              /* address space per thread, or PM_REPLAY_NOWHERE */
    int64_t *thread_id, *stack_id; /* per thread and chain */
    struct framed {                /* frames of a chain, callee first */
        pm_perf_frame frame;
        pm_text line;
    } * frames;
    size_t cap_frames;
    pm_map stacks; /* hash of the caller's id and of the line of a frame -> stack id */
} writing;

/* ---- rows ---- */

static void insert_recording(writing *w, uint64_t hash, const pm_recording_options *o)
{
    const pm_trace *t = w->t;
    int64_t calls = 0, failed = 0, unended = 0, unbegun = 0;

    for (size_t i = 0; i < t->n_calls; i++) {
        bool begins = t->call[i].begin_ns != PMAPDB_UNKNOWN;
        bool ends = t->call[i].end_ns != PMAPDB_UNKNOWN;

        unbegun += !begins;
        unended += begins && !ends;
        calls += begins && ends;
        failed += begins && pm_trace_failed(&t->call[i]);
    }
    pm_sql_do(w->sql,
              "INSERT INTO recording (hash, host_id, file, first_ns, last_ns, calls, failed, "
              "unended, unbegun, bad, lost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
              PM_ARGS(PM_BITS(hash), PM_I(w->host_id), PM_S(o->file), PM_I(t->first_ns),
                      PM_I(t->last_ns), PM_I(calls), PM_I(failed), PM_I(unended), PM_I(unbegun),
                      PM_I(t->bad), PM_I(t->lost)));
    w->recording_id = pm_sql_last_id(w->sql);
}

/* Threads of an unknown process may belong to several processes: their calls make no extents. */
static void read_threads(writing *w)
{
    size_t i = 0;
    sqlite3_stmt *row = pm_sql_ask(w->sql,
                                   "SELECT h.thread_id, t.traced_process_id, t.pid, "
                                   "dense_rank() OVER (ORDER BY t.traced_process_id) - 1 "
                                   "FROM traced_process t JOIN thread h USING (traced_process_id) "
                                   "WHERE t.recording_id = ?1 ORDER BY h.thread_id",
                                   PM_ARGS(PM_I(w->recording_id)));

    for (; pm_sql_next(w->sql, row); i++) {
        size_t space = (size_t)pm_col_int(row, 3);

        w->thread_id[i] = pm_col_int(row, 0);
        w->tracee_id[space] = pm_col_int(row, 1);
        w->n_tracees = space >= w->n_tracees ? space + 1 : w->n_tracees;
        w->space_of[i] = pm_col_int(row, 2) == PMAPDB_UNKNOWN ? PM_REPLAY_NOWHERE : space;
    }
}

static void insert_threads(writing *w, const pm_recording_options *o)
{
    pm_sql_do(w->sql, "DROP TABLE IF EXISTS temp.traced_thread", PM_NO_ARGS);
    pm_sql_do(w->sql,
              "CREATE TEMP TABLE traced_thread (place INTEGER PRIMARY KEY, pid, tid, comm, source)",
              PM_NO_ARGS);
    for (size_t i = 0; pm_sql_ok(w->sql) && i < w->t->n_threads; i++) {
        const pm_trace_thread *thread = &w->t->thread[i];

        pm_sql_do(w->sql,
                  "INSERT INTO traced_thread (place, pid, tid, comm) VALUES (?1, ?2, ?3, ?4)",
                  PM_ARGS(PM_I(i), PM_I(thread->pid), PM_I(thread->tid), PM_S(thread->comm)));
    }
    pm_sql_script(w->sql, "recording-threads",
                  PM_PARAMS({":recording_id", PM_I(w->recording_id)},
                            {":host_id", PM_I(w->host_id)}, {":pid", PM_I(o->pid)},
                            {":offset_ns", PM_I(o->clock_offset_ns)}));
    read_threads(w);
}

/* Finds or adds a frame and the stack that it makes with its caller. */
static int64_t stack_of(writing *w, int64_t caller_id, const pm_perf_frame *f)
{
    const pm_arg frame[] = {PM_T(f->symbol), PM_BITS(f->symbol.len ? f->offset : f->address),
                            PM_T(f->dso), PM_I(f->inlined)};
    pm_arg stack[] = {PM_I(caller_id), PM_I(0)};

    pm_sql_do(w->sql,
              "INSERT OR IGNORE INTO frame (symbol, offset, dso, inlined) VALUES (?1, ?2, ?3, ?4)",
              frame, 4);
    stack[1].i = pm_sql_value(w->sql,
                              "SELECT frame_id FROM frame WHERE symbol = ?1 AND offset = ?2 "
                              "AND dso = ?3 AND inlined = ?4",
                              frame, 4, 0);
    pm_sql_do(w->sql, "INSERT OR IGNORE INTO stack (caller_id, frame_id) VALUES (?1, ?2)", stack,
              2);
    return pm_sql_value(w->sql, "SELECT stack_id FROM stack WHERE caller_id = ?1 AND frame_id = ?2",
                        stack, 2, 0);
}

/* Adds the stacks of a chain. The text has the callee first; its caller is added before it. Chains
 * share callers, so w->stacks remembers them. */
static pmapdb_status insert_chain(writing *w, pm_text chain, int64_t *id, pmapdb_error *err)
{
    size_t n = 0, at = 0;
    pm_perf_frame frame;
    pmapdb_status st = PMAPDB_OK;

    for (size_t from = 0; st == PMAPDB_OK && pm_perf_next_frame(chain, &at, &frame); from = at) {
        st = pm_grow(&w->frames, &w->cap_frames, n, sizeof *w->frames, err);
        if (st == PMAPDB_OK)
            w->frames[n++] = (struct framed){frame, {chain.data + from, at - from}};
    }
    for (*id = 0; st == PMAPDB_OK && n > 0;) {
        const struct framed *f = &w->frames[--n];
        uint64_t line[] = {(uint64_t)*id, pm_hash(f->line.data, f->line.len)};
        uint64_t key = pm_hash(line, sizeof line);

        if (pm_map_get(&w->stacks, key, id))
            continue;
        *id = stack_of(w, *id, &f->frame);
        st = pm_map_put(&w->stacks, key, *id, err);
    }
    return st;
}

static pmapdb_status insert_stacks(writing *w, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (uint32_t i = 1; i <= w->t->n_chains && st == PMAPDB_OK && pm_sql_ok(w->sql); i++)
        st = insert_chain(w, pm_pool_text_get(w->t->chains, i), &w->stack_id[i], err);
    return st;
}

static pm_arg argument(const pm_traced_call *c, int i)
{
    return c->has & 1U << i ? PM_BITS(c->arg[i]) : PM_I(PMAPDB_UNKNOWN);
}

static void insert_calls(writing *w)
{
    int64_t next = pm_sql_value(w->sql, "SELECT max(call_id) + 1 FROM call", PM_NO_ARGS, 1);

    for (size_t i = 0; i < w->t->n_calls && pm_sql_ok(w->sql); i++) {
        pm_traced_call *c = &w->t->call[i];

        c->call_id = next++;
        pm_sql_do(w->sql,
                  "INSERT INTO call (call_id, thread_id, kind, begin_ns, end_ns, a0, a1, a2, a3, "
                  "a4, a5, ret, stack_id) "
                  "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                  PM_ARGS(PM_I(c->call_id), PM_I(w->thread_id[c->thread]), PM_I(c->kind),
                          PM_I(c->begin_ns), PM_I(c->end_ns), argument(c, 0), argument(c, 1),
                          argument(c, 2), argument(c, 3), argument(c, 4), argument(c, 5),
                          c->end_ns == PMAPDB_UNKNOWN ? PM_I(PMAPDB_UNKNOWN) : PM_BITS(c->ret),
                          PM_I(w->stack_id[c->chain])));
    }
}

static pmapdb_status on_extent(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                               pmapdb_error *err)
{
    const writing *w = ctx;

    pm_sql_do(w->sql,
              "INSERT INTO extent (traced_process_id, start, length, call_id, born_ns, died_ns) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
              PM_ARGS(PM_I(w->tracee_id[space]), PM_BITS(range->start),
                      PM_BITS(range->end - range->start), PM_I(range->call_id),
                      PM_I(range->born_ns), PM_I(died_ns)));
    return pm_sql_end(w->sql, err);
}

static pmapdb_status on_foreign(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                                pmapdb_error *err)
{
    const writing *w = ctx;

    pm_sql_do(w->sql,
              "INSERT INTO foreign_extent (traced_process_id, start, length, call_id, died_ns) "
              "VALUES (?1, ?2, ?3, ?4, ?5)",
              PM_ARGS(PM_I(w->tracee_id[space]), PM_BITS(range->start),
                      PM_BITS(range->end - range->start), PM_I(range->call_id), PM_I(died_ns)));
    return pm_sql_end(w->sql, err);
}

static pmapdb_status write_all(writing *w, uint64_t hash, const pm_recording_options *o,
                               pmapdb_error *err)
{
    const pm_replay_out out = {w, on_extent, on_foreign};
    size_t n = w->t->n_threads;
    pm_replay *r = NULL;
    pmapdb_status st;

    w->host_id = pm_host_of(w->sql, o->host);
    w->tracee_id = calloc(n, sizeof *w->tracee_id);
    w->space_of = calloc(n, sizeof *w->space_of);
    w->thread_id = calloc(n, sizeof *w->thread_id);
    w->stack_id = calloc(w->t->n_chains + 1, sizeof *w->stack_id);
    if (!w->tracee_id || !w->space_of || !w->thread_id || !w->stack_id)
        return pm_fail_nomem(err);
    insert_recording(w, hash, o);
    insert_threads(w, o);
    st = insert_stacks(w, err);
    insert_calls(w);
    PM_STEP(st, pm_sql_end(w->sql, err));
    PM_STEP(st, pm_replay_new(w->n_tracees, &out, &r, err));
    PM_STEP(st, pm_replay_run(r, w->t, w->space_of, err));
    PM_STEP(st, pm_replay_finish(r, err));
    pm_replay_free(r);
    return st;
}

/* ---- a known recording ---- */

/* True if the pid was unknown when the recording was stored, and is given now. */
static bool is_nameless(pm_sql *sql, int64_t id, int64_t pid)
{
    return id && pid != PMAPDB_UNKNOWN &&
           pm_sql_value(
               sql,
               "SELECT count(*) FROM traced_process WHERE recording_id = ?1 AND pid IS NOT ?2 "
               "AND pid_source <> 'text'",
               PM_ARGS(PM_I(id), PM_I(pid)), 0) > 0;
}

/* ---- into the store ---- */

static pmapdb_status check(const pm_trace *t, const pm_recording_options *o, pmapdb_error *err)
{
    for (size_t i = 0; o->pid != PMAPDB_UNKNOWN && i < t->n_threads; i++)
        if (t->thread[i].pid != PMAPDB_UNKNOWN)
            return pm_fail(err, PMAPDB_USAGE,
                           "'%s' names the process of each thread: leave --pid out", o->file);
    return t->n_threads ? PMAPDB_OK : pm_fail(err, PMAPDB_INPUT, "'%s': no events", o->file);
}

/* Runs in a transaction. */
static pmapdb_status put(writing *w, uint64_t hash, const pm_recording_options *o, bool *known,
                         pmapdb_error *err)
{
    int64_t id = pm_sql_value(w->sql, "SELECT recording_id FROM recording WHERE hash = ?1",
                              PM_ARGS(PM_BITS(hash)), 0);
    pmapdb_status st;

    w->recording_id = id;
    *known = id && !is_nameless(w->sql, id, o->pid);
    if (*known)
        pm_sql_do(w->sql,
                  "UPDATE traced_process SET offset_ns = ?2, slack_ns = CASE WHEN ?2 IS NOT NULL "
                  "THEN 0 END, offset_source = CASE WHEN ?2 IS NOT NULL THEN 'given' END, "
                  "process_id = NULL WHERE recording_id = ?1 AND (?2 IS NOT NULL OR "
                  "offset_source = 'given')",
                  PM_ARGS(PM_I(id), PM_I(o->clock_offset_ns)));
    else if (id)
        pm_sql_script(w->sql, "recording-remove", PM_PARAMS({":recording_id", PM_I(id)}));
    st = pm_sql_end(w->sql, err);
    return st == PMAPDB_OK && !*known ? write_all(w, hash, o, err) : st;
}

pmapdb_status pm_recording_store(pm_trace *t, pmapdb_store *s, uint64_t hash,
                                 const pm_recording_options *o, pm_recording_result *out,
                                 pmapdb_error *err)
{
    writing w = {.t = t, .sql = s->sql};
    bool known = false;
    pmapdb_status st = check(t, o, err);

    PM_STEP(st, pm_trace_finish(t, err));
    if (st == PMAPDB_OK)
        st = pm_store_begin_tidying(s, err); /* the removal may leave frames without a call */
    if (st == PMAPDB_OK)
        st = pm_store_begin(s, err);
    PM_STEP(st, put(&w, hash, o, &known, err));
    PM_STEP(st, pm_store_commit(s, err));
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    pm_store_end_tidying(s);
    free(w.tracee_id);
    free(w.space_of);
    free(w.thread_id);
    free(w.stack_id);
    free(w.frames);
    pm_map_free(&w.stacks);
    if (st == PMAPDB_OK)
        *out = (pm_recording_result){w.recording_id, known};
    return st;
}
