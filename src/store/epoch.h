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
#include "store/rollup.h"
#include "store/strip.h"

/* More captures than this begin a new epoch, whatever their size: it bounds what a late capture
 * has to move and what a prune can cut. */
#define PM_EPOCH_CAPTURES ((size_t)1024)
/* Places that a snapshot can have: captures that came late make an epoch longer. Only a damaged
 * store has one beyond, where views stop to look, too. */
#define PM_EPOCH_PLACES 32768
/* Versions beyond the first capture's rows, as a multiple of those, that an epoch may hold. Space
 * is flat between 2 and 4, reading time grows with it. */
#define PM_EPOCH_ALPHA ((size_t)3)

typedef struct pm_epoch {
    int64_t epoch_id, process_id;
    pm_dialect dialect;
    pm_state state;
    uint64_t fields;
    size_t n; /* captures */
    pm_strip ver, cat;
} pm_epoch;

pmapdb_status pm_epoch_load(pm_sql *sql, int64_t epoch_id, pm_epoch **out, pmapdb_error *err);
void pm_epoch_free(pm_epoch *e);

/* Its versions alone, without captures: of the rows, of the sums. */
pmapdb_status pm_epoch_read(pm_sql *sql, int64_t epoch_id, pm_strip *ver, pm_strip *cat,
                            pmapdb_error *err);

/* Writes what differs between two sets of such versions: [0] of the rows, [1] of the sums. */
pmapdb_status pm_epoch_rewrite(pm_sql *sql, int64_t epoch_id, const pm_strip old[2],
                               const pm_strip new[2], pmapdb_error *err);

/* A row in table epoch, no captures. */
pmapdb_status pm_epoch_new(pm_sql *sql, int64_t process_id, pm_dialect dialect, pm_state state,
                           uint64_t fields, int64_t *epoch_id, pmapdb_error *err);

/* Makes room for a capture at place k; offsets behind it move up, in table snapshots too. */
pmapdb_status pm_epoch_open_gap(pm_sql *sql, pm_epoch *e, size_t k, pmapdb_error *err);

/* What capture k holds, from now on. rows need region_id and m. */
pmapdb_status pm_epoch_set_rows(pm_epoch *e, size_t k, const pm_rows *rows, pmapdb_error *err);
pmapdb_status pm_epoch_set_rollup(pm_epoch *e, size_t k, const pm_rollup *rollup,
                                  pmapdb_error *err);

/* The rows of capture k, with their places (from their regions), sorted by place. */
pmapdb_status pm_epoch_get_rows(pm_sql *sql, pm_objects *objects, const pm_epoch *e, size_t k,
                                pm_rows *out, pmapdb_error *err);

/* Write the versions that differ from what the file has: of the rows, of the sums. */
pmapdb_status pm_epoch_save_rows(pm_sql *sql, pm_epoch *e, pmapdb_error *err);
pmapdb_status pm_epoch_save_sums(pm_sql *sql, pm_epoch *e, pmapdb_error *err);

/* Capture k has that region. */
bool pm_epoch_has_region(const pm_epoch *e, size_t k, int64_t region_id);

/* Moves captures k.. into a new epoch, saves both. */
pmapdb_status pm_epoch_split(pm_sql *sql, pm_epoch *e, size_t k, pmapdb_error *err);

/* Splits a saved epoch that holds more than twice what an appended one may, at half its weight. */
pmapdb_status pm_epoch_lighten(pm_sql *sql, pm_epoch *e, pmapdb_error *err);

#endif
