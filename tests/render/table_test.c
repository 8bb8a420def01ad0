/* table_test: golden tables. */
#include "collect.h"

static const pm_column mixed[] = {
    {"name", PM_UNIT_TEXT},     {"rss_kib", PM_UNIT_KIB}, {"rate_per_h", PM_UNIT_RATE},
    {"start", PM_UNIT_ADDRESS}, {"share", PM_UNIT_RATIO}, {"span", PM_UNIT_DURATION},
    {"live", PM_UNIT_BOOL},     {"id", PM_UNIT_SNAPSHOT}, {"taken_at", PM_UNIT_TIME},
};

static const pm_value mixed_rows[] = {
    TEXT("redis"), INT(1468006), REAL(12595.2),
    INT(0x7f00),   REAL(0.125),  INT(7500000),
    INT(1),        INT(12),      TEXT("2026-11-21T02:05:32Z"),
    TEXT("x"),     NONE,         NONE,
    INT(-4096),    NONE,         NONE,
    INT(0),        INT(7),       NONE,
};

TEST(human_sizes)
{
    assert_renders(
        (pm_render_options){.human = true}, mixed, COUNT_OF(mixed), mixed_rows, 2,
        "name       rss  rate_per_h             start  share   span  live  id  taken_at\n"
        "redis  1.4 GiB  12.3 MiB/h              7f00  12.5%  2h05m   yes  12"
        "  2026-11-21T02:05:32Z\n"
        "x            ?           ?  fffffffffffff000      ?      ?    no   7  ?\n");
}

TEST(exact_sizes)
{
    assert_renders((pm_render_options){0}, mixed, 3,
                   (const pm_value[]){mixed_rows[0], mixed_rows[1], mixed_rows[2]}, 1,
                   "name   rss_kib  rate_per_h\n"
                   "redis  1468006     12595.2\n");
}

TEST(no_rows_give_the_header)
{
    assert_renders((pm_render_options){0}, mixed, 2, NULL, 0, "name  rss_kib\n");
}

TEST(colour_is_for_header_and_unknowns)
{
    static const pm_value rows[] = {TEXT("?"), NONE, NONE, INT(5)};

    assert_renders((pm_render_options){.color = true}, mixed, 2, rows, 2,
                   "\x1b[1mname\x1b[0m  \x1b[1mrss_kib\x1b[0m\n"
                   "?     \x1b[2m      ?\x1b[0m\n"
                   "\x1b[2m?   \x1b[0m        5\n");
}

TEST(wide_and_combining_text_aligns)
{
    static const pm_column columns[] = {{"path", PM_UNIT_TEXT}, {"n", PM_UNIT_COUNT}};
    static const pm_value rows[][2] = {
        {TEXT("\xe6\xbc\xa2\xe5\xad\x97"), INT(1)},
        {TEXT("e\xcc\x81t\xc3\xa9"), INT(22)},
        {TEXT("abcd"), INT(3)},
    };

    assert_renders((pm_render_options){0}, columns, 2, rows[0], 3,
                   "path   n\n"
                   "\xe6\xbc\xa2\xe5\xad\x97   1\n"
                   "e\xcc\x81t\xc3\xa9   22\n"
                   "abcd   3\n");
}

TEST(control_bytes_never_get_out)
{
    static const pm_column columns[] = {{"a\x1b[31m", PM_UNIT_TEXT}, {"n", PM_UNIT_INT}};
    static const pm_value rows[] = {TEXT("\x1b]0;x\x07\xff"), TEXT("7\n8")};

    assert_renders((pm_render_options){0}, columns, 2, rows, 1,
                   "a\\x1b[31m              n\n"
                   "\\x1b]0;x\\x07\\xff  7\\x0a8\n");
}

TEST(widest_text_is_broken_to_fit)
{
    static const pm_column columns[] = {
        {"object", PM_UNIT_TEXT}, {"path", PM_UNIT_TEXT}, {"rss_kib", PM_UNIT_KIB}};
    static const pm_value rows[] = {
        TEXT("libc"),   TEXT("/usr/lib/x86_64-linux-gnu/libc.so.6"),
        INT(1234),      TEXT("[heap]"),
        TEXT("[heap]"), NONE,
    };

    assert_renders((pm_render_options){.width = 40}, columns, 3, rows, 2,
                   "object  path                     rss_kib\n"
                   "libc    /usr/lib/x86_64-linux-g     1234\n"
                   "        nu/libc.so.6\n"
                   "[heap]  [heap]                         ?\n");
    assert_renders((pm_render_options){.width = 29}, columns, 3, rows, 2,
                   "object  path          rss_kib\n"
                   "libc    /usr/lib/x86     1234\n"
                   "        _64-linux-gn\n"
                   "        u/libc.so.6\n"
                   "[heap]  [heap]              ?\n");
    assert_renders((pm_render_options){.width = 52}, columns, 3, rows, 1,
                   "object  path                                 rss_kib\n"
                   "libc    /usr/lib/x86_64-linux-gnu/libc.so.6     1234\n");
}

TEST(paths_lose_what_they_have_in_common)
{
    static const pm_column columns[] = {{"cgroup", PM_UNIT_TEXT}, {"rss_kib", PM_UNIT_KIB}};
    static const pm_value rows[][2] = {
        {TEXT("/kubepods.slice/burstable.slice/pod-aaaa"), INT(1)},
        {TEXT("/kubepods.slice/burstable.slice/pod-bbbb"), INT(2)},
        {TEXT("/init.scope"), INT(3)},
    };

    assert_renders((pm_render_options){.width = 38}, columns, 2, rows[0], 3,
                   "cgroup                        rss_kib\n"
                   ".../burstable.slice/pod-aaaa        1\n"
                   ".../burstable.slice/pod-bbbb        2\n"
                   "/init.scope                         3\n");

#define FOLDER "/\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97" /* 9 cells, 13 bytes */
    static const pm_value wide[][2] = {
        {TEXT(FOLDER FOLDER FOLDER "/pod-aaaa"), INT(1)},
        {TEXT(FOLDER FOLDER FOLDER "/pod-bbbb"), INT(2)},
    };

    assert_renders((pm_render_options){.width = 40}, columns, 2, wide[0], 2,
                   "cgroup                          rss_kib\n"
                   "..." FOLDER FOLDER "/pod-aaaa        1\n"
                   "..." FOLDER FOLDER "/pod-bbbb        2\n");
#undef FOLDER
}

TEST(words_stay_whole)
{
    static const pm_column columns[] = {{"n", PM_UNIT_COUNT}, {"detail", PM_UNIT_TEXT}};
    static const pm_value rows[] = {INT(1), TEXT("no captures for three of their own steps")};

    assert_renders((pm_render_options){.width = 25}, columns, 2, rows, 1,
                   "n  detail\n"
                   "1  no captures for three\n"
                   "   of their own steps\n");
}

/* The last column is left out first, no more columns than necessary; then texts are broken. */
TEST(what_has_no_room_is_left_out)
{
    static const pm_column columns[] = {{"path", PM_UNIT_TEXT},
                                        {"size_kib", PM_UNIT_KIB},
                                        {"rss_kib", PM_UNIT_KIB},
                                        {"swap_kib", PM_UNIT_KIB}};
    static const pm_value rows[] = {TEXT("/usr/lib/x86_64-linux-gnu/libc.so.6"), INT(20), INT(30),
                                    INT(40)};
    static const pm_about narrow = {.narrow = {"path rss_kib", 12}},
                          all = {.narrow = PM_TEXT("path size_kib rss_kib swap_kib")};

    assert_renders((pm_render_options){.width = 56, .about = &narrow}, columns, 4, rows, 1,
                   "path                         size_kib  rss_kib  swap_kib\n"
                   "/usr/lib/x86_64-linux-gnu/l        20       30        40\n"
                   "ibc.so.6\n");
    assert_renders((pm_render_options){.width = 50, .about = &narrow}, columns, 4, rows, 1,
                   "path                             size_kib  rss_kib\n"
                   "/usr/lib/x86_64-linux-gnu/libc.        20       30\n"
                   "so.6\n"
                   "[no room for swap_kib; --wide shows all]\n");
    assert_renders((pm_render_options){.width = 24, .about = &narrow}, columns, 4, rows, 1,
                   "path             rss_kib\n"
                   "/usr/lib/x86_64       30\n"
                   "-linux-gnu/libc\n"
                   ".so.6\n"
                   "[no room for size_kib,\n"
                   "    swap_kib; --wide\n"
                   "    shows all]\n");
    assert_renders((pm_render_options){.width = 24, .about = &all}, columns, 4, rows, 1,
                   "path          size_kib  rss_kib  swap_kib\n"
                   "/usr/lib/x86        20       30        40\n"
                   "_64-linux-gn\n"
                   "u/libc.so.6\n");
    assert_renders((pm_render_options){.width = 0, .about = &narrow}, columns, 4, rows, 1,
                   "path                                 size_kib  rss_kib  swap_kib\n"
                   "/usr/lib/x86_64-linux-gnu/libc.so.6        20       30        40\n");
}

TEST(two_long_texts_share_the_room)
{
    static const pm_column columns[] = {{"from", PM_UNIT_TEXT}, {"to", PM_UNIT_TEXT}};
    static const pm_value rows[] = {TEXT("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
                                    TEXT("/cccccccccccccccccccd")};

    assert_renders((pm_render_options){.width = 32}, columns, 2, rows, 1,
                   "from             to\n"
                   "/aaaaaaaaaaaaaa  /cccccccccccccc\n"
                   "aaaaaaaaaaaaaaa  cccccd\n"
                   "aaaaaab\n");
}

TEST(numbers_of_undeclared_columns_are_right)
{
    static const pm_column columns[] = {
        {"count(*)", PM_UNIT_TEXT}, {"mixed", PM_UNIT_TEXT}, {"none", PM_UNIT_TEXT}};
    static const pm_value rows[] = {INT(5), INT(5), NONE, REAL(0.5), TEXT("x"), NONE};

    assert_renders((pm_render_options){0}, columns, 3, rows, 2,
                   "count(*)  mixed  none\n"
                   "       5  5      ?\n"
                   "     0.5  x      ?\n");
}

TEST(no_blanks_at_the_end)
{
    static const pm_column columns[] = {{"name", PM_UNIT_TEXT}, {"path", PM_UNIT_TEXT}};
    static const pm_value rows[] = {TEXT("a"), TEXT(""), TEXT(""), TEXT("")};

    assert_renders((pm_render_options){0}, columns, 2, rows, 2, "name  path\na\n\n");
}

TEST(texts_need_not_outlive_the_call)
{
    char name[] = "name", text[] = "first";
    pm_column column = {name, PM_UNIT_TEXT};
    pm_value value = {.kind = PM_VALUE_TEXT, .t = {text, 5}};
    pm_render_options options = {.format = PM_FORMAT_TABLE};
    collected c = {0};
    pm_sink sink = {&c, collect};
    pm_render *r;

    assert_int_equal(pm_render_new(&options, &sink, &column, 1, &r, NULL), PMAPDB_OK);
    memset(name, 'x', 4);
    assert_int_equal(pm_render_row(r, &value, NULL), PMAPDB_OK);
    memset(text, 'x', 5);
    assert_int_equal(pm_render_end(r, NULL), PMAPDB_OK);
    assert_string_equal(c.text.data, "name\nfirst\n");
    pm_render_free(r);
    pm_buf_free(&c.text);
}

TEST(formats_are_found_by_name)
{
    static const struct {
        const char *name;
        pm_format format;
    } known[] = {{"table", PM_FORMAT_TABLE}, {"csv", PM_FORMAT_CSV},
                 {"json", PM_FORMAT_JSON},   {"ndjson", PM_FORMAT_NDJSON},
                 {"md", PM_FORMAT_MD},       {"prometheus", PM_FORMAT_PROMETHEUS}};
    pm_format format;
    pmapdb_error err;
    pm_render *r = NULL;

    assert_int_equal(sizeof known / sizeof *known, PM_FORMAT_COUNT);
    for (size_t i = 0; i < PM_FORMAT_COUNT; i++) {
        assert_true(pm_format_find(known[i].name, &format));
        assert_int_equal(format, known[i].format);
        assert_non_null(strstr(PM_FORMAT_NAMES, known[i].name));
    }
    assert_false(pm_format_find("xml", &format));
    assert_false(pm_format_find("", &format));
    assert_int_equal(pm_render_new(&(pm_render_options){0}, &(pm_sink){0}, NULL, 0, &r, &err),
                     PMAPDB_USAGE);
    assert_null(r);
    pm_render_free(NULL);
}

RUN_TESTS(NULL, NULL)
