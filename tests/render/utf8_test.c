/* utf8_test: decoding against the Unicode table, repair, escaping, widths, shortening. */
#include "collect.h"

#include "render/utf8.h"
#include <stdio.h>

static size_t encode(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xc0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xe0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

static void every_character_decodes(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp < 0x110000; cp++) {
        char bytes[4];
        size_t n = encode(cp, bytes);
        uint32_t got;

        if (cp >= 0xd800 && cp <= 0xdfff) {
            assert_false(pm_utf8_valid((pm_text){bytes, n}));
            continue;
        }
        assert_int_equal(pm_utf8_next((pm_text){bytes, n}, &got), n);
        assert_int_equal(got, cp);
    }
}

static void assert_repaired(pm_text in, const char *expected)
{
    pm_buf out = {0};

    assert_int_equal(pm_utf8_repair(in, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, expected);
    assert_true(pm_utf8_valid(pm_buf_text(&out)));
    pm_buf_free(&out);
}

#define BAD "\xef\xbf\xbd"

/* The examples of section 3.9 of the Unicode standard, tables 3-8 to 3-11. */
static void malformed_runs_become_one_mark_each(void **state)
{
    (void)state;
    assert_repaired(PM_TEXT("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"),
                    BAD BAD BAD BAD BAD BAD BAD BAD "A");
    assert_repaired(PM_TEXT("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41"),
                    BAD BAD BAD BAD BAD BAD BAD BAD "A");
    assert_repaired(PM_TEXT("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"),
                    BAD BAD BAD BAD BAD "A" BAD BAD "B");
    assert_repaired(PM_TEXT("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), BAD BAD BAD BAD "A");
    assert_repaired(PM_TEXT("end \xe2\x82"), "end " BAD);
    assert_repaired(PM_TEXT(""), "");
    assert_repaired(PM_TEXT("good \xe2\x82\xac"), "good \xe2\x82\xac");
}

static void assert_escaped(pm_text in, const char *expected)
{
    pm_buf out = {0};

    assert_int_equal(pm_utf8_escape(in, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, expected);
    pm_buf_free(&out);
}

static void what_a_terminal_obeys_is_escaped(void **state)
{
    (void)state;
    assert_escaped(PM_TEXT("a\x1b[31mred\x07\n\t\x7f"), "a\\x1b[31mred\\x07\\x0a\\x09\\x7f");
    assert_escaped(PM_TEXT("nul\0end"), "nul\\x00end");
    assert_escaped(PM_TEXT("\xc2\x9b"
                           "31m"),
                   "\\xc2\\x9b31m");
    assert_escaped(PM_TEXT("x\xe2\x80\xaetxt.exe"), "x\\xe2\\x80\\xaetxt.exe");
    assert_escaped(PM_TEXT("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");
    assert_escaped(PM_TEXT("\xff/tmp/\xc3\xa9"), "\\xff/tmp/\xc3\xa9");
    assert_escaped(PM_TEXT("/tmp/a\\012b"), "/tmp/a\\012b");
}

/* One name must not look like another. */
static void what_is_not_seen_is_escaped(void **state)
{
    static const uint32_t unseen[] = {0xad,   0x34f,  0x61c,  0x200b, 0x200d,  0x200e,
                                      0x200f, 0x2028, 0x2029, 0x202a, 0x202e,  0x2060,
                                      0x2066, 0x2069, 0xfe0f, 0xfeff, 0xfff9,  0x1d173,
                                      0x3164, 0xffa0, 0x180e, 0x115f, 0xe0001, 0xe01ef};
    static const uint32_t seen[] = {
        0xa0,   0xac,   0xae,   0xe9,   0x301,  0x200a, 0x2010, 0x2027, 0x2030,  0x205f,  0x2070,
        0x20ac, 0xfe10, 0xfefe, 0xff00, 0xfffd, 0x1161, 0x3163, 0xff9f, 0x1f600, 0x20000, 0xdffff};

    (void)state;
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        char bytes[4], escaped[17];
        size_t n = encode(unseen[i], bytes);

        for (size_t k = 0; k < n; k++)
            sprintf(escaped + 4 * k, "\\x%02x", (unsigned char)bytes[k]);
        assert_escaped((pm_text){bytes, n}, escaped);
    }
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        assert_false(pm_utf8_is_invisible(seen[i]));
    assert_escaped(PM_TEXT("re\xe2\x80\x8b"
                           "dis"),
                   "re\\xe2\\x80\\x8bdis");
}

static void widths(void **state)
{
    (void)state;
    assert_int_equal(pm_utf8_width(PM_TEXT("plain")), 5);
    assert_int_equal(pm_utf8_width(PM_TEXT("\xc3\xa9")), 1);
    assert_int_equal(pm_utf8_width(PM_TEXT("e\xcc\x81")), 1);
    assert_int_equal(pm_utf8_width(PM_TEXT("\xe6\xbc\xa2\xe5\xad\x97")), 4);
    assert_int_equal(pm_utf8_width(PM_TEXT("\xed\x95\x9c")), 2);
    assert_int_equal(pm_utf8_width(PM_TEXT("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab")), 2);
    assert_int_equal(pm_utf8_width(PM_TEXT("\xf0\x9f\x98\x80")), 2);
    assert_int_equal(pm_utf8_width(PM_TEXT("\xe2\x80\xa6")), 1);
    assert_int_equal(pm_utf8_width(PM_TEXT("")), 0);
}

static void assert_shortened(pm_text in, size_t width, const char *expected)
{
    pm_buf out = {0};

    assert_int_equal(pm_utf8_shorten(in, width, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, expected);
    assert_true(pm_utf8_width(pm_buf_text(&out)) <= width);
    pm_buf_free(&out);
}

#define DOTS "\xe2\x80\xa6"

static void middle_goes(void **state)
{
    (void)state;
    assert_shortened(PM_TEXT("/usr/lib/libc.so.6"), 18, "/usr/lib/libc.so.6");
    assert_shortened(PM_TEXT("/usr/lib/libc.so.6"), 13, "/usr" DOTS "ibc.so.6");
    assert_shortened(PM_TEXT("/usr/lib/libc.so.6"), 1, DOTS);
    /* Six wide characters: half of one does not fit. */
    assert_shortened(
        PM_TEXT("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2"), 10,
        "\xe6\xbc\xa2" DOTS "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2");
    /* A mark stays with its letter, before the cut and behind it. */
    assert_shortened(PM_TEXT("ae\xcc\x81xxxxxe\xcc\x81zzzz"), 7, "ae\xcc\x81" DOTS "zzzz");
}

static void every_width_fits(void **state)
{
    static const char text[] =
        "/srv/\xe6\xbc\xa2\xe5\xad\x97/e\xcc\x81l\xc3\xa8ve/\xf0\x9f\x98\x80/lib\xe6\xbc\xa2.so";
    pm_text t = PM_TEXT(text);
    size_t full = pm_utf8_width(t);

    (void)state;
    for (size_t width = 1; width <= full; width++) {
        pm_buf out = {0};

        assert_int_equal(pm_utf8_shorten(t, width, &out, NULL), PMAPDB_OK);
        assert_true(pm_utf8_valid(pm_buf_text(&out)));
        assert_true(pm_utf8_width(pm_buf_text(&out)) <= width);
        /* Two wide characters can miss by one column each. */
        assert_true(pm_utf8_width(pm_buf_text(&out)) + 2 >= width);
        pm_buf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_decodes),
        cmocka_unit_test(malformed_runs_become_one_mark_each),
        cmocka_unit_test(what_a_terminal_obeys_is_escaped),
        cmocka_unit_test(what_is_not_seen_is_escaped),
        cmocka_unit_test(widths),
        cmocka_unit_test(middle_goes),
        cmocka_unit_test(every_width_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
