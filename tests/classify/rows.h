/* rows: a capture from a table of rows, for the tests of classify. */
#ifndef TESTS_CLASSIFY_ROWS_H
#define TESTS_CLASSIFY_ROWS_H

#include "unit.h"

#include "classify/classify.h"
#include <stdlib.h>

typedef struct test_row {
    uint64_t start, end;
    const char *perms, *path;
} test_row;

typedef struct test_capture {
    pm_pool *pool;
    pm_capture capture;
} test_capture;

static inline pm_mapping mapping_of(const test_row *row)
{
    pm_mapping m = {.start = row->start, .end = row->end, .path = pm_text_of(row->path)};

    memcpy(m.perms, row->perms, 4);
    return m;
}

static inline void capture_open(test_capture *t, pm_dialect dialect, const test_row *rows, size_t n)
{
    *t = (test_capture){.capture = {.block = {.dialect = dialect}}};
    assert_int_equal(pm_pool_new(&t->pool, NULL), PMAPDB_OK);
    t->capture.pool = t->pool;
    t->capture.rows = calloc(n, sizeof *t->capture.rows);
    assert_non_null(t->capture.rows);
    t->capture.n_rows = n;
    for (size_t i = 0; i < n; i++) {
        pm_mapping m = mapping_of(&rows[i]);

        assert_int_equal(pm_pool_mapping(t->pool, &m, &t->capture.rows[i], NULL), PMAPDB_OK);
    }
}

static inline void capture_close(test_capture *t)
{
    free(t->capture.rows);
    pm_pool_free(t->pool);
}

#endif
