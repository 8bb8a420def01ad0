/* replay: calls -> extents. An extent says which call mapped which addresses, from when to when.
 *
 * Order. A new mapping exists from the end of its call, because the program learns the address
 * then. An unmapped range ends at the beginning of its call, because the kernel may give the
 * address to another thread before the exit of the call is recorded. So munmap, mremap and a
 * shrinking brk take effect at their enter, and their result must be known by then.
 *
 * A range that is cut keeps its call and its birth. A range that mremap moves keeps its call and is
 * born at the end of the mremap; what mremap adds belongs to the mremap. A munmap without an exit
 * counts as done, because munmap rarely fails; any other half of a call has no effect. Failed calls
 * have no effect.
 *
 * The recording does not have exec. After an exec the heap lies far from the old heap; then every
 * range of the address space ends.
 *
 * Lengths are rounded up to pages of 4096 bytes; with MAP_HUGETLB to the huge page size in the
 * flags. The text does not name other page sizes. */
#ifndef PM_PERF_REPLAY_H
#define PM_PERF_REPLAY_H

#include "perf/ranges.h"
#include "perf/trace.h"

#define PM_REPLAY_PAGE 4096U

typedef struct pm_replay_out {
    void *ctx;
    /* A range was unmapped. At the end: a range is still mapped, died_ns is PMAPDB_UNKNOWN. */
    pmapdb_status (*extent)(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                            pmapdb_error *err);
    /* range->call_id unmapped or replaced a range that no recorded call mapped. */
    pmapdb_status (*foreign)(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                             pmapdb_error *err);
} pm_replay_out;

typedef struct pm_replay pm_replay;

/* Begins with n empty address spaces. */
pmapdb_status pm_replay_new(size_t n, const pm_replay_out *out, pm_replay **made,
                            pmapdb_error *err);
void pm_replay_free(pm_replay *r);

/* Replays all calls of a finished trace; each call_id must be set. spaces[i] is the address space
 * of thread i; calls of a thread with PM_REPLAY_NOWHERE have no effect. */
#define PM_REPLAY_NOWHERE SIZE_MAX
pmapdb_status pm_replay_run(pm_replay *r, const pm_trace *t, const size_t *spaces,
                            pmapdb_error *err);

/* Replays the enter of a call, and its exit if there is one. */
pmapdb_status pm_replay_begin(pm_replay *r, size_t space, const pm_traced_call *call,
                              pmapdb_error *err);
pmapdb_status pm_replay_end(pm_replay *r, size_t space, const pm_traced_call *call,
                            pmapdb_error *err);

/* Hands out the ranges that are still mapped. */
pmapdb_status pm_replay_finish(pm_replay *r, pmapdb_error *err);

#endif
