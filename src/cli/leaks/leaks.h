/* leaks: what the parts of pmapdb leaks share. */
#ifndef PM_CLI_LEAKS_H
#define PM_CLI_LEAKS_H

#include "cli/leaks/rows.h"
#include "cli/run.h"

typedef struct pm_leaks_cmd {
    pm_cli *cli;
    pm_run_args args;
    const char *series; /* a file; NULL: the store is asked */
    bool check;
    size_t leaks, judged, too_few; /* rows */
    int64_t most;                  /* snapshots of the longest row that has too few */
} pm_leaks_cmd;

/* Counts a verdict. Snapshots may be PMAPDB_UNKNOWN. */
void pm_leaks_count(pm_leaks_cmd *l, pm_verdict verdict, int64_t snapshots);

/* leaks --series. Returns 0, or 2 if the file has bad rows. */
int pm_leaks_series(pm_leaks_cmd *l);

/* Cards for a person: a line that says it all, a card for each finding, the worst first, and the
 * healthy rest in as few lines as possible. `store` may know who allocated a finding; NULL: it has
 * no recording. `by` is what the keys are: "category", "object", "lineage". Of --top only so many
 * cards are shown, and the others counted. */
void pm_leak_cards(pm_output *out, const pm_leak_rows *rows, pmapdb_store *store, const char *by);

#endif
