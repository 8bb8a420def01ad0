/* align: which time on one clock is which on another, by what both saw. Pure arithmetic on arrays.
 *
 * A recording tells, by perf's clock, when an address began or ceased to be the edge of something
 * mapped; captures tell between which two of them, by UTC, that happened. Each such change votes
 * for the offsets between the clocks that would explain it, once, however often the address
 * changed. Where the clocks truly differ by, all changes that both saw agree; elsewhere few do, by
 * chance. */
#ifndef PM_STORE_PERF_ALIGN_H
#define PM_STORE_PERF_ALIGN_H

#include "base/err.h"

/* At an edge of something mapped: it appeared, or it went. */
typedef struct pm_align_edge {
    uint64_t address;
    int64_t ns; /* perf's clock */
    bool on;
} pm_align_edge;

typedef struct pm_align_step {
    uint64_t address;
    int64_t from_ns, to_ns; /* UTC: it happened between them */
    bool on;
} pm_align_step;

typedef struct pm_alignment {
    bool found;
    int64_t offset_ns, slack_ns; /* UTC minus perf's time; may be wrong by so much either way */
    size_t votes;                /* for it */
    size_t of;                   /* changes that vote at all */
    size_t rival;                /* the most votes for an offset elsewhere */
} pm_alignment;

/* Edges are sorted by (address, on, ns). Offsets from lo to hi. Found where at least 3 changes
 * agree, and twice as many as agree on anything else. */
pmapdb_status pm_align(const pm_align_edge *edges, size_t n_edges, const pm_align_step *steps,
                       size_t n_steps, int64_t lo_ns, int64_t hi_ns, pm_alignment *out,
                       pmapdb_error *err);

int pm_align_compare_edges(const void *a, const void *b);

#endif
