/* export: a part of a store, or all of it, into a new one, as it is or redacted (redact.h).
 *
 * Ids are kept: what somebody says of process 3, @17 or lineage 4711 of the extract can be looked
 * up in the store that it is from.
 *
 * The rows are read in one transaction, table by table, and what is to be hidden is replaced before
 * a row is written: the new file never held it, not even in a page that is free by now. Statistics
 * of ANALYZE, which hold samples of values, are not copied.
 *
 * Of a span of time, the snapshots whose moment is in it are copied, with the versions that they
 * show; then the processes are tidied as after a prune (keep/tidy.h). Labels and recordings of
 * perf are not cut. What a prune left as known to imports (table forgotten) and what was refused is
 * only in an extract of everything that is not redacted. */
#ifndef PM_STORE_EXPORT_EXPORT_H
#define PM_STORE_EXPORT_EXPORT_H

#include "store/export/redact.h"
#include "store/file/store.h"

typedef struct pm_export {
    const char *const *process; /* selectors; none: all */
    size_t n_processes;
    const char *from, *to; /* selectors of snapshots, or NULL */
    pm_redact *redact;     /* NULL: as it is */
    void *ctx;
    bool (*keep_going)(void *ctx, const char *table, uint64_t rows); /* or NULL */
} pm_export;

typedef struct pm_export_counts {
    uint64_t processes, snapshots, recordings;
    bool beats;       /* live captures, of which another store may have the rest */
    bool other_rules; /* the store's rules are the owner's own: the new one has those built in */
} pm_export_counts;

/* `into` is new and empty, and nobody else's; after a failure nothing in it is of use. It is given
 * up as a whole, so there is no journal. */
pmapdb_status pm_export_store(pmapdb_store *from, pmapdb_store *into, const pm_export *export,
                              pm_export_counts *counts, pmapdb_error *err);

#endif
