/* who: which call stacks allocated what grew, where perf recorded them. */
#ifndef PM_CLI_WHO_H
#define PM_CLI_WHO_H

#include "cli/moment.h"
#include "cli/words.h"

/* ---- hints of leaks and diff ---- */

/* Texts may be empty, numbers PMAPDB_UNKNOWN. */
typedef struct pm_who_of {
    int64_t process_id;
    int64_t lineage;  /* or else: */
    pm_text category; /* empty: all mappings of the process */
    pm_text from, to; /* as --from and --to take them; empty: first, last */
    pm_text dialect;
} pm_who_of;

/* Whether the store has a recording at all. */
bool pm_who_recorded(pmapdb_store *store);

/* Prints "97 % through session_alloc < handle_request < main (recording 2)". Returns false and
 * prints nothing where no recording covers any of the growth. */
bool pm_who_top(FILE *out, pmapdb_store *store, const pm_who_of *of);

/* ---- the command ---- */

typedef struct pm_who {
    pm_cli *cli;
    pm_run_args args;
    bool folded, events;
    const char *since, *until;
    const char *const *word; /* 12 or L12, a category, an address */
    size_t n_words;          /* 0: all mappings */
    pm_moment older, newer;
    char *lineages;          /* of the words: "[12,13]"; NULL: all */
    int64_t size[2], rss[2]; /* of these mappings, older and newer, KiB; PMAPDB_UNKNOWN */
} pm_who;

/* Fills lineages, size and rss. Ends the program where a word names no mapping. */
void pm_who_find_mappings(pm_who *w);

/* A query with the arguments of the command, and `lineages` if it has that parameter. */
pmapdb_rows *pm_who_query(const pm_who *w, const char *name);

/* Writes the stacks as rows, or with --folded as start;main;cache_fill 4096. */
void pm_who_stacks(const pm_who *w);

#endif
