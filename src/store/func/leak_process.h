/* leak_process: the snapshots of a process and the runs of its keys, gathered in any order, and the
 * verdicts on them; no SQLite here. Zeroed, it is empty and safe to free. */
#ifndef PM_STORE_LEAK_PROCESS_H
#define PM_STORE_LEAK_PROCESS_H

#include "base/buf.h"
#include "base/pool.h"
#include "stats/leaks/leaks.h"

/* Where a snapshot is stored. */
typedef struct pm_leak_place {
    int64_t epoch, off;
} pm_leak_place;

/* A snapshot, and what it says about the process as a whole. */
typedef struct pm_leak_moment {
    int64_t ms, life;
    pm_leak_place place;
    pm_leak_sums sums;
} pm_leak_moment;

/* Values that are constant from a place to another one of the epoch. */
typedef struct pm_leak_piece {
    uint32_t key, category; /* text ids */
    int64_t epoch, first, last;
    double value[PM_METRIC_COUNT];
    int64_t n,
        life; /* of a series: its snapshots; first and last are times until they are spread */
} pm_leak_piece;

/* What of a key was touched. */
typedef struct pm_leak_touch {
    uint32_t key, category; /* text ids */
    pm_leak_window window;
} pm_leak_touch;

typedef struct pm_leak_lives {
    pm_pool *texts, *touch_texts;
    pm_leak_moment *moment;
    size_t n_moments, cap_moments;
    pm_leak_piece *run;
    size_t n_runs, cap_runs;
    pm_leak_touch *touch;
    size_t n_touches, cap_touches;
    pm_leak_options options;
    int64_t n_stretched; /* snapshots of a series; 0: a process */
} pm_leak_lives;

pmapdb_status pm_leak_lives_moment(pm_leak_lives *l, const pm_leak_moment *moment,
                                   pmapdb_error *err);
/* The run has the epoch, the places and the values. */
pmapdb_status pm_leak_lives_run(pm_leak_lives *l, pm_text key, pm_text category,
                                const pm_leak_piece *run, pmapdb_error *err);
pmapdb_status pm_leak_lives_window(pm_leak_lives *l, pm_text key, pm_text category,
                                   const pm_leak_window *window, pmapdb_error *err);

/* Adds a run of a series, the only key: one value of options.metric at n snapshots, which are
 * spread evenly from the time first to the time last. */
pmapdb_status pm_leak_lives_stretch(pm_leak_lives *l, pm_leak_piece run, double value,
                                    pmapdb_error *err);

/* Makes the snapshots of the sorted runs of a series. */
pmapdb_status pm_leak_lives_spread(pm_leak_lives *l, pmapdb_error *err);

/* Appends a JSON array: the whole process, then the keys, the worst first. Runs without a snapshot
 * do not count. Of a series: one object; runs that overlap are an error. */
pmapdb_status pm_leak_lives_judge(pm_leak_lives *l, pm_buf *json, pmapdb_error *err);
void pm_leak_lives_free(pm_leak_lives *l);

/* Moves the moments, runs or windows of `from`, which may be NULL, to where there are none. */
void pm_leak_lives_move(pm_leak_lives *to, pm_leak_lives *from);

#endif
