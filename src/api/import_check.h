/* import_check: whether an import can be what its options ask for; no store is needed to know. */
#ifndef PM_API_IMPORT_CHECK_H
#define PM_API_IMPORT_CHECK_H

#include "base/err.h"

/* PMAPDB_USAGE says what is wrong. */
pmapdb_status pm_import_check(const pmapdb_import_options *o, pmapdb_error *err);

#endif
