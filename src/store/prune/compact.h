/* compact: makes the store as small as if what it holds had come in order and alone.
 *
 * Late captures split epochs, a prune leaves holes in them, and regions, lineages and rows of the
 * dictionaries that nothing shows. Works in small transactions, each of which leaves the store
 * whole and every answer as it was.
 */
#ifndef PM_STORE_COMPACT_H
#define PM_STORE_COMPACT_H

#include "store/steps.h"
#include "store/store.h"

/* All of it, as pmapdb_compact(); for whoever looks after a store (doctor). */
pmapdb_status pm_store_compact(pmapdb_store *s, const pmapdb_compact_options *options,
                               pmapdb_compact_result *result, pmapdb_error *err);

/* ---- its parts, for prune; foreign keys are off (pm_store_begin_tidying) ---- */

/* Every process in table untidy: its epochs, then its regions and lineages. One that the disk has
 * no room for stays untidy; the error of a full disk comes when the others are done. */
pmapdb_status pm_tidy_processes(pmapdb_store *s, const pm_steps *steps, pmapdb_error *err);

/* The streams of one process: holes close, neighbouring epochs join where one that was appended to
 * could be as large. In compact_epochs.c. */
pmapdb_status pm_tidy_epochs(pmapdb_store *s, int64_t process_id, pmapdb_error *err);

/* Its regions and lineages that nothing shows go, lineages begin where they now do; it is no longer
 * untidy. In compact_lineages.c. */
pmapdb_status pm_tidy_lineages(pmapdb_store *s, int64_t process_id, pmapdb_error *err);

/* Rows of the dictionaries that nothing refers to, until they do not fit on a full disk. Live
 * sweeps without snapshots tell that nothing was found: only those up to until_ms go. In
 * compact_rest.c. */
pmapdb_status pm_tidy_rest(pmapdb_store *s, int64_t until_ms, const pm_steps *steps,
                           pmapdb_error *err);

#endif
