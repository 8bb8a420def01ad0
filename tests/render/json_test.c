/* json_test: golden JSON, JSON read back by jansson, and memory that runs out. */
#include "collect.h"

#include <jansson.h>
#include <math.h>

static const pm_column columns[] = {
    {"id", PM_UNIT_SNAPSHOT},   {"path", PM_UNIT_TEXT}, {"rss_kib", PM_UNIT_KIB},
    {"start", PM_UNIT_ADDRESS}, {"live", PM_UNIT_BOOL}, {"rate", PM_UNIT_RATE},
};

static const pm_value rows[] = {
    INT(INT64_MAX), TEXT("/a \"b\"\n\xe6\xbc\xa2"),
    INT(-5),        INT(-4096),
    INT(1),         REAL(0.1),
    INT(2),         TEXT("x\xff\xe2\x82y"),
    NONE,           INT(0x7f00),
    INT(0),         REAL(3),
    NONE,           NONE,
    NONE,           NONE,
    NONE,           NONE,
};

#define FIRST                                                                              \
    "{\"id\":9223372036854775807,\"path\":\"/a \\\"b\\\"\\n\xe6\xbc\xa2\",\"rss_kib\":-5," \
    "\"start\":\"fffffffffffff000\",\"live\":true,\"rate\":0.1}"
#define SECOND                                                                       \
    "{\"id\":2,\"path\":\"x\xef\xbf\xbd\xef\xbf\xbdy\",\"path_hex\":\"78ffe28279\"," \
    "\"start\":\"7f00\",\"live\":false,\"rate\":3.0}"

static const pm_render_options array = {.format = PM_FORMAT_JSON, .human = true, .color = true};
static const pm_render_options lines = {.format = PM_FORMAT_NDJSON, .width = 10};

TEST(golden)
{
    int n = COUNT_OF(columns);

    assert_renders(array, columns, n, rows, 3, "[\n" FIRST ",\n" SECOND ",\n{}\n]\n");
    assert_renders(lines, columns, n, rows, 3, FIRST "\n" SECOND "\n{}\n");
    assert_renders(array, columns, n, NULL, 0, "[]\n");
    assert_renders(lines, columns, n, NULL, 0, "");
}

/* JSON has no text for NaN and infinities. */
TEST(what_is_no_number_is_absent)
{
    static const pm_column reals[] = {
        {"a", PM_UNIT_REAL}, {"b", PM_UNIT_REAL}, {"c", PM_UNIT_REAL}};
    const pm_value values[] = {REAL(NAN), REAL(-HUGE_VAL), REAL(1e300)};

    assert_renders(lines, reals, 3, values, 1, "{\"c\":1e+300}\n");
}

TEST(reads_back)
{
    static const pm_column two[] = {{"t\"ext", PM_UNIT_TEXT}, {"n", PM_UNIT_REAL}};
    static const pm_value values[][2] = {
        {TEXT("nul\0end"), INT(INT64_MIN + 1)},
        {TEXT("\x01\x1f\x7f\\/"), REAL(0.1)},
        {TEXT("\xf0\x9f\x98\x80"), REAL(5e-324)},
        {TEXT(""), REAL(-1e21)},
    };
    collected c = {0};
    json_t *all, *row;
    size_t i;

    assert_int_equal(render_into(&c, array, two, 2, values[0], 4, NULL), PMAPDB_OK);
    all = json_loadb(c.text.data, c.text.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    assert_int_equal(json_array_size(all), 4);
    json_array_foreach(all, i, row)
    {
        json_t *text = json_object_get(row, "t\"ext"), *n = json_object_get(row, "n");
        pm_text got = {json_string_value(text), json_string_length(text)};

        assert_true(pm_text_equal(got, values[i][0].t));
        if (values[i][1].kind == PM_VALUE_INT)
            assert_true(json_integer_value(n) == values[i][1].i);
        else
            assert_true(json_real_value(n) == values[i][1].r);
    }
    json_decref(all);
    pm_buf_free(&c.text);
}

static const char *const warnings[] = {"first", "b\xff"};

static const pm_pair pairs[] = {
    {.key = "path", .value = TEXT("x\xff")},
    {.key = "snapshot_id", .value = INT(7)},
    {.key = "pid", .value = NONE},
    {.key = "duplicate", .value = INT(0), .boolean = true},
    {.key = "known", .value = NONE, .boolean = true},
    {.key = "none", .list = warnings, .n_list = 0},
    {.key = "warnings", .list = warnings, .n_list = 2},
};

TEST(one_object)
{
    collected c = {0};
    pm_sink sink = {&c, collect};
    pmapdb_error err;

    assert_int_equal(pm_render_object(&sink, pairs, sizeof pairs / sizeof pairs[0], &err),
                     PMAPDB_OK);
    assert_string_equal(c.text.data,
                        "{\"path\":\"x\xef\xbf\xbd\",\"path_hex\":\"78ff\",\"snapshot_id\":7,"
                        "\"duplicate\":false,\"none\":[],"
                        "\"warnings\":[\"first\",\"b\xef\xbf\xbd\"]}\n");
    pm_buf_clear(&c.text);
    assert_int_equal(pm_render_object(&sink, NULL, 0, &err), PMAPDB_OK);
    assert_string_equal(c.text.data, "{}\n");
    c.refuse_at = 3;
    assert_int_equal(pm_render_object(&sink, pairs, 2, &err), PMAPDB_IO);
    assert_string_equal(err.text, "refused");
    pm_buf_free(&c.text);
}

static int allowed; /* allocations of jansson until one fails */

static void *failing_malloc(size_t n)
{
    return allowed-- > 0 ? malloc(n) : NULL;
}

TEST(memory_runs_out)
{
    pmapdb_status st = PMAPDB_NOMEM;
    int n = 0;

    json_set_alloc_funcs(failing_malloc, free);
    for (; st != PMAPDB_OK && n < 1000; n++) {
        collected c = {0};
        pmapdb_error err;

        allowed = n;
        st = render_into(&c, lines, columns, COUNT_OF(columns), rows, 3, &err);
        assert_true(st == PMAPDB_OK || (st == PMAPDB_NOMEM && err.status == PMAPDB_NOMEM));
        pm_buf_free(&c.text);
    }
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(st, PMAPDB_OK);
    assert_true(n > COUNT_OF(columns));
}

RUN_TESTS(NULL, NULL)
