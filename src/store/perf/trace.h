/* trace: an event and a call on their way from a text of perf script to the tables: texts are
 * numbers by now. */
#ifndef PM_STORE_PERF_TRACE_H
#define PM_STORE_PERF_TRACE_H

#include "parse/perf.h"

typedef struct pm_trace_event {
    int64_t time_ns;
    uint64_t arg[PM_CALL_ARGS]; /* of an exit the first is what it returned */
    int64_t stack;              /* in the spool the slot of its chain, then stack_id; -1: none */
    uint32_t thread;            /* see threads.h */
    uint8_t kind;               /* pm_call_kind */
    uint8_t has;                /* bits of the arguments that the text has */
    bool exit;
} pm_trace_event;

/* Enter and exit of one system call. */
typedef struct pm_traced_call {
    int64_t call_id;
    int64_t begin_ns, end_ns; /* PMAPDB_UNKNOWN: no enter, no exit */
    uint64_t arg[PM_CALL_ARGS];
    uint64_t ret;
    int64_t stack_id; /* -1: the text has no chain */
    uint32_t thread;
    uint8_t kind, has;
} pm_traced_call;

/* It ended and did not do what it was asked for. */
bool pm_trace_failed(const pm_traced_call *call);

#endif
