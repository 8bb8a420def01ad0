/* capture_check: whether a run can be what its options ask for; no store is needed to know. */
#ifndef PM_API_CAPTURE_CHECK_H
#define PM_API_CAPTURE_CHECK_H

#include "base/err.h"

/* PMAPDB_USAGE says what is wrong. */
pmapdb_status pm_capture_check(const pmapdb_capture_options *o, pmapdb_error *err);

#endif
