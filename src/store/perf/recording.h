/* recording: stores a text of perf script that was read into memory (perf/trace.h): replays it
 * (perf/replay.h) and writes it in one transaction. If the program is killed, nothing is stored. */
#ifndef PM_STORE_PERF_RECORDING_H
#define PM_STORE_PERF_RECORDING_H

#include "perf/trace.h"
#include "store/file/store.h"

typedef struct pm_recording_options {
    const char *file;        /* the name that the user gave */
    const char *host;        /* NULL: unknown */
    int64_t pid;             /* the process of a text that has only thread ids, or PMAPDB_UNKNOWN */
    int64_t clock_offset_ns; /* UTC minus perf's time, or PMAPDB_UNKNOWN */
} pm_recording_options;

typedef struct pm_recording_result {
    int64_t recording_id;
    bool known; /* the recording was already stored */
} pm_recording_result;

/* Stores a recording. `hash` is the hash of all bytes of the text and identifies it. A known
 * recording stays unchanged, unless its pid was unknown and options->pid gives it: then it is
 * stored again. Takes over options->clock_offset_ns; an offset that was given before and not this
 * time is cleared, so that pm_perf_link finds one. */
pmapdb_status pm_recording_store(pm_trace *t, pmapdb_store *s, uint64_t hash,
                                 const pm_recording_options *options, pm_recording_result *out,
                                 pmapdb_error *err);

#endif
