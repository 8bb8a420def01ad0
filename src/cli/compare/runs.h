/* runs: the runs that compare and baseline read, from stores, from names in the store, and from
 * files of baseline. */
#ifndef PM_CLI_COMPARE_RUNS_H
#define PM_CLI_COMPARE_RUNS_H

#include "base/pool.h"
#include "cli/cli.h"

#define PM_BLOCKS 9 /* of a run, after the warm-up; block 0 is the warm-up */

/* One row of the query runs. */
typedef struct pm_run_point {
    uint32_t run, key, block;              /* run: index in pm_runs; key: id in the pool */
    double mappings, rss_kib, rss_max_kib; /* NaN: unknown */
} pm_run_point;

typedef struct pm_one_run {
    const char *source; /* the word of the command line that it comes from */
    int64_t began_ms;
    uint32_t dialect;           /* id in the pool; 0: unknown */
    double page_kib;            /* NaN: unknown */
    double at_s[PM_BLOCKS + 1]; /* of each block; NaN: it has no snapshot */
    double work[PM_BLOCKS + 1]; /* NaN: unknown */
    bool used[PM_BLOCKS + 1];   /* the block is within the time, or the work, that all runs have */
    bool left_out;
    bool of_b;
} pm_one_run;

typedef struct pm_runs {
    pm_pool *keys;
    pm_one_run *run;
    size_t n, cap;
    pm_run_point *point;
    size_t n_points, cap_points;
    /* Set by pm_runs_align(): */
    bool by_work;    /* the work of every run is known, and aligns them */
    bool only_total; /* the categories of A and B cannot be compared */
    bool no_memory;  /* nor can their KiB: other sizes of pages */
} pm_runs;

/* How stores are read: parameters of the query runs; NULL: its default. */
typedef struct pm_runs_options {
    const char *process, *warm_up, *dialect;
    const char *work; /* a file of pm_work_read() */
} pm_runs_options;

void pm_runs_open(pm_runs *runs);
void pm_runs_free(pm_runs *runs);

/* Adds the runs of a source: a store, a file of baseline, or NAME, NAME@FROM..TO or
 * NAME@KEY=VALUE (a label of the host) in the store of --db; NULL: the process of the options
 * there. Ends the program if there are none. */
void pm_runs_read(pm_runs *runs, const pm_cli *cli, const char *source, bool of_b,
                  const pm_runs_options *options);

/* Leaves out runs that ended early or have too few snapshots, and blocks beyond the time or the
 * work that all other runs have; finds what of A and B can be compared; says all of it. */
void pm_runs_align(pm_runs *runs, const pm_cli *cli);

/* How many runs of A or B are not left out. */
size_t pm_runs_count(const pm_runs *runs, bool of_b);

#endif
