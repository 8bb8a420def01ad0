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
#include "base/record/mapping.h"

typedef struct pm_pool pm_pool;

pmapdb_status pm_pool_new(pm_pool **out, pmapdb_error *err);
void pm_pool_free(pm_pool *pool);

/* Finds the id of the mapping `m`; adds a copy, texts included, if it is new. Mappings that are
 * equal in every field have equal ids. */
pmapdb_status pm_pool_mapping(pm_pool *pool, const pm_mapping *m, uint32_t *id, pmapdb_error *err);
const pm_mapping *pm_pool_get(const pm_pool *pool, uint32_t id);

pmapdb_status pm_pool_text(pm_pool *pool, pm_text t, uint32_t *id, pmapdb_error *err);
pm_text pm_pool_text_get(const pm_pool *pool, uint32_t id);

/* Finds the mapping of a text by the hash of the text. The kernel prints the same bytes for an
 * unchanged mapping, so no search among the mappings is needed. False if the text is unknown. */
bool pm_pool_recall(const pm_pool *pool, uint64_t text_hash, uint32_t *id);
pmapdb_status pm_pool_note(pm_pool *pool, uint64_t text_hash, uint32_t id, pmapdb_error *err);

/* Returns a number that distinguishes this pool from an earlier pool at the same address, for
 * callers that keep ids longer than the pool may live. */
uint64_t pm_pool_number(const pm_pool *pool);

/* Returns the bytes that the pool holds, for a caller with a budget. */
size_t pm_pool_bytes(const pm_pool *pool);

#endif
