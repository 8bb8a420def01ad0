/* heap_of: where a capture's file says that the heap is, through the reader. */
#ifndef TESTS_CLASSIFY_HEAP_OF_H
#define TESTS_CLASSIFY_HEAP_OF_H

#include "classify/rows.h"

#include "base/buf.h"
#include "parse/reader.h"
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

typedef struct found_heap {
    uint64_t start, end; /* both 0: there is none */
} found_heap;

typedef struct reading {
    test_capture t;
    size_t cap;
    found_heap heap;
} reading;

static inline pmapdb_status on_mapping(void *ctx, const pm_mapping *m, pmapdb_error *err)
{
    reading *r = ctx;
    pm_capture *c = &r->t.capture;

    if (pm_text_equal(m->path, PM_TEXT("[heap]"))) {
        r->heap.start = r->heap.start ? r->heap.start : m->start;
        r->heap.end = m->end;
    }
    assert_int_equal(pm_grow(&c->rows, &r->cap, c->n_rows, sizeof *c->rows, err), PMAPDB_OK);
    return pm_pool_mapping(r->t.pool, m, &c->rows[c->n_rows++], err);
}

static inline pmapdb_status on_block(void *ctx, const pm_block *block, pmapdb_error *err)
{
    reading *r = ctx;
    pm_classify_context context;

    (void)err;
    r->t.capture.block.dialect = block->dialect;
    pm_classify_prepare(&r->t.capture, &context);
    if (context.heap_inferred)
        r->heap = (found_heap){context.heap_start, context.heap_end};
    return PMAPDB_OK;
}

/* The heap that a capture names or, where it hides names, that is inferred. */
static inline found_heap heap_of(const char *path)
{
    reading r = {0};
    const pm_reader_events events = {&r, on_mapping, on_block};
    pm_reader *reader;
    char bytes[16384];
    size_t n;
    FILE *file = fopen(path, "re");

    if (!file)
        fail_msg("no %s", path);
    assert_int_equal(pm_pool_new(&r.t.pool, NULL), PMAPDB_OK);
    r.t.capture.pool = r.t.pool;
    assert_int_equal(pm_reader_new(&events, PM_DIALECT_COUNT, &reader, NULL), PMAPDB_OK);
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        assert_int_equal(pm_reader_feed(reader, bytes, n, NULL), PMAPDB_OK);
    assert_int_equal(pm_reader_finish(reader, NULL), PMAPDB_OK);
    pm_reader_free(reader);
    fclose(file);
    capture_close(&r.t);
    return r.heap;
}

/* The path of the file with another suffix beside a .x file. */
static inline void beat_path(const char *x_path, const char *suffix, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s%s", (int)strlen(x_path) - 1, x_path, suffix);
}

static inline bool beat_has(const char *x_path, const char *suffix)
{
    char path[PATH_MAX];

    beat_path(x_path, suffix, path);
    return access(path, R_OK) == 0;
}

static inline found_heap heap_of_beat(const char *x_path, const char *suffix)
{
    char path[PATH_MAX];

    beat_path(x_path, suffix, path);
    return heap_of(path);
}

#endif
