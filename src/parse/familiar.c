/* familiar: rows whose text was read before. */
#include "parse/familiar.h"

#include "base/buf.h"
#include "parse/text_hash.h"
#include <stdlib.h>

#define FIRST_SLOTS 256
#define NEAR 8 /* so many mappings in a row may have come to an end */

typedef struct known {
    pm_familiar_text text;
    uint32_t next; /* 1 + the index of what came behind it last; 0: nothing did */
} known;

struct pm_familiar {
    pm_pool *pool;
    known *item;
    size_t n, cap;
    uint32_t *slots; /* 1 + index, by hash, at most half of them used; 0: free */
    size_t n_slots;
    uint32_t first, last; /* of the capture at hand, or the one before: 1 + index */
    uint32_t found, next; /* what find gave; where it looks */
};

pmapdb_status pm_familiar_new(pm_pool *pool, pm_familiar **out, pmapdb_error *err)
{
    pm_familiar *f = calloc(1, sizeof *f);

    if (!f)
        return pm_fail_nomem(err);
    f->pool = pool;
    *out = f;
    return PMAPDB_OK;
}

void pm_familiar_renew(pm_familiar *f, pm_pool *pool)
{
    free(f->item);
    free(f->slots);
    *f = (pm_familiar){.pool = pool};
}

void pm_familiar_free(pm_familiar *f)
{
    if (!f)
        return;
    pm_familiar_renew(f, NULL);
    free(f);
}

size_t pm_familiar_bytes(const pm_familiar *f)
{
    return f->cap * sizeof *f->item + f->n_slots * sizeof *f->slots;
}

pm_pool *pm_familiar_pool(const pm_familiar *f)
{
    return f->pool;
}

/* The lower digits of the address that it starts at. */
uint64_t pm_familiar_head(const char *row)
{
    uint64_t head;

    memcpy(&head, row + PM_FAMILIAR_HEAD - sizeof head, sizeof head);
    return head;
}

void pm_familiar_begin(pm_familiar *f)
{
    f->next = f->first;
    f->last = 0;
}

/* Of two processes that were forked from one the heads are the same: then the texts say which. */
const pm_familiar_text *pm_familiar_find(pm_familiar *f, const char *p, const char *end)
{
    uint32_t at = f->next;
    uint64_t head;

    if (!at || end - p < PM_FAMILIAR_HEAD)
        return NULL;
    head = pm_familiar_head(p);
    for (int i = 0; i < NEAR && at; i++) {
        const pm_familiar_text *text = &f->item[at - 1].text;

        if (text->head != head) {
            at = f->item[at - 1].next;
            continue;
        }
        f->found = at;
        f->next = f->item[at - 1].next; /* also where this one changed */
        return (size_t)(end - p) > text->len && pm_text_begins_piece(p[text->len]) &&
                       pm_hash(p, text->len) == text->hash
                   ? text
                   : NULL;
    }
    return NULL;
}

static void link(pm_familiar *f, uint32_t at)
{
    if (f->last)
        f->item[f->last - 1].next = at;
    else
        f->first = at;
    f->last = at;
}

void pm_familiar_take(pm_familiar *f)
{
    link(f, f->found);
    f->next = f->item[f->found - 1].next;
}

/* Where the text is, or the free slot where it belongs. */
static uint32_t *slot_of(const pm_familiar *f, const pm_familiar_text *text)
{
    size_t i = text->hash & (f->n_slots - 1);

    for (; f->slots[i]; i = (i + 1) & (f->n_slots - 1)) {
        const pm_familiar_text *old = &f->item[f->slots[i] - 1].text;

        if (old->hash == text->hash && old->len == text->len)
            break;
    }
    return &f->slots[i];
}

static pmapdb_status make_room(pm_familiar *f, pmapdb_error *err)
{
    size_t n = f->n_slots ? 2 * f->n_slots : FIRST_SLOTS;
    uint32_t *slots;

    if (2 * f->n < f->n_slots)
        return PMAPDB_OK;
    slots = f->n < UINT32_MAX / 4 ? calloc(n, sizeof *slots) : NULL;
    if (!slots)
        return pm_fail_nomem(err);
    free(f->slots);
    f->slots = slots;
    f->n_slots = n;
    for (size_t i = 0; i < f->n; i++)
        *slot_of(f, &f->item[i].text) = (uint32_t)i + 1;
    return PMAPDB_OK;
}

pmapdb_status pm_familiar_keep(pm_familiar *f, const pm_familiar_text *text, pmapdb_error *err)
{
    pmapdb_status st = make_room(f, err);
    uint32_t *slot;

    if (st == PMAPDB_OK)
        st = pm_grow(&f->item, &f->cap, f->n, sizeof *f->item, err);
    if (st != PMAPDB_OK)
        return st;
    slot = slot_of(f, text);
    if (*slot) { /* only not where it was looked for: go on from there */
        f->next = f->item[*slot - 1].next;
    } else {
        f->item[f->n++] = (known){.text = *text};
        *slot = (uint32_t)f->n;
    }
    link(f, *slot);
    return PMAPDB_OK;
}
