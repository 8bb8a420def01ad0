/* pairs: id -> id. */
#include "store/dict/pairs.h"

#include "base/err.h"
#include <stdlib.h>

void pm_pairs_free(pm_pairs *p)
{
    free(p->slot);
    *p = (pm_pairs){0};
}

/* The slot of the key, or the free one where it belongs. Ids are dense: a multiplication spreads
 * those of an interval. */
static struct pm_pairs_slot *slot_of(const pm_pairs *p, int64_t key)
{
    size_t at = (size_t)(((uint64_t)key * 0x9e3779b97f4a7c15U) >> 20) & (p->size - 1);

    while (p->slot[at].key && p->slot[at].key != key)
        at = (at + 1) & (p->size - 1);
    return &p->slot[at];
}

int64_t pm_pairs_get(const pm_pairs *p, int64_t key)
{
    return p->size ? slot_of(p, key)->value : 0;
}

static pmapdb_status grow(pm_pairs *p, pmapdb_error *err)
{
    pm_pairs larger = {.size = p->size ? 2 * p->size : 256};

    larger.slot = calloc(larger.size, sizeof *larger.slot);
    if (!larger.slot)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < p->size; i++)
        if (p->slot[i].key)
            *slot_of(&larger, p->slot[i].key) = p->slot[i];
    larger.used = p->used;
    free(p->slot);
    *p = larger;
    return PMAPDB_OK;
}

pmapdb_status pm_pairs_put(pm_pairs *p, int64_t key, int64_t value, pmapdb_error *err)
{
    struct pm_pairs_slot *slot;

    if (2 * p->used >= p->size) {
        pmapdb_status st = grow(p, err);

        if (st != PMAPDB_OK)
            return st;
    }
    slot = slot_of(p, key);
    p->used += slot->key == 0;
    *slot = (struct pm_pairs_slot){key, value};
    return PMAPDB_OK;
}
