/* tidy: makes a store about as small as if its captures had arrived in order and the removed ones
 * never.
 *
 * Removes versions, regions, lineages and rows of dictionaries that no capture shows; joins epochs
 * that a prune left short or that late captures split. No answer changes. A prune leaves gaps
 * between the places of the captures that stay; pm_tidy_all closes them. The keep-*.sql files do
 * the work; foreign keys are off (pm_store_begin_tidying).
 */
#ifndef PM_STORE_TIDY_H
#define PM_STORE_TIDY_H

#include "store/file/steps.h"
#include "store/file/store.h"

/* Snapshots that a prune removes in one transaction, for which other writers wait; those with many
 * mappings count more. */
#define PM_TIDY_SNAPSHOTS 4096

/* s->sql keeps the failures of these functions. */

/* Ends a transaction. After a failure it rolls back. */
void pm_tidy_commit(pmapdb_store *s);

/* Tidies inside a transaction: the processes of keep-all.sql in full (`whole`), or only what lost
 * captures by keep-remove.sql. These files fill the temp tables of tidy-begin.sql. */
void pm_tidy_some(pmapdb_store *s, bool whole);

/* Tidies every process, some in each transaction. */
void pm_tidy_all(pmapdb_store *s, const pm_steps *steps);

/* Removes unused rows of dictionaries, in one transaction. A live capture without snapshots is the
 * record that no process was found; those up to until_ms are removed, with PMAPDB_UNKNOWN none. */
void pm_tidy_rest(pmapdb_store *s, int64_t until_ms);

#endif
