/* check: what the parts of pmapdb check share: what is asked for, and what was found. */
#ifndef PM_CLI_CHECK_H
#define PM_CLI_CHECK_H

#include "cli/run.h"

typedef enum pm_check_metric {
    PM_CHECK_RATE, /* KiB per hour, of what leaks */
    PM_CHECK_ETA,  /* hours; the only one of which less is worse */
    PM_CHECK_RSS,  /* KiB */
    PM_CHECK_MAPPINGS,
    PM_CHECK_METRICS
} pm_check_metric;

/* In the order in which one outweighs the other; their numbers for Nagios are another matter. */
typedef enum pm_check_state {
    PM_CHECK_OK,
    PM_CHECK_UNKNOWN,
    PM_CHECK_WARNING,
    PM_CHECK_CRITICAL
} pm_check_state;

typedef struct pm_check {
    pm_cli *cli;
    pm_run_args args;
    bool asked[PM_CHECK_METRICS];
    double warning[PM_CHECK_METRICS], critical[PM_CHECK_METRICS]; /* NaN: none */
    int metric;         /* the last one asked for, or -1 */
    int64_t max_age_ms; /* or PMAPDB_UNKNOWN */
    /* Found: */
    pm_check_state state;
    double value[PM_CHECK_METRICS]; /* of the worst process; NaN: unknown, or of eta never */
    int64_t *alive;                 /* the processes of the newest moment */
    char blind[192];                /* one of which it is unknown now what is resident, or "" */
    size_t n_processes, alive_cap, n_leaks, n_findings;
    int64_t newest_ms; /* the newest snapshot of them */
    double worst;    /* how far beyond its threshold the worst finding of `state` is, as a ratio */
    char text[512];  /* the worst finding, or why nothing is known */
    char quiet[256]; /* what there is to say where all is well */
} pm_check;

/* Asks the store for all that is asked for; a failure is why nothing is known. */
pmapdb_status pm_check_ask(pm_check *c, pmapdb_store *store, pmapdb_error *err);

/* One process's value. `what` is the finding in words, which is said if it is the worst. */
void pm_check_judge(pm_check *c, pm_check_metric metric, double value, const char *what);

/* Why a part of what was asked for is not known. */
void pm_check_unknown(pm_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
