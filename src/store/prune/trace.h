/* trace: what a prune removed of text stays known, so that no import brings it back. */
#ifndef PM_STORE_TRACE_H
#define PM_STORE_TRACE_H

#include "base/capture.h"
#include "store/sql.h"

/* Of a snapshot that is about to go. Live ones and standard input leave none: nobody can give them
 * a second time. */
pmapdb_status pm_trace_leave(pm_sql *sql, int64_t snapshot_id, pmapdb_error *err);

/* The capture was stored once and removed. */
pmapdb_status pm_trace_known(pm_sql *sql, const pm_capture *c, bool *known, pmapdb_error *err);

#endif
