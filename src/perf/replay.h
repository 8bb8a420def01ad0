/* replay: what calls make of addresses. Calls go in, extents come out: which call mapped what, from
 * when to when.
 *
 * Order. What a call maps is there when the call ends: nobody has the address before. What a call
 * unmaps is gone when the call begins: the kernel may give the address to another thread before the
 * first one's exit is recorded. So munmap, mremap and a brk that shrinks take effect at their
 * enter; by then their end must be known.
 *
 * What is left of a cut range keeps its call and its birth. What mremap moves keeps its call and is
 * born where it is now; what mremap adds is the mremap's. A munmap without its exit counts as done,
 * since it hardly ever fails; no other half of a call does anything. Failed calls do nothing.
 *
 * exec is not among these calls: it shows by the heap, which is elsewhere then, and all that was
 * mapped is gone.
 *
 * Lengths are rounded up to pages of 4096 bytes, with MAP_HUGETLB to its pages: the text does not
 * tell other sizes. */
#ifndef PM_PERF_REPLAY_H
#define PM_PERF_REPLAY_H

#include "perf/ranges.h"
#include "perf/trace.h"

#define PM_REPLAY_PAGE 4096U

typedef struct pm_replay_out {
    void *ctx;
    /* A range that was unmapped; at the end those that were not, with died_ns PMAPDB_UNKNOWN. */
    pmapdb_status (*extent)(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                            pmapdb_error *err);
    /* A range that range->call_id unmapped, or mapped over, and that no call mapped. */
    pmapdb_status (*foreign)(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                             pmapdb_error *err);
} pm_replay_out;

typedef struct pm_replay pm_replay;

/* n address spaces, each empty. */
pmapdb_status pm_replay_new(size_t n, const pm_replay_out *out, pm_replay **made,
                            pmapdb_error *err);
void pm_replay_free(pm_replay *r);

/* All calls of a finished trace, whose call_id must be set. spaces[i] is the address space of
 * thread i; calls of a thread with PM_REPLAY_NOWHERE do nothing. */
#define PM_REPLAY_NOWHERE SIZE_MAX
pmapdb_status pm_replay_run(pm_replay *r, const pm_trace *t, const size_t *spaces,
                            pmapdb_error *err);

/* One call at its enter, and, if it has one, at its exit. */
pmapdb_status pm_replay_begin(pm_replay *r, size_t space, const pm_traced_call *call,
                              pmapdb_error *err);
pmapdb_status pm_replay_end(pm_replay *r, size_t space, const pm_traced_call *call,
                            pmapdb_error *err);

/* Hands out what is still mapped. */
pmapdb_status pm_replay_finish(pm_replay *r, pmapdb_error *err);

#endif
