/* recording: a text of perf script, read into memory (perf/trace.h), on its way into the store. It
 * is replayed (perf/replay.h) and written in one transaction: a program that is killed leaves
 * nothing. */
#ifndef PM_STORE_PERF_RECORDING_H
#define PM_STORE_PERF_RECORDING_H

#include "perf/trace.h"
#include "store/file/store.h"

typedef struct pm_recording_options {
    const char *file;        /* as the user named it */
    const char *host;        /* or NULL: unknown */
    int64_t pid;             /* of a text that has thread ids alone, or PMAPDB_UNKNOWN */
    int64_t clock_offset_ns; /* UTC minus perf's time, or PMAPDB_UNKNOWN */
} pm_recording_options;

typedef struct pm_recording_result {
    int64_t recording_id;
    bool known; /* it was stored already */
} pm_recording_result;

/* `hash` is that of all bytes of the text, by which it is known again. A known recording stays as
 * it is, unless nobody knew its pid and options->pid says it now: then it is stored anew.
 * options->clock_offset_ns is taken over; one that was given before and is not now is forgotten, so
 * that pm_perf_link finds it. */
pmapdb_status pm_recording_store(pm_trace *t, pmapdb_store *s, uint64_t hash,
                                 const pm_recording_options *options, pm_recording_result *out,
                                 pmapdb_error *err);

#endif
