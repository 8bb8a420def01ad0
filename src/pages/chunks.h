/* chunks: runs of 512 entries that are equal in several processes, such as the buffers of a
 * database.
 *
 * A chunk is known by the hash of its entries. Its first two sights are counted page by page, the
 * second also keeps where the states of its pages are. Later sights only add their process to a set
 * that waits; pm_chunks_end() joins this set with those of the pages. Pure. */
#ifndef PM_PAGES_CHUNKS_H
#define PM_PAGES_CHUNKS_H

#include "pages/range.h"

#define PM_CHUNK_PAGES ((size_t)512)

typedef struct pm_chunks {
    pm_map of; /* hash -> index in item, or SEEN_ONCE */
    struct pm_chunk {
        pm_page_counts counts;
        uint32_t waiting; /* the node of the processes of later sights */
        uint32_t n;       /* its pages that have a state: kept[first] and so on of the sets */
        size_t first;
    } * item;
    size_t n, cap;
} pm_chunks;

/* The data that pm_chunks_keep() needs from pm_chunks_saw(). */
typedef struct pm_chunk_sight {
    uint64_t hash;
    pm_page_counts before;
    size_t first;
} pm_chunk_sight;

void pm_chunks_clear(pm_chunks *c);
void pm_chunks_free(pm_chunks *c);

/* True: the chunk is known; the current process of the sets has it now, and its pages are added to
 * `counts`. Otherwise, the caller sees the pages, adds them to `counts` and calls
 * pm_chunks_keep(). Failures are kept in the sets. */
bool pm_chunks_saw(pm_chunks *c, pm_sets *sets, const uint64_t *entries, uint64_t seed,
                   pm_page_counts *counts, pm_chunk_sight *sight);
void pm_chunks_keep(pm_chunks *c, pm_sets *sets, const pm_page_counts *counts,
                    const pm_chunk_sight *sight);

/* Adds the waiting processes to the states of the pages. */
void pm_chunks_end(pm_chunks *c, pm_sets *sets);

#endif
