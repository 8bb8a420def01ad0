/* newest: what the writer remembers of each process to append its next capture: the end of its
 * timeline and the rows of the newest capture of each stream. Read from the store when first
 * needed; dropped when it grows too large, and when the process does not come any more. */
#ifndef PM_STORE_NEWEST_H
#define PM_STORE_NEWEST_H

#include "store/put.h"

#define PM_STATES ((size_t)PM_STATE_TOTALS + 1)
#define PM_STREAMS (PM_DIALECT_COUNT * PM_STATES)

typedef struct pm_newest_of {
    int64_t process_id;
    pm_timeline tail; /* once has_tail */
    bool has_tail;
    uint64_t used_at;              /* by which call of pm_newest_get */
    pm_stream *stream[PM_STREAMS]; /* NULL: not read yet */
} pm_newest_of;

typedef struct pm_newest {
    pm_newest_of **processes; /* open addressing by process_id */
    size_t size, used;
    size_t kept;    /* of used, when those that had ended were dropped last */
    uint64_t calls; /* of pm_newest_get */
    size_t rows;    /* in all of them */
} pm_newest;

void pm_newest_free(pm_newest *w);

/* Of the process that p is stored to; what was not remembered is read when it is asked for. */
pmapdb_status pm_newest_get(pm_put *p, pm_newest *w, pm_newest_of **out, pmapdb_error *err);

/* Makes sure that the tail is there. */
pmapdb_status pm_newest_tail(pm_put *p, pm_newest_of *state, pmapdb_error *err);

pmapdb_status pm_newest_stream(pm_put *p, pm_newest *w, pm_newest_of *state, pm_dialect dialect,
                               pm_state kind, pm_stream **out, pmapdb_error *err);

/* It changes in the store: all is read again when it is needed. */
void pm_newest_forget(pm_newest *w, pm_newest_of *state);

/* Drops old beats from the timeline: nothing looks back to them. */
void pm_newest_shorten(pm_newest_of *state);

#endif
