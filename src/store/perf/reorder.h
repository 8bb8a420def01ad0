/* reorder: events in the order of their times. Each processor has a buffer of its own, and where
 * perf empties one late, its events stand a little behind their place in the text. The
 * PM_REORDER_WINDOW events read last wait, and the earliest of them goes first; of equal times the
 * one that was read first. What comes later than that goes at once, where it stands, and is
 * counted. */
#ifndef PM_STORE_PERF_REORDER_H
#define PM_STORE_PERF_REORDER_H

#include "store/perf/trace.h"

#define PM_REORDER_WINDOW ((size_t)4096)

typedef struct pm_reorder {
    struct pm_reorder_turn { /* a heap */
        int64_t time_ns;
        uint64_t read; /* as how manieth */
        size_t at;     /* in `event` */
    } * turn;
    pm_trace_event *event;
    size_t n;
    uint64_t read, late;
    int64_t last_ns; /* of the event that went last */
} pm_reorder;

pmapdb_status pm_reorder_init(pm_reorder *r, pmapdb_error *err);
void pm_reorder_free(pm_reorder *r);

/* Takes an event; *has: *out is the next one. */
void pm_reorder_put(pm_reorder *r, const pm_trace_event *event, pm_trace_event *out, bool *has);
/* Behind the last: those that wait. */
void pm_reorder_next(pm_reorder *r, pm_trace_event *out, bool *has);

#endif
