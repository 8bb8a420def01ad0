/* compare: shared by the parts of pmapdb compare and pmapdb baseline. */
#ifndef PM_CLI_COMPARE_H
#define PM_CLI_COMPARE_H

#include "base/buf.h"
#include "cli/answer.h"
#include "stats/runs/permute.h"

/* ---- sources: the runs of stores, of names in the store, and of files of baseline ---- */

/* How stores are read: parameters of the query runs; NULL: its default. */
typedef struct pm_runs_options {
    const char *process, *warm_up, *dialect;
    const char *work; /* path of a counter of work: a CSV file */
} pm_runs_options;

/* Adds the runs of a source to *sources: a store, a file of baseline, or NAME, NAME@FROM..TO or
 * NAME@KEY=VALUE (a label of the host) in the store of --db; NULL: the process of the options
 * there. Ends the program if there are none. */
void pm_sources_add(pm_buf *sources, const pm_cli *cli, const char *source, bool of_b,
                    const pm_runs_options *options);

/* Asks a query about the sources. The caller closes *store, which is in memory, after the rows. */
pmapdb_rows *pm_sources_ask(pm_buf *sources, const pm_cli *cli, const char *query,
                            pmapdb_store **store);

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
    size_t n_a, n_b;  /* runs; if both are 1, their blocks are compared */
    bool blocks;      /* samples are blocks of one run each */
    bool no_memory;   /* KiB cannot be compared */
    pm_cli_list keys; /* of the samples; owns its texts */
    double *samples;  /* n_samples rows of `width` columns, those of A first */
    size_t n_samples, n_samples_a, width, n_values, cap;
    double hours, work; /* of the first run; work NaN: the runs are aligned by time */
    double least;       /* the smallest p that so few runs can have */
} pm_findings;

/* Says what cannot be compared. A difference of a category matters if it is larger than `share` of
 * the whole process: of the level of total, and, for growth, of that level in the time of a run.
 * `alpha` is the largest p_adjusted of a difference. */
void pm_findings_make(pm_findings *out, pm_buf *sources, const pm_cli *cli, double share,
                      double alpha);
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

/* The caller frees out->item. Reads the gates, and judges the finding of each by the amount that it
 * allows, with p corrected for the gates alone. Without gates, level and peak of total, and
 * everything that is worse, are the gates. */
void pm_gates_make(pm_gates *out, const pm_cli *cli, const pm_cli_list *asked,
                   const pm_findings *findings, double alpha);

/* 1 if a gate is worse, else 3 if one cannot be told, else 0. */
int pm_gates_exit(const pm_gates *gates);

/* One line: what a finding says, in words. */
void pm_finding_put(FILE *out, const pm_finding *f, const pm_findings *all);

/* Writes a test case of JUnit for each gate. Ends the program if the file cannot be written. */
void pm_gates_junit(const pm_gates *gates, const pm_findings *all, const char *path);

#endif
