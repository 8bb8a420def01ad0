/* trace: one text of perf script as a whole, in memory: threads, call chains, and calls in their
 * order. Takes some 200 bytes per event, and each frame and chain once.
 *
 * Order. Each processor has a buffer of its own, and where perf empties one late, its events stand
 * after their place in the text: so events are sorted by time; of equal times the first read comes
 * first.
 *
 * Pairs. A thread is in one call at a time: its exit is that of its own last enter, whatever other
 * threads do between. An enter whose thread enters again, and an exit of another kind, have no
 * other half. */
#ifndef PM_PERF_TRACE_H
#define PM_PERF_TRACE_H

#include "base/map.h"
#include "perf/text.h"

/* Enter and exit of one system call. */
typedef struct pm_traced_call {
    int64_t call_id;            /* for the caller to set */
    int64_t begin_ns, end_ns;   /* PMAPDB_UNKNOWN: no enter, no exit */
    uint64_t arg[PM_CALL_ARGS]; /* 0 where `has` lacks the bit */
    uint64_t ret;
    uint32_t stack; /* of the enter, else of the exit; 0: no chain */
    uint32_t thread;
    uint8_t kind, has; /* pm_call_kind; bits of the arguments that the text has */
} pm_traced_call;

/* One half of a call, in the order of time. */
typedef struct pm_trace_event {
    int64_t time_ns;
    uint64_t arg[PM_CALL_ARGS]; /* of an exit the first is what it returned */
    uint32_t stack, thread;
    uint32_t read; /* its place in the text */
    uint32_t call; /* index in pm_trace.call, after pm_trace_finish */
    uint8_t kind, has;
    bool exit;
} pm_trace_event;

typedef struct pm_trace_thread {
    int64_t pid; /* PMAPDB_UNKNOWN: the text does not say */
    int64_t tid;
    char comm[32]; /* its last name; the kernel's have 15 bytes */
} pm_trace_thread;

typedef struct pm_trace_frame {
    size_t symbol, symbol_len, dso, dso_len; /* in pm_trace.texts */
    uint64_t offset;                         /* in the symbol, else the address */
    bool inlined;
} pm_trace_frame;

/* A chain of calls: its innermost frame and the chain that called it; both come before it. */
typedef struct pm_trace_stack {
    uint32_t caller, frame;
} pm_trace_stack;

typedef struct pm_trace {
    pm_trace_thread *thread;
    size_t n_threads, cap_threads;
    pm_trace_frame *frame;
    size_t n_frames, cap_frames;
    pm_trace_stack *stack; /* 0 is the empty chain */
    size_t n_stacks, cap_stacks;
    pm_trace_event *event;
    size_t n_events, cap_events;
    pm_traced_call *call; /* after pm_trace_finish, in the order of their ends */
    size_t n_calls;
    int64_t first_ns, last_ns; /* PMAPDB_UNKNOWN: no event */
    uint64_t bad;
    int64_t lost;              /* PMAPDB_UNKNOWN: the text does not say */
    bool chains;               /* there are chains at all */
    uint64_t brks, short_brks; /* with a chain; with one of a single frame */
    pm_buf texts;
    pm_map threads, chain_of, frames, stacks; /* key or hash -> index */
    pm_perf_frame *found;                     /* frames of the current chain, callee first */
    size_t cap_found;
} pm_trace;

void pm_trace_init(pm_trace *t);
void pm_trace_free(pm_trace *t);

/* For pm_perf_events. */
pmapdb_status pm_trace_add(void *trace, const pm_perf_event *event, pmapdb_error *err);
pmapdb_status pm_trace_lost(void *trace, uint64_t n, pmapdb_error *err);
pmapdb_status pm_trace_bad(void *trace, uint64_t line, const char *why, pmapdb_error *err);

/* After the last event: sorts them and pairs them into calls. */
pmapdb_status pm_trace_finish(pm_trace *t, pmapdb_error *err);

/* The call ended and did not do what it was asked for. */
bool pm_trace_failed(const pm_traced_call *call);

#endif
