/* map: 64-bit key -> 64-bit value, by open addressing. The one hash table of the program.
 *
 * A zeroed pm_map is empty. A key is mixed before use, so ids and addresses can be keys. To intern
 * things, the key is their hash and the value their index; pm_map_find then distinguishes things
 * that share a hash:
 *
 *     if (!pm_map_find(&map, hash, same_text, &wanted, &index))
 *         st = pm_map_add(&map, hash, index, err);
 *
 * A value is never PMAPDB_UNKNOWN. Single values cannot be removed; pm_map_clear removes everything
 * and keeps the memory.
 */
#ifndef PM_BASE_MAP_H
#define PM_BASE_MAP_H

#include "pmapdb.h"

typedef struct pm_map {
    struct pm_map_slot {
        uint64_t key;
        int64_t value; /* PMAPDB_UNKNOWN: the slot is free */
    } * slot;
    size_t size; /* slots, a power of two; 0 before the first value */
    size_t used;
} pm_map;

/* True if `value` belongs to the thing that `wanted` describes. */
typedef bool pm_map_same(const void *wanted, int64_t value);

void pm_map_free(pm_map *m);
void pm_map_clear(pm_map *m);

/* False if the key has no value; *value is then unchanged. */
bool pm_map_get(const pm_map *m, uint64_t key, int64_t *value);

/* Like pm_map_get, for a key with several values: the first value that `same` accepts. */
bool pm_map_find(const pm_map *m, uint64_t key, pm_map_same *same, const void *wanted,
                 int64_t *value);

/* Sets the value of a key that has at most one. */
pmapdb_status pm_map_put(pm_map *m, uint64_t key, int64_t value, pmapdb_error *err);

/* Adds a value to a key that may have others. */
pmapdb_status pm_map_add(pm_map *m, uint64_t key, int64_t value, pmapdb_error *err);

#endif
