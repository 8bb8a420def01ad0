/* check: whether a run can do what its options ask for. */
#ifndef PM_API_CAPTURE_CHECK_H
#define PM_API_CAPTURE_CHECK_H

#include "base/err.h"

/* pmapdb_capture checks this, too; asked before, no store is made for a run that cannot be. */
pmapdb_status pm_capture_check(const pmapdb_capture_options *options, pmapdb_error *err);

#endif
