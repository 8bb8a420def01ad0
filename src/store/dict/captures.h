/* captures: the captures that the store has, or had until a prune removed them, and the files in
 * which they were found (tables origin and capture).
 *
 * A capture is known by host, pid, dialect, hash and time; an mtime counts in whole
 * seconds, because archives and copies drop the fraction. A live one is also known by the boot and
 * the start time of its process. */
#ifndef PM_STORE_CAPTURES_H
#define PM_STORE_CAPTURES_H

#include "base/record/capture.h"
#include "store/file/sql.h"

/* Inserts a row into table capture, and its row in table origin if that is missing. Returns its
 * capture_id. */
int64_t pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file);

/* Finds the row in table host: 0 if host is NULL, -1 if the table lacks the host. */
int64_t pm_host_find(pm_sql *sql, const char *host);

/* Returns the snapshot of the capture, or 0. *pruned: a prune removed it; only captures from text
 * with a time are remembered so. */
int64_t pm_known(pm_sql *sql, const pm_capture *c, bool *pruned);

#endif
