/* replay: what calls make of addresses. Calls go in, extents come out: which call mapped what, from
 * when to when. Pure: no database.
 *
 * Order. What a call gives is there when it ends: nobody has the address before. What a call takes
 * away is gone when it begins: the kernel may give the address to another thread before the first
 * one's exit is recorded. So a call is told twice, and munmap, mremap and a brk that shrinks do
 * their taking at the first. Whoever calls knows by then how it will end (pair.h sees to that).
 *
 * What is cut keeps its call and its birth. What mremap moves keeps its call and is born where it
 * is now; what it adds is the mremap's. A munmap whose exit is not there is taken for done, since
 * it hardly ever fails; nothing else is done by half a call. Failed calls do nothing.
 *
 * exec is no call of these: it shows by the heap, which is elsewhere then, and all that was mapped
 * is gone.
 *
 * Lengths are rounded up to pages of 4096 bytes, with MAP_HUGETLB to its pages: the text does not
 * tell other sizes. */
#ifndef PM_STORE_PERF_REPLAY_H
#define PM_STORE_PERF_REPLAY_H

#include "store/perf/ranges.h"
#include "store/perf/trace.h"

#define PM_REPLAY_PAGE 4096U

typedef struct pm_replay_out {
    void *ctx;
    /* A range that died, or at the end lives: then died_ns is PMAPDB_UNKNOWN. */
    pmapdb_status (*extent)(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                            pmapdb_error *err);
    /* range->call_id unmapped it, or mapped over it; nobody saw it mapped. */
    pmapdb_status (*foreign)(void *ctx, size_t space, const pm_range *range, int64_t died_ns,
                             pmapdb_error *err);
} pm_replay_out;

typedef struct pm_replay pm_replay;

/* n address spaces, each empty. */
pmapdb_status pm_replay_new(size_t n, const pm_replay_out *out, pm_replay **made,
                            pmapdb_error *err);
void pm_replay_free(pm_replay *r);

/* Of the calls that pm_replay_has_begin names, then of every call that ended. call_id must be set.
 */
bool pm_replay_has_begin(pm_call_kind kind);
pmapdb_status pm_replay_begin(pm_replay *r, size_t space, const pm_traced_call *call,
                              pmapdb_error *err);
pmapdb_status pm_replay_end(pm_replay *r, size_t space, const pm_traced_call *call,
                            pmapdb_error *err);

/* Hands out what lives. */
pmapdb_status pm_replay_finish(pm_replay *r, pmapdb_error *err);

#endif
