/* copy: recordings that another store has, into this one. */
#ifndef PM_STORE_PERF_COPY_H
#define PM_STORE_PERF_COPY_H

#include "store/file/store.h"

/* Those that are not here, known by their hash; each in a transaction of its own. `host` is that of
 * recordings whose host is unknown there, or NULL. Which processes of this store they are of is
 * still to be found: pm_perf_link. *is_theirs is set where what failed is `from`, which is only
 * read. */
pmapdb_status pm_perf_copy(pmapdb_store *into, pmapdb_store *from, const char *host,
                           bool *is_theirs, pmapdb_error *err);

#endif
