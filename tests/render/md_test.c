/* md_test: golden Markdown. */
#include "collect.h"

#include <stdio.h>

static const pm_render_options md = {
    .format = PM_FORMAT_MD, .human = true, .color = true, .width = 9};

TEST(golden)
{
    static const pm_column columns[] = {{"category", PM_UNIT_CATEGORY},
                                        {"rss_kib_delta", PM_UNIT_KIB},
                                        {"taken_at", PM_UNIT_TIME},
                                        {"max(n)", PM_UNIT_TEXT},
                                        {"mixed", PM_UNIT_TEXT}};
    static const pm_value rows[] = {TEXT("heap"), INT(1468006), TEXT("2026-11-21T02:05:32Z"),
                                    INT(5),       INT(5),       TEXT(""),
                                    NONE,         NONE,         NONE,
                                    TEXT("x")};

    assert_renders(md, columns, 5, rows, 2,
                   "| category | rss_delta | taken_at | max(n) | mixed |\n"
                   "| --- | ---: | --- | ---: | --- |\n"
                   "| heap | 1.4 GiB | 2026-11-21T02:05:32Z | 5 | 5 |\n"
                   "|  | ? | ? | ? | x |\n");
    assert_renders((pm_render_options){.format = PM_FORMAT_MD}, columns, 2, rows, 1,
                   "| category | rss_kib_delta |\n| --- | ---: |\n| heap | 1468006 |\n");
    assert_renders(md, columns, 2, NULL, 0, "| category | rss_delta |\n| --- | ---: |\n");
}

TEST(names_stay_names)
{
    static const struct {
        const char *text, *shown;
    } cells[] = {
        {"a|b", "a\\|b"},
        {"a\\|b", "a\\\\\\|b"},
        {"new\nline\r", "new\\\\x0aline\\\\x0d"},
        {"\x1b[31m", "\\\\x1b[31m"},
        {"\xff", "\\\\xff"},
        {"\xe2\x80\xae", "\\\\xe2\\\\x80\\\\xae"},
        {"<b>&amp;", "\\<b>\\&amp;"},
        {"*a* `b` ~~c~~ $d$", "\\*a\\* \\`b\\` \\~\\~c\\~\\~ \\$d\\$"},
        {"_x_ a_b a_ _", "\\_x\\_ a_b a\\_ \\_"},
        {"[heap]", "[heap]"},
        {"[a](b) [c][d]", "[a\\](b) [c\\][d]"},
        {"\xe6\xbc\xa2_\xe5\xad\x97", "\xe6\xbc\xa2_\xe5\xad\x97"},
    };
    static const pm_column column = {"p|n", PM_UNIT_TEXT};

    for (size_t i = 0; i < COUNT(cells); i++) {
        pm_value v = {.kind = PM_VALUE_TEXT, .t = pm_text_of(cells[i].text)};
        char expected[256];

        snprintf(expected, sizeof expected, "| p\\|n |\n| --- |\n| %s |\n", cells[i].shown);
        assert_renders(md, &column, 1, &v, 1, expected);
    }
}

RUN_TESTS(NULL, NULL)
