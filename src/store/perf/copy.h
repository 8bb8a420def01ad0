/* copy: copies recordings of another store into this one. */
#ifndef PM_STORE_PERF_COPY_H
#define PM_STORE_PERF_COPY_H

#include "store/file/store.h"

/* Copies the recordings that this store does not have (found by their hash), each in its own
 * transaction. `host` is the host of recordings whose host is unknown in `from`, or NULL. Does not
 * find their processes in this store: pm_perf_link does. Sets *is_theirs if the cause of a failure
 * is `from`, which is only read. */
pmapdb_status pm_perf_copy(pmapdb_store *into, pmapdb_store *from, const char *host,
                           bool *is_theirs, pmapdb_error *err);

#endif
