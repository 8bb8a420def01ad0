/* check: what the parts of pmapdb check share: what is asked for, and what was found. */
#ifndef PM_CLI_CHECK_H
#define PM_CLI_CHECK_H

#include "cli/run.h"

/* In Nagios' order of numbers. */
typedef enum pm_check_state {
    PM_CHECK_OK,
    PM_CHECK_WARNING,
    PM_CHECK_CRITICAL,
    PM_CHECK_UNKNOWN
} pm_check_state;

enum pm_check_metric {
    PM_CHECK_RATE, /* of what leaks */
    PM_CHECK_ETA,  /* the only one of which less is worse */
    PM_CHECK_RSS,
    PM_CHECK_MAPPINGS,
    PM_CHECK_METRICS
};

/* KiB, KiB per hour, hours or mappings; NaN: not given, unknown, or of eta never. */
typedef struct pm_check_threshold {
    bool asked;
    double warning, critical;
    double value;                     /* of the worst process */
    struct pm_check_threshold **last; /* the metric that the next -w and -c are for */
} pm_check_threshold;

typedef struct pm_check {
    pm_cli *cli;
    pm_run_args args;
    pm_check_threshold of[PM_CHECK_METRICS], *last;
    int64_t max_age_ms; /* or PMAPDB_UNKNOWN */
    /* Found: */
    pm_check_state state;
    int64_t *alive;  /* the processes of the newest moment */
    char who[192];   /* the last of them */
    char blind[192]; /* one of which it is unknown now what is resident, or "" */
    size_t n_processes, alive_cap, n_leaks, n_findings;
    int64_t newest_ms; /* the newest snapshot of them */
    double beyond;     /* how far beyond its threshold the value judged last is, as a ratio */
    double worst;      /* the same of the worst finding of `state` */
    int64_t part_of;   /* the process of the worst finding, if that is a rate */
    double part_rate;
    char part[65];  /* what leaks most of it, or "" */
    char text[512]; /* the worst finding, or why nothing is known */
} pm_check;

/* Asks the store for all that is asked for; ends the program where nothing can be known. */
void pm_check_ask(pm_check *c);

#endif
