/* spool: the events of a recording, set aside in a temporary file until all are there.
 *
 * Whose threads are one process shows when all are known, and whether the recording is stored
 * already when its last byte is read: so nothing is written to the store before, and its lock is
 * held for the short time of the second reading, however slowly perf writes. An event takes 76
 * bytes; of a chain the text is kept the first time, later events name the slot that it is in.
 * There are PM_SPOOL_SLOTS: a chain that was pushed out is written again. */
#ifndef PM_STORE_PERF_SPOOL_H
#define PM_STORE_PERF_SPOOL_H

#include "store/perf/trace.h"

#define PM_SPOOL_SLOTS ((size_t)1 << 16)

typedef struct pm_spool pm_spool;

/* In $TMPDIR, else /var/tmp. The file has no name: it goes with the program. */
pmapdb_status pm_spool_new(pm_spool **out, pmapdb_error *err);
void pm_spool_free(pm_spool *s);

/* Sets event->stack to the slot of `chain`, -1 where that is empty. */
pmapdb_status pm_spool_put(pm_spool *s, pm_trace_event *event, pm_text chain, pmapdb_error *err);

/* From the first on. Either *chain is set: it is what slot event->stack holds from now on, and
 * lasts until the next call; or *event. *has is false behind the last. */
pmapdb_status pm_spool_rewind(pm_spool *s, pmapdb_error *err);
pmapdb_status pm_spool_next(pm_spool *s, pm_trace_event *event, pm_text *chain, bool *has,
                            pmapdb_error *err);

#endif
