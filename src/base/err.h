/* err: the one way to report a failure.
 *
 * The place that first knows fills in the message with `return pm_fail(...)`; those above pass the
 * status on unchanged. A message is one line, lower case, without a full stop, names the thing and
 * says what to do where that is not obvious. err may be NULL.
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

/* One step of several: makes the call unless a step before it failed, and keeps its status.
 *
 *     PM_STEP(st, open_file(&file, err));
 *     PM_STEP(st, read_header(&file, err));
 *     return st;
 */
#define PM_STEP(st, call) ((st) == PMAPDB_OK ? (void)((st) = (call)) : (void)0)

/* The machine failed, which says nothing of the file: another time it can be read, so it is nothing
 * to remember of it. */
bool pm_err_is_passing(const pmapdb_error *err);

#endif
