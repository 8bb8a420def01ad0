/* others_test: --top N: the first rows, and what becomes of the others in each format. */
#include "collect.h"

static const pm_column columns[] = {{"category", PM_UNIT_CATEGORY},
                                    {"mappings", PM_UNIT_COUNT},
                                    {"rss_kib", PM_UNIT_KIB},
                                    {"swap_kib", PM_UNIT_KIB},
                                    {"share", PM_UNIT_RATIO}};
static const pm_value rows[] = {
    TEXT("heap"), INT(1),       INT(100),   INT(0),       REAL(0.5), TEXT("stack"), INT(2),
    INT(50),      NONE,         REAL(0.25), TEXT("rest"), INT(3),    REAL(0.5),     INT(1),
    NONE,         TEXT("more"), INT(4),     INT(-20),     INT(2),    REAL(0.1),
};

static void a_table_sums_them_up(void **state)
{
    assert_renders((pm_render_options){.top = 1}, columns, 5, rows, 4,
                   "category    mappings  rss_kib  swap_kib  share\n"
                   "heap               1      100         0    50%\n"
                   "[3 others]         9     30.5         ?\n");
    assert_renders((pm_render_options){.top = 3}, columns, 3, rows, 0,
                   "category  mappings  rss_kib\n");
    assert_renders((pm_render_options){.top = 3, .format = PM_FORMAT_MD}, columns, 5, rows, 4,
                   "| category | mappings | rss_kib | swap_kib | share |\n"
                   "| --- | ---: | ---: | ---: | ---: |\n"
                   "| heap | 1 | 100 | 0 | 50% |\n"
                   "| stack | 2 | 50 | ? | 25% |\n"
                   "| rest | 3 | 0.5 | 1 | ? |\n"
                   "| [1 other] | 4 | -20 | 2 |  |\n");
}

static void nothing_stands_for_nothing(void **state)
{
    for (size_t top = 4; top < 6; top++)
        assert_renders((pm_render_options){.top = top}, columns + 1, 1, &rows[1], 1,
                       "mappings\n       1\n");
}

/* What stays would be counted as often as it was looked at. */
static void several_moments_have_no_sum(void **state)
{
    static const pm_column dated[] = {{"taken_at", PM_UNIT_TIME}, {"rss_kib", PM_UNIT_KIB}};
    static const pm_value moments[] = {TEXT("2026"), INT(1),       TEXT("2026"),
                                       INT(2),       TEXT("2027"), INT(3)};

    assert_renders((pm_render_options){.top = 1}, dated, 2, moments, 2,
                   "taken_at   rss_kib\n2026             1\n[1 other]        2\n");
    assert_renders((pm_render_options){.top = 1}, dated, 2, moments, 3,
                   "taken_at    rss_kib\n2026              1\n[2 others]\n");
}

/* It is the same ones in every row. */
static void processes_are_no_count_to_add_up(void **state)
{
    static const pm_column counts[] = {{"category", PM_UNIT_CATEGORY},
                                       {"mappings_from", PM_UNIT_COUNT},
                                       {"processes_from", PM_UNIT_COUNT}};
    static const pm_value values[] = {TEXT("a"), INT(1),    INT(2), TEXT("b"), INT(1),
                                      INT(2),    TEXT("c"), INT(1), INT(2)};

    assert_renders((pm_render_options){.top = 1, .format = PM_FORMAT_MD}, counts, 3, values, 3,
                   "| category | mappings_from | processes_from |\n| --- | ---: | ---: |\n"
                   "| a | 1 | 2 |\n| [2 others] | 2 |  |\n");
}

static void the_label_takes_no_sums_place(void **state)
{
    static const pm_column swapped[] = {{"rss_kib", PM_UNIT_KIB}, {"path", PM_UNIT_TEXT}};
    static const pm_value values[] = {INT(1),    TEXT("a"),      INT(2),
                                      TEXT("b"), INT(INT64_MAX), TEXT("c")};

    assert_renders((pm_render_options){.top = 1}, swapped, 2, values, 2,
                   "rss_kib  path\n      1  a\n      2  [1 other]\n");
    /* a sum that no integer holds is unknown */
    assert_renders((pm_render_options){.top = 1}, swapped, 2, values, 3,
                   "rss_kib  path\n      1  a\n      ?  [2 others]\n");
}

static void check_left_out(pm_format format, size_t expected, const char *text)
{
    pm_render_options options = {.format = format, .top = 1};
    collected c = {0};
    pm_sink sink = {&c, collect};
    pm_render *r = NULL;

    assert_int_equal(pm_render_new(&options, &sink, columns, 2, &r, NULL), PMAPDB_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pm_render_row(r, rows + (ptrdiff_t)i * 5, NULL), PMAPDB_OK);
    assert_int_equal(pm_render_end(r, NULL), PMAPDB_OK);
    assert_int_equal(pm_render_left_out(r), expected);
    assert_string_equal(c.text.data, text);
    pm_render_free(r);
    pm_buf_free(&c.text);
}

static void programs_get_the_first_rows(void **state)
{
    check_left_out(PM_FORMAT_CSV, 2, "category,mappings\n\"heap\",1\n");
    check_left_out(PM_FORMAT_JSON, 2, "[\n{\"category\":\"heap\",\"mappings\":1}\n]\n");
    check_left_out(PM_FORMAT_NDJSON, 2, "{\"category\":\"heap\",\"mappings\":1}\n");
    check_left_out(PM_FORMAT_TABLE, 0,
                   "category    mappings\nheap               1\n[2 others]         5\n");
}

static void a_total_stands_below_the_others(void **state)
{
    pm_render_options options = {.top = 1};
    collected c = {0};
    pm_sink sink = {&c, collect};
    pm_render *r = NULL;
    const pm_value total[] = {TEXT("TOTAL"), INT(6)};

    assert_int_equal(pm_render_new(&options, &sink, columns, 2, &r, NULL), PMAPDB_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pm_render_row(r, rows + (ptrdiff_t)i * 5, NULL), PMAPDB_OK);
    assert_int_equal(pm_render_total(r, total, NULL), PMAPDB_OK);
    assert_int_equal(pm_render_end(r, NULL), PMAPDB_OK);
    assert_string_equal(c.text.data,
                        "category    mappings\nheap               1\n[2 others]         5\n"
                        "TOTAL              6\n");
    pm_render_free(r);
    pm_buf_free(&c.text);
}

RUN_TESTS(TEST(a_table_sums_them_up), TEST(nothing_stands_for_nothing),
          TEST(several_moments_have_no_sum), TEST(processes_are_no_count_to_add_up),
          TEST(the_label_takes_no_sums_place), TEST(programs_get_the_first_rows),
          TEST(a_total_stands_below_the_others))
