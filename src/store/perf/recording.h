/* recording: a text of perf script in the store. recording.c replays one that was read into memory
 * (perf/trace.h, perf/replay.h) and writes it in one transaction; link.c finds its processes and
 * their clocks; copy.c takes recordings of another store over. */
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
pmapdb_status pm_recording_store(const pm_trace *t, pmapdb_store *s, uint64_t hash,
                                 const pm_recording_options *options, pm_recording_result *out,
                                 pmapdb_error *err);

/* Links every traced process whose process or clock (the offset between UTC and perf's time) is
 * unknown; link-choose.sql has the rules. One transaction; returns at once if everything is
 * linked. */
pmapdb_status pm_perf_link(pmapdb_store *s, pmapdb_error *err);

/* Copies the recordings that this store does not have (found by their hash), each in its own
 * transaction. `host` is the host of recordings whose host is unknown in `from`, or NULL. Does not
 * find their processes in this store: pm_perf_link does. Sets *is_theirs if the cause of a failure
 * is `from`, which is only read. */
pmapdb_status pm_perf_copy(pmapdb_store *into, pmapdb_store *from, const char *host,
                           bool *is_theirs, pmapdb_error *err);

#endif
