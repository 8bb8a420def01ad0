/* check: whether an import or a capture can do what its options ask for. Both check this
 * themselves; asked before, no store is made for a run that cannot be. */
#ifndef PM_API_CHECK_H
#define PM_API_CHECK_H

#include "base/err.h"

/* PMAPDB_USAGE says what is wrong. */
pmapdb_status pm_import_check(const pmapdb_import_options *options, pmapdb_error *err);
pmapdb_status pm_capture_check(const pmapdb_capture_options *options, pmapdb_error *err);

#endif
