/* recall_rows: the mappings of the captures of one epoch. Each version becomes a mapping once,
 * however many captures show it; the next capture in time order then costs what changed.
 */
#ifndef PM_STORE_RECALL_ROWS_H
#define PM_STORE_RECALL_ROWS_H

#include "base/pool.h"
#include "store/object.h"

typedef struct pm_recall_rows {
    int64_t epoch_id;
    int64_t from; /* captures before this offset were not read */
    uint64_t fields;
    struct pm_recall_version *version; /* in the order of their first capture */
    size_t n, cap;
    /* the capture asked for last */
    int64_t at;
    size_t begun;   /* how many versions begin at it or before */
    size_t *active; /* the versions that it shows, by address */
    size_t n_active, cap_active;
} pm_recall_rows;

void pm_recall_rows_free(pm_recall_rows *e);

/* Reads the captures at offset `from` and after, their mappings into `pool`. A failure leaves *out
 * as it was. */
pmapdb_status pm_recall_rows_load(pm_sql *sql, pm_objects *objects, pm_pool *pool, int64_t epoch_id,
                                  int64_t from, pm_recall_rows *out, pmapdb_error *err);

/* Ids of the mappings of the capture at `off`, by address; *rows is the caller's to free. */
pmapdb_status pm_recall_rows_at(pm_recall_rows *e, int64_t off, uint32_t **rows, size_t *n,
                                pmapdb_error *err);

#endif
