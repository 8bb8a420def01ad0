/* findings: what differs between the runs of A and those of B. */
#ifndef PM_CLI_COMPARE_FINDINGS_H
#define PM_CLI_COMPARE_FINDINGS_H

#include "cli/compare/runs.h"
#include "stats/runs/permute.h"
#include <stdio.h>

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

#endif
