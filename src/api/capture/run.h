/* run: the state of a live capture that its steps share: select -> choose -> read -> put,
 * at every beat.
 *
 * Errors are sticky: `st` and `error` hold the first failure of a beat, and the steps after it do
 * nothing. did() notes the status of a call. */
#ifndef PM_API_CAPTURE_RUN_H
#define PM_API_CAPTURE_RUN_H

#include "api/names.h"
#include "parse/live_map.h"
#include "source/copy.h"
#include "source/pages/idle.h"
#include "source/pages/pagemap.h"
#include "source/proc.h"
#include "store/file/steps.h"
#include "store/func/expression.h"
#include "store/write/live_reading.h"
#include "store/write/put.h"

/* A process named by its pid. A later process with the same pid does not count. */
typedef struct pm_named {
    int64_t pid;
    int64_t start_time; /* PMAPDB_UNKNOWN: not seen yet */
    bool done;          /* it ended or gives no snapshot: the run does not look for it again */
} pm_named;

/* Which processes a run captures: those named by pid, all, or the matches of an expression. */
typedef struct pm_selection {
    pm_named *named; /* ascending; NULL: all processes, or the matches */
    size_t n_named;
    int64_t self;         /* the pid of this program, which is captured only if named by pid */
    pm_expression *match; /* NULL: all processes, or the named ones */
    unsigned needs;       /* the facts that `match` needs */
    pm_buf text;          /* the words of the user: "4711 4712", "--match EXPR", "--all" */
    /* of the current beat: */
    int64_t *pids; /* ascending */
    size_t n_pids;
    pm_buf memory;
} pm_selection;

/* What the run remembers between beats about one life of a pid. */
typedef struct pm_target {
    int64_t pid, start_time;
    uint64_t beat;   /* the last beat that met the process */
    pm_live_map map; /* at the last reading; empty: forgotten */
    /* of the current beat: */
    bool waiting; /* read, but not stored yet */
    bool refused; /* the store refuses it */
    pm_capture capture;
    pm_live live;
    pm_stored stored;
    pm_buf memory, cmdline, environment; /* the texts of live.standing */
    char source_dir[32], name[256], degraded[256];
    /* with --touched: */
    pm_clearing clearing; /* process_id 0: nothing of this beat was stored */
    int64_t start_stack;
    bool is_due; /* the time since the last clearing is over */
    bool told_not_cleared;
} pm_target;

typedef struct pm_targets {
    pm_target **item; /* by pid */
    size_t n, cap;
    size_t ended; /* targets forgotten since pm_store_forget() */
} pm_targets;

/* Which processes of a beat share which pages. */
typedef struct pm_capture_pages {
    pm_pagemap map;
    pm_sets sets;
    pm_chunks chunks;
    uint32_t n;        /* processes that were read */
    pm_page_scan scan; /* of the beat; its sets are in `written` */
    pm_buf written;
    bool failed, told;     /* failed: the beat has no scan */
    pm_page_ranges ranges; /* of the current process */
} pm_capture_pages;

typedef struct pm_capture_run {
    pmapdb_store *store;
    const pmapdb_capture_options *options;
    pmapdb_capture_result *result;
    pm_selection selection;
    pm_buf shown; /* the name of the selection in the store */
    pm_keep_cmdline keep_cmdline;
    pm_names_file names;
    pm_targets targets;
    pm_capture_pages pages;
    pm_idle *idle; /* with --touched: page idle tracking; NULL: clear_refs */
    pm_proc_host *machine;
    pm_copy copy; /* /proc, or what --proc names */
    int root, lock;
    bool copied; /* --proc names a copy: its times are in it */
    char boot_id[64], host[256];
    bool told_unreadable; /* unreadable processes are reported once, */
    bool told_torn;       /* and so is a map that changes too quickly, */
    bool told_clearing;   /* and why no accessed bits are cleared */
    uint64_t n_begun;     /* beats begun */
    /* of the current beat: */
    pm_sweep sweep;
    int64_t capture_id; /* 0: the store has nothing of the beat */
    size_t map_bytes;   /* of the maps that were read and wait */
    pmapdb_status st;
    pmapdb_error error;
} pm_capture_run;

/* Notes the status of a call that got &run->error; true if nothing has failed. */
static inline bool did(pm_capture_run *run, pmapdb_status st)
{
    if (run->st == PMAPDB_OK)
        run->st = st;
    return run->st == PMAPDB_OK;
}

/* ---- select.c ---- */

pmapdb_status pm_select_init(pm_selection *s, const pmapdb_capture_options *o, pmapdb_error *err);
void pm_select_free(pm_selection *s);

/* Fills s->pids with the processes that exist now. */
pmapdb_status pm_select_list(pm_selection *s, int root, pmapdb_error *err);

/* root: a handle on /proc. *holds: the process is selected. *hidden: this user may not read the
 * facts that decide. */
pmapdb_status pm_select_holds(pm_selection *s, int root, const pm_proc *p, pm_proc_host *machine,
                              bool *holds, bool *hidden, pmapdb_error *err);

/* What is known of a process, for an expression; not its ancestors. */
pm_facts pm_select_facts(const pm_proc *p, const pm_standing *s);

/* Returns NULL if processes are not selected by pid. */
pm_named *pm_select_named(pm_selection *s, int64_t pid);
bool pm_select_any_left(const pm_selection *s);

/* ---- capture.c ---- */

/* When the beats of a run are due: pure.
 * The first beat is at once, the others at multiples of the step in UTC, so that the beats of
 * several hosts and runs coincide; a boundary within half a step of the first beat is skipped. A
 * beat that could not begin within a quarter of a step is missed, and the run waits for the next: a
 * host on which reading takes longer than the step gets a rest between beats.
 *
 * Each look reads two clocks: UTC, and one that nobody sets. Where UTC moved against the other
 * clock (it was set, or the machine slept), the beats are aligned anew, and no beat counts as
 * missed. */
typedef struct pm_clocks {
    int64_t utc_ns, mono_ns;
} pm_clocks;

typedef struct pm_beats {
    int64_t step_ns;
    int64_t due_ns; /* UTC of the next beat */
    pm_clocks seen; /* the clocks at the last look */
} pm_beats;

typedef struct pm_beat_look {
    int64_t wait_ns;  /* 0: a beat is due; else the longest wait until the next look */
    int64_t missed;   /* beats that passed since the last look */
    int64_t moved_ns; /* how far UTC moved against the other clock; 0: not significantly */
} pm_beat_look;

void pm_beats_begin(pm_beats *b, int64_t step_ns, pm_clocks now);
pm_beat_look pm_beats_look(pm_beats *b, pm_clocks now);

/* ---- sweep.c ---- */

/* Returns the target of this life; forgets another life of the pid. NULL if memory runs out. */
pm_target *pm_targets_get(pm_targets *t, int64_t pid, int64_t start_time);
void pm_targets_free(pm_targets *t);

/* The maps that were read may take this much memory. Beyond this size, a beat is stored in parts,
 * and maps are not kept for the next beat. */
#define PM_MAPS_BYTES ((size_t)256 << 20)

/* Runs one beat: reads all selected processes, then stores them. */
void pm_capture_sweep(pm_capture_run *run);

/* ---- choose.c ---- */

/* Chooses what is read: what the options ask for, or pagemap if smaps would stall the process for
 * longer than --max-stall. *piece: the bytes per read(2). Sets live.predicted_us if the process is
 * not small, and live.degraded if --max-stall decides for pagemap. */
pm_dialect pm_capture_choose(pm_capture_run *run, const pm_proc *p, pm_target *target,
                             size_t *piece);

/* ---- read.c ---- */

/* Reads the map and the facts beside it. Sets target->waiting if there is something to store, which
 * only PM_PROC_GOOD can leave. */
pm_proc_fate pm_capture_read(pm_capture_run *run, const pm_proc *p, pm_target *target);

/* ---- pages.c: which processes share pages, if the options ask for it; the dialect pagemap ---- */

/* Begins and ends a run; begins a beat. */
bool pm_capture_pages_open(pm_capture_run *run);
void pm_capture_pages_close(pm_capture_run *run);
void pm_capture_pages_begin(pm_capture_run *run);

/* Reads the pages of all waiting processes, one after another. */
void pm_capture_pages_read(pm_capture_run *run);
/* Stores the scan of the beat; within a transaction. */
void pm_capture_pages_put(pm_capture_run *run, int64_t capture_id);

/* Adds what pagemap knows to the mappings that maps gave: resident, private, anonymous, swapped.
 * The capture is then of the dialect pagemap. False: pagemap could not be read; if only because
 * this user may not, *fate stays PM_PROC_GOOD. */
bool pm_capture_pages_fill(pm_capture_run *run, const pm_proc *p, pm_target *t, pm_proc_fate *fate);
/* Makes the ranges of the rows of a capture, for a reading with pauses. */
pmapdb_status pm_capture_pages_ranges(pm_capture_run *run, const pm_target *t);

/* ---- touched.c: does nothing unless the options ask for what was touched ---- */

/* Begins a run. */
bool pm_capture_touched_open(pm_capture_run *run);
/* Reads what the process has done, after its map; and what was touched, if page idle tracking
 * knows it and a window ends. */
void pm_capture_touched_read(pm_capture_run *run, const pm_proc *p, pm_target *target);
/* Clears the accessed bits of the processes that the beat stored, where it is time and allowed. */
void pm_capture_touched_clear(pm_capture_run *run);

/* ---- put.c ---- */

/* Stores the waiting captures with the counts of the beat in one transaction, and reports them. */
void pm_capture_put(pm_capture_run *run);

/* Reports a process without a snapshot. pid PMAPDB_UNKNOWN: several processes. */
void pm_capture_tell(const pm_capture_run *run, int64_t pid, bool trouble, const char *text);

#endif
