/* tokens: the replacements of texts in a redacted export. */
#include "store/export/tokens.h"

#include "base/buf.h"
#include "base/pool.h"
#include <stdio.h>
#include <stdlib.h>

#define PREFIX_MAX 8

/* The facts about a text of the pool. */
typedef struct fact {
    uint32_t token; /* id of its token; 0: no token */
    enum { NOT_SHOWN, IS_TOKEN, STAYS } shown;
    bool is_public;
} fact;

struct pm_tokens {
    pm_pool *pool; /* texts, tokens and public names */
    fact *fact;    /* indexed by id */
    size_t n, cap;
    size_t n_made; /* tokens */
    struct counter {
        char prefix[PREFIX_MAX];
        uint64_t last;
    } counter[24];
    size_t n_counters;
};

pmapdb_status pm_tokens_new(pm_tokens **out, pmapdb_error *err)
{
    pm_tokens *t = calloc(1, sizeof *t);
    pmapdb_status st = t ? pm_pool_new(&t->pool, err) : pm_fail_nomem(err);

    if (st == PMAPDB_OK)
        *out = t;
    else
        free(t);
    return st;
}

void pm_tokens_free(pm_tokens *t)
{
    if (!t)
        return;
    pm_pool_free(t->pool);
    free(t->fact);
    free(t);
}

static pmapdb_status find(pm_tokens *t, pm_text text, uint32_t *id, pmapdb_error *err)
{
    pmapdb_status st = pm_pool_text(t->pool, text, id, err);

    while (st == PMAPDB_OK && t->n <= *id) {
        st = pm_grow(&t->fact, &t->cap, t->n, sizeof *t->fact, err);
        if (st == PMAPDB_OK)
            t->fact[t->n++] = (fact){0};
    }
    return st;
}

static uint64_t next_number(pm_tokens *t, const char *prefix)
{
    size_t i = 0;

    while (i < t->n_counters && strcmp(t->counter[i].prefix, prefix) != 0)
        i++;
    if (i == t->n_counters)
        snprintf(t->counter[t->n_counters++].prefix, PREFIX_MAX, "%s", prefix);
    return ++t->counter[i].last;
}

/* Makes a token that does not equal any shown text. */
static pmapdb_status make(pm_tokens *t, const char *prefix, pm_text tail, uint32_t *id,
                          pmapdb_error *err)
{
    char name[PREFIX_MAX + PM_TOKEN_TAIL + 24];
    pmapdb_status st;

    do {
        snprintf(
            name, sizeof name, "%s%llu%.*s", prefix, (unsigned long long)next_number(t, prefix),
            (int)(tail.len < PM_TOKEN_TAIL ? tail.len : PM_TOKEN_TAIL), tail.len ? tail.data : "");
        st = find(t, pm_text_of(name), id, err);
    } while (st == PMAPDB_OK && t->fact[*id].shown != NOT_SHOWN);
    if (st == PMAPDB_OK)
        t->fact[*id].shown = IS_TOKEN;
    return st;
}

pmapdb_status pm_tokens_of(pm_tokens *t, const char *prefix, pm_text text, pm_text tail,
                           pm_text *out, pmapdb_error *err)
{
    uint32_t id, token;
    pmapdb_status st = find(t, text, &id, err);

    if (st == PMAPDB_OK && !t->fact[id].token) {
        st = make(t, prefix, tail, &token, err);
        if (st == PMAPDB_OK) {
            t->fact[id].token = token;
            t->n_made++;
        }
    }
    if (st == PMAPDB_OK)
        *out = pm_pool_text_get(t->pool, t->fact[id].token);
    return st;
}

pmapdb_status pm_tokens_keep(pm_tokens *t, pm_text text, bool *stays, pmapdb_error *err)
{
    uint32_t id;
    pmapdb_status st = find(t, text, &id, err);

    if (st != PMAPDB_OK)
        return st;
    if (t->fact[id].shown == NOT_SHOWN)
        t->fact[id].shown = STAYS;
    *stays = t->fact[id].shown == STAYS;
    return st;
}

pmapdb_status pm_tokens_publish(pm_tokens *t, pm_text name, pmapdb_error *err)
{
    uint32_t id;
    pmapdb_status st = find(t, name, &id, err);

    if (st == PMAPDB_OK)
        t->fact[id].is_public = true;
    return st;
}

bool pm_tokens_is_public(pm_tokens *t, pm_text name)
{
    uint32_t id;

    return find(t, name, &id, NULL) == PMAPDB_OK && t->fact[id].is_public;
}

size_t pm_tokens_count(const pm_tokens *t)
{
    return t->n_made;
}
