/* export: copies a part of a store, or all of it, into a new store, unchanged or redacted
 * (redact.h).
 *
 * Ids are kept: process 3, @17 or lineage 4711 of the extract has the same id in the original
 * store.
 *
 * The rows are read in one transaction, table by table, and redacted before a row is written: the
 * new file never contains the original, not even in a free page. The statistics of ANALYZE, which
 * contain samples of values, are not copied.
 *
 * For a span of time, the snapshots whose moment is in it are copied, with the versions that they
 * show; then the processes are tidied as after a prune (keep/tidy.h). Labels and recordings of perf
 * are not cut. Tables forgotten and refused are copied only with the whole store and without
 * redaction. */
#ifndef PM_STORE_EXPORT_EXPORT_H
#define PM_STORE_EXPORT_EXPORT_H

#include "store/export/redact.h"
#include "store/file/store.h"

typedef struct pm_export_notes {
    bool beats;       /* the extract has live captures; another store may have the rest of them */
    bool other_rules; /* the store has rules of its owner; the new store has the built-in ones */
} pm_export_notes;

/* `into` is new and empty, and nobody else uses it; after a failure it is useless. The caller
 * discards it in full, so there is no journal. Fills the counts of *result, but not the size. */
pmapdb_status pm_export_store(pmapdb_store *from, pmapdb_store *into,
                              const pmapdb_export_options *options, pmapdb_export_result *result,
                              pm_export_notes *notes, pmapdb_error *err);

#endif
