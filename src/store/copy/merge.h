/* merge: copies the captures of another store into this one. The captures of each process are
 * recalled from the other store and put into this one, in time order. The result equals a store
 * that had received all captures. This store gives its own ids.
 *
 * Known snapshots. A snapshot is known by host, pid, dialect, hash and time (an mtime
 * in whole seconds), a live one also by the boot and the start time of its process. Blocks of a log
 * without times are known by their sequence too, as in an import (write/import_log.h). Known
 * snapshots are skipped, and snapshots that were pruned here are skipped, too. For text, the prune
 * recorded them (table forgotten). A snapshot of a beat is pruned if this store has the beat but
 * not the snapshot, because a beat is always stored in full. A whole beat is pruned if a prune here
 * removed it or a newer beat of its schedule. Data that a prune removed from another store is not
 * known as pruned here: a store that still has the data restores it.
 *
 * Lineages and categories are decided again, as in an import, with the rules of this store. Facts
 * that only pruned captures showed are lost: a mapping that moved meanwhile begins a new lineage.
 *
 * Moments of one name are grouped again from the captures of both stores, by sweep_ms; the captures
 * of a beat have one time and are one moment for any sweep_ms.
 *
 * Transactions are short: other writers of this store get their turn between them, and committed
 * data stays.
 */
#ifndef PM_STORE_COPY_MERGE_H
#define PM_STORE_COPY_MERGE_H

#include "store/file/store.h"

typedef struct pm_merge_counts {
    pmapdb_merge_event event; /* only its numbers are set */
    uint64_t hostless;        /* processes with new snapshots and an unknown host */
    bool met_hostless;        /* this store already had processes with an unknown host */
} pm_merge_counts;

/* Merges `from` into `into`. `into` NULL: an empty store, for a dry run. *theirs: the cause of the
 * failure is `from`; other stores can still be merged. */
pmapdb_status pm_merge_store(pmapdb_store *into, pmapdb_store *from,
                             const pmapdb_merge_options *options, pm_merge_counts *counts,
                             bool *theirs, pmapdb_error *err);

#endif
