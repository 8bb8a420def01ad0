/* recording: a text of perf script in the store. recording.c gathers its events in temporary tables
 * and writes it in one transaction (perf/replay.h); link-*.sql find its processes and their clocks.
 */
#ifndef PM_STORE_PERF_RECORDING_H
#define PM_STORE_PERF_RECORDING_H

#include "perf/text.h"
#include "store/file/store.h"

typedef struct pm_recording {
    pmapdb_store *store;
    pm_sql *sql;
    bool names_pids;           /* the text has the process of a thread */
    bool any_chain;            /* at least one event has a chain, if only of the kernel */
    uint64_t brks, short_brks; /* brk events with a chain; with a chain of one frame */
    int64_t recording_id;      /* of the stored recording */
    bool known;                /* the store had this recording already */
    int64_t first_process;     /* id of its first address space; the others follow */
} pm_recording;

/* Begins a recording, in a transaction that only has temporary tables: other writers do not wait. A
 * failure is reported by the next function. */
void pm_recording_begin(pm_recording *recording, pmapdb_store *store);
void pm_recording_free(pm_recording *recording);

/* Takes an event: a pm_perf_fn. Equal chains are stored once. */
pmapdb_status pm_recording_add(void *recording, const pm_perf_event *event, pmapdb_error *err);

/* Stores a recording. `file` is the name that the user gave; `hash` is the hash of all bytes of the
 * text and identifies it. A known recording stays unchanged, unless options->pid gives another
 * pid than it was stored with: then it is stored again. Takes over options->clock_offset_ns; an
 * offset that was given before and not this time is cleared, so that pm_perf_link finds one. */
pmapdb_status pm_recording_store(pm_recording *recording, const pm_perf_counts *counts,
                                 uint64_t hash, const char *file,
                                 const pmapdb_perf_options *options, pmapdb_error *err);

/* Links every traced process whose process or clock (the offset between UTC and perf's time) is
 * unknown; link-choose.sql has the rules. One transaction; returns at once if everything is
 * linked. */
pmapdb_status pm_perf_link(pmapdb_store *s, pmapdb_error *err);

#endif
