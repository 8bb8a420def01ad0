/* trace: one whole text of perf script in memory. */
#include "perf/trace.h"

#include <stdlib.h>

#define THREADS_MAX ((size_t)4 << 20) /* the kernel's limit of pids */

void pm_trace_init(pm_trace *t)
{
    *t = (pm_trace){.first_ns = PMAPDB_UNKNOWN, .last_ns = PMAPDB_UNKNOWN, .lost = PMAPDB_UNKNOWN};
}

void pm_trace_free(pm_trace *t)
{
    free(t->thread);
    free(t->event);
    free(t->call);
    pm_pool_free(t->chains);
    pm_map_free(&t->threads);
    pm_trace_init(t);
}

/* ---- threads ---- */

static pmapdb_status add_thread(pm_trace *t, uint64_t key, const pm_perf_event *e, int64_t *index,
                                pmapdb_error *err)
{
    pmapdb_status st;

    if (t->n_threads >= THREADS_MAX)
        return pm_fail(err, PMAPDB_INPUT, "more than %zu threads", THREADS_MAX);
    st = pm_grow(&t->thread, &t->cap_threads, t->n_threads, sizeof *t->thread, err);
    if (st == PMAPDB_OK)
        st = pm_map_put(&t->threads, key, *index = (int64_t)t->n_threads, err);
    if (st == PMAPDB_OK)
        t->thread[t->n_threads++] = (pm_trace_thread){.pid = e->pid, .tid = e->tid};
    return st;
}

static pmapdb_status thread_of(pm_trace *t, const pm_perf_event *e, uint32_t *out,
                               pmapdb_error *err)
{
    uint64_t key =
        (uint64_t)e->pid << 32 | (uint32_t)e->tid; /* an unknown pid: the upper half is 0 */
    size_t n = e->comm.len;
    int64_t index = 0;
    pmapdb_status st = PMAPDB_OK;

    if (e->pid != PMAPDB_UNKNOWN)
        key |= (uint64_t)1 << 63; /* a pid has 31 bits */
    if (!pm_map_get(&t->threads, key, &index))
        st = add_thread(t, key, e, &index, err);
    if (st != PMAPDB_OK)
        return st;
    *out = (uint32_t)index;
    n = n < sizeof t->thread->comm ? n : sizeof t->thread->comm - 1;
    memcpy(t->thread[index].comm, e->comm.data ? e->comm.data : "", n);
    t->thread[index].comm[n] = '\0';
    return PMAPDB_OK;
}

/* ---- chains ---- */

/* Finds the id of the chain of an event; 0 if all of its frames are the kernel's. */
static pmapdb_status chain_of(pm_trace *t, const pm_perf_event *e, uint32_t *id, pmapdb_error *err)
{
    pm_perf_frame frame;
    size_t at = 0;
    pmapdb_status st = PMAPDB_OK;

    *id = 0;
    t->any_chain |= e->chain.len > 0;
    if (!pm_perf_next_frame(e->chain, &at, &frame))
        return PMAPDB_OK;
    if (e->kind == PM_CALL_BRK) {
        t->brks++;
        t->short_brks += !pm_perf_next_frame(e->chain, &at, &frame);
    }
    if (!t->chains)
        st = pm_pool_new(&t->chains, err);
    PM_STEP(st, pm_pool_text(t->chains, e->chain, id, err));
    t->n_chains = *id > t->n_chains ? *id : t->n_chains;
    return st;
}

/* ---- events ---- */

pmapdb_status pm_trace_add(void *trace, const pm_perf_event *e, pmapdb_error *err)
{
    pm_trace *t = trace;
    pm_trace_event new = {.time_ns = e->time_ns,
                          .read = (uint32_t)t->n_events,
                          .kind = (uint8_t)e->kind,
                          .has = (uint8_t)e->has,
                          .exit = e->exit};
    pmapdb_status st = thread_of(t, e, &new.thread, err);

    if (st == PMAPDB_OK && t->n_events >= UINT32_MAX)
        st = pm_fail(err, PMAPDB_INPUT, "more than 4 billion events");
    if (st == PMAPDB_OK)
        st = chain_of(t, e, &new.chain, err);
    if (st == PMAPDB_OK)
        st = pm_grow(&t->event, &t->cap_events, t->n_events, sizeof *t->event, err);
    if (st != PMAPDB_OK)
        return st;
    if (new.exit)
        new.arg[0] = e->ret;
    else
        memcpy(new.arg, e->arg, sizeof new.arg);
    if (t->first_ns == PMAPDB_UNKNOWN || new.time_ns < t->first_ns)
        t->first_ns = new.time_ns;
    if (new.time_ns > t->last_ns) /* PMAPDB_UNKNOWN is less than any time */
        t->last_ns = new.time_ns;
    t->event[t->n_events++] = new;
    return PMAPDB_OK;
}

pmapdb_status pm_trace_lost(void *trace, uint64_t n, pmapdb_error *err)
{
    pm_trace *t = trace;

    (void)err;
    t->lost = (t->lost == PMAPDB_UNKNOWN ? 0 : t->lost) + (n > INT32_MAX ? INT32_MAX : (int64_t)n);
    return PMAPDB_OK;
}

pmapdb_status pm_trace_bad(void *trace, uint64_t line, const char *why, pmapdb_error *err)
{
    pm_trace *t = trace;

    (void)line;
    (void)why;
    (void)err;
    t->bad++;
    return PMAPDB_OK;
}

/* ---- calls ---- */

static int compare_events(const void *a, const void *b)
{
    const pm_trace_event *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->read < y->read ? -1 : x->read > y->read;
}

typedef struct pairing {
    pm_trace *t;
    size_t *enter; /* per thread: 1 + the index of the enter without an exit; 0: no such enter */
} pairing;

/* Makes a call when its exit is read, or when it is known that the exit is missing. */
static pm_traced_call *make_call(pm_trace *t, pm_trace_event *half)
{
    pm_traced_call *call = &t->call[t->n_calls];

    *call = (pm_traced_call){.begin_ns = PMAPDB_UNKNOWN,
                             .end_ns = PMAPDB_UNKNOWN,
                             .chain = half->chain,
                             .thread = half->thread,
                             .kind = half->kind};
    half->call = (uint32_t)t->n_calls++;
    return call;
}

static pm_traced_call *begin_call(pm_trace *t, pm_trace_event *enter)
{
    pm_traced_call *call = make_call(t, enter);

    call->begin_ns = enter->time_ns;
    call->has = enter->has;
    memcpy(call->arg, enter->arg, sizeof call->arg);
    return call;
}

static pm_trace_event *take_enter(pairing *p, uint32_t thread)
{
    size_t at = p->enter[thread];

    p->enter[thread] = 0;
    return at ? &p->t->event[at - 1] : NULL;
}

static void pair_exit(pairing *p, pm_trace_event *e)
{
    pm_trace_event *enter = take_enter(p, e->thread);
    pm_traced_call *call;

    if (enter && enter->kind != e->kind) {
        begin_call(p->t, enter); /* unended */
        enter = NULL;
    }
    if (enter) {
        call = begin_call(p->t, enter);
        e->call = enter->call;
        call->chain = call->chain ? call->chain : e->chain;
    } else {
        call = make_call(p->t, e);
    }
    call->end_ns = e->time_ns;
    call->ret = e->arg[0];
}

static void pair_enter(pairing *p, size_t at)
{
    uint32_t thread = p->t->event[at].thread;
    pm_trace_event *before = take_enter(p, thread);

    if (before)
        begin_call(p->t, before); /* unended */
    p->enter[thread] = at + 1;
}

pmapdb_status pm_trace_finish(pm_trace *t, pmapdb_error *err)
{
    pairing p = {.t = t, .enter = calloc(t->n_threads + 1, sizeof *p.enter)};
    bool in_order = true;

    t->call = calloc(t->n_events + 1, sizeof *t->call);
    if (!p.enter || !t->call) {
        free(p.enter);
        return pm_fail_nomem(err);
    }
    for (size_t i = 1; i < t->n_events && in_order; i++)
        in_order = t->event[i - 1].time_ns <= t->event[i].time_ns;
    if (!in_order)
        qsort(t->event, t->n_events, sizeof *t->event, compare_events);
    for (size_t i = 0; i < t->n_events; i++)
        if (t->event[i].exit)
            pair_exit(&p, &t->event[i]);
        else
            pair_enter(&p, i);
    for (uint32_t i = 0; i < t->n_threads; i++) {
        pm_trace_event *enter = take_enter(&p, i);

        if (enter)
            begin_call(t, enter);
    }
    free(p.enter);
    return PMAPDB_OK;
}

bool pm_trace_failed(const pm_traced_call *c)
{
    if (c->end_ns == PMAPDB_UNKNOWN)
        return false;
    if (c->kind == PM_CALL_BRK)
        return c->has & 1 && c->arg[0] && c->arg[0] != c->ret;
    return pm_call_errno(c->kind, c->ret) != 0;
}
