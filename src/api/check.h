/* check: whether an import or a capture can do what its options ask for. Both check this
 * themselves; a caller that checks first creates no store for a run that cannot succeed. */
#ifndef PM_API_CHECK_H
#define PM_API_CHECK_H

#include "base/err.h"

/* The longest time between captures of one moment, unless --sweep says otherwise; captures of one
 * live sweep are always of one moment. */
#define PM_SWEEP_MS 1000
#define PM_SWEEP_MAX_MS 3600000     /* queries look no further for the snapshots of a moment */
#define PM_EVERY_MAX_MS 31622400000 /* a year: no number of such steps makes a time overflow */

/* PMAPDB_USAGE: the message says what is wrong. */
pmapdb_status pm_import_check(const pmapdb_import_options *options, pmapdb_error *err);
pmapdb_status pm_capture_check(const pmapdb_capture_options *options, pmapdb_error *err);

#endif
