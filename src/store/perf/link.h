/* link: the process of each traced process, and the offset between the clock of its recording and
 * UTC. */
#ifndef PM_STORE_PERF_LINK_H
#define PM_STORE_PERF_LINK_H

#include "store/file/store.h"

/* Links every traced process whose process or clock is unknown; link-choose.sql has the rules. One
 * transaction; returns at once if everything is linked. */
pmapdb_status pm_perf_link(pmapdb_store *s, pmapdb_error *err);

#endif
