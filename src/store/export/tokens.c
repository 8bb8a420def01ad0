/* tokens: what stands for a text in a redacted export. */
#include "store/export/tokens.h"

#include "base/buf.h"
#include "base/hash.h"
#include <stdio.h>
#include <stdlib.h>

#define PREFIX_MAX 8

typedef struct token {
    char *text;
    size_t len;
    char name[PREFIX_MAX + PM_TOKEN_TAIL + 24]; /* "" for what is no token but stays */
} token;

/* Texts, each once, found by their hash. */
typedef struct text_set {
    token **slot; /* open addressing */
    size_t size, used;
} text_set;

struct pm_tokens {
    text_set texts;   /* that have a token */
    text_set outputs; /* tokens, and texts that stay */
    text_set names;   /* public ones */
    token **token;    /* in the order of their making; those of texts */
    size_t n, cap;
    struct counter {
        char prefix[PREFIX_MAX];
        uint64_t last;
    } counter[24];
    size_t n_counters;
};

pmapdb_status pm_tokens_new(pm_tokens **out, pmapdb_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? PMAPDB_OK : pm_fail_nomem(err);
}

static void set_free(text_set *s)
{
    for (size_t i = 0; i < s->size; i++)
        if (s->slot[i]) {
            free(s->slot[i]->text);
            free(s->slot[i]);
        }
    free(s->slot);
}

void pm_tokens_free(pm_tokens *t)
{
    if (!t)
        return;
    set_free(&t->texts);
    set_free(&t->outputs);
    set_free(&t->names);
    free(t->token);
    free(t);
}

/* ---- sets ---- */

/* Where the text is, or belongs. */
static token **slot_of(const text_set *s, pm_text text)
{
    size_t at = pm_hash(text.data, text.len) & (s->size - 1);

    while (s->slot[at] && !pm_text_equal((pm_text){s->slot[at]->text, s->slot[at]->len}, text))
        at = (at + 1) & (s->size - 1);
    return &s->slot[at];
}

static token *set_find(const text_set *s, pm_text text)
{
    return s->size ? *slot_of(s, text) : NULL;
}

static pmapdb_status set_grow(text_set *s, pmapdb_error *err)
{
    text_set old = *s;

    if (s->used * 2 < s->size)
        return PMAPDB_OK;
    s->size = old.size ? old.size * 2 : 256;
    s->slot = calloc(s->size, sizeof(token *));
    if (!s->slot) {
        *s = old;
        return pm_fail_nomem(err);
    }
    for (size_t i = 0; i < old.size; i++)
        if (old.slot[i])
            *slot_of(s, (pm_text){old.slot[i]->text, old.slot[i]->len}) = old.slot[i];
    free(old.slot);
    return PMAPDB_OK;
}

/* Finds it, or adds it without a name. */
static pmapdb_status set_add(text_set *s, pm_text text, token **out, pmapdb_error *err)
{
    pmapdb_status st = set_grow(s, err);
    token **slot, *found;
    char *copy;

    if (st != PMAPDB_OK)
        return st;
    slot = slot_of(s, text);
    found = *slot;
    if (!found) {
        found = calloc(1, sizeof *found);
        copy = malloc(text.len + 1);
        if (!found || !copy) {
            free(found);
            free(copy);
            return pm_fail_nomem(err);
        }
        memcpy(copy, text.len ? text.data : "", text.len);
        copy[text.len] = '\0';
        *found = (token){.text = copy, .len = text.len};
        *slot = found;
        s->used++;
    }
    *out = found;
    return PMAPDB_OK;
}

/* ---- tokens ---- */

static uint64_t next_number(pm_tokens *t, const char *prefix)
{
    size_t i = 0;

    while (i < t->n_counters && strcmp(t->counter[i].prefix, prefix) != 0)
        i++;
    if (i == t->n_counters)
        snprintf(t->counter[t->n_counters++].prefix, PREFIX_MAX, "%s", prefix);
    return ++t->counter[i].last;
}

/* A name that nothing has. */
static pmapdb_status make(pm_tokens *t, const char *prefix, pm_text tail, token *of,
                          pmapdb_error *err)
{
    token *taken;

    do
        snprintf(of->name, sizeof of->name, "%s%llu%.*s", prefix,
                 (unsigned long long)next_number(t, prefix),
                 (int)(tail.len < PM_TOKEN_TAIL ? tail.len : PM_TOKEN_TAIL),
                 tail.len ? tail.data : "");
    while (set_find(&t->outputs, pm_text_of(of->name)));
    return set_add(&t->outputs, pm_text_of(of->name), &taken, err);
}

pmapdb_status pm_tokens_of(pm_tokens *t, const char *prefix, pm_text text, pm_text tail,
                           pm_text *out, pmapdb_error *err)
{
    token *of = NULL;
    pmapdb_status st = set_add(&t->texts, text, &of, err);

    if (st != PMAPDB_OK || !of)
        return st;
    if (!of->name[0]) {
        st = pm_grow(&t->token, &t->cap, t->n, sizeof(token *), err);
        if (st == PMAPDB_OK)
            st = make(t, prefix, tail, of, err);
        if (st == PMAPDB_OK)
            t->token[t->n++] = of;
    }
    if (st == PMAPDB_OK)
        *out = pm_text_of(of->name);
    return st;
}

/* An output with a name is a text that stays; a token's own has none. */
pmapdb_status pm_tokens_keep(pm_tokens *t, pm_text text, bool *stays, pmapdb_error *err)
{
    token *of = set_find(&t->outputs, text);
    pmapdb_status st = PMAPDB_OK;

    *stays = of && of->name[0];
    if (of)
        return st;
    st = set_add(&t->outputs, text, &of, err);
    if (st != PMAPDB_OK || !of)
        return st;
    of->name[0] = '=';
    *stays = true;
    return st;
}

pmapdb_status pm_tokens_publish(pm_tokens *t, pm_text name, pmapdb_error *err)
{
    token *of;

    return set_add(&t->names, name, &of, err);
}

bool pm_tokens_is_public(const pm_tokens *t, pm_text name)
{
    return set_find(&t->names, name) != NULL;
}

size_t pm_tokens_count(const pm_tokens *t)
{
    return t->n;
}

void pm_tokens_at(const pm_tokens *t, size_t index, pm_text *text, pm_text *out)
{
    *text = (pm_text){t->token[index]->text, t->token[index]->len};
    *out = pm_text_of(t->token[index]->name);
}
