/* pair: events -> calls, and the order in which they take effect. */
#include "store/perf/pair.h"

#include "base/buf.h"
#include "store/perf/replay.h"
#include <stdlib.h>

typedef struct open_call {
    pm_traced_call call;
    bool ended;    /* it is known how, and the row is written */
    uint32_t use;  /* effects that wait, and the thread that is in it */
    uint32_t next; /* of those that are not used */
} open_call;

typedef struct effect {
    uint32_t call;
    bool end;
} effect;

struct pm_pair {
    pm_pair_out out;
    uint32_t *in; /* the call that each thread is in; 0: none */
    size_t n_threads;
    open_call *call; /* 0 is none */
    size_t n, cap;
    uint32_t unused;
    effect *waiting; /* a ring of PM_PAIR_WAITING */
    size_t first, n_waiting;
};

pmapdb_status pm_pair_new(size_t n_threads, const pm_pair_out *out, pm_pair **made,
                          pmapdb_error *err)
{
    pm_pair *p = calloc(1, sizeof *p);

    if (p) {
        p->in = calloc(n_threads ? n_threads : 1, sizeof *p->in);
        p->waiting = calloc(PM_PAIR_WAITING, sizeof *p->waiting);
    }
    if (!p || !p->in || !p->waiting) {
        pm_pair_free(p);
        return pm_fail_nomem(err);
    }
    p->out = *out;
    p->n_threads = n_threads;
    p->n = 1;
    *made = p;
    return PMAPDB_OK;
}

void pm_pair_free(pm_pair *p)
{
    if (!p)
        return;
    free(p->in);
    free(p->call);
    free(p->waiting);
    free(p);
}

/* ---- calls ---- */

static pmapdb_status new_call(pm_pair *p, const pm_traced_call *call, uint32_t *out,
                              pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    *out = p->unused;
    if (p->unused) {
        p->unused = p->call[p->unused].next;
    } else {
        st = pm_grow(&p->call, &p->cap, p->n, sizeof *p->call, err);
        *out = (uint32_t)p->n;
        p->n += st == PMAPDB_OK;
    }
    if (st == PMAPDB_OK)
        p->call[*out] = (open_call){.call = *call};
    return st;
}

static void leave(pm_pair *p, uint32_t at)
{
    if (--p->call[at].use)
        return;
    p->call[at].next = p->unused;
    p->unused = at;
}

/* ---- effects ---- */

/* Those whose calls' ends are known. */
static pmapdb_status run_effects(pm_pair *p, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (p->n_waiting && st == PMAPDB_OK && p->call[p->waiting[p->first].call].ended) {
        effect e = p->waiting[p->first];
        const pm_traced_call *call = &p->call[e.call].call;

        p->first = (p->first + 1) % PM_PAIR_WAITING;
        p->n_waiting--;
        st = e.end ? p->out.end(p->out.ctx, call, err) : p->out.begin(p->out.ctx, call, err);
        leave(p, e.call);
    }
    return st;
}

static pmapdb_status end_call(pm_pair *p, uint32_t at, pmapdb_error *err)
{
    pmapdb_status st = p->out.call(p->out.ctx, &p->call[at].call, err);

    p->call[at].ended = true;
    return st;
}

/* The thread is in no call now; if it was in one, that has no exit. */
static pmapdb_status give_up(pm_pair *p, uint32_t thread, pmapdb_error *err)
{
    uint32_t at = p->in[thread];
    pmapdb_status st;

    if (!at)
        return PMAPDB_OK;
    st = end_call(p, at, err);
    p->in[thread] = 0;
    leave(p, at);
    return st;
}

static pmapdb_status wait_for(pm_pair *p, uint32_t at, bool end, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (p->n_waiting == PM_PAIR_WAITING) { /* the first one's exit is lost */
        st = give_up(p, p->call[p->waiting[p->first].call].call.thread, err);
        if (st == PMAPDB_OK)
            st = run_effects(p, err);
    }
    p->waiting[(p->first + p->n_waiting++) % PM_PAIR_WAITING] = (effect){at, end};
    p->call[at].use++;
    return st;
}

/* ---- events ---- */

static pmapdb_status enter(pm_pair *p, const pm_trace_event *e, pmapdb_error *err)
{
    pm_traced_call call = {.begin_ns = e->time_ns,
                           .end_ns = PMAPDB_UNKNOWN,
                           .stack_id = e->stack,
                           .thread = e->thread,
                           .kind = e->kind,
                           .has = e->has};
    uint32_t at;
    pmapdb_status st = give_up(p, e->thread, err);

    memcpy(call.arg, e->arg, sizeof call.arg);
    if (st == PMAPDB_OK)
        st = new_call(p, &call, &at, err);
    if (st != PMAPDB_OK)
        return st;
    p->in[e->thread] = at;
    p->call[at].use = 1;
    return pm_replay_has_begin(e->kind) ? wait_for(p, at, false, err) : PMAPDB_OK;
}

/* An exit alone, as a call; it has nothing to begin with. */
static pmapdb_status exit_alone(pm_pair *p, const pm_trace_event *e, uint32_t *at,
                                pmapdb_error *err)
{
    pm_traced_call call = {
        .begin_ns = PMAPDB_UNKNOWN, .stack_id = -1, .thread = e->thread, .kind = e->kind};
    pmapdb_status st = give_up(p, e->thread, err);

    if (st == PMAPDB_OK)
        st = new_call(p, &call, at, err);
    if (st == PMAPDB_OK)
        p->call[*at].use = 1;
    return st;
}

static pmapdb_status leave_call(pm_pair *p, const pm_trace_event *e, pmapdb_error *err)
{
    uint32_t at = p->in[e->thread];
    pm_traced_call *call;
    pmapdb_status st = PMAPDB_OK;

    if (!at || p->call[at].call.kind != e->kind)
        st = exit_alone(p, e, &at, err);
    if (st != PMAPDB_OK)
        return st;
    p->in[e->thread] = 0;
    call = &p->call[at].call;
    call->end_ns = e->time_ns;
    call->ret = e->arg[0];
    if (call->stack_id < 0)
        call->stack_id = e->stack;
    st = end_call(p, at, err);
    if (st == PMAPDB_OK)
        st = wait_for(p, at, true, err);
    leave(p, at);
    return st;
}

pmapdb_status pm_pair_event(pm_pair *p, const pm_trace_event *event, pmapdb_error *err)
{
    pmapdb_status st = event->exit ? leave_call(p, event, err) : enter(p, event, err);

    return st == PMAPDB_OK ? run_effects(p, err) : st;
}

pmapdb_status pm_pair_finish(pm_pair *p, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < p->n_threads && st == PMAPDB_OK; i++)
        st = give_up(p, (uint32_t)i, err);
    return st == PMAPDB_OK ? run_effects(p, err) : st;
}
