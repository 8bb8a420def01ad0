/* recording: a text of perf script on its way into the store.
 *
 * Events go in as they are read and wait in a temporary file (spool.h). Once all are there, they
 * are put in order (reorder.h), paired (pair.h), replayed (replay.h) and written, in one
 * transaction: a program that is killed leaves nothing. */
#ifndef PM_STORE_PERF_RECORDING_H
#define PM_STORE_PERF_RECORDING_H

#include "parse/perf.h"
#include "store/store.h"

typedef struct pm_recording pm_recording;

typedef struct pm_recording_options {
    const char *file;        /* as it was named */
    const char *host;        /* or NULL: unknown */
    int64_t pid;             /* of text that has threads alone, or PMAPDB_UNKNOWN */
    int64_t clock_offset_ns; /* UTC is perf's time plus this, or PMAPDB_UNKNOWN */
} pm_recording_options;

typedef struct pm_recording_result {
    int64_t recording_id;
    bool known;      /* it was there already */
    uint64_t calls;  /* with both halves */
    uint64_t failed; /* of them */
    uint64_t unended, unbegun;
    uint64_t bad;
    int64_t lost;  /* PMAPDB_UNKNOWN: the text does not say */
    uint64_t late; /* events out of order by more than the window */
    uint64_t threads, tracees;
    uint64_t homeless; /* threads of which nobody knows whose they are: not replayed */
    int64_t first_ns, last_ns;
    bool shallow; /* most chains of brk have one frame: nothing above libc was found */
    bool chains;  /* there are chains at all */
} pm_recording_result;

pmapdb_status pm_recording_new(pm_recording **out, pmapdb_error *err);
void pm_recording_free(pm_recording *r);

/* For pm_perf_events. */
pmapdb_status pm_recording_event(void *recording, const pm_perf_event *event, pmapdb_error *err);
pmapdb_status pm_recording_lost(void *recording, uint64_t n, pmapdb_error *err);
pmapdb_status pm_recording_bad(void *recording, uint64_t line, const char *why, pmapdb_error *err);

/* Once, behind the last event; `hash` is that of all its bytes, by which it is known again. One
 * that is there is left as it is; where nobody knew its pid and options->pid says it now, it is
 * stored anew, and options->clock_offset_ns is taken over, or
 * found out again where it was given before and is not now. */
pmapdb_status pm_recording_store(pm_recording *r, pmapdb_store *s, uint64_t hash,
                                 const pm_recording_options *options, pm_recording_result *out,
                                 pmapdb_error *err);

#endif
