/* known: the captures that the store has, or had until a prune removed them.
 *
 * A capture is known by host, pid, dialect, hash of its block and time; an mtime counts in whole
 * seconds, because archives and copies drop the fraction. A live one is also known by the boot and
 * the start time of its process. */
#ifndef PM_STORE_KNOWN_H
#define PM_STORE_KNOWN_H

#include "base/record/capture.h"
#include "store/file/sql.h"

/* Returns the snapshot of the capture, or 0. *pruned: a prune removed it; only captures from text
 * with a time are remembered so. */
int64_t pm_known(pm_sql *sql, const pm_capture *c, bool *pruned);

#endif
