/* utf8_test: decoding compared with the Unicode table, repair, cutting. */
#include "unit.h"

#include "base/utf8.h"
#include <utf8proc.h>

TEST(every_character_decodes)
{
    for (uint32_t cp = 0; cp < 0x110000; cp++) {
        char bytes[4];
        size_t n = (size_t)utf8proc_encode_char((utf8proc_int32_t)cp, (utf8proc_uint8_t *)bytes);
        uint32_t got;

        if (cp >= 0xd800 && cp <= 0xdfff) { /* a surrogate is not a character */
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
TEST(malformed_runs_become_one_mark_each)
{
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

TEST(a_head_ends_between_characters)
{
    static const struct {
        const char *text;
        size_t max, expected;
    } cases[] = {{"abc", 3, 3},
                 {"abc", 2, 2},
                 {"a\xc3\xa9", 2, 1},
                 {"a\xc3\xa9", 3, 3},
                 {"\xe6\xbc\xa2", 2, 0},
                 {"\xf0\x9f\x98\x80z", 3, 0},
                 {"\x80\x80\x80\x80\x80", 4, 1}};

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(pm_utf8_head(pm_text_of(cases[i].text), cases[i].max).len,
                         cases[i].expected);
}

RUN_TESTS(NULL, NULL)
