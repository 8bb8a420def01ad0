/* recall_live: what a live capture knew of a process besides its mappings, from tables sight,
 * standing and environment. */
#ifndef PM_STORE_RECALL_LIVE_H
#define PM_STORE_RECALL_LIVE_H

#include "base/buf.h"
#include "base/live.h"
#include "store/sql.h"

typedef struct pm_recall_live_part {
    int64_t standing_id; /* whose texts these are; 0: none yet */
    pm_standing standing;
    pm_buf texts, environment;
    pm_buf degraded;
    pm_live live;
} pm_recall_live_part;

void pm_recall_live_free(pm_recall_live_part *part);

/* *out is NULL where the snapshot has no sight. boot_id and the process's pair of clocks are not
 * of these tables: the caller sets boot_id and utc_ms. */
pmapdb_status pm_recall_live_read(pm_sql *sql, int64_t snapshot_id, pm_recall_live_part *part,
                                  pm_live **out, pmapdb_error *err);

#endif
