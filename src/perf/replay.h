/* replay: calls -> extents. An extent says which call mapped which addresses, from when to when.
 *
 * Order. A new mapping exists from the end of its call, because the program learns the address
 * then. An unmapped range ends at the beginning of its call, because the kernel may give the
 * address to another thread before the exit of the call is recorded. So munmap, mremap and a
 * shrinking brk take effect at their enter, and their result must be known by then.
 *
 * A range that is cut keeps its call and its birth. A range that mremap moves keeps its call and is
 * born at the end of the mremap; what mremap adds belongs to the mremap. A munmap without an exit
 * counts as done, because munmap rarely fails. A brk without an enter still shows the end of the
 * heap: ranges above it end. All other calls without an enter or without an exit have no effect,
 * nor do failed calls.
 *
 * The recording does not have exec. After an exec the heap lies far from the old heap; then every
 * range of the address space ends.
 *
 * Lengths are rounded up to pages of 4096 bytes; with MAP_HUGETLB to the huge page size in the
 * flags. The text does not name other page sizes. */
#ifndef PM_PERF_REPLAY_H
#define PM_PERF_REPLAY_H

#include "perf/call.h"
#include "perf/ranges.h"

#define PM_REPLAY_PAGE 4096U

/* Enter and exit of one system call. */
typedef struct pm_traced_call {
    int64_t call_id;
    int64_t begin_ns, end_ns;   /* PMAPDB_UNKNOWN: no enter, no exit */
    uint64_t arg[PM_CALL_ARGS]; /* 0 if the bit in `has` is 0 */
    uint64_t ret;
    uint8_t kind, has; /* pm_call_kind; bit i: the text has arg[i] */
} pm_traced_call;

/* A range of an address space was unmapped at died_ns; PMAPDB_UNKNOWN: at the end of the recording
 * it is still mapped. If its born_ns is PMAPDB_UNKNOWN, no recorded call mapped the range, and
 * range->call_id unmapped or replaced it. */
typedef pmapdb_status (*pm_replay_fn)(void *ctx, size_t space, const pm_range *range,
                                      int64_t died_ns, pmapdb_error *err);

typedef struct pm_replay pm_replay;

/* Begins with n empty address spaces. */
pmapdb_status pm_replay_new(size_t n, pm_replay_fn on_extent, void *ctx, pm_replay **made,
                            pmapdb_error *err);
void pm_replay_free(pm_replay *r);

/* Replays the enter of a call, and its exit if there is one. */
pmapdb_status pm_replay_begin(pm_replay *r, size_t space, const pm_traced_call *call,
                              pmapdb_error *err);
pmapdb_status pm_replay_end(pm_replay *r, size_t space, const pm_traced_call *call,
                            pmapdb_error *err);

/* Hands out the ranges that are still mapped. */
pmapdb_status pm_replay_finish(pm_replay *r, pmapdb_error *err);

#endif
