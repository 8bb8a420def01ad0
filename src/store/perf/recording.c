/* recording: a text of perf script on its way into the store. */
#include "store/perf/recording.h"

#include "perf/replay.h"
#include "store/write/process.h"
#include <stdlib.h>

/* An address space: a process, whose threads share it. */
typedef struct tracee {
    int64_t pid; /* PMAPDB_UNKNOWN */
    const char *source;
    int64_t tracee_id;
} tracee;

typedef struct writing {
    pm_trace *t;
    pm_sql *sql;
    int64_t host_id, recording_id;
    tracee *tracee;
    size_t n_tracees, cap_tracees;
    pm_map by_pid;                 /* -> index in `tracee` */
    size_t *tracee_of;             /* per thread */
    int64_t *thread_id, *stack_id; /* per thread and stack */
} writing;

/* ---- whose threads they are ---- */

static pmapdb_status add_tracee(writing *w, int64_t pid, const char *source, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&w->tracee, &w->cap_tracees, w->n_tracees, sizeof *w->tracee, err);

    if (st == PMAPDB_OK)
        st = pm_map_put(&w->by_pid, (uint64_t)pid, (int64_t)w->n_tracees, err);
    if (st == PMAPDB_OK)
        w->tracee[w->n_tracees++] = (tracee){.pid = pid, .source = source};
    return st;
}

static void assign(writing *w, size_t thread, int64_t pid, const char *source)
{
    pmapdb_error err = {0};
    int64_t at = (int64_t)w->n_tracees;

    if (!pm_sql_ok(w->sql))
        return;
    if (!pm_map_get(&w->by_pid, (uint64_t)pid, &at))
        pm_sql_keep(w->sql, add_tracee(w, pid, source, &err), &err);
    w->tracee_of[thread] = (size_t)at;
}

static bool is_process(const writing *w, int64_t tid)
{
    return pm_sql_value(w->sql,
                        "SELECT 1 FROM process p WHERE coalesce(p.pid, -1) = ?1 "
                        "AND (?2 IS NULL OR p.host_id IS NULL OR p.host_id = ?2) LIMIT 1",
                        PM_ARGS(PM_I(tid), PM_I(w->host_id)), 0) != 0;
}

/* Threads whose pid the text does not say. A thread whose id is the pid of a stored process is that
 * process's first; where there is just one such, the others are assumed to be its threads. One
 * thread alone is assumed to be the first of its process. The rest is of an unknown pid. */
static void assign_nameless(writing *w)
{
    const pm_trace *t = w->t;
    size_t n = 0, processes = 0;
    int64_t pid = PMAPDB_UNKNOWN;

    for (size_t i = 0; i < t->n_threads; i++) {
        bool is = t->thread[i].pid == PMAPDB_UNKNOWN && is_process(w, t->thread[i].tid);

        n += t->thread[i].pid == PMAPDB_UNKNOWN;
        processes += is;
        if (is || (n == 1 && t->thread[i].pid == PMAPDB_UNKNOWN))
            pid = t->thread[i].tid;
    }
    for (size_t i = 0; i < t->n_threads; i++) {
        const pm_trace_thread *thread = &t->thread[i];

        if (thread->pid != PMAPDB_UNKNOWN)
            continue;
        if (processes == 1 || n == 1)
            assign(w, i, pid, n == 1 && processes ? "thread" : "assumed");
        else if (is_process(w, thread->tid))
            assign(w, i, thread->tid, "thread");
        else
            assign(w, i, PMAPDB_UNKNOWN, "unknown");
    }
}

static void assign_all(writing *w, int64_t given)
{
    for (size_t i = 0; i < w->t->n_threads; i++)
        if (w->t->thread[i].pid != PMAPDB_UNKNOWN)
            assign(w, i, w->t->thread[i].pid, "text");
        else if (given != PMAPDB_UNKNOWN)
            assign(w, i, given, "given");
    if (given == PMAPDB_UNKNOWN)
        assign_nameless(w);
}

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

static void insert_tracees(writing *w, int64_t offset_ns)
{
    bool given = offset_ns != PMAPDB_UNKNOWN;

    for (size_t i = 0; i < w->n_tracees; i++) {
        tracee *t = &w->tracee[i];

        pm_sql_do(w->sql,
                  "INSERT INTO traced_process (recording_id, pid, pid_source, offset_ns, slack_ns, "
                  "offset_source, pruned) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
                  PM_ARGS(PM_I(w->recording_id), PM_I(t->pid), PM_S(t->source), PM_I(offset_ns),
                          PM_I(given ? 0 : PMAPDB_UNKNOWN), PM_S(given ? "given" : NULL)));
        t->tracee_id = pm_sql_last_id(w->sql);
    }
}

static void insert_threads(writing *w)
{
    for (size_t i = 0; pm_sql_ok(w->sql) && i < w->t->n_threads; i++) {
        const pm_trace_thread *thread = &w->t->thread[i];

        pm_sql_do(w->sql, "INSERT INTO thread (traced_process_id, tid, comm) VALUES (?1, ?2, ?3)",
                  PM_ARGS(PM_I(w->tracee[w->tracee_of[i]].tracee_id), PM_I(thread->tid),
                          PM_S(thread->comm)));
        w->thread_id[i] = pm_sql_last_id(w->sql);
    }
}

/* '' and not NULL where it is unknown. */
static pm_text text_at(const pm_trace *t, size_t at, size_t len)
{
    return len ? (pm_text){t->texts.data + at, len} : PM_TEXT("");
}

/* Frames and stacks are in the store once; a caller comes before its callees. */
static void insert_stacks(writing *w)
{
    const pm_trace *t = w->t;

    for (size_t i = 1; i < t->n_stacks && pm_sql_ok(w->sql); i++) {
        const pm_trace_frame *f = &t->frame[t->stack[i].frame];
        const pm_arg frame[] = {PM_T(text_at(t, f->symbol, f->symbol_len)), PM_BITS(f->offset),
                                PM_T(text_at(t, f->dso, f->dso_len)), PM_I(f->inlined)};
        pm_arg stack[] = {PM_I(w->stack_id[t->stack[i].caller]), PM_I(0)};

        pm_sql_do(w->sql,
                  "INSERT OR IGNORE INTO frame (symbol, offset, dso, inlined) "
                  "VALUES (?1, ?2, ?3, ?4)",
                  frame, 4);
        stack[1].i = pm_sql_value(w->sql,
                                  "SELECT frame_id FROM frame WHERE symbol = ?1 AND offset = ?2 "
                                  "AND dso = ?3 AND inlined = ?4",
                                  frame, 4, 0);
        pm_sql_do(w->sql, "INSERT OR IGNORE INTO stack (caller_id, frame_id) VALUES (?1, ?2)",
                  stack, 2);
        w->stack_id[i] = pm_sql_value(
            w->sql, "SELECT stack_id FROM stack WHERE caller_id = ?1 AND frame_id = ?2", stack, 2,
            0);
    }
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
                          PM_I(w->stack_id[c->stack])));
    }
}

static pmapdb_status on_extent(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                               pmapdb_error *err)
{
    const writing *w = ctx;

    return pm_sql_run(
        w->sql,
        "INSERT INTO extent (traced_process_id, start, length, call_id, born_ns, died_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        PM_ARGS(PM_I(w->tracee[space].tracee_id), PM_BITS(range->start),
                PM_BITS(range->end - range->start), PM_I(range->call_id), PM_I(range->born_ns),
                PM_I(died_ns)),
        err);
}

static pmapdb_status on_foreign(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                                pmapdb_error *err)
{
    const writing *w = ctx;

    return pm_sql_run(
        w->sql,
        "INSERT INTO foreign_extent (traced_process_id, start, length, call_id, died_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        PM_ARGS(PM_I(w->tracee[space].tracee_id), PM_BITS(range->start),
                PM_BITS(range->end - range->start), PM_I(range->call_id), PM_I(died_ns)),
        err);
}

/* Threads of an unknown process share memory with nobody knows whom: their calls make no extents.
 */
static pmapdb_status replay(writing *w, pmapdb_error *err)
{
    const pm_replay_out out = {w, on_extent, on_foreign};
    pm_replay *r = NULL;
    pmapdb_status st = pm_replay_new(w->n_tracees, &out, &r, err);

    for (size_t i = 0; i < w->t->n_threads; i++)
        if (w->tracee[w->tracee_of[i]].pid == PMAPDB_UNKNOWN)
            w->tracee_of[i] = PM_REPLAY_NOWHERE;
    if (st == PMAPDB_OK)
        st = pm_replay_run(r, w->t, w->tracee_of, err);
    if (st == PMAPDB_OK)
        st = pm_replay_finish(r, err);
    pm_replay_free(r);
    return st;
}

static pmapdb_status write_all(writing *w, uint64_t hash, const pm_recording_options *o,
                               pmapdb_error *err)
{
    pmapdb_status st = pm_host_of(w->sql, o->host, &w->host_id, err);

    if (st != PMAPDB_OK)
        return st;
    w->tracee_of = calloc(w->t->n_threads, sizeof *w->tracee_of);
    w->thread_id = calloc(w->t->n_threads, sizeof *w->thread_id);
    w->stack_id = calloc(w->t->n_stacks + 1, sizeof *w->stack_id);
    if (!w->tracee_of || !w->thread_id || !w->stack_id)
        return pm_fail_nomem(err);
    assign_all(w, o->pid);
    insert_recording(w, hash, o);
    insert_tracees(w, o->clock_offset_ns);
    insert_threads(w);
    insert_stacks(w);
    insert_calls(w);
    st = pm_sql_end(w->sql, err);
    return st == PMAPDB_OK ? replay(w, err) : st;
}

/* ---- a recording that is known ---- */

static int64_t find(pm_sql *sql, uint64_t hash)
{
    return pm_sql_value(sql, "SELECT recording_id FROM recording WHERE hash = ?1",
                        PM_ARGS(PM_BITS(hash)), 0);
}

#define ITS_TRACEES "(SELECT t.traced_process_id FROM traced_process t WHERE t.recording_id = ?1)"

static void remove_recording(pm_sql *sql, int64_t id)
{
    static const char *const all[] = {
        "DELETE FROM foreign_extent WHERE traced_process_id IN " ITS_TRACEES,
        "DELETE FROM extent WHERE traced_process_id IN " ITS_TRACEES,
        "DELETE FROM call WHERE thread_id IN (SELECT thread_id FROM "
        "thread WHERE traced_process_id IN " ITS_TRACEES ")",
        "DELETE FROM thread WHERE traced_process_id IN " ITS_TRACEES,
        "DELETE FROM traced_process WHERE recording_id = ?1",
        "DELETE FROM recording WHERE recording_id = ?1"};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pm_sql_do(sql, all[i], PM_ARGS(PM_I(id)));
}

/* It was stored when nobody knew its pid, and now somebody says it. */
static bool is_nameless(pm_sql *sql, int64_t id, int64_t pid)
{
    return id && pid != PMAPDB_UNKNOWN &&
           pm_sql_value(
               sql,
               "SELECT count(*) FROM traced_process WHERE recording_id = ?1 AND pid IS NOT ?2 "
               "AND pid_source <> 'text'",
               PM_ARGS(PM_I(id), PM_I(pid)), 0) > 0;
}

static void take_offset(pm_sql *sql, int64_t id, int64_t offset_ns)
{
    if (offset_ns == PMAPDB_UNKNOWN)
        pm_sql_do(
            sql,
            "UPDATE traced_process SET offset_ns = NULL, slack_ns = NULL, offset_source = NULL, "
            "process_id = NULL WHERE recording_id = ?1 AND offset_source = 'given'",
            PM_ARGS(PM_I(id)));
    else
        pm_sql_do(
            sql,
            "UPDATE traced_process SET offset_ns = ?2, slack_ns = 0, offset_source = 'given', "
            "process_id = NULL WHERE recording_id = ?1",
            PM_ARGS(PM_I(id), PM_I(offset_ns)));
}

/* ---- into the store ---- */

static pmapdb_status check(const pm_trace *t, const pm_recording_options *o, pmapdb_error *err)
{
    for (size_t i = 0; o->pid != PMAPDB_UNKNOWN && i < t->n_threads; i++)
        if (t->thread[i].pid != PMAPDB_UNKNOWN)
            return pm_fail(err, PMAPDB_USAGE,
                           "'%s' says itself which process each thread is of: leave --pid out",
                           o->file);
    return t->n_threads ? PMAPDB_OK : pm_fail(err, PMAPDB_INPUT, "'%s': no events", o->file);
}

/* In a transaction. */
static pmapdb_status put(writing *w, uint64_t hash, const pm_recording_options *o, bool *known,
                         pmapdb_error *err)
{
    int64_t id = find(w->sql, hash);
    pmapdb_status st;

    w->recording_id = id;
    *known = id && !is_nameless(w->sql, id, o->pid);
    if (*known)
        take_offset(w->sql, id, o->clock_offset_ns);
    else if (id)
        remove_recording(w->sql, id);
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

    if (st == PMAPDB_OK)
        st = pm_trace_finish(t, err);
    if (st == PMAPDB_OK)
        st = pm_store_begin_tidying(s, err); /* it may remove what nothing refers to any more */
    if (st == PMAPDB_OK)
        st = pm_store_begin(s, err);
    if (st == PMAPDB_OK)
        st = put(&w, hash, o, &known, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    pm_store_end_tidying(s);
    pm_map_free(&w.by_pid);
    free(w.tracee);
    free(w.tracee_of);
    free(w.thread_id);
    free(w.stack_id);
    if (st == PMAPDB_OK)
        *out = (pm_recording_result){w.recording_id, known};
    return st;
}
