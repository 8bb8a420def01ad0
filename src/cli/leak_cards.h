/* leak_cards: verdicts for somebody at three in the morning: a line that says it all, a short card
 * for each finding, the worst first, and the healthy rest in as few lines as possible. */
#ifndef PM_CLI_LEAK_CARDS_H
#define PM_CLI_LEAK_CARDS_H

#include "cli/leak_row.h"
#include "render/render.h"

/* `store` may know who allocated a finding; NULL: it has no recording. `by` is what the keys are:
 * "category", "object", "lineage". Of how->top only so many cards are shown, and the others
 * counted. */
pmapdb_status pm_leak_cards(const pm_leak_rows *rows, pmapdb_store *store, const char *by,
                            const pm_render_options *how, const pm_sink *sink, pmapdb_error *err);

#endif
