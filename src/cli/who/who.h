/* who: which call stacks allocated what grew, if perf recorded them. */
#ifndef PM_CLI_WHO_H
#define PM_CLI_WHO_H

#include "cli/moment.h"
#include "cli/words.h"

/* True if the store has any recording. */
bool pm_who_recorded(pmapdb_store *store);

/* Prints "97 % through session_alloc < handle_request < main (recording 2)". The current row of
 * `of` has the columns process, lineage, category, dialect, from and to. Returns false and prints
 * nothing if no recording covers any of the growth. */
bool pm_who_top(FILE *out, pmapdb_store *store, const pmapdb_rows *of);

#endif
