/* blocks: blocks with their rows, and how they are collected. */
#include "sqlite/blocks.h"

#include <stdlib.h>

#define POOL_BYTES_MAX ((size_t)8 << 20)

void pm_found_block_free(pm_found_block *h)
{
    if (!h)
        return;
    free(h->capture.rows);
    free(h->places);
    free(h->path);
    free(h->error);
    pm_buf_free(&h->texts);
    pm_pool_free(h->retired);
    free(h);
}

size_t pm_found_block_rows(const pm_found_block *h)
{
    return h->capture.block.state == PM_STATE_TOTALS ? 1 : h->capture.n_rows;
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = ((const pm_found_place *)a)->start, y = ((const pm_found_place *)b)->start;

    return x < y ? -1 : x > y;
}

static pmapdb_status place(pm_found_block *h, pmapdb_error *err)
{
    size_t n = h->capture.n_rows;

    h->places = calloc(n + 1, sizeof *h->places);
    if (!h->places)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        h->places[i] = (pm_found_place){pm_capture_row(&h->capture, i)->start, h->capture.rows[i]};
    qsort(h->places, n, sizeof *h->places, compare_places);
    return PMAPDB_OK;
}

pmapdb_status pm_found_block_place_of(pm_found_block *h, const pm_mapping *m, size_t *out,
                                      pmapdb_error *err)
{
    pm_found_place key = {.start = m->start};
    const pm_found_place *at;
    pmapdb_status st = h->places ? PMAPDB_OK : place(h, err);

    if (st != PMAPDB_OK)
        return st;
    at = bsearch(&key, h->places, h->capture.n_rows, sizeof *h->places, compare_places);
    *out = (size_t)(at - h->places);
    return PMAPDB_OK;
}

pm_category pm_found_block_base(pm_found_block *h, const pm_mapping *m)
{
    if (!h->prepared)
        pm_classify_prepare(&h->capture, &h->context);
    h->prepared = true;
    return pm_classify_mapping(&h->context, m);
}

pmapdb_status pm_collect_init(pm_collect *c, bool rows_wanted, pmapdb_error *err)
{
    *c = (pm_collect){.rows_wanted = rows_wanted, .pid = PMAPDB_UNKNOWN};
    c->end = &c->first;
    return pm_pool_new(&c->pool, err);
}

void pm_collect_free(pm_collect *c)
{
    while (c->first)
        pm_found_block_free(pm_collect_take(c));
    pm_buf_free(&c->nothing);
    pm_pool_free(c->pool);
    free(c->rows);
}

void pm_collect_begin(pm_collect *c, const char *path, int64_t pid)
{
    c->path = path;
    c->pid = pid;
    c->n_captures = 0;
    c->n_rows = 0;
    pm_buf_clear(&c->nothing);
}

pm_found_block *pm_collect_take(pm_collect *c)
{
    pm_found_block *h = c->first;

    if (h) {
        c->first = h->next;
        if (!c->first)
            c->end = &c->first;
    }
    return h;
}

static pmapdb_status on_mapping(void *ctx, const pm_mapping *m, pmapdb_error *err)
{
    pm_collect *c = ctx;
    uint32_t id;
    pmapdb_status st = pm_pool_mapping(c->pool, m, &id, err);

    if (st == PMAPDB_OK)
        st = pm_grow(&c->rows, &c->cap_rows, c->n_rows, sizeof *c->rows, err);
    if (st == PMAPDB_OK)
        c->rows[c->n_rows++] = id;
    return st;
}

/* The texts of a block last for the call: they move into h->texts, first all, then pointed to,
 * since the buffer moves while it grows. */
static pmapdb_status copy_texts(pm_found_block *h, pmapdb_error *err)
{
    pm_block *b = &h->capture.block;
    enum { TEXTS = 6 };
    pm_text *const texts[TEXTS] = {&b->command, &b->missing, &b->notes,
                                   &b->why,     &b->tool,    &b->empty};
    const char *at;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < TEXTS && st == PMAPDB_OK; i++)
        st = pm_buf_add(&h->texts, texts[i]->data ? texts[i]->data : "", texts[i]->len, err);
    if (st != PMAPDB_OK)
        return st;
    at = pm_buf_text(&h->texts).data;
    for (size_t i = 0; i < TEXTS; i++) {
        texts[i]->data = at;
        at += texts[i]->len;
    }
    return PMAPDB_OK;
}

/* NULL: out of memory. */
static pm_found_block *new_block(const pm_collect *c, pm_text error)
{
    pm_found_block *h = calloc(1, sizeof *h);

    if (!h)
        return NULL;
    h->number = PMAPDB_UNKNOWN;
    h->capture.pid = c->pid;
    h->capture.pool = c->pool;
    h->path = c->path ? strdup(c->path) : NULL;
    h->error = error.len ? strndup(error.data, error.len) : NULL;
    if ((c->path && !h->path) || (error.len && !h->error)) {
        pm_found_block_free(h);
        return NULL;
    }
    return h;
}

static void append(pm_collect *c, pm_found_block *h)
{
    *c->end = h;
    c->end = &h->next;
}

/* Blocks held share the pool: it may end with the last that uses it. */
static pmapdb_status retire_pool(pm_collect *c, pm_found_block *h, pmapdb_error *err)
{
    pm_pool *fresh;
    pmapdb_status st;

    if (pm_pool_bytes(c->pool) <= POOL_BYTES_MAX)
        return PMAPDB_OK;
    st = pm_pool_new(&fresh, err);
    if (st != PMAPDB_OK)
        return st;
    h->retired = c->pool;
    c->pool = fresh;
    return PMAPDB_OK;
}

static pmapdb_status hold(pm_collect *c, const pm_block *block, pmapdb_error *err)
{
    pm_found_block *h = new_block(c, block->empty);
    pmapdb_status st;

    if (!h)
        return pm_fail_nomem(err);
    h->number = c->n_blocks;
    h->capture.block = *block;
    if (block->pid != PMAPDB_UNKNOWN)
        h->capture.pid = block->pid;
    st = copy_texts(h, err);
    if (st == PMAPDB_OK)
        st = retire_pool(c, h, err);
    if (st != PMAPDB_OK) {
        pm_found_block_free(h);
        return st;
    }
    h->capture.rows = c->rows;
    h->capture.n_rows = c->n_rows;
    c->rows = NULL;
    c->cap_rows = 0;
    append(c, h);
    return PMAPDB_OK;
}

static pmapdb_status on_block(void *ctx, const pm_block *block, pmapdb_error *err)
{
    pm_collect *c = ctx;
    bool none = block->empty.len > 0;
    pmapdb_status st = PMAPDB_OK;

    c->n_blocks++;
    c->n_captures += !none;
    if (none && c->nothing.len == 0)
        st = pm_buf_add(&c->nothing, block->empty.data, block->empty.len, err);
    if (st == PMAPDB_OK)
        st = hold(c, block, err);
    c->n_rows = 0;
    return st;
}

pm_reader_events pm_collect_events(pm_collect *c)
{
    return (pm_reader_events){c, c->rows_wanted ? on_mapping : NULL, on_block};
}

pmapdb_status pm_collect_error(pm_collect *c, const char *text, pmapdb_error *err)
{
    pm_found_block *h = new_block(c, pm_text_of(text));

    if (!h)
        return pm_fail_nomem(err);
    append(c, h);
    return PMAPDB_OK;
}
