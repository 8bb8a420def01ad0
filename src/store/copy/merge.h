/* merge: what another store holds, into this one. The captures of each process are recalled there
 * and put here, in time order; the result is what one store would hold that had seen all captures.
 * Ids are this store's own.
 *
 * Known. A snapshot is known by host, pid, dialect, hash of its block and time (an mtime in whole
 * seconds), one of a live capture also by the boot and the start time of its process; blocks of a
 * log without times by their sequence too, as import knows them (store/log.h). Known snapshots are
 * passed over, and so are those that were pruned here: of text, the prune left word (table
 * forgotten); what is missing here of a beat that is here was pruned, because a beat comes as a
 * whole; a beat of which nothing is here was pruned where a prune here removed it or a newer one of
 * its schedule. What a prune removed elsewhere is not known by that: a store that still has it
 * gives it back.
 *
 * Lineages and categories are made anew, as by an import, under the rules of this store. What only
 * pruned captures knew is lost: a mapping that moved while nothing was kept of it is a new lineage.
 *
 * Moments of one name are made anew from the captures of both, by sweep_ms; the captures of a beat
 * have one time, and so are one moment whatever that is.
 *
 * Transactions are short: writers of this store go on between them, and what was committed stays.
 */
#ifndef PM_STORE_COPY_MERGE_H
#define PM_STORE_COPY_MERGE_H

#include "store/file/store.h"

typedef struct pm_merge_counts {
    uint64_t hosts, processes;
    uint64_t snapshots; /* looked at */
    uint64_t known;     /* of them known here */
    uint64_t new;       /* stored, in a dry run that would be */
    uint64_t hostless;  /* processes with new snapshots and an unknown host */
    bool met_hostless;  /* and there were such processes here before */
} pm_merge_counts;

typedef struct pm_merge_options {
    const char *host; /* of processes whose host is unknown there; NULL: stays unknown */
    int64_t sweep_ms;
    bool dry_run; /* counts only */
    void *ctx;
    /* Between transactions; false ends the merge with PMAPDB_STOPPED. */
    bool (*keep_going)(void *ctx, const pm_merge_counts *counts);
} pm_merge_options;

/* `into` NULL: an empty store, for a dry run. *theirs: what failed is `from`, and other stores can
 * still be merged. */
pmapdb_status pm_merge_store(pmapdb_store *into, pmapdb_store *from,
                             const pm_merge_options *options, pm_merge_counts *counts, bool *theirs,
                             pmapdb_error *err);

#endif
