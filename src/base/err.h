/* err: the one way to report a failure.
 *
 * The place that detects a failure fills in the message with `return pm_fail(...)`; its callers
 * pass the status on unchanged. A message is one line in lower case without a full stop, names the
 * object, and says what to do unless that is obvious. err may be NULL.
 */
#ifndef PM_BASE_ERR_H
#define PM_BASE_ERR_H

#include "pmapdb.h"

pmapdb_status pm_fail(pmapdb_error *err, pmapdb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like pm_fail with PMAPDB_IO; appends ": " and the text of os_errno. */
pmapdb_status pm_fail_io(pmapdb_error *err, int os_errno, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

pmapdb_status pm_fail_nomem(pmapdb_error *err);

/* One of several steps: makes the call unless an earlier step failed, and keeps the status.
 *
 *     PM_STEP(st, open_file(&file, err));
 *     PM_STEP(st, read_header(&file, err));
 *     return st;
 */
#define PM_STEP(st, call) ((st) == PMAPDB_OK ? (void)((st) = (call)) : (void)0)

/* True if the machine failed, not the file. The file may be readable later, so the failure must not
 * be remembered as a property of the file. */
bool pm_err_is_passing(const pmapdb_error *err);

#endif
