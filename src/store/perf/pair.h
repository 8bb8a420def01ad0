/* pair: events in the order of time -> calls, and the order in which they take effect.
 *
 * A thread is in one call at a time: its exit is that of its own last enter, whatever other threads
 * do between. An enter whose thread enters again, and an exit of another kind, have no other half.
 *
 * Effects. A call takes effect twice, when it begins and when it ends (see replay.h), in the order
 * of these times. The first needs to know how the call ended, so what comes behind it waits until
 * its exit is there; where that is lost, until the thread enters again, or PM_PAIR_WAITING effects
 * wait. */
#ifndef PM_STORE_PERF_PAIR_H
#define PM_STORE_PERF_PAIR_H

#include "store/perf/trace.h"

#define PM_PAIR_WAITING ((size_t)1 << 16)

typedef struct pm_pair_out {
    void *ctx;
    /* A call whose end is known, in the order of ends. Sets call_id. */
    pmapdb_status (*call)(void *ctx, pm_traced_call *call, pmapdb_error *err);
    /* Where pm_replay_has_begin says so; then, unless end_ns is unknown, its end. */
    pmapdb_status (*begin)(void *ctx, const pm_traced_call *call, pmapdb_error *err);
    pmapdb_status (*end)(void *ctx, const pm_traced_call *call, pmapdb_error *err);
} pm_pair_out;

typedef struct pm_pair pm_pair;

pmapdb_status pm_pair_new(size_t n_threads, const pm_pair_out *out, pm_pair **made,
                          pmapdb_error *err);
void pm_pair_free(pm_pair *p);

/* stack is a stack_id by now. */
pmapdb_status pm_pair_event(pm_pair *p, const pm_trace_event *event, pmapdb_error *err);
/* Nothing comes any more. */
pmapdb_status pm_pair_finish(pm_pair *p, pmapdb_error *err);

#endif
