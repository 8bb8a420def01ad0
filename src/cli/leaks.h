/* leaks: what the parts of pmapdb leaks share. */
#ifndef PM_CLI_LEAKS_H
#define PM_CLI_LEAKS_H

#include "cli/run.h"

typedef struct pm_leaks_cmd {
    pm_cli *cli;
    pm_run_args args;
    const char *series, *meta, *context; /* files; series NULL: the store is asked */
    bool check;
    size_t leaks, judged, too_few; /* rows */
    int64_t most;                  /* snapshots of the row of too few that has most */
} pm_leaks_cmd;

/* Counts a verdict. Snapshots may be PMAPDB_UNKNOWN. */
void pm_leaks_count(pm_leaks_cmd *l, pm_text verdict, int64_t snapshots);

/* leaks --series: returns the exit code without what was counted. */
int pm_leaks_series(pm_leaks_cmd *l);

#endif
