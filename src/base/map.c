/* map: open addressing with linear probing, at most three quarters full. */
#include "base/map.h"

#include "base/err.h"
#include <stdlib.h>

#define SLOTS_MIN 16

/* The finaliser of MurmurHash3: every bit of the key reaches the low bits of the result. */
static uint64_t mix(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdU;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53U;
    return key ^ key >> 33;
}

static struct pm_map_slot *slot_at(const pm_map *m, uint64_t at)
{
    return &m->slot[at & (m->size - 1)];
}

static bool is_free(const struct pm_map_slot *slot)
{
    return slot->value == PMAPDB_UNKNOWN;
}

void pm_map_free(pm_map *m)
{
    free(m->slot);
    *m = (pm_map){0};
}

void pm_map_clear(pm_map *m)
{
    for (size_t i = 0; i < m->size; i++)
        m->slot[i].value = PMAPDB_UNKNOWN;
    m->used = 0;
}

/* Returns the slot of the key, or the free slot where the search ends; NULL in an empty map. */
static struct pm_map_slot *search(const pm_map *m, uint64_t key, pm_map_same *same,
                                  const void *wanted)
{
    struct pm_map_slot *slot = NULL;

    for (uint64_t at = mix(key); m->size; at++) {
        slot = slot_at(m, at);
        if (is_free(slot) || (slot->key == key && (!same || same(wanted, slot->value))))
            break;
    }
    return slot;
}

bool pm_map_find(const pm_map *m, uint64_t key, pm_map_same *same, const void *wanted,
                 int64_t *value)
{
    const struct pm_map_slot *slot = search(m, key, same, wanted);

    if (!slot || is_free(slot))
        return false;
    *value = slot->value;
    return true;
}

bool pm_map_get(const pm_map *m, uint64_t key, int64_t *value)
{
    return pm_map_find(m, key, NULL, NULL, value);
}

static void insert(pm_map *m, uint64_t key, int64_t value)
{
    uint64_t at = mix(key);

    while (!is_free(slot_at(m, at)))
        at++;
    *slot_at(m, at) = (struct pm_map_slot){key, value};
    m->used++;
}

static pmapdb_status make_room(pm_map *m, pmapdb_error *err)
{
    pm_map larger = {NULL, m->size ? 2 * m->size : SLOTS_MIN, 0};

    if (m->used < m->size / 4 * 3)
        return PMAPDB_OK;
    larger.slot = calloc(larger.size, sizeof *larger.slot);
    if (!larger.slot)
        return pm_fail_nomem(err);
    pm_map_clear(&larger);
    for (size_t i = 0; i < m->size; i++)
        if (!is_free(&m->slot[i]))
            insert(&larger, m->slot[i].key, m->slot[i].value);
    free(m->slot);
    *m = larger;
    return PMAPDB_OK;
}

pmapdb_status pm_map_add(pm_map *m, uint64_t key, int64_t value, pmapdb_error *err)
{
    pmapdb_status st = make_room(m, err);

    if (st == PMAPDB_OK)
        insert(m, key, value);
    return st;
}

pmapdb_status pm_map_put(pm_map *m, uint64_t key, int64_t value, pmapdb_error *err)
{
    struct pm_map_slot *slot = search(m, key, NULL, NULL);

    if (!slot || is_free(slot))
        return pm_map_add(m, key, value, err);
    slot->value = value;
    return PMAPDB_OK;
}
