/* collect: a sink that keeps or refuses its input, and short names for values. */
#ifndef PM_TESTS_RENDER_COLLECT_H
#define PM_TESTS_RENDER_COLLECT_H

#include "unit.h"

#include "base/buf.h"
#include "render/render.h"

/* Initialisers, for static arrays too. */
#define INT(v)                         \
    {                                  \
        .kind = PM_VALUE_INT, .i = (v) \
    }
#define REAL(v)                         \
    {                                   \
        .kind = PM_VALUE_REAL, .r = (v) \
    }
#define TEXT(v)                                           \
    {                                                     \
        .kind = PM_VALUE_TEXT, .t = {(v), sizeof(v) - 1 } \
    }
#define NONE                  \
    {                         \
        .kind = PM_VALUE_NULL \
    }

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

typedef struct collected {
    pm_buf text;
    int writes;
    int refuse_at; /* the number of the write that fails, from 1; 0: none */
} collected;

static inline pmapdb_status collect(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    collected *c = (collected *)ctx;

    c->writes++;
    if (c->writes == c->refuse_at)
        return pm_fail(err, PMAPDB_IO, "refused");
    return pm_buf_add(&c->text, bytes, n, err);
}

/* Renders rows of n values each and returns the first status that is not OK. */
static inline pmapdb_status render_into(collected *c, pm_render_options options,
                                        const pm_column *columns, int n, const pm_value *values,
                                        int rows, pmapdb_error *err)
{
    pm_sink sink = {c, collect};
    pm_render *r = NULL;
    pmapdb_status st = pm_render_new(&options, &sink, columns, n, &r, err);

    for (int i = 0; i < rows && st == PMAPDB_OK; i++)
        st = pm_render_row(r, values + (ptrdiff_t)i * n, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(r, err);
    pm_render_free(r);
    return st;
}

/* Also fails every write once and checks that the status of the failure is returned. */
static inline void assert_renders(pm_render_options options, const pm_column *columns, int n,
                                  const pm_value *values, int rows, const char *expected)
{
    collected all = {0};
    pmapdb_error err;

    assert_int_equal(render_into(&all, options, columns, n, values, rows, &err), PMAPDB_OK);
    assert_string_equal(pm_buf_text(&all.text).data, expected);
    for (int at = 1; at <= all.writes; at++) {
        collected c = {.refuse_at = at};

        assert_int_equal(render_into(&c, options, columns, n, values, rows, &err), PMAPDB_IO);
        assert_string_equal(err.text, "refused");
        assert_int_equal(c.writes, at);
        pm_buf_free(&c.text);
    }
    pm_buf_free(&all.text);
}

#endif
