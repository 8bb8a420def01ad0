/* link: which process of the store a tracee is, and what UTC is on the recording's clock. */
#ifndef PM_STORE_PERF_LINK_H
#define PM_STORE_PERF_LINK_H

#include "store/file/store.h"

/* All tracees that are of no process yet, or whose clock is not known. Of each, the processes of
 * its pid, on its host or an unknown one, whose captures overlap it in time are asked:
 *
 *     given    the offset stands there already (--clock-offset): time decides alone
 *     events   what captures and calls saw alike (align.h), clearly
 *     clocks   the pair of clocks that a live capture stored: right where perf was told
 *              -k CLOCK_MONOTONIC; perf's own clock drifts by some ms a day, so if events say
 *              otherwise they are believed
 *
 * Cheap where there is nothing to link. In a transaction of its own. */
pmapdb_status pm_perf_link(pmapdb_store *s, pmapdb_error *err);

#endif
