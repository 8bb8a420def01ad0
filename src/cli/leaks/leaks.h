/* leaks: shared by the commands that judge. The verdicts are rows of the query leaks as JSON, which
 * the queries leaks-words, leaks-cards, leaks-processes and plot-verdict take. */
#ifndef PM_CLI_LEAKS_H
#define PM_CLI_LEAKS_H

#include "cli/run.h"

typedef struct pm_leaks_cmd {
    pm_cli *cli;
    pm_run_args args;
    const char *series; /* a file; NULL: judge the store */
    bool check;
    char top[24];                   /* the value of --top for the query */
    int64_t leaks, judged, too_few; /* rows so far */
    int64_t most;                   /* snapshots of the longest row that has too few */
} pm_leaks_cmd;

/* Counts the verdict of the current row of leaks or leaks-series. */
void pm_leaks_see(void *leaks_cmd, const pmapdb_rows *row);

/* Runs leaks --series. Returns 0, or 2 if the file has bad rows. */
int pm_leaks_series(pm_leaks_cmd *l);

/* Returns the query leaks-words about these verdicts: what people read about each. */
pmapdb_rows *pm_leak_words(pmapdb_store *store, const char *leaks, bool human);
/* Returns the query leaks-cards: the pieces of the lines that people read. `by` says what the keys
 * are: "category", "object" or "lineage". top 0: all cards. */
pmapdb_rows *pm_leak_pieces(pmapdb_store *store, const char *leaks, bool human, const char *by,
                            size_t top);

/* Writes the pieces, and for each card who allocated it and what to do next. With --top N, shows
 * only N cards and counts the others. */
void pm_leak_cards(pm_output *out, const char *leaks, pmapdb_store *store, const char *by);

#endif
