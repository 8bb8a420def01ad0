/* flow_test: words broken at the width, colours that take no room, names that cannot escape. */
#include "collect.h"

#include "render/flow.h"

static void assert_flows(int width, bool color, void (*say)(pm_flow *f), const char *expected)
{
    collected c = {0};
    pm_sink sink = {&c, collect};
    pm_flow f = {.sink = &sink, .width = width, .color = color};

    say(&f);
    assert_int_equal(f.st, PMAPDB_OK);
    assert_string_equal(c.text.data, expected);
    pm_flow_free(&f);
    pm_buf_free(&c.text);
}

static void say_card(pm_flow *f)
{
    pm_flow_begin(f, 0, 4);
    pm_flow_put(f, 0, PM_FLOW_BOLD, PM_TEXT("web/7"));
    pm_flow_put(f, 2, PM_FLOW_BAD, PM_TEXT("LEAK"));
    pm_flow_words(f, 2, PM_TEXT("linear  since noon"));
    pm_flow_put(f, 0, PM_FLOW_PLAIN, PM_TEXT(","));
    pm_flow_end(f);
    pm_flow_begin(f, 2, 6);
    pm_flow_words(f, 0, PM_TEXT("7 and more"));
    pm_flow_end(f);
}

static void say_hostile(pm_flow *f)
{
    pm_flow_begin(f, 0, 1);
    pm_flow_words(f, 0, PM_TEXT("a\x1b[31m \xc3\xa4\xe4\xb8\xad b\nc"));
    pm_flow_end(f);
}

TEST(breaks)
{
    assert_flows(0, false, say_card, "web/7  LEAK  linear since noon,\n  7 and more\n");
    assert_flows(31, false, say_card, "web/7  LEAK  linear since noon,\n  7 and more\n");
    assert_flows(20, false, say_card, "web/7  LEAK  linear\n    since noon,\n  7 and more\n");
    assert_flows(24, false, say_card, "web/7  LEAK  linear\n    since noon,\n  7 and more\n");
    /* A word that is too long for any line gets a line of its own. */
    assert_flows(4, false, say_card,
                 "web/7\n    LEAK\n    linear\n    since\n    noon,\n  7\n      and\n"
                 "      more\n");
}

TEST(colors)
{
    assert_flows(20, true, say_card,
                 "\x1b[1mweb/7\x1b[0m  \x1b[1;31mLEAK\x1b[0m  linear\n    since noon,\n"
                 "  7 and more\n");
}

TEST(hostile)
{
    assert_flows(0, false, say_hostile, "a\\x1b[31m \xc3\xa4\xe4\xb8\xad b\\x0ac\n");
    assert_flows(13, false, say_hostile, "a\\x1b[31m \xc3\xa4\xe4\xb8\xad\n b\\x0ac\n");
    assert_flows(11, false, say_hostile, "a\\x1b[31m\n \xc3\xa4\xe4\xb8\xad b\\x0ac\n");
}

TEST(refusal)
{
    collected c = {.refuse_at = 1};
    pm_sink sink = {&c, collect};
    pmapdb_error err;
    pm_flow f = {.sink = &sink, .err = &err};

    say_card(&f);
    assert_int_equal(f.st, PMAPDB_IO);
    assert_string_equal(err.text, "refused");
    assert_int_equal(c.writes, 1);
    pm_flow_free(&f);
    pm_buf_free(&c.text);
}

RUN_TESTS(NULL, NULL)
