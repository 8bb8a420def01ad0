/* capture_lock: one run at a time captures the same processes into a store; runs with other
 * selections go on beside it. */
#ifndef PM_API_CAPTURE_LOCK_H
#define PM_API_CAPTURE_LOCK_H

#include "base/err.h"

/* Takes the lock of `selection` on `host`: a byte of STORE-capture, which is made with the store's
 * owner, for those who may write the store, and stays. Where another run holds it, waits for at
 * most wait_ms, asking keep_going(ctx) now and then (false: PMAPDB_STOPPED), then PMAPDB_BUSY.
 * Closing *fd, and the end of this program however it comes, gives it back. */
pmapdb_status pm_capture_lock(const char *store, const char *host, const char *selection,
                              int64_t wait_ms, bool (*keep_going)(void *ctx), void *ctx, int *fd,
                              pmapdb_error *err);

#endif
