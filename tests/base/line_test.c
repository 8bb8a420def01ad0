/* line: the same lines, whatever the sizes of the chunks. */
#include "unit.h"

#include "base/line.h"

static const char text[] = "one\n\ntwo\r\n  three\0four\n\n#####\n####\nlast";
static const char shown[] = "<one><><two\r><  three\0four><><#####><####><last>";

static pmapdb_status show(void *ctx, pm_text line, pmapdb_error *err)
{
    pm_buf *out = ctx;
    pmapdb_status st = pm_buf_add(out, "<", 1, err);

    if (st == PMAPDB_OK)
        st = pm_buf_add(out, line.data, line.len, err);
    return st == PMAPDB_OK ? pm_buf_add(out, ">", 1, err) : st;
}

/* Takes whole lines of '#', of one chunk or two. */
static pmapdb_status show_hashes(void *ctx, const char *p, const char *end, size_t *taken,
                                 pmapdb_error *err)
{
    size_t n = 0;

    while (p + n < end && p[n] == '#')
        n++;
    if (n && p + n == end)
        *taken = PM_LINES_WAIT;
    if (n == 0 || p + n == end || p[n] != '\n')
        return PMAPDB_OK;
    *taken = n + 1;
    return show(ctx, (pm_text){p, n}, err);
}

/* Feeds chunks from memory of exactly their size: the sanitizer sees a read past the end. */
static void feed(pm_lines *lines, const char *bytes, size_t len, size_t step)
{
    for (size_t at = 0; at < len; at += step) {
        size_t n = len - at < step ? len - at : step;
        char *chunk = malloc(n);

        memcpy(chunk, bytes + at, n);
        assert_int_equal(pm_lines_feed(lines, chunk, n, NULL), PMAPDB_OK);
        free(chunk);
    }
}

TEST(every_chunk_size)
{
    for (size_t step = 1; step < sizeof text; step++)
        for (int bulk = 0; bulk < 2; bulk++) {
            pm_buf out = {0};
            pm_lines lines = {.fn = show, .bulk = bulk ? show_hashes : NULL, .ctx = &out};

            feed(&lines, text, sizeof text - 1, step);
            assert_int_equal(pm_lines_finish(&lines, NULL), PMAPDB_OK);
            assert_int_equal(out.len, sizeof shown - 1);
            assert_memory_equal(out.data, shown, out.len);
            pm_buf_free(&lines.rest);
            pm_buf_free(&lines.waiting);
            pm_buf_free(&out);
        }
}

static pmapdb_status in_place(void *ctx, pm_text line, pmapdb_error *err)
{
    (void)err;
    assert_ptr_equal(line.data, ctx);
    return PMAPDB_OK;
}

TEST(whole_lines_are_not_copied)
{
    char chunk[] = "hello\n";
    pm_lines lines = {.fn = in_place, .ctx = chunk};

    assert_int_equal(pm_lines_feed(&lines, chunk, 6, NULL), PMAPDB_OK);
    assert_int_equal(lines.rest.cap, 0);
    pm_buf_free(&lines.rest);
}

TEST(long_line)
{
    pm_buf out = {0};
    pm_lines lines = {.fn = show, .ctx = &out};
    size_t len = 3000000;
    char *bytes = malloc(len);

    memset(bytes, 'x', len);
    feed(&lines, bytes, len, 4096);
    assert_int_equal(pm_lines_finish(&lines, NULL), PMAPDB_OK);
    assert_int_equal(out.len, len + 2);
    assert_memory_equal(out.data + 1, bytes, len);
    free(bytes);
    pm_buf_free(&lines.rest);
    pm_buf_free(&out);
}

static pmapdb_status refuse(void *ctx, pm_text line, pmapdb_error *err)
{
    int *calls = ctx;

    (void)line;
    (*calls)++;
    return pm_fail(err, PMAPDB_STOPPED, "enough");
}

TEST(a_failure_ends_the_feeding)
{
    int calls = 0;
    pm_lines lines = {.fn = refuse, .ctx = &calls};
    pmapdb_error err;

    assert_int_equal(pm_lines_feed(&lines, "a\nb\nc", 5, &err), PMAPDB_STOPPED);
    assert_int_equal(calls, 1);
    assert_string_equal(err.text, "enough");
    assert_int_equal(pm_lines_feed(&lines, "rest", 4, &err), PMAPDB_OK);
    assert_int_equal(pm_lines_finish(&lines, &err), PMAPDB_STOPPED);
    assert_int_equal(calls, 2);
    pm_buf_free(&lines.rest);
}

TEST(nothing)
{
    int calls = 0;
    pm_lines lines = {.fn = refuse, .ctx = &calls};

    assert_int_equal(pm_lines_feed(&lines, "", 0, NULL), PMAPDB_OK);
    assert_int_equal(pm_lines_finish(&lines, NULL), PMAPDB_OK);
    assert_int_equal(calls, 0);
    pm_buf_free(&lines.rest);
}

typedef struct cutting {
    pm_lines lines;
    pm_buf out;
} cutting;

static pmapdb_status show_cut(void *ctx, pm_text line, pmapdb_error *err)
{
    cutting *c = ctx;

    return pm_buf_addf(&c->out, err, c->lines.cut ? "{%.*s}" : "<%.*s>", (int)line.len, line.data);
}

/* A line that is too long is cut: only its beginning is kept and passed on. */
TEST(long_lines_are_cut)
{
    static const char longer[] = "four\nfives\n\nlongest\nabc\nending";

    for (size_t step = 1; step < sizeof longer; step++) {
        cutting c = {.lines = {.fn = show_cut, .max = 4}};

        c.lines.ctx = &c;
        feed(&c.lines, longer, sizeof longer - 1, step);
        assert_true(c.lines.rest.len <= 4);
        assert_int_equal(pm_lines_finish(&c.lines, NULL), PMAPDB_OK);
        assert_string_equal(c.out.data, "<four>{five}<>{long}<abc>{endi}");
        pm_buf_free(&c.lines.rest);
        pm_buf_free(&c.out);
    }
}

RUN_TESTS(NULL, NULL)
