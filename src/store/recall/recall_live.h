/* recall_live: the live reading of a snapshot, from tables live_reading, live_process and
 * environment. */
#ifndef PM_STORE_RECALL_LIVE_H
#define PM_STORE_RECALL_LIVE_H

#include "base/pool.h"
#include "base/record/live.h"
#include "store/file/sql.h"

typedef struct pm_recall_standing {
    int64_t standing_id; /* 0: not read yet */
    pm_standing standing;
} pm_recall_standing;

/* Copies a text to the pool, ended by a NUL; {NULL, 0} stays as it is. `sql` keeps an error. */
pm_text pm_recall_text(pm_sql *sql, pm_pool *pool, pm_text t);

/* Reads the live reading of a snapshot. *out is NULL if it has none; otherwise the caller frees it;
 * its texts are in `pool`. `last` avoids reading the row of the previous snapshot again. The tables
 * do not contain boot_id and utc_ms: the caller sets them. */
pmapdb_status pm_recall_live(pm_sql *sql, int64_t snapshot_id, pm_pool *pool,
                             pm_recall_standing *last, pm_live **out, pmapdb_error *err);

#endif
