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

/* Counts the verdict of the current row of leaks or leaks-series. */
void pm_leaks_see(void *leaks_cmd, const pmapdb_rows *row);

/* Runs leaks --series. Returns 0, or 2 if the file has bad rows. */
int pm_leaks_series(pm_leaks_cmd *l);

/* Returns the query leaks-words about these rows: what people read about each. */
pmapdb_rows *pm_leak_words(pmapdb_store *store, const pm_leak_row *begin, const pm_leak_row *end,
                           bool human);
/* Returns the query leaks-cards about these rows: the pieces of the lines that people read. `by`
 * says what the keys are: "category", "object" or "lineage". top 0: all cards. */
pmapdb_rows *pm_leak_pieces(pmapdb_store *store, const pm_leak_row *begin, const pm_leak_row *end,
                            bool human, const char *by, size_t top);

/* Writes the pieces, and for each card who allocated it and what to do next. With --top N, shows
 * only N cards and counts the others. */
void pm_leak_cards(pm_output *out, const pm_leak_rows *rows, pmapdb_store *store, const char *by);

#endif
