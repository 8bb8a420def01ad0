/* pool: remembers equal things once.
 *
 * A week of captures of one process is the same few thousand mappings over and over. The pool
 * keeps each distinct text and each distinct mapping once and names it by a small id, so that a
 * capture is an array of ids, and "this mapping did not change" is one comparison of two integers.
 *
 * Ids are dense from 0 and stay valid until pm_pool_free. Pointers handed out are stable too.
 * Text id 0 is the empty text.
 */
#ifndef PM_BASE_POOL_H
#define PM_BASE_POOL_H

#include "base/err.h"
#include "base/mapping.h"

typedef struct pm_pool pm_pool;

pmapdb_status pm_pool_new(pm_pool **out, pmapdb_error *err);
void pm_pool_free(pm_pool *pool);

/* The id of a copy of `m` (texts included). Equal in every field: equal id. */
pmapdb_status pm_pool_mapping(pm_pool *pool, const pm_mapping *m, uint32_t *id, pmapdb_error *err);
const pm_mapping *pm_pool_get(const pm_pool *pool, uint32_t id);

pmapdb_status pm_pool_text(pm_pool *pool, pm_text t, uint32_t *id, pmapdb_error *err);
pm_text pm_pool_text_get(const pm_pool *pool, uint32_t id);

/* A memo of text: the mapping that the text with this hash stands for. What the kernel prints of a
 * mapping that did not change is the same bytes again, and needs no search among the mappings.
 * False if the text is not known. */
bool pm_pool_recall(const pm_pool *pool, uint64_t text_hash, uint32_t *id);
pmapdb_status pm_pool_note(pm_pool *pool, uint64_t text_hash, uint32_t id, pmapdb_error *err);

/* A number that tells this pool from an earlier pool at the same address, for whoever remembers ids
 * after the pool may be gone. */
uint64_t pm_pool_number(const pm_pool *pool);

/* Bytes that the pool holds, for a caller with a budget. */
size_t pm_pool_bytes(const pm_pool *pool);

#endif
