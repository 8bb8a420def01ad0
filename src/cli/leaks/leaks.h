/* leaks: shared by the commands that judge. The verdicts are rows of the query leaks as JSON, which
 * the queries leaks-words, leaks-cards, leaks-processes and plot-verdict take. */
#ifndef PM_CLI_LEAKS_H
#define PM_CLI_LEAKS_H

#include "cli/run.h"

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
