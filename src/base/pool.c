/* pool: remembers equal texts and equal mappings once. */
#include "base/pool.h"

#include "base/buf.h"
#include "base/hash.h"
#include <stddef.h>
#include <stdlib.h>

#define SLAB_ITEMS 128         /* mappings per slab: pointers to them stay valid */
#define ARENA_BYTES (1U << 18) /* texts per arena block, unless one is longer */
#define FIRST_ARENA (1U << 12) /* a host has hundreds of small processes, each with its pool */
#define FIRST_SLOTS (1U << 7)
#define NO_ID UINT32_MAX

/* Open addressing over ids, linear probing, at most half full. */
typedef struct id_table {
    uint32_t *slots; /* id, or NO_ID */
    size_t size;     /* a power of two, or 0 */
    size_t used;
} id_table;

typedef struct pooled_text {
    pm_text text;
    uint64_t hash;
} pooled_text;

typedef struct text_ids {
    uint32_t path, flags, extra;
} text_ids;

typedef struct pooled_mapping {
    pm_mapping m;
    text_ids texts;
    uint64_t hash;
} pooled_mapping;

struct pm_pool {
    id_table text_ids, mapping_ids;
    pooled_text *texts;
    size_t n_texts, cap_texts;
    pooled_mapping **slabs;
    size_t n_mappings, n_slabs, cap_slabs;
    char **arenas;
    size_t n_arenas, cap_arenas, arena_left, arena_bytes;
    char *arena_next;
    text_ids last; /* of the mapping asked for last */
    size_t bytes;
};

static pooled_mapping *pooled(const pm_pool *pool, uint32_t id)
{
    return &pool->slabs[id / SLAB_ITEMS][id % SLAB_ITEMS];
}

static uint64_t text_hash_of(const pm_pool *pool, uint32_t id)
{
    return pool->texts[id].hash;
}

static uint64_t mapping_hash_of(const pm_pool *pool, uint32_t id)
{
    return pooled(pool, id)->hash;
}

typedef uint64_t (*hash_of_fn)(const pm_pool *pool, uint32_t id);

/* Makes room for one more id; rehashes into a table twice as large when half full. */
static pmapdb_status table_reserve(pm_pool *pool, id_table *t, hash_of_fn hash_of,
                                   pmapdb_error *err)
{
    size_t size = t->size ? t->size * 2 : FIRST_SLOTS;
    uint32_t *slots;

    if (t->slots && t->used * 2 < t->size)
        return PMAPDB_OK;
    slots = malloc(size * sizeof *slots);
    if (!slots)
        return pm_fail_nomem(err);
    memset(slots, 0xff, size * sizeof *slots);
    for (size_t i = 0; t->slots && i < t->size; i++) {
        size_t at;

        if (t->slots[i] == NO_ID)
            continue;
        for (at = hash_of(pool, t->slots[i]) & (size - 1); slots[at] != NO_ID;)
            at = (at + 1) & (size - 1);
        slots[at] = t->slots[i];
    }
    pool->bytes += (size - t->size) * sizeof *slots;
    free(t->slots);
    t->slots = slots;
    t->size = size;
    return PMAPDB_OK;
}

static pmapdb_status arena_copy(pm_pool *pool, pm_text t, const char **out, pmapdb_error *err)
{
    pmapdb_status st;

    if (t.len + 1 > pool->arena_left) {
        size_t size = pool->arena_bytes ? pool->arena_bytes * 2 : FIRST_ARENA;
        char *block;

        size = size < ARENA_BYTES ? size : ARENA_BYTES;
        pool->arena_bytes = size;
        size = t.len + 1 > size ? t.len + 1 : size;
        st = pm_grow(&pool->arenas, &pool->cap_arenas, pool->n_arenas, sizeof *pool->arenas, err);
        if (st != PMAPDB_OK)
            return st;
        block = malloc(size);
        if (!block)
            return pm_fail_nomem(err);
        pool->arenas[pool->n_arenas++] = block;
        pool->arena_next = block;
        pool->arena_left = size;
        pool->bytes += size;
    }
    if (t.len)
        memcpy(pool->arena_next, t.data, t.len);
    pool->arena_next[t.len] = '\0';
    *out = pool->arena_next;
    pool->arena_next += t.len + 1;
    pool->arena_left -= t.len + 1;
    return PMAPDB_OK;
}

pmapdb_status pm_pool_text(pm_pool *pool, pm_text t, uint32_t *id, pmapdb_error *err)
{
    id_table *table = &pool->text_ids;
    uint64_t hash = pm_hash(t.data ? t.data : "", t.len);
    const char *copy = NULL;
    size_t at;
    pmapdb_status st = table_reserve(pool, table, text_hash_of, err);

    if (st != PMAPDB_OK || !table->slots)
        return st;
    for (at = hash & (table->size - 1); table->slots[at] != NO_ID;
         at = (at + 1) & (table->size - 1)) {
        const pooled_text *old = &pool->texts[table->slots[at]];

        if (old->hash == hash && pm_text_equal(old->text, t)) {
            *id = table->slots[at];
            return PMAPDB_OK;
        }
    }
    st = pm_grow(&pool->texts, &pool->cap_texts, pool->n_texts, sizeof *pool->texts, err);
    if (st == PMAPDB_OK)
        st = arena_copy(pool, t, &copy, err);
    if (st != PMAPDB_OK)
        return st;
    pool->texts[pool->n_texts] = (pooled_text){{copy, t.len}, hash};
    pool->bytes += sizeof *pool->texts;
    table->slots[at] = *id = (uint32_t)pool->n_texts++;
    table->used++;
    return PMAPDB_OK;
}

/* From `start` to the end of `value` a pm_mapping is integers without padding between them. */
#define NUMBERS_AT offsetof(pm_mapping, start)
#define NUMBERS_LEN (offsetof(pm_mapping, value) + sizeof(((pm_mapping *)0)->value) - NUMBERS_AT)

/* XXH3 takes up to 240 bytes without preparing for more: `start` is one of the seeds. */
#define HASHED_AT offsetof(pm_mapping, end)
#define HASHED_LEN (NUMBERS_LEN - (HASHED_AT - NUMBERS_AT))

static uint64_t hash_mapping(const pm_mapping *m, const text_ids *texts)
{
    uint64_t seed = texts->path + ((uint64_t)texts->flags << 20) + ((uint64_t)texts->extra << 40);

    return pm_hash_seeded((const char *)m + HASHED_AT, HASHED_LEN,
                          seed ^ m->start * UINT64_C(0x9e3779b97f4a7c15));
}

static bool same_mapping(const pooled_mapping *old, const pm_mapping *m, const text_ids *texts,
                         uint64_t hash)
{
    return old->hash == hash && old->texts.path == texts->path &&
           old->texts.flags == texts->flags && old->texts.extra == texts->extra &&
           old->m.name_cut == m->name_cut && memcmp(old->m.perms, m->perms, sizeof m->perms) == 0 &&
           memcmp((const char *)&old->m + NUMBERS_AT, (const char *)m + NUMBERS_AT, NUMBERS_LEN) ==
               0;
}

/* Neighbours in a map often have a text in common: *id is that of the mapping before. */
static pmapdb_status text_of_next(pm_pool *pool, pm_text t, uint32_t *id, pmapdb_error *err)
{
    if (t.len == 0) {
        *id = 0;
        return PMAPDB_OK;
    }
    return pm_text_equal(pool->texts[*id].text, t) ? PMAPDB_OK : pm_pool_text(pool, t, id, err);
}

static pmapdb_status add_slab(pm_pool *pool, pmapdb_error *err)
{
    pmapdb_status st;

    if (pool->n_mappings < pool->n_slabs * SLAB_ITEMS)
        return PMAPDB_OK;
    st = pm_grow(&pool->slabs, &pool->cap_slabs, pool->n_slabs, sizeof(pooled_mapping *), err);
    if (st != PMAPDB_OK)
        return st;
    pool->slabs[pool->n_slabs] = malloc(SLAB_ITEMS * sizeof **pool->slabs);
    if (!pool->slabs[pool->n_slabs])
        return pm_fail_nomem(err);
    pool->n_slabs++;
    pool->bytes += SLAB_ITEMS * sizeof **pool->slabs;
    return PMAPDB_OK;
}

/* A copy, its texts included; it is not in the table yet. */
static pmapdb_status add_pooled(pm_pool *pool, const pm_mapping *m, uint64_t hash,
                                pmapdb_error *err)
{
    pmapdb_status st = pool->n_mappings == NO_ID - 1 ? pm_fail_nomem(err) : add_slab(pool, err);
    pooled_mapping *p;

    if (st != PMAPDB_OK)
        return st;
    p = pooled(pool, (uint32_t)pool->n_mappings++);
    p->m = *m;
    p->texts = pool->last;
    p->hash = hash;
    p->m.path = pool->texts[p->texts.path].text;
    p->m.flags = pool->texts[p->texts.flags].text;
    p->m.extra = pool->texts[p->texts.extra].text;
    return PMAPDB_OK;
}

pmapdb_status pm_pool_mapping(pm_pool *pool, const pm_mapping *m, uint32_t *id, pmapdb_error *err)
{
    id_table *table = &pool->mapping_ids;
    text_ids *texts = &pool->last;
    uint64_t hash;
    size_t at;
    pmapdb_status st;

    if ((st = text_of_next(pool, m->path, &texts->path, err)) != PMAPDB_OK ||
        (st = text_of_next(pool, m->flags, &texts->flags, err)) != PMAPDB_OK ||
        (st = text_of_next(pool, m->extra, &texts->extra, err)) != PMAPDB_OK ||
        (st = table_reserve(pool, table, mapping_hash_of, err)) != PMAPDB_OK || !table->slots)
        return st;
    hash = hash_mapping(m, texts);
    for (at = hash & (table->size - 1); table->slots[at] != NO_ID;
         at = (at + 1) & (table->size - 1))
        if (same_mapping(pooled(pool, table->slots[at]), m, texts, hash)) {
            *id = table->slots[at];
            return PMAPDB_OK;
        }
    st = add_pooled(pool, m, hash, err);
    if (st != PMAPDB_OK)
        return st;
    table->slots[at] = *id = (uint32_t)pool->n_mappings - 1;
    table->used++;
    return PMAPDB_OK;
}

pmapdb_status pm_pool_new(pm_pool **out, pmapdb_error *err)
{
    pm_pool *pool = calloc(1, sizeof *pool);
    uint32_t empty;
    pmapdb_status st;

    if (!pool)
        return pm_fail_nomem(err);
    st = pm_pool_text(pool, PM_TEXT(""), &empty, err);
    if (st != PMAPDB_OK) {
        pm_pool_free(pool);
        return st;
    }
    *out = pool;
    return PMAPDB_OK;
}

void pm_pool_free(pm_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < pool->n_slabs; i++)
        free(pool->slabs[i]);
    for (size_t i = 0; i < pool->n_arenas; i++)
        free(pool->arenas[i]);
    free(pool->slabs);
    free(pool->arenas);
    free(pool->texts);
    free(pool->text_ids.slots);
    free(pool->mapping_ids.slots);
    free(pool);
}

const pm_mapping *pm_pool_get(const pm_pool *pool, uint32_t id)
{
    return &pooled(pool, id)->m;
}

pm_text pm_pool_text_get(const pm_pool *pool, uint32_t id)
{
    return pool->texts[id].text;
}

uint32_t pm_pool_path_id(const pm_pool *pool, uint32_t mapping_id)
{
    return pooled(pool, mapping_id)->texts.path;
}

size_t pm_pool_bytes(const pm_pool *pool)
{
    return pool->bytes;
}
