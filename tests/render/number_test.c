/* number_test: numbers as programs and as people read them. */
#include "collect.h"

#include "render/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

TEST(exact_reads_back)
{
    static const double values[] = {0,       -0.0,    0.1,         1.0 / 3, 1e21,   -2.5,
                                    DBL_MAX, DBL_MIN, DBL_EPSILON, 5e-324,  123456, 1e15 + 0.3};
    char text[PM_NUMBER_TEXT];

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        pm_number_exact(values[i], text);
        assert_true(strtod(text, NULL) == values[i]);
    }
    pm_number_exact(0.1, text);
    assert_string_equal(text, "0.1");
    pm_number_exact(1.0 / 3, text);
    assert_string_equal(text, "0.3333333333333333");
    pm_number_exact(12345678, text);
    assert_string_equal(text, "12345678");
    pm_number_exact(-HUGE_VAL, text);
    assert_string_equal(text, "-inf");
}

TEST(brief_has_six_digits)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0, "0"},
                 {1.5, "1.5"},
                 {1234.5678, "1234.57"},
                 {999999.4, "999999"},
                 {999999.6, "1000000"},
                 {-12345678.9, "-12345679"},
                 {0.25, "0.25"},
                 {1e20, "1e+20"},
                 {HUGE_VAL, "inf"}};
    char text[PM_NUMBER_TEXT];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pm_number_brief(cases[i].v, text);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(sizes_have_three_digits)
{
    static const struct {
        int64_t kib;
        const char *text;
    } cases[] = {
        {0, "0 KiB"},          {812, "812 KiB"},
        {1023, "1023 KiB"},    {1024, "1 MiB"},
        {-12288, "-12 MiB"},   {1468006, "1.4 GiB"},
        {1434, "1.4 MiB"},     {12595, "12.3 MiB"},
        {126000, "123 MiB"},   {1024 * 1024 - 1, "1 GiB"},
        {1046528, "1022 MiB"}, {INT64_C(128) << 30, "128 TiB"},
        {INT64_MAX, "8 ZiB"},  {PMAPDB_UNKNOWN, "?"},
    };
    char text[32];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pm_render_kib(cases[i].kib, true, text);
        assert_string_equal(text, cases[i].text);
    }
    pm_render_kib(1434, false, text);
    assert_string_equal(text, "1434");
    pm_render_kib(INT64_MIN + 1, false, text);
    assert_string_equal(text, "-9223372036854775807");
    pm_render_kib(PMAPDB_UNKNOWN, false, text);
    assert_string_equal(text, "?");
    pm_number_size(0.0123, text);
    assert_string_equal(text, "0.0123 KiB");
    pm_number_size(1023.6, text);
    assert_string_equal(text, "1 MiB");
    pm_number_size(1e300, text);
    assert_string_equal(text, "1e+300");
}

TEST(percents)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0, "0%"},      {1, "100%"},       {0.125, "12.5%"}, {0.99999, "100%"},
                 {-0.5, "-50%"}, {12.345, "1234%"}, {0.0012, "0.12%"}};
    char text[PM_NUMBER_TEXT];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pm_number_percent(cases[i].v, text);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(spans_show_two_units)
{
    static const struct {
        double ms;
        const char *text;
    } cases[] = {
        {0, "0ms"},           {250, "250ms"},
        {1000, "1s"},         {1500, "1.5s"},
        {9960, "10s"},        {59400, "59s"},
        {59960, "1m00s"},     {303000, "5m03s"},
        {3599600, "1h00m"},   {7500000, "2h05m"},
        {86399000, "1d00h"},  {273600000, "3d04h"},
        {-7500000, "-2h05m"}, {8.64e15, "100000000d00h"},
        {1e18, "1e+18"},
    };
    char text[PM_NUMBER_TEXT];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pm_number_span(cases[i].ms, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* Which locales there are differs between machines; the first with another mark will do. */
TEST(point_in_every_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    char text[PM_NUMBER_TEXT];
    bool found = false;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found)
        skip();
    pm_number_exact(0.1, text);
    assert_string_equal(text, "0.1");
    pm_number_exact(1.5e-7, text);
    assert_string_equal(text, "1.5e-07");
    pm_number_size(1434, text);
    assert_string_equal(text, "1.4 MiB");
    pm_number_percent(0.125, text);
    assert_string_equal(text, "12.5%");
    setlocale(LC_NUMERIC, "C");
}

RUN_TESTS(NULL, NULL)
