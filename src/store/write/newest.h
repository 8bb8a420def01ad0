/* newest: the writer's state of each process, to which the next capture is appended: its newest
 * sitting and the newest capture of each stream. Read from the store when first needed; dropped in
 * full when it grows too large. */
#ifndef PM_STORE_NEWEST_H
#define PM_STORE_NEWEST_H

#include "base/map.h"
#include "store/write/stream.h"

#define PM_STATES ((size_t)PM_STATE_TOTALS + 1)
#define PM_STREAMS (PM_DIALECT_COUNT * PM_STATES)

typedef struct pm_newest {
    int64_t process_id;
    pm_sitting sitting; /* valid if has_sitting */
    bool has_sitting;
    pm_stream *stream[PM_STREAMS]; /* NULL: not read yet */
    struct pm_waiting *late;       /* captures that wait for the commit, see rewind.h */
    size_t n_late, cap_late;
} pm_newest;

typedef struct pm_newest_all {
    pm_map index; /* process_id -> index in item */
    pm_newest **item;
    size_t n, cap;
    size_t waiting, waiting_rows; /* captures that wait, and their rows */
} pm_newest_all;

void pm_newest_free(pm_newest_all *all);

/* Returns NULL after a failure. */
pm_newest *pm_newest_get(pm_sql *sql, pm_newest_all *all, int64_t process_id);

/* Return the newest sitting and a stream of the process; NULL after a failure. */
pm_sitting *pm_newest_sitting(pm_sql *sql, pm_newest *n, int64_t sweep_ms);
pm_stream *pm_newest_stream(pm_sql *sql, pm_objects *objects, pm_newest *n, pm_dialect dialect,
                            pm_state state);

/* Call when the streams change in the store: they are read again when needed. */
void pm_newest_forget(pm_newest *n);

#endif
