/* trace: one whole text of perf script in memory. */
#include "perf/trace.h"
#include "base/hash.h"

#include <stdlib.h>

#define THREADS_MAX ((size_t)4 << 20) /* the kernel's limit of pids */

void pm_trace_init(pm_trace *t)
{
    *t = (pm_trace){.first_ns = PMAPDB_UNKNOWN, .last_ns = PMAPDB_UNKNOWN, .lost = PMAPDB_UNKNOWN};
}

void pm_trace_free(pm_trace *t)
{
    free(t->thread);
    free(t->frame);
    free(t->stack);
    free(t->event);
    free(t->call);
    free(t->found);
    pm_pool_free(t->words);
    pm_map_free(&t->threads);
    pm_map_free(&t->chain_of);
    pm_map_free(&t->frames);
    pm_map_free(&t->stacks);
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

/* ---- chains: equal 64-bit hashes mean equal texts ---- */

static pmapdb_status frame_of(pm_trace *t, const pm_perf_frame *f, uint32_t *out, pmapdb_error *err)
{
    pm_trace_frame new = {.offset = f->symbol.len ? f->offset : f->address, .inlined = f->inlined};
    int64_t index = (int64_t)t->n_frames;
    uint64_t hash;
    pmapdb_status st = t->words ? PMAPDB_OK : pm_pool_new(&t->words, err);

    PM_STEP(st, pm_pool_text(t->words, f->symbol, &new.symbol, err));
    PM_STEP(st, pm_pool_text(t->words, f->dso, &new.dso, err));
    if (st != PMAPDB_OK)
        return st;
    hash = pm_hash((uint64_t[]){new.offset, new.symbol, new.dso, new.inlined}, 4 * sizeof hash);
    if (!pm_map_get(&t->frames, hash, &index)) {
        st = pm_grow(&t->frame, &t->cap_frames, t->n_frames, sizeof *t->frame, err);
        PM_STEP(st, pm_map_put(&t->frames, hash, index, err));
        if (st == PMAPDB_OK)
            t->frame[t->n_frames++] = new;
    }
    *out = (uint32_t)index;
    return st;
}

static pmapdb_status push_stack(pm_trace *t, pm_trace_stack new, uint32_t *out, pmapdb_error *err)
{
    uint64_t key = (uint64_t) new.caller << 32 | new.frame;
    int64_t index = (int64_t)t->n_stacks;
    pmapdb_status st = PMAPDB_OK;

    if (!index || !pm_map_get(&t->stacks, key, &index)) {
        st = pm_grow(&t->stack, &t->cap_stacks, t->n_stacks, sizeof *t->stack, err);
        if (st == PMAPDB_OK && index)
            st = pm_map_put(&t->stacks, key, index, err);
        if (st == PMAPDB_OK)
            t->stack[t->n_stacks++] = new;
    }
    *out = (uint32_t)index;
    return st;
}

/* The text has the callee first; the caller is pushed first. */
static pmapdb_status read_chain(pm_trace *t, pm_text chain, uint32_t *stack, pmapdb_error *err)
{
    pm_perf_frame f;
    size_t n = 0, at = 0;
    uint32_t frame;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && pm_perf_next_frame(chain, &at, &f)) {
        st = pm_grow(&t->found, &t->cap_found, n, sizeof *t->found, err);
        if (st == PMAPDB_OK)
            t->found[n++] = f;
    }
    if (st == PMAPDB_OK && !t->n_stacks)
        st = push_stack(t, (pm_trace_stack){0, 0}, stack, err); /* the empty chain */
    *stack = 0;
    while (st == PMAPDB_OK && n) {
        st = frame_of(t, &t->found[--n], &frame, err);
        if (st == PMAPDB_OK)
            st = push_stack(t, (pm_trace_stack){*stack, frame}, stack, err);
    }
    return st;
}

static pmapdb_status stack_of(pm_trace *t, pm_text chain, uint32_t *stack, pmapdb_error *err)
{
    uint64_t hash = pm_hash(chain.data, chain.len);
    int64_t known;
    pmapdb_status st;

    *stack = 0;
    if (!chain.len)
        return PMAPDB_OK;
    t->chains = true;
    if (pm_map_get(&t->chain_of, hash, &known)) {
        *stack = (uint32_t)known;
        return PMAPDB_OK;
    }
    st = read_chain(t, chain, stack, err);
    return st == PMAPDB_OK ? pm_map_put(&t->chain_of, hash, *stack, err) : st;
}

/* ---- events ---- */

static void note_time(pm_trace *t, int64_t ns)
{
    if (t->first_ns == PMAPDB_UNKNOWN || ns < t->first_ns)
        t->first_ns = ns;
    if (ns > t->last_ns) /* PMAPDB_UNKNOWN is less than any time */
        t->last_ns = ns;
}

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
        st = stack_of(t, e->chain, &new.stack, err);
    if (st == PMAPDB_OK)
        st = pm_grow(&t->event, &t->cap_events, t->n_events, sizeof *t->event, err);
    if (st != PMAPDB_OK)
        return st;
    if (new.exit)
        new.arg[0] = e->ret;
    else
        memcpy(new.arg, e->arg, sizeof new.arg);
    if (new.stack &&new.kind == PM_CALL_BRK) {
        t->brks++;
        t->short_brks += t->stack[new.stack].caller == 0;
    }
    note_time(t, new.time_ns);
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
                             .stack = half->stack,
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
        call->stack = call->stack ? call->stack : e->stack;
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
