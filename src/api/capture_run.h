/* capture_run: what the parts of a live capture share: the run, its beat at hand, and what is
 * remembered of each process between beats. */
#ifndef PM_API_CAPTURE_RUN_H
#define PM_API_CAPTURE_RUN_H

#include "api/budget.h"
#include "api/capture_select.h"
#include "parse/live_map.h"
#include "store/write/live_reading.h"
#include "store/write/put.h"

/* One life of one pid. */
typedef struct pm_target {
    int64_t pid, start_time;
    uint64_t beat;    /* the last that met it */
    pm_live_map *map; /* its map as it was; NULL: forgotten */
    size_t bytes;     /* what that takes */
    bool asked;       /* the store was asked for rss_kib */
    int64_t rss_kib;  /* of its last stored snapshot; PMAPDB_UNKNOWN: there is none */
    bool recalled;    /* the store was asked for what its last reading cost */
    pm_budget budget; /* what its readings cost */
    /* the beat at hand: */
    bool waiting; /* it was read, and is not stored yet */
    bool refused; /* the store does not take it */
    pm_capture capture;
    pm_live live;
    pm_stored stored;
    pm_buf memory, cmdline, environment; /* the texts of live.standing */
    char source_dir[32], name[256], degraded[256];
} pm_target;

typedef struct pm_targets {
    pm_target **item; /* by pid */
    size_t n, cap;
    size_t bytes;       /* of all maps that are remembered */
    size_t ended_bytes; /* of those of processes that ended, since the store forgot them */
} pm_targets;

typedef struct pm_capture_run {
    pmapdb_store *store;
    const pmapdb_capture_options *options;
    pmapdb_capture_result *result;
    pm_selection selection;
    pm_buf shown; /* what is stored of it */
    pm_keep_cmdline *keep_cmdline;
    pm_targets targets;
    pm_budget_host budget;
    bool recalled; /* the store was asked for what readings on this host cost */
    pm_proc_host *machine;
    int root, lock;
    char boot_id[64], host[256];
    bool said_unreadable; /* that some cannot be read is said once */
    bool said_changed;    /* so is that a map changed too quickly */
    uint64_t n_begun;     /* beats */
    /* the beat at hand: */
    pm_sweep sweep;
    int64_t capture_id; /* 0: nothing of it is in the store */
    int64_t ended_ms;
    uint64_t stored;
} pm_capture_run;

/* ---- capture_target.c ---- */

/* The target of this life; another life of the pid is forgotten. */
pmapdb_status pm_targets_get(pm_targets *t, int64_t pid, int64_t start_time, pm_target **out,
                             pmapdb_error *err);
/* Those that this beat did not meet are gone. */
void pm_targets_sweep(pm_targets *t, uint64_t beat);
void pm_targets_free(pm_targets *t);

pmapdb_status pm_target_begin_map(pm_target *target, pm_dialect dialect, pmapdb_error *err);
/* After a reading: how much it holds now. */
void pm_target_weigh(pm_targets *t, pm_target *target);
void pm_target_forget_map(pm_targets *t, pm_target *target);

/* ---- capture_read.c ---- */

/* Reads the map and all that stands beside it; only PM_PROC_GOOD leaves something to store. */
pmapdb_status pm_capture_read(pm_capture_run *run, const pm_proc *p, pm_target *target,
                              pm_proc_fate *fate, pmapdb_error *err);

/* ---- capture_choose.c ---- */

/* smaps or maps: says in target->live what was predicted, and why it is maps. */
pmapdb_status pm_capture_choose(pm_capture_run *run, const pm_proc *p, pm_target *target,
                                pm_dialect *dialect, pmapdb_error *err);
/* What the reading of smaps that the target holds did cost. */
void pm_capture_learn(pm_capture_run *run, pm_target *target, int64_t longest_cpu_us);

/* ---- capture_sweep.c ---- */

/* One beat: reads all that is chosen, then stores it. */
pmapdb_status pm_capture_sweep(pm_capture_run *run, pmapdb_error *err);

/* ---- capture_store.c ---- */

/* How far apart captures of one moment may be; those of a sweep always are of one. */
#define PM_SWEEP_MS 1000

/* Stores what waits, with the beat's counts as they are now, in one transaction, and reports it. */
pmapdb_status pm_capture_store(pm_capture_run *run, pmapdb_error *err);

/* About a process that gave no snapshot. pid PMAPDB_UNKNOWN: about several. */
void pm_capture_tell(const pm_capture_run *run, int64_t pid, bool trouble, const char *text);

#endif
