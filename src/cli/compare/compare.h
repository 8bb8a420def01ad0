/* compare: shared by the parts of pmapdb compare and pmapdb baseline. */
#ifndef PM_CLI_COMPARE_H
#define PM_CLI_COMPARE_H

#include "base/buf.h"
#include "base/pool.h"
#include "cli/cli.h"
#include "stats/runs/permute.h"
#include <stdio.h>

/* ---- runs: the runs that compare and baseline read, from stores, from names in the store, and
 * from files of baseline ---- */

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

/* ---- work: a counter of the work that a server has done, as a CSV file ---- */

/* Reads rows of time,count (requests so far), in order of time, into `json`: the parameter work of
 * the query runs, [[ms,count,part],...]. Where a count is smaller than the one before, the
 * counter began anew at 0: another part begins, and the counts of all parts are added up. Ends the
 * program if the file is not such a table. */
void pm_work_read(const char *path, pm_buf *json);

/* ---- findings: what differs between the runs of A and those of B ---- */

typedef enum pm_measure {
    PM_LEVEL,    /* KiB: median of the resident memory of a block, mean over the blocks */
    PM_PEAK,     /* KiB: most resident memory of the whole run, warm-up included */
    PM_GROWTH,   /* KiB an hour: slope of a straight line through the blocks */
    PM_PER_WORK, /* KiB a unit of work: the same against the work done */
    PM_PIECES,   /* mappings: as the level */
    PM_MEASURES
} pm_measure;

extern const char *const pm_measure_names[PM_MEASURES]; /* level, peak, ... */

typedef enum pm_outcome { PM_SAME, PM_BETTER, PM_WORSE, PM_CANNOT_TELL, PM_OUTCOMES } pm_outcome;

extern const char *const pm_outcome_names[PM_OUTCOMES]; /* same, better, worse, cannot tell */

typedef struct pm_finding {
    pm_text key;
    pm_measure measure;
    size_t column; /* of the samples */
    pm_contrast contrast;
    double tolerance; /* a smaller difference does not matter */
    pm_outcome outcome;
    int64_t runs_needed; /* in each group, to see a difference of the tolerance in 4 of 5
                            comparisons; PMAPDB_UNKNOWN: cannot be said */
} pm_finding;

typedef struct pm_findings {
    pm_finding *item; /* all measures of total, then those of each category */
    size_t n;
    size_t n_a, n_b; /* runs; if both are 1, their blocks are compared */
    bool blocks;     /* samples are blocks of one run each */
    double *samples; /* n_samples rows of `width` columns, those of A first */
    size_t n_samples, n_samples_a, width;
    double least; /* the smallest p that so few runs can have */
} pm_findings;

/* A difference of a category matters if it is larger than `share` of the whole process: of the
 * level of total, and, for growth, of that level in the time of a run. `alpha` is the largest
 * p_adjusted of a difference. */
void pm_findings_make(pm_findings *out, const pm_runs *runs, double share, double alpha);
void pm_findings_free(pm_findings *findings);

/* Corrects p_adjusted of these findings for them alone, instead of for all. */
void pm_findings_correct(const pm_findings *all, pm_finding *const *chosen, size_t n);

/* Judges one of the findings, by a tolerance. With one run of each, only growth is judged: how much
 * the level of one build differs from run to run is unknown. */
void pm_finding_judge(pm_finding *f, const pm_findings *all, double tolerance, double alpha);

/* ---- gates: what --fail-on asks, and the file of --junit ---- */

typedef struct pm_gate {
    const char *text; /* as given: "rss:+5%" */
    pm_finding finding;
} pm_gate;

typedef struct pm_gates {
    pm_gate *item;
    size_t n;
} pm_gates;

/* Reads the gates, and judges the finding of each by the amount that it allows, with p corrected
 * for the gates alone. Without gates, level and peak of total, and everything that is worse, are
 * the gates. */
void pm_gates_make(pm_gates *out, const pm_cli *cli, const pm_cli_list *asked,
                   const pm_findings *findings, double alpha);
void pm_gates_free(pm_gates *gates);

/* 1 if a gate is worse, else 3 if one cannot be told, else 0. */
int pm_gates_exit(const pm_gates *gates);

/* One line: what a finding says, in words. */
void pm_finding_put(FILE *out, const pm_finding *f, const pm_findings *all);

/* Writes a test case of JUnit for each gate. Ends the program if the file cannot be written. */
void pm_gates_junit(const pm_gates *gates, const pm_findings *all, const char *path);

#endif
