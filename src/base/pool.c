/* pool: stores equal texts and equal mappings once. */
#include "base/pool.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/hash.h"
#include <stddef.h>
#include <stdlib.h>

#define IDS_MAX (UINT32_MAX - 1)

/* Returns a copy that ends with a NUL, or NULL without memory. */
static void *keep(pm_pool *pool, const void *bytes, size_t n)
{
    char *copy = malloc(n + 1);

    if (!copy)
        return NULL;
    memcpy(copy, bytes, n);
    copy[n] = '\0';
    pool->bytes += n + 1;
    return copy;
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
    uint64_t hash = pm_hash(data, t.len, 0);
    int64_t found = (int64_t)pool->n_texts;
    pmapdb_status st = PMAPDB_OK;

    if (!pm_map_find(&pool->text_ids, hash, is_text, &(wanted){pool, t, NULL}, &found)) {
        char *copy = keep(pool, data, t.len);

        st = copy ? PMAPDB_OK : pm_fail_nomem(err);
        PM_STEP(st,
                pm_grow(&pool->texts, &pool->cap_texts, pool->n_texts, sizeof *pool->texts, err));
        PM_STEP(st, pm_map_add(&pool->text_ids, hash, found, err));
        if (st == PMAPDB_OK)
            pool->texts[pool->n_texts++] = (pm_text){copy, t.len};
        else
            free(copy);
    }
    *id = (uint32_t)found;
    return st;
}

/* From `start` to the end of `value`, a pm_mapping consists of integers without padding. */
#define NUMBERS_AT offsetof(pm_mapping, start)
#define NUMBERS_LEN (offsetof(pm_mapping, value) + sizeof(((pm_mapping *)0)->value) - NUMBERS_AT)

static uint64_t hash_mapping(const pm_mapping *m, const pm_text_ids *texts)
{
    uint64_t seed = texts->path + ((uint64_t)texts->flags << 20) + ((uint64_t)texts->extra << 40);

    return pm_hash((const char *)m + NUMBERS_AT, NUMBERS_LEN, seed);
}

static bool is_mapping(const void *wanted_mapping, int64_t id)
{
    const wanted *w = wanted_mapping;
    const pm_pooled *old = w->pool->mappings[id];
    const pm_text_ids *texts = &w->pool->last;
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
    pm_pooled new = {*m, pool->last}, *p;
    pmapdb_status st;

    new.m.path = pool->texts[new.texts.path];
    new.m.flags = pool->texts[new.texts.flags];
    new.m.extra = pool->texts[new.texts.extra];
    p = pool->n_mappings == IDS_MAX ? NULL : keep(pool, &new, sizeof new);
    st = p ? PMAPDB_OK : pm_fail_nomem(err);
    PM_STEP(st, pm_grow(&pool->mappings, &pool->cap_mappings, pool->n_mappings, sizeof(pm_pooled *),
                        err));
    PM_STEP(st, pm_map_add(&pool->mapping_ids, hash, (int64_t)pool->n_mappings, err));
    if (st == PMAPDB_OK)
        pool->mappings[pool->n_mappings++] = p;
    else
        free(p);
    return st;
}

pmapdb_status pm_pool_mapping(pm_pool *pool, const pm_mapping *m, uint32_t *id, pmapdb_error *err)
{
    pm_text_ids *texts = &pool->last;
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

pmapdb_status pm_pool_new(pm_pool **out, pmapdb_error *err)
{
    pm_pool *pool = calloc(1, sizeof *pool);
    uint32_t empty;
    pmapdb_status st;

    if (!pool)
        return pm_fail_nomem(err);
    pool->number = (uint64_t)pm_now_ns(CLOCK_MONOTONIC);
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
    for (size_t i = 0; i < pool->n_texts; i++)
        free((char *)pool->texts[i].data);
    for (size_t i = 0; i < pool->n_mappings; i++)
        free(pool->mappings[i]);
    free(pool->mappings);
    free(pool->texts);
    pm_map_free(&pool->text_ids);
    pm_map_free(&pool->mapping_ids);
    free(pool->row_texts);
    pm_map_free(&pool->row_text_ids);
    free(pool);
}
