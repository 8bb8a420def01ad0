/* lock: only one run at a time captures the same processes into a store; runs with other selections
 * are independent. */
#ifndef PM_API_CAPTURE_LOCK_H
#define PM_API_CAPTURE_LOCK_H

#include "base/err.h"

/* Takes the lock of `selection` on `host`: one byte of the file STORE-capture. The file is created
 * for those who may write the store, with the store's owner, and is never deleted.
 *
 * If another run holds the lock, waits for at most wait_ms, then fails with PMAPDB_BUSY; calls
 * on_progress (or NULL) now and then, and fails with PMAPDB_STOPPED if it returns false. Closing
 * *fd releases the lock, and so does the end of this program. */
pmapdb_status pm_capture_lock(const char *store, const char *host, const char *selection,
                              int64_t wait_ms, pmapdb_progress_fn on_progress, void *ctx, int *fd,
                              pmapdb_error *err);

#endif
