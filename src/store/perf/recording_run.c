/* recording_run: the second reading of a recording: events -> calls -> extents -> rows. */
#include "store/perf/recording_run.h"

#include "store/perf/intern.h"
#include "store/perf/pair.h"
#include "store/perf/reorder.h"
#include "store/perf/replay.h"
#include <stdlib.h>

typedef struct run {
    pm_recording *r;
    pm_sql *sql;
    pm_intern *intern;
    pm_reorder reorder;
    pm_pair *pair;
    pm_replay *replay;
    struct slot { /* of the spool */
        int64_t stack_id;
        size_t depth;
    } * slot;
    int64_t *thread_id;
    int64_t next_call_id;
    uint64_t brks, short_brks; /* with a chain; of one frame */
} run;

/* ---- rows ---- */

static pm_arg argument(const pm_traced_call *c, int i)
{
    return c->has & 1U << i ? PM_BITS(c->arg[i]) : PM_I(PMAPDB_UNKNOWN);
}

static void count(run *u, const pm_traced_call *c)
{
    pm_recording_result *sum = &u->r->result;

    if (c->begin_ns == PMAPDB_UNKNOWN)
        sum->unbegun++;
    else if (c->end_ns == PMAPDB_UNKNOWN)
        sum->unended++;
    else
        sum->calls++;
    sum->failed += c->begin_ns != PMAPDB_UNKNOWN && pm_trace_failed(c);
}

static pmapdb_status on_call(void *ctx, pm_traced_call *c, pmapdb_error *err)
{
    run *u = ctx;

    count(u, c);
    c->call_id = u->next_call_id++;
    return pm_sql_run(
        u->sql,
        "INSERT INTO call (call_id, thread_id, kind, begin_ns, end_ns, a0, a1, a2, a3, a4, a5, "
        "ret, stack_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        PM_ARGS(PM_I(c->call_id), PM_I(u->thread_id[c->thread]), PM_I(c->kind), PM_I(c->begin_ns),
                PM_I(c->end_ns), argument(c, 0), argument(c, 1), argument(c, 2), argument(c, 3),
                argument(c, 4), argument(c, 5),
                c->end_ns == PMAPDB_UNKNOWN ? PM_I(PMAPDB_UNKNOWN) : PM_BITS(c->ret),
                PM_I(c->stack_id < 0 ? 0 : c->stack_id)),
        err);
}

static pmapdb_status on_extent(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                               pmapdb_error *err)
{
    const run *u = ctx;

    return pm_sql_run(
        u->sql,
        "INSERT INTO extent (traced_process_id, start, length, call_id, born_ns, died_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        PM_ARGS(PM_I(u->r->threads.tracee[space].tracee_id), PM_BITS(range->start),
                PM_BITS(range->end - range->start), PM_I(range->call_id), PM_I(range->born_ns),
                PM_I(died_ns)),
        err);
}

static pmapdb_status on_foreign(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                                pmapdb_error *err)
{
    const run *u = ctx;

    return pm_sql_run(
        u->sql,
        "INSERT INTO foreign_extent (traced_process_id, start, length, call_id, died_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        PM_ARGS(PM_I(u->r->threads.tracee[space].tracee_id), PM_BITS(range->start),
                PM_BITS(range->end - range->start), PM_I(range->call_id), PM_I(died_ns)),
        err);
}

/* ---- effects ---- */

/* False: nobody knows which threads share memory with this one. */
static bool space_of(const run *u, const pm_traced_call *c, size_t *space)
{
    *space = u->r->threads.thread[c->thread].tracee;
    return u->r->threads.tracee[*space].pid != PMAPDB_UNKNOWN;
}

static pmapdb_status on_begin(void *ctx, const pm_traced_call *c, pmapdb_error *err)
{
    const run *u = ctx;
    size_t space;

    return space_of(u, c, &space) ? pm_replay_begin(u->replay, space, c, err) : PMAPDB_OK;
}

static pmapdb_status on_end(void *ctx, const pm_traced_call *c, pmapdb_error *err)
{
    const run *u = ctx;
    size_t space;

    return space_of(u, c, &space) ? pm_replay_end(u->replay, space, c, err) : PMAPDB_OK;
}

/* ---- events ---- */

static pmapdb_status on_chain(run *u, int64_t slot, pm_text chain, pmapdb_error *err)
{
    struct slot *s = &u->slot[slot];

    u->r->result.chains = true;
    return pm_intern_chain(u->intern, chain, &s->stack_id, &s->depth, err);
}

/* Its slot may hold another chain by the time that the event's turn comes. */
static void resolve(run *u, pm_trace_event *e)
{
    const struct slot *s = e->stack < 0 ? NULL : &u->slot[e->stack];

    if (s && s->depth && e->kind == PM_CALL_BRK) {
        u->brks++;
        u->short_brks += s->depth == 1;
    }
    e->stack = s ? s->stack_id : -1;
}

static pmapdb_status read_spool(run *u, pmapdb_error *err)
{
    pm_trace_event e, next;
    pm_text chain;
    bool has;
    pmapdb_status st = pm_spool_rewind(u->r->spool, err);

    while (st == PMAPDB_OK) {
        st = pm_spool_next(u->r->spool, &e, &chain, &has, err);
        if (st != PMAPDB_OK || !has)
            break;
        if (chain.data) {
            st = on_chain(u, e.stack, chain, err);
            continue;
        }
        resolve(u, &e);
        pm_reorder_put(&u->reorder, &e, &next, &has);
        if (has)
            st = pm_pair_event(u->pair, &next, err);
    }
    while (st == PMAPDB_OK && (pm_reorder_next(&u->reorder, &next, &has), has))
        st = pm_pair_event(u->pair, &next, err);
    return st;
}

/* ---- the run ---- */

static pmapdb_status insert_threads(run *u, pmapdb_error *err)
{
    const pm_threads *t = &u->r->threads;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < t->n && st == PMAPDB_OK; i++) {
        const pm_trace_thread *thread = &t->thread[i];

        st = pm_sql_run(u->sql,
                        "INSERT INTO thread (traced_process_id, tid, comm) VALUES (?1, ?2, ?3)",
                        PM_ARGS(PM_I(t->tracee[thread->tracee].tracee_id), PM_I(thread->tid),
                                PM_S(thread->comm)),
                        err);
        u->thread_id[i] = pm_sql_last_id(u->sql);
    }
    return st;
}

static pmapdb_status prepare(run *u, pmapdb_error *err)
{
    const pm_threads *t = &u->r->threads;
    const pm_pair_out pair_out = {u, on_call, on_begin, on_end};
    const pm_replay_out replay_out = {u, on_extent, on_foreign};
    pmapdb_status st;

    u->slot = calloc(PM_SPOOL_SLOTS, sizeof *u->slot);
    u->thread_id = calloc(t->n ? t->n : 1, sizeof *u->thread_id);
    if (!u->slot || !u->thread_id)
        return pm_fail_nomem(err);
    st = pm_intern_new(u->sql, &u->intern, err);
    if (st == PMAPDB_OK)
        st = pm_reorder_init(&u->reorder, err);
    if (st == PMAPDB_OK)
        st = pm_pair_new(t->n, &pair_out, &u->pair, err);
    if (st == PMAPDB_OK)
        st = pm_replay_new(t->n_tracees, &replay_out, &u->replay, err);
    if (st == PMAPDB_OK)
        st = pm_sql_int(u->sql, "SELECT max(call_id) + 1 FROM call", PM_NO_ARGS, 1,
                        &u->next_call_id, err);
    return st == PMAPDB_OK ? insert_threads(u, err) : st;
}

pmapdb_status pm_recording_run(pm_recording *r, pm_sql *sql, pmapdb_error *err)
{
    run u = {.r = r, .sql = sql};
    pmapdb_status st = prepare(&u, err);

    if (st == PMAPDB_OK)
        st = read_spool(&u, err);
    if (st == PMAPDB_OK)
        st = pm_pair_finish(u.pair, err);
    if (st == PMAPDB_OK)
        st = pm_replay_finish(u.replay, err);
    r->result.late = u.reorder.late;
    r->result.shallow = u.brks >= 8 && 2 * u.short_brks > u.brks;
    pm_replay_free(u.replay);
    pm_pair_free(u.pair);
    pm_reorder_free(&u.reorder);
    pm_intern_free(u.intern);
    free(u.slot);
    free(u.thread_id);
    return st;
}
