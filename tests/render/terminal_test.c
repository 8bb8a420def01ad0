/* terminal_test: escaping of unsafe text, widths. */
#include "collect.h"

#include "render/terminal.h"
#include <stdio.h>
#include <utf8proc.h>

static void assert_escaped(pm_text in, const char *expected)
{
    pm_buf out = {0};

    assert_int_equal(pm_terminal_escape(in, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, expected);
    pm_buf_free(&out);
}

TEST(what_a_terminal_obeys_is_escaped)
{
    assert_escaped(PM_TEXT("a\x1b[31mred\x07\n\t\x7f"), "a\\x1b[31mred\\x07\\x0a\\x09\\x7f");
    assert_escaped(PM_TEXT("nul\0end"), "nul\\x00end");
    assert_escaped(PM_TEXT("\xc2\x9b"
                           "31m"),
                   "\\xc2\\x9b31m");
    assert_escaped(PM_TEXT("x\xe2\x80\xaetxt.exe"), "x\\xe2\\x80\\xaetxt.exe");
    assert_escaped(PM_TEXT("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");
    assert_escaped(PM_TEXT("\xff/tmp/\xc3\xa9"), "\\xff/tmp/\xc3\xa9");
    assert_escaped(PM_TEXT("\xf1\x89\x89\x89"), "\\xf1\\x89\\x89\\x89"); /* not a character */
    assert_escaped(PM_TEXT("/tmp/a\\012b"), "/tmp/a\\012b");
}

/* Two different names must not look alike. */
TEST(what_is_not_seen_is_escaped)
{
    static const uint32_t unseen[] = {0xad,   0x34f,   0x61c,   0x200b,  0x200d, 0x200e, 0x200f,
                                      0x2028, 0x2029,  0x202a,  0x202e,  0x2060, 0x2066, 0x2069,
                                      0xfe0f, 0xfeff,  0xfff9,  0x1d173, 0x3164, 0xffa0, 0x180e,
                                      0x115f, 0xe0001, 0xe01ef, 0xfefe,  0xff00, 0xdffff};
    static const uint32_t seen[] = {0xa0,   0xac,   0xae,   0xe9,    0x301,  0x200a, 0x2010,
                                    0x2027, 0x2030, 0x205f, 0x2070,  0x20ac, 0xfe10, 0xfffd,
                                    0x1161, 0x3163, 0xff9f, 0x1f600, 0x20000};

    for (size_t i = 0; i < COUNT(unseen); i++) {
        utf8proc_uint8_t bytes[4];
        size_t n = (size_t)utf8proc_encode_char((utf8proc_int32_t)unseen[i], bytes);
        char escaped[17];

        for (size_t k = 0; k < n; k++)
            sprintf(escaped + 4 * k, "\\x%02x", bytes[k]);
        assert_escaped((pm_text){(char *)bytes, n}, escaped);
    }
    for (size_t i = 0; i < COUNT(seen); i++) {
        char bytes[5] = {0};

        utf8proc_encode_char((utf8proc_int32_t)seen[i], (utf8proc_uint8_t *)bytes);
        assert_escaped(pm_text_of(bytes), bytes);
    }
    assert_escaped(PM_TEXT("re\xe2\x80\x8b"
                           "dis"),
                   "re\\xe2\\x80\\x8bdis");
}

TEST(widths)
{
    assert_int_equal(pm_terminal_width(PM_TEXT("plain")), 5);
    assert_int_equal(pm_terminal_width(PM_TEXT("\xc3\xa9")), 1);
    assert_int_equal(pm_terminal_width(PM_TEXT("e\xcc\x81")), 1);
    assert_int_equal(pm_terminal_width(PM_TEXT("\xe6\xbc\xa2\xe5\xad\x97")), 4);
    assert_int_equal(pm_terminal_width(PM_TEXT("\xed\x95\x9c")), 2);
    assert_int_equal(pm_terminal_width(PM_TEXT("\xf0\x9f\x98\x80")), 2);
    assert_int_equal(pm_terminal_width(PM_TEXT("\xe2\x80\xa6")), 1);
    assert_int_equal(pm_terminal_width(PM_TEXT("")), 0);
}

RUN_TESTS(NULL, NULL)
