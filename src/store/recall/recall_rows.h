/* recall_rows: the mappings of the captures of one epoch. Each version becomes a mapping once,
 * however many captures show it; the next capture in time order then costs what changed.
 */
#ifndef PM_STORE_RECALL_ROWS_H
#define PM_STORE_RECALL_ROWS_H

#include "base/pool.h"
#include "store/dict/versions.h"

typedef struct pm_recall_rows {
    pm_versions versions;
    uint32_t *mapping; /* per version: the id of its mapping in the pool */
} pm_recall_rows;

void pm_recall_rows_free(pm_recall_rows *e);

/* Reads the captures from offset `from` on and adds their mappings to `pool`. A failure leaves *out
 * unchanged. */
pmapdb_status pm_recall_rows_load(pm_sql *sql, pm_objects *objects, pm_pool *pool, int64_t epoch_id,
                                  int64_t from, pm_recall_rows *out, pmapdb_error *err);

/* Sets *rows to the ids of the mappings of the capture at `off`, by address; the caller frees
 * *rows. */
pmapdb_status pm_recall_rows_at(pm_sql *sql, pm_recall_rows *e, int64_t off, uint32_t **rows,
                                size_t *n, pmapdb_error *err);

#endif
