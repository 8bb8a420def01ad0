/* number_test: numbers as programs and as people read them. */
#include "collect.h"

#include "render/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>

typedef struct written {
    double v;
    const char *text;
} written;

static void expect(void (*write)(double v, char *out), const written *cases, size_t n)
{
    char text[PM_NUMBER_TEXT];

    for (size_t i = 0; i < n; i++) {
        write(cases[i].v, text);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(exact_reads_back)
{
    static const double values[] = {0,       -0.0,    0.1,         1.0 / 3, 1e21,   -2.5,
                                    DBL_MAX, DBL_MIN, DBL_EPSILON, 5e-324,  123456, 1e15 + 0.3};
    static const written cases[] = {
        {0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"}, {12345678, "12345678"}, {-HUGE_VAL, "-inf"}};
    char text[PM_NUMBER_TEXT];

    for (size_t i = 0; i < COUNT(values); i++) {
        pm_number_exact(values[i], text);
        assert_true(strtod(text, NULL) == values[i]);
    }
    expect(pm_number_exact, cases, COUNT(cases));
}

TEST(brief_has_six_digits)
{
    static const written cases[] = {
        {0, "0"},         {1.5, "1.5"},    {1234.5678, "1234.57"},     {999999.4, "999999"},
        {0.25, "0.25"},   {1e20, "1e+20"}, {-12345678.9, "-12345679"}, {999999.6, "1000000"},
        {HUGE_VAL, "inf"}};

    expect(pm_number_brief, cases, COUNT(cases));
}

TEST(sizes_have_three_digits)
{
    static const struct {
        int64_t kib;
        const char *text;
    } cases[] = {{0, "0 KiB"},          {812, "812 KiB"},
                 {1023, "1023 KiB"},    {1024, "1 MiB"},
                 {-12288, "-12 MiB"},   {1468006, "1.4 GiB"},
                 {1434, "1.4 MiB"},     {12595, "12.3 MiB"},
                 {126000, "123 MiB"},   {1024 * 1024 - 1, "1 GiB"},
                 {1046528, "1022 MiB"}, {INT64_C(128) << 30, "128 TiB"},
                 {INT64_MAX, "8 ZiB"},  {PMAPDB_UNKNOWN, "?"}};
    static const written reals[] = {{0.0123, "0.0123 KiB"}, {1023.6, "1 MiB"}, {1e300, "1e+300"}};
    char text[32];

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_render_kib(cases[i].kib, text);
        assert_string_equal(text, cases[i].text);
    }
    expect(pm_number_size, reals, COUNT(reals));
}

TEST(percents)
{
    static const written cases[] = {{0, "0%"},          {1, "100%"},       {0.125, "12.5%"},
                                    {-0.5, "-50%"},     {12.345, "1234%"}, {0.0012, "0.12%"},
                                    {0.12345, "12.3%"}, {0.99999, "100%"}};

    expect(pm_number_percent, cases, COUNT(cases));
}

TEST(spans_show_two_units)
{
    static const written cases[] = {
        {0, "0ms"},           {250, "250ms"},
        {1000, "1s"},         {1549, "1.5s"},
        {9960, "10s"},        {59400, "59s"},
        {59960, "1m00s"},     {303000, "5m03s"},
        {3599600, "1h00m"},   {7500000, "2h05m"},
        {86399000, "1d00h"},  {273600000, "3d04h"},
        {-7500000, "-2h05m"}, {8.64e15, "100000000d00h"},
        {1e18, "1e+18"},
    };
    static const written halves[] = {{1550, "1.6s"}, {42499, "42s"}, {42500, "43s"}};

    expect(pm_number_span, cases, COUNT(cases));
    expect(pm_number_span, halves, COUNT(halves));
}

/* Which locales there are differs between machines; the first with another mark will do. */
TEST(point_in_every_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    static const written reals[] = {{0.1, "0.1"}, {1.5e-7, "1.5e-07"}};
    static const written sizes[] = {{1434, "1.4 MiB"}}, percents[] = {{0.125, "12.5%"}};
    bool found = false;

    for (size_t i = 0; i < COUNT(names) && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found)
        skip();
    expect(pm_number_exact, reals, COUNT(reals));
    expect(pm_number_size, sizes, 1);
    expect(pm_number_percent, percents, 1);
    setlocale(LC_NUMERIC, "C");
}

RUN_TESTS(NULL, NULL)
