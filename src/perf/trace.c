/* trace: one whole text of perf script in memory. */
#include "perf/trace.h"

#include <stdio.h>
#include <stdlib.h>

void pm_trace_init(pm_trace *t)
{
    *t = (pm_trace){.lost = PMAPDB_UNKNOWN};
}

void pm_trace_free(pm_trace *t)
{
    free(t->event);
    pm_pool_free(t->chains);
    pm_trace_init(t);
}

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

pmapdb_status pm_trace_add(void *trace, const pm_perf_event *e, pmapdb_error *err)
{
    pm_trace *t = trace;
    pm_trace_event new = {.time_ns = e->time_ns,
                          .pid = e->pid,
                          .tid = e->tid,
                          .kind = (uint8_t)e->kind,
                          .has = e->exit ? 1 : (uint8_t)e->has,
                          .exit = e->exit};
    pmapdb_status st = chain_of(t, e, &new.chain, err);

    PM_STEP(st, pm_grow(&t->event, &t->cap_events, t->n_events, sizeof *t->event, err));
    if (st != PMAPDB_OK)
        return st;
    snprintf(new.comm, sizeof new.comm, "%.*s", (int)e->comm.len, e->comm.len ? e->comm.data : "");
    if (new.exit)
        new.arg[0] = e->ret;
    else
        memcpy(new.arg, e->arg, sizeof new.arg);
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
