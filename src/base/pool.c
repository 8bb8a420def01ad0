/* pool: stores equal texts and equal mappings once. */
#include "base/pool.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#define ARENA_BYTES (1U << 18) /* per block, unless a text is longer */
#define FIRST_ARENA (1U << 12) /* a host has hundreds of small processes, each with a pool */
#define IDS_MAX (UINT32_MAX - 1)

typedef struct text_ids {
    uint32_t path, flags, extra;
} text_ids;

typedef struct pooled_mapping {
    pm_mapping m;
    text_ids texts;
} pooled_mapping;

/* Texts and mappings are in arenas, so that pointers to them stay valid. */
struct pm_pool {
    uint64_t number;
    pm_map text_ids, mapping_ids; /* hash -> id */
    pm_map known;                 /* hash of a mapping's text -> its id */
    pm_text *texts;
    size_t n_texts, cap_texts;
    pooled_mapping **mappings;
    size_t n_mappings, cap_mappings;
    char **arenas;
    size_t n_arenas, cap_arenas, arena_left, arena_bytes;
    char *arena_next;
    text_ids last; /* text ids of the last mapping looked up */
    size_t bytes;  /* total size of the arenas */
};

/* Returns `size` bytes of arena memory, aligned for a mapping, or NULL without memory. */
static void *take(pm_pool *pool, size_t size, pmapdb_error *err)
{
    const size_t unit = _Alignof(pooled_mapping);
    char *out;

    size = (size + unit - 1) / unit * unit;
    if (size > pool->arena_left) {
        size_t block = pool->arena_bytes ? pool->arena_bytes * 2 : FIRST_ARENA;

        pool->arena_bytes = block < ARENA_BYTES ? block : ARENA_BYTES;
        block = size > pool->arena_bytes ? size : pool->arena_bytes;
        if (pm_grow(&pool->arenas, &pool->cap_arenas, pool->n_arenas, sizeof *pool->arenas, err) !=
            PMAPDB_OK)
            return NULL;
        out = malloc(block);
        if (!out) {
            pm_fail_nomem(err);
            return NULL;
        }
        pool->arenas[pool->n_arenas++] = pool->arena_next = out;
        pool->arena_left = block;
        pool->bytes += block;
    }
    out = pool->arena_next;
    pool->arena_next += size;
    pool->arena_left -= size;
    return out;
}

typedef struct wanted {
    const pm_pool *pool;
    pm_text text;
    const pm_mapping *m;
} wanted;

static bool is_text(const void *wanted_text, int64_t id)
{
    const wanted *w = wanted_text;

    return pm_text_equal(w->pool->texts[id], w->text);
}

pmapdb_status pm_pool_text(pm_pool *pool, pm_text t, uint32_t *id, pmapdb_error *err)
{
    const char *data = t.data ? t.data : "";
    uint64_t hash = pm_hash(data, t.len);
    int64_t found = (int64_t)pool->n_texts;
    pmapdb_status st = PMAPDB_OK;
    char *copy;

    if (!pm_map_find(&pool->text_ids, hash, is_text, &(wanted){pool, t, NULL}, &found)) {
        copy = take(pool, t.len + 1, err);
        if (!copy)
            return PMAPDB_NOMEM;
        memcpy(copy, data, t.len);
        copy[t.len] = '\0';
        st = pm_grow(&pool->texts, &pool->cap_texts, pool->n_texts, sizeof *pool->texts, err);
        PM_STEP(st, pm_map_add(&pool->text_ids, hash, found, err));
        if (st == PMAPDB_OK)
            pool->texts[pool->n_texts++] = (pm_text){copy, t.len};
    }
    *id = (uint32_t)found;
    return st;
}

/* From `start` to the end of `value`, a pm_mapping consists of integers without padding. */
#define NUMBERS_AT offsetof(pm_mapping, start)
#define NUMBERS_LEN (offsetof(pm_mapping, value) + sizeof(((pm_mapping *)0)->value) - NUMBERS_AT)

/* XXH3 has a faster path for at most 240 bytes. To stay below this limit, `start` goes into the
 * seed instead. */
#define HASHED_AT offsetof(pm_mapping, end)
#define HASHED_LEN (NUMBERS_LEN - (HASHED_AT - NUMBERS_AT))

static uint64_t hash_mapping(const pm_mapping *m, const text_ids *texts)
{
    uint64_t seed = texts->path + ((uint64_t)texts->flags << 20) + ((uint64_t)texts->extra << 40);

    return pm_hash_seeded((const char *)m + HASHED_AT, HASHED_LEN,
                          seed ^ m->start * UINT64_C(0x9e3779b97f4a7c15));
}

static bool is_mapping(const void *wanted_mapping, int64_t id)
{
    const wanted *w = wanted_mapping;
    const pooled_mapping *old = w->pool->mappings[id];
    const text_ids *texts = &w->pool->last;
    const pm_mapping *m = w->m;

    return old->texts.path == texts->path && old->texts.flags == texts->flags &&
           old->texts.extra == texts->extra && old->m.name_cut == m->name_cut &&
           memcmp(old->m.perms, m->perms, sizeof m->perms) == 0 &&
           memcmp((const char *)&old->m + NUMBERS_AT, (const char *)m + NUMBERS_AT, NUMBERS_LEN) ==
               0;
}

/* Finds the id of a text. Neighbours in a map often share a text, so *id begins as the id of the
 * previous mapping. */
static pmapdb_status text_of_next(pm_pool *pool, pm_text t, uint32_t *id, pmapdb_error *err)
{
    if (t.len == 0) {
        *id = 0;
        return PMAPDB_OK;
    }
    return pm_text_equal(pool->texts[*id], t) ? PMAPDB_OK : pm_pool_text(pool, t, id, err);
}

/* Adds a copy of the mapping, texts included. */
static pmapdb_status add_mapping(pm_pool *pool, const pm_mapping *m, uint64_t hash,
                                 pmapdb_error *err)
{
    pooled_mapping *p = pool->n_mappings == IDS_MAX ? NULL : take(pool, sizeof *p, err);
    pmapdb_status st;

    if (!p)
        return pm_fail_nomem(err);
    st = pm_grow(&pool->mappings, &pool->cap_mappings, pool->n_mappings, sizeof(pooled_mapping *),
                 err);
    PM_STEP(st, pm_map_add(&pool->mapping_ids, hash, (int64_t)pool->n_mappings, err));
    if (st != PMAPDB_OK)
        return st;
    p->m = *m;
    p->texts = pool->last;
    p->m.path = pool->texts[p->texts.path];
    p->m.flags = pool->texts[p->texts.flags];
    p->m.extra = pool->texts[p->texts.extra];
    pool->mappings[pool->n_mappings++] = p;
    return PMAPDB_OK;
}

pmapdb_status pm_pool_mapping(pm_pool *pool, const pm_mapping *m, uint32_t *id, pmapdb_error *err)
{
    text_ids *texts = &pool->last;
    int64_t found;
    uint64_t hash;
    pmapdb_status st = text_of_next(pool, m->path, &texts->path, err);

    PM_STEP(st, text_of_next(pool, m->flags, &texts->flags, err));
    PM_STEP(st, text_of_next(pool, m->extra, &texts->extra, err));
    if (st != PMAPDB_OK)
        return st;
    hash = hash_mapping(m, texts);
    found = (int64_t)pool->n_mappings;
    if (!pm_map_find(&pool->mapping_ids, hash, is_mapping, &(wanted){pool, {NULL, 0}, m}, &found))
        st = add_mapping(pool, m, hash, err);
    *id = (uint32_t)found;
    return st;
}

bool pm_pool_recall(const pm_pool *pool, uint64_t text_hash, uint32_t *id)
{
    int64_t found;

    if (!pm_map_get(&pool->known, text_hash, &found))
        return false;
    *id = (uint32_t)found;
    return true;
}

pmapdb_status pm_pool_note(pm_pool *pool, uint64_t text_hash, uint32_t id, pmapdb_error *err)
{
    return pm_map_put(&pool->known, text_hash, id, err);
}

pmapdb_status pm_pool_new(pm_pool **out, pmapdb_error *err)
{
    pm_pool *pool = calloc(1, sizeof *pool);
    struct timespec now;
    uint32_t empty;
    pmapdb_status st;

    if (!pool)
        return pm_fail_nomem(err);
    clock_gettime(CLOCK_MONOTONIC, &now);
    pool->number = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
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
    for (size_t i = 0; i < pool->n_arenas; i++)
        free(pool->arenas[i]);
    free(pool->mappings);
    free(pool->arenas);
    free(pool->texts);
    pm_map_free(&pool->text_ids);
    pm_map_free(&pool->mapping_ids);
    pm_map_free(&pool->known);
    free(pool);
}

const pm_mapping *pm_pool_get(const pm_pool *pool, uint32_t id)
{
    return &pool->mappings[id]->m;
}

pm_text pm_pool_text_get(const pm_pool *pool, uint32_t id)
{
    return pool->texts[id];
}

uint64_t pm_pool_number(const pm_pool *pool)
{
    return pool->number;
}

size_t pm_pool_bytes(const pm_pool *pool)
{
    size_t slots = pool->text_ids.size + pool->mapping_ids.size + pool->known.size;

    return pool->bytes + slots * sizeof *pool->known.slot + pool->cap_texts * sizeof *pool->texts +
           pool->cap_mappings * sizeof(pooled_mapping *);
}
