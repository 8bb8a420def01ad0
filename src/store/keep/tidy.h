/* tidy: makes a store as small as if it had been given in order, and nothing else, what it holds.
 *
 * Closes the holes that removed captures leave in epochs, joins epochs that late captures split,
 * removes regions, lineages and rows of dictionaries that no capture shows. No answer changes. The
 * work is that of the keep-*.sql files; foreign keys are off (pm_store_begin_tidying).
 */
#ifndef PM_STORE_TIDY_H
#define PM_STORE_TIDY_H

#include "store/file/steps.h"
#include "store/file/store.h"

/* Snapshots in one transaction: other writers wait for it. */
#define PM_TIDY_SNAPSHOTS 2048

/* Inside a transaction: what the temp tables tidy_process and tidy_epoch name. Errors are kept in
 * s->sql. */
void pm_tidy_some(pmapdb_store *s);

/* Every process, some in each transaction. */
pmapdb_status pm_tidy_all(pmapdb_store *s, const pm_steps *steps, pmapdb_error *err);

/* Rows of dictionaries, in one transaction. Live captures without snapshots tell that nothing was
 * found; only those up to until_ms go, none where that is PMAPDB_UNKNOWN. */
pmapdb_status pm_tidy_rest(pmapdb_store *s, int64_t until_ms, pmapdb_error *err);

/* As pmapdb_compact(). */
pmapdb_status pm_store_compact(pmapdb_store *s, const pmapdb_compact_options *options,
                               pmapdb_compact_result *result, pmapdb_error *err);

/* Ends a transaction with the outcome of its steps: commits, or rolls back and hands out the first
 * failure. */
pmapdb_status pm_tidy_commit(pmapdb_store *s, pmapdb_error *err);

#endif
