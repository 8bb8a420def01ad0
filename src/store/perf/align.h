/* align: which time on a recording's clock is which UTC, by what calls and captures both saw.
 *
 * A recording tells, by perf's clock, when an address began or ceased to be the edge of something
 * mapped; captures tell between which two of them, by UTC, that happened. Each such change votes
 * once for the offsets between the clocks that would explain it. At the true offset all changes
 * that both saw agree; elsewhere few do, by chance. */
#ifndef PM_STORE_PERF_ALIGN_H
#define PM_STORE_PERF_ALIGN_H

#include "store/file/sql.h"

typedef struct pm_alignment {
    bool found;                  /* at least 3 votes, and twice as many as for any other offset */
    int64_t offset_ns, slack_ns; /* UTC minus perf's time; may be wrong by so much either way */
    int64_t votes;
} pm_alignment;

/* Offsets from lo_ns to hi_ns, by complete captures of the process from from_ms to to_ms; of more
 * than some hundred captures, so many, evenly spread. A step of the sticky kind. */
pm_alignment pm_align(pm_sql *sql, int64_t tracee_id, int64_t process_id, int64_t from_ms,
                      int64_t to_ms, int64_t lo_ns, int64_t hi_ns);

#endif
