/* who: which call stacks allocated what grew, if perf recorded them. */
#ifndef PM_CLI_WHO_H
#define PM_CLI_WHO_H

#include "cli/moment.h"
#include "cli/words.h"

/* ---- hints for leaks and diff ---- */

/* Texts may be empty, numbers PMAPDB_UNKNOWN. */
typedef struct pm_who_of {
    int64_t process_id;
    int64_t lineage;  /* PMAPDB_UNKNOWN: use the category */
    pm_text category; /* empty: all mappings of the process */
    pm_text from, to; /* values for --from and --to; empty: first, last */
    pm_text dialect;
} pm_who_of;

/* True if the store has any recording. */
bool pm_who_recorded(pmapdb_store *store);

/* Prints "97 % through session_alloc < handle_request < main (recording 2)". Returns false and
 * prints nothing if no recording covers any of the growth. */
bool pm_who_top(FILE *out, pmapdb_store *store, const pm_who_of *of);

/* ---- the command ---- */

#define PM_WHO_PARTS 3

typedef struct pm_who {
    pm_cli *cli;
    pm_run_args args;
    bool folded, events;
    const char *since, *until;
    const char *part[PM_WHO_PARTS]; /* --lineage, --category, --address; NULL: not given */
    char process[24];               /* the recorded one, as --process */
    char span[2][24];               /* the snapshots around the recording, as --from and --to */
    pm_moment older, newer;
    char *lineages;          /* of these parts: "[12,13]"; NULL: all lineages */
    int64_t size[2], rss[2]; /* of their mappings, older and newer, KiB; or PMAPDB_UNKNOWN */
} pm_who;

/* Returns a query with the arguments of the command, and with `lineages`. */
pmapdb_rows *pm_who_query(const pm_who *w, const char *name);

/* Writes the stacks as rows, or with --folded as lines like start;main;cache_fill 4096. */
void pm_who_stacks(const pm_who *w);

#endif
