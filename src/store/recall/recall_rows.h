/* recall_rows: the mappings of the captures of one epoch, as the view mapping_versions decodes
 * them. Each version becomes a mapping once, however many captures show it. */
#ifndef PM_STORE_RECALL_ROWS_H
#define PM_STORE_RECALL_ROWS_H

#include "base/pool.h"
#include "store/file/sql.h"

typedef struct pm_recall_rows {
    int64_t epoch_id;
    int64_t from; /* captures before this place were not read */
    uint64_t fields;
    struct pm_recall_version {
        int64_t first, last; /* places of captures in the epoch; last INT64_MAX: to the end */
        uint32_t mapping;    /* id in the pool */
    } * item;                /* by address */
    size_t n, cap;
} pm_recall_rows;

void pm_recall_rows_free(pm_recall_rows *e);

/* Reads the captures from place `from` on and adds their mappings to `pool`. A failure leaves *out
 * unchanged. PMAPDB_INPUT: no mapping can have such a row. */
pmapdb_status pm_recall_rows_load(pm_sql *sql, pm_pool *pool, int64_t epoch_id, int64_t from,
                                  pm_recall_rows *out, pmapdb_error *err);

/* Sets *rows to the ids of the mappings of the capture at `off`, by address; the caller frees
 * *rows. */
pmapdb_status pm_recall_rows_at(const pm_recall_rows *e, int64_t off, uint32_t **rows, size_t *n,
                                pmapdb_error *err);

#endif
