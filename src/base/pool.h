/* pool: stores equal things once.
 *
 * A week of captures of one process repeats the same few thousand mappings. The pool keeps each
 * distinct text and each distinct mapping once and identifies it by a small id, so that a capture
 * is an array of ids, and "this mapping did not change" is one comparison of two integers.
 *
 * Ids are dense from 0 and stay valid until pm_pool_free, and so do pointers into the pool. Text id
 * 0 is the empty text.
 */
#ifndef PM_BASE_POOL_H
#define PM_BASE_POOL_H

#include "base/err.h"
#include "base/map.h"
#include "base/record/mapping.h"

typedef struct pm_text_ids {
    uint32_t path, flags, extra;
} pm_text_ids;

typedef struct pm_pooled {
    pm_mapping m;
    pm_text_ids texts;
} pm_pooled;

/* The text of a mapping of smaps with its keys, as the kernel printed it. */
typedef struct pm_row_text {
    uint64_t hash;
    const pm_pooled *mapping; /* pm_pool.mappings[id], for a fast look */
    uint32_t id;              /* of the mapping */
    uint32_t len, lines;      /* bytes; lines */
    uint32_t next;            /* index of the text that last came after this text */
} pm_row_text;

/* Other files read `texts` and `mappings` by id; smaps_fast.c keeps `row_texts`. */
typedef struct pm_pool {
    /* When the pool was made, in ns: no two pools of a thread have the same number. A caller
     * that keeps ids compares the number first, because the pool may have been freed. */
    uint64_t number;
    pm_text *texts;
    size_t n_texts, cap_texts;
    pm_pooled **mappings;
    size_t n_mappings, cap_mappings;
    pm_map text_ids, mapping_ids; /* hash -> id */
    pm_row_text *row_texts;
    size_t n_row_texts, cap_row_texts;
    pm_map row_text_ids; /* hash -> index in row_texts */
    pm_text_ids last;    /* text ids of the last mapping looked up */
    size_t bytes;        /* of the texts and the mappings */
} pm_pool;

pmapdb_status pm_pool_new(pm_pool **out, pmapdb_error *err);
void pm_pool_free(pm_pool *pool);

/* Finds the id of the mapping `m`; adds a copy, texts included, if it is new. Mappings that are
 * equal in every field have equal ids. */
pmapdb_status pm_pool_mapping(pm_pool *pool, const pm_mapping *m, uint32_t *id, pmapdb_error *err);

pmapdb_status pm_pool_text(pm_pool *pool, pm_text t, uint32_t *id, pmapdb_error *err);

/* Returns the bytes that the pool holds, for a caller with a budget. */
static inline size_t pm_pool_bytes(const pm_pool *pool)
{
    size_t slots = pool->text_ids.size + pool->mapping_ids.size + pool->row_text_ids.size;

    return pool->bytes + slots * sizeof *pool->text_ids.slot +
           pool->cap_texts * sizeof *pool->texts + pool->cap_mappings * sizeof(pm_pooled *) +
           pool->cap_row_texts * sizeof *pool->row_texts;
}

#endif
