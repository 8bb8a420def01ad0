/* trace: one whole text of perf script in memory: its events, in the order of the text. Takes about
 * 120 bytes per event; equal chains are stored once. */
#ifndef PM_PERF_TRACE_H
#define PM_PERF_TRACE_H

#include "base/pool.h"
#include "perf/text.h"

/* One half of a call: an enter or an exit. */
typedef struct pm_trace_event {
    int64_t time_ns, pid, tid;  /* pid: PMAPDB_UNKNOWN: the text does not say */
    uint64_t arg[PM_CALL_ARGS]; /* exit: arg[0] is the returned value */
    uint32_t chain;             /* text in pm_trace.chains; 0: no chain */
    char comm[32];              /* the kernel cuts names to 15 bytes */
    uint8_t kind, has;          /* pm_call_kind; bit i: the text has arg[i] */
    bool exit;
} pm_trace_event;

typedef struct pm_trace {
    pm_trace_event *event;
    size_t n_events, cap_events;
    uint64_t bad;
    int64_t lost;              /* PMAPDB_UNKNOWN: the text does not say */
    bool any_chain;            /* at least one event has a chain, if only of the kernel */
    uint64_t brks, short_brks; /* brk events with a chain; with a chain of one frame */
    pm_pool *chains;           /* NULL: no chain yet */
    uint32_t n_chains;         /* chains have the ids 1 to n_chains */
} pm_trace;

void pm_trace_init(pm_trace *t);
void pm_trace_free(pm_trace *t);

/* The functions of pm_perf_events. */
pmapdb_status pm_trace_add(void *trace, const pm_perf_event *event, pmapdb_error *err);
pmapdb_status pm_trace_lost(void *trace, uint64_t n, pmapdb_error *err);
pmapdb_status pm_trace_bad(void *trace, uint64_t line, const char *why, pmapdb_error *err);

#endif
