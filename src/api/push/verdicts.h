/* verdicts: the verdicts and stacks that a push sends. */
#ifndef PM_API_PUSH_VERDICTS_H
#define PM_API_PUSH_VERDICTS_H

#include "store/push/push.h"

/* Makes those that are due. */
pmapdb_status pm_push_make_verdicts(pmapdb_store *store, pm_push *push, pmapdb_error *err);

#endif
