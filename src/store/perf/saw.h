/* saw: what a recording and the captures of a process saw of edges of what is mapped, for align.h.
 */
#ifndef PM_STORE_PERF_SAW_H
#define PM_STORE_PERF_SAW_H

#include "store/perf/align.h"
#include "store/sql.h"

typedef struct pm_saw {
    pm_align_step *step;
    size_t n_steps, cap_steps;
    pm_align_edge *edge;
    size_t n_edges, cap_edges;
} pm_saw;

void pm_saw_free(pm_saw *saw);

/* The changes between neighbouring captures of the process, complete ones from from_ms to to_ms; of
 * more than some hundred captures, so many, evenly spread. */
pmapdb_status pm_saw_captures(pm_saw *saw, pm_sql *sql, int64_t process_id, int64_t from_ms,
                              int64_t to_ms, pmapdb_error *err);

/* Then what the tracee's calls did at these addresses, sorted as align.h wants it. */
pmapdb_status pm_saw_calls(pm_saw *saw, pm_sql *sql, int64_t tracee_id, pmapdb_error *err);

#endif
