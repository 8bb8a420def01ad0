/* forgotten: remembers the text captures that a prune removed, so that no import restores them. */
#ifndef PM_STORE_FORGOTTEN_H
#define PM_STORE_FORGOTTEN_H

#include "base/record/capture.h"
#include "store/file/sql.h"

/* *known: the capture was stored, and a prune removed it. */
pmapdb_status pm_forgotten(pm_sql *sql, const pm_capture *c, bool *known, pmapdb_error *err);

#endif
