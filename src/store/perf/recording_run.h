/* recording_run: what the two readings of a recording share. */
#ifndef PM_STORE_PERF_RECORDING_RUN_H
#define PM_STORE_PERF_RECORDING_RUN_H

#include "store/perf/recording.h"
#include "store/perf/spool.h"
#include "store/perf/threads.h"

struct pm_recording {
    pm_spool *spool;
    pm_threads threads;
    pm_recording_result result;
};

/* The second reading: its events into tables thread, frame, stack, call, extent, foreign_extent.
 * Its tracees are there. Fills in the rest of the result. */
pmapdb_status pm_recording_run(pm_recording *r, pm_sql *sql, pmapdb_error *err);

#endif
