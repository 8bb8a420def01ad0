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

#endif
