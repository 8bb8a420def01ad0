/* trace: one whole text of perf script in memory: threads, call chains, and calls in order. Takes
 * about 100 bytes per event; equal chains are stored once.
 *
 * Order. Each processor has its own buffer, and perf may print the events of a buffer late. So
 * events are sorted by time; events with equal times keep the order of the text.
 *
 * Pairs. A thread executes one call at a time: an exit belongs to the last enter of the same
 * thread. An enter that another enter of its thread follows, and an exit of another kind than the
 * last enter, stay without the other half. */
#ifndef PM_PERF_TRACE_H
#define PM_PERF_TRACE_H

#include "base/map.h"
#include "base/pool.h"
#include "perf/text.h"

/* Enter and exit of one system call. */
typedef struct pm_traced_call {
    int64_t call_id;            /* set by the caller */
    int64_t begin_ns, end_ns;   /* PMAPDB_UNKNOWN: no enter, no exit */
    uint64_t arg[PM_CALL_ARGS]; /* 0 if the bit in `has` is 0 */
    uint64_t ret;
    uint32_t chain; /* of the enter, else of the exit: text in pm_trace.chains; 0: no chain */
    uint32_t thread;
    uint8_t kind, has; /* pm_call_kind; bit i: the text has arg[i] */
} pm_traced_call;

/* One half of a call: an enter or an exit. */
typedef struct pm_trace_event {
    int64_t time_ns;
    uint64_t arg[PM_CALL_ARGS]; /* exit: arg[0] is the returned value */
    uint32_t chain, thread;
    uint32_t read; /* position in the text */
    uint32_t call; /* index in pm_trace.call, after pm_trace_finish */
    uint8_t kind, has;
    bool exit;
} pm_trace_event;

typedef struct pm_trace_thread {
    int64_t pid; /* PMAPDB_UNKNOWN: the text does not say */
    int64_t tid;
    char comm[32]; /* the last name; the kernel cuts names to 15 bytes */
} pm_trace_thread;

typedef struct pm_trace {
    pm_trace_thread *thread;
    size_t n_threads, cap_threads;
    pm_trace_event *event;
    size_t n_events, cap_events;
    pm_traced_call *call; /* after pm_trace_finish, ordered by end */
    size_t n_calls;
    int64_t first_ns, last_ns; /* PMAPDB_UNKNOWN: no event */
    uint64_t bad;
    int64_t lost;              /* PMAPDB_UNKNOWN: the text does not say */
    bool any_chain;            /* at least one event has a chain, if only of the kernel */
    uint64_t brks, short_brks; /* brk events with a chain; with a chain of one frame */
    pm_pool *chains;           /* NULL: no chain yet */
    uint32_t n_chains;         /* chains have the ids 1 to n_chains */
    pm_map threads;            /* pid and tid -> index */
} pm_trace;

void pm_trace_init(pm_trace *t);
void pm_trace_free(pm_trace *t);

/* The functions of pm_perf_events. */
pmapdb_status pm_trace_add(void *trace, const pm_perf_event *event, pmapdb_error *err);
pmapdb_status pm_trace_lost(void *trace, uint64_t n, pmapdb_error *err);
pmapdb_status pm_trace_bad(void *trace, uint64_t line, const char *why, pmapdb_error *err);

/* Sorts the events and pairs them into calls. Call after the last event. */
pmapdb_status pm_trace_finish(pm_trace *t, pmapdb_error *err);

/* True if the call ended and failed. */
bool pm_trace_failed(const pm_traced_call *call);

#endif
