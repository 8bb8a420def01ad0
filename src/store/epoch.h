/* epoch: a stretch of captures of one process, dialect and state, taken apart for changing.
 *
 * In the file an epoch is versions: key, first..last, numbers. Here it is one list of cells per
 * capture, which is easy to change anywhere; only what differs is written back.
 * Appending at the end does not need this (write.c does that from its state); captures that come
 * late, and lineages that they join or break, do.
 */
#ifndef PM_STORE_EPOCH_H
#define PM_STORE_EPOCH_H

#include "base/dialect.h"
#include "store/strip.h"
#include "store/write/stream.h"

/* Places that a snapshot can have: captures that came late make an epoch longer. Only a damaged
 * store has one beyond, where views stop to look, too. */
#define PM_EPOCH_PLACES 32768
/* Its versions alone, without captures: of the rows, of the sums. */
pmapdb_status pm_epoch_read(pm_sql *sql, int64_t epoch_id, pm_strip *ver, pm_strip *cat,
                            pmapdb_error *err);

/* Writes what differs between two sets of such versions: [0] of the rows, [1] of the sums. */
pmapdb_status pm_epoch_rewrite(pm_sql *sql, int64_t epoch_id, const pm_strip old[2],
                               const pm_strip new[2], pmapdb_error *err);

/* A row in table epoch, no captures. */
pmapdb_status pm_epoch_new(pm_sql *sql, int64_t process_id, pm_dialect dialect, pm_state state,
                           uint64_t fields, int64_t *epoch_id, pmapdb_error *err);

#endif
