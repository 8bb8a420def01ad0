/* leaks: shared by the parts of pmapdb leaks. */
#ifndef PM_CLI_LEAKS_H
#define PM_CLI_LEAKS_H

#include "cli/leaks/rows.h"
#include "cli/run.h"

typedef struct pm_leaks_cmd {
    pm_cli *cli;
    pm_run_args args;
    const char *series; /* a file; NULL: judge the store */
    bool check;
    char top[24];                  /* the value of --top for the query */
    size_t leaks, judged, too_few; /* rows so far */
    int64_t most;                  /* snapshots of the longest row that has too few */
} pm_leaks_cmd;

/* Counts a verdict. `snapshots` may be PMAPDB_UNKNOWN. */
void pm_leaks_count(pm_leaks_cmd *l, pm_verdict verdict, int64_t snapshots);

/* Runs leaks --series. Returns 0, or 2 if the file has bad rows. */
int pm_leaks_series(pm_leaks_cmd *l);

/* Writes cards for people: a summary line, a card for each finding, worst first, and the healthy
 * parts in as few lines as possible. Asks `store` who allocated a finding; NULL: it has no
 * recording. `by` says what the keys are: "category", "object" or "lineage". With --top N, shows
 * only N cards and counts the others. */
void pm_leak_cards(pm_output *out, const pm_leak_rows *rows, pmapdb_store *store, const char *by);

#endif
