/* num: numbers, sizes and spans, and texts that are not. */
#include "unit.h"

#include "base/num.h"

typedef size_t (*read_fn)(const char *p, const char *end, uint64_t *out);

static void reads(read_fn fn, const char *text, size_t used, uint64_t wanted)
{
    uint64_t v = 4711;

    assert_int_equal(fn(text, text + strlen(text), &v), used);
    assert_int_equal(v, used ? wanted : 4711);
}

TEST(decimal)
{
    reads(pm_num_dec, "0", 1, 0);
    reads(pm_num_dec, "0042 kB", 4, 42);
    reads(pm_num_dec, "18446744073709551615", 20, UINT64_MAX);
    reads(pm_num_dec, "18446744073709551616", 0, 0);
    reads(pm_num_dec, "99999999999999999999", 0, 0);
    reads(pm_num_dec, "", 0, 0);
    reads(pm_num_dec, " 1", 0, 0);
    reads(pm_num_dec, "-1", 0, 0);
    reads(pm_num_dec, "+1", 0, 0);
    reads(pm_num_dec, "x", 0, 0);
}

TEST(hexadecimal)
{
    reads(pm_num_hex, "7ffd6c5f9000-", 12, 0x7ffd6c5f9000);
    reads(pm_num_hex, "ABCDEFg", 6, 0xabcdef);
    reads(pm_num_hex, "ffffffffffffffff", 16, UINT64_MAX);
    reads(pm_num_hex, "0000000000000000ff", 18, 255);
    reads(pm_num_hex, "10000000000000000", 0, 0);
    reads(pm_num_hex, "0x10", 1, 0);
    reads(pm_num_hex, "", 0, 0);
    reads(pm_num_hex, "/9", 0, 0);
    reads(pm_num_hex, "9:", 1, 9);
    reads(pm_num_hex, "@A", 0, 0);
    reads(pm_num_hex, "`a", 0, 0);
    reads(pm_num_hex, "\xff", 0, 0);
    reads(pm_num_hex, "01000000000000000f0", 0, 0);
}

TEST(runs_of_hexadecimal_digits)
{
    static const char text[] = "10000000000000000fFg";

    assert_int_equal(pm_num_hex_run(text, text + 20), 19);
    assert_int_equal(pm_num_hex_run(text, text + 3), 3);
    assert_int_equal(pm_num_hex_run(text + 19, text + 20), 0);
    assert_int_equal(pm_num_hex_run(text, text), 0);
}

/* The buffer ends at `end`: the sanitizer catches a read past it. */
TEST(stops_at_the_end)
{
    char *two = calloc(1, 2);
    uint64_t v;

    two[0] = '4';
    two[1] = '2';
    assert_int_equal(pm_num_dec(two, two + 2, &v), 2);
    assert_int_equal(pm_num_dec(two, two + 1, &v), 1);
    assert_int_equal(v, 4);
    assert_int_equal(pm_num_hex(two, two + 2, &v), 2);
    assert_true(pm_num_all((pm_text){two, 2}, &v));
    free(two);
}

TEST(all)
{
    uint64_t v = 4711;

    assert_false(pm_num_all(PM_TEXT(""), &v));
    assert_false(pm_num_all(PM_TEXT("42 "), &v));
    assert_false(pm_num_all(PM_TEXT("4\0002"), &v));
    assert_int_equal(v, 4711);
    assert_true(pm_num_all(PM_TEXT("42"), &v));
    assert_int_equal(v, 42);
}

typedef struct given {
    const char *text;
    int64_t value;
} given;

/* Reads the good texts, and refuses the bad texts, which have "|" between them. */
static void quantities(bool (*fn)(pm_text t, int64_t *out), const given *good, size_t n, char *bad)
{
    int64_t v;

    for (size_t i = 0; i < n; i++) {
        assert_true(fn(pm_text_of(good[i].text), &v));
        assert_int_equal(v, good[i].value);
    }
    v = 4711;
    for (char *text; (text = strsep(&bad, "|"));)
        assert_false(fn(pm_text_of(text), &v));
    assert_int_equal(v, 4711);
}

TEST(sizes)
{
    static const given good[] = {
        {"0", 0},      {"512", 512},       {"10M", 10240}, {"1.5G", 1572864},
        {"64KiB", 64}, {"64kB", 64},       {"64k", 64},    {"4096B", 4},
        {"100B", 0},   {"2T", 2147483648}, {"0.5K", 1},    {"1.25MiB", 1280},
    };
    char bad[] = "|M|-1M|+1M|10MB/s|1,5G|1X|0x10|.5G|1.5.5G|99999999999999999999|9000000000000T|"
                 "nan|inf|1e3|1 M";

    quantities(pm_num_size, good, COUNT(good), bad);
}

TEST(spans)
{
    static const given good[] = {
        {"500ms", 500},       {"30s", 30000},
        {"5m", 300000},       {"5min", 300000},
        {"2h", 7200000},      {"7d", 604800000},
        {"2w", 1209600000},   {"1h30m", 5400000},
        {"1.5h", 5400000},    {"0s", 0},
        {"1hour", 3600000},   {"1d2h3m4s5ms", 93784005},
        {"2days", 172800000}, {"1week90minutes", 610200000},
    };
    char bad[] = "|5|m|-5m|5 m|5x|1h30|5m |99999999999w";

    quantities(pm_num_span, good, COUNT(good), bad);
}

RUN_TESTS(NULL, NULL)
