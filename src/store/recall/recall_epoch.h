/* recall_epoch: the captures of one epoch of a store, as mappings. Each version is made a mapping
 * once, however many captures show it; going on in the order of the epoch then costs what changes.
 */
#ifndef PM_STORE_RECALL_EPOCH_H
#define PM_STORE_RECALL_EPOCH_H

#include "base/pool.h"
#include "store/object.h"

typedef struct pm_recall_epoch {
    int64_t epoch_id;
    int64_t from; /* captures before this place were not read */
    uint64_t fields;
    pm_pool *pool;                     /* of the mappings */
    struct pm_recall_version *version; /* in the order of their first capture */
    size_t n, cap;
    /* the capture at hand */
    int64_t at;
    size_t begun;   /* versions that begin at it or before */
    size_t *active; /* those that it shows, by address */
    size_t n_active, cap_active;
} pm_recall_epoch;

void pm_recall_epoch_free(pm_recall_epoch *e);

/* The captures at `from` and behind. A failure leaves *out as it was. */
pmapdb_status pm_recall_epoch_load(pm_sql *sql, pm_objects *objects, int64_t epoch_id, int64_t from,
                                   pm_recall_epoch *out, pmapdb_error *err);

/* Ids of the mappings of the capture at `off`, by address; *rows is the caller's to free. */
pmapdb_status pm_recall_epoch_rows(pm_recall_epoch *e, int64_t off, uint32_t **rows, size_t *n,
                                   pmapdb_error *err);

#endif
