/* remove: takes a recording out of the store. */
#ifndef PM_STORE_PERF_REMOVE_H
#define PM_STORE_PERF_REMOVE_H

#include "store/store.h"

/* In a transaction of its own. Its frames and stacks stay, for others (store/keep/tidy.h looks
 * for those that nothing needs). */
pmapdb_status pm_recording_remove(pmapdb_store *s, int64_t recording_id, pmapdb_error *err);

#endif
