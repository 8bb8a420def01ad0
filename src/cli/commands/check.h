/* check: shared by the parts of pmapdb check: what the user asked for, and what was found. */
#ifndef PM_CLI_CHECK_H
#define PM_CLI_CHECK_H

#include "cli/run.h"

/* The order gives the exit codes of Nagios. */
typedef enum pm_check_state {
    PM_CHECK_OK,
    PM_CHECK_WARNING,
    PM_CHECK_CRITICAL,
    PM_CHECK_UNKNOWN
} pm_check_state;

enum pm_check_metric {
    PM_CHECK_RATE, /* of processes that leak */
    PM_CHECK_ETA,  /* the only metric where less is worse */
    PM_CHECK_RSS,
    PM_CHECK_GROWTH, /* of resident memory over growth_ms, whatever the verdict */
    PM_CHECK_MAPPINGS,
    PM_CHECK_METRICS
};

/* The unit is KiB, KiB per hour, hours or mappings. NaN: not given or unknown; for eta also:
 * never. */
typedef struct pm_check_threshold {
    bool asked;
    double warning, critical;
    double value;                     /* of the worst process */
    struct pm_check_threshold **last; /* the metric that the next -w and -c apply to */
} pm_check_threshold;

typedef struct pm_check {
    pm_cli *cli;
    pm_run_args args;
    pm_check_threshold of[PM_CHECK_METRICS], *last;
    int64_t max_age_ms; /* or PMAPDB_UNKNOWN */
    int64_t growth_ms;
    /* Results: */
    pm_check_state state;
    int64_t *alive;  /* ids of the processes of the newest moment */
    char who[192];   /* the last of these processes */
    char blind[192]; /* a process whose resident memory is currently unknown, or "" */
    size_t n_processes, alive_cap, n_leaks, n_suspects, n_findings;
    double suspected;          /* growth per hour of the fastest suspect, in KiB; NaN: unknown */
    int64_t newest_ms, newest; /* the newest snapshot of these processes, and its process */
    char at[PM_CLOCK_TEXT];    /* when the last judged values were read */
    char as_of[PM_CLOCK_TEXT]; /* the same of the worst finding; of all values, the oldest */
    double beyond;             /* how far the last judged value exceeds its threshold, as a ratio */
    double worst;              /* the same ratio for the worst finding of `state` */
    char part[65];             /* the part of that process that leaks most, or "" */
    char text[512];            /* the worst finding, or why the state is unknown */
} pm_check;

/* Queries the store for everything that the user asked for. Ends the program if the store has no
 * snapshots or a query fails. */
void pm_check_ask(pm_check *c);

#endif
