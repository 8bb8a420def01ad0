/* recall_live: the live reading of a snapshot, from tables live_reading, live_process and
 * environment. */
#ifndef PM_STORE_RECALL_LIVE_H
#define PM_STORE_RECALL_LIVE_H

#include "base/live.h"
#include "base/pool.h"
#include "store/file/sql.h"

typedef struct pm_recall_standing {
    int64_t standing_id; /* 0: none was read yet */
    pm_standing standing;
} pm_recall_standing;

/* A copy in the pool that ends in a NUL; {NULL, 0} stays so. A failure is kept in `sql`. */
pm_text pm_recall_text(pm_sql *sql, pm_pool *pool, pm_text t);

/* *out is NULL where the snapshot has no live reading, else the caller's to free; its texts are in
 * `pool`. `last` saves reading what the snapshot before had, too. The tables do not say boot_id and
 * utc_ms: the caller sets them. */
pmapdb_status pm_recall_live(pm_sql *sql, int64_t snapshot_id, pm_pool *pool,
                             pm_recall_standing *last, pm_live **out, pmapdb_error *err);

#endif
