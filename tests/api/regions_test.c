/* regions_test: address ranges in CSV, and texts that are not ranges. */
#include "source/box.h"

#include "api/regions.h"

#define FILE_NAME "r.csv"
#define TWO "a region is START,END, two hexadecimal addresses"

static void gives(const char *text, const char *expected)
{
    pm_buf json = {0};
    pmapdb_error err = {.text = ""};

    if (pm_regions_parse(FILE_NAME, pm_text_of(text), &json, &err) != PMAPDB_OK)
        print_error("%s: %s\n", text, err.text);
    assert_string_equal(json.data, expected);
    pm_buf_free(&json);
}

static void refuses(const char *text, const char *why)
{
    pm_buf json = {0};
    pmapdb_error err = {.text = ""};

    assert_int_equal(pm_regions_parse(FILE_NAME, pm_text_of(text), &json, &err), PMAPDB_INPUT);
    assert_string_equal(err.text, why);
    pm_buf_free(&json);
}

TEST(numbers)
{
    gives("1000,2000\n", "[[4096,8191]]");
    gives("0x1000,0X2000", "[[4096,8191]]");
    gives("00000000`00001000,00000000`00002000\n", "[[4096,8191]]");
    gives("0x7fc3`68c87000,7fC369307000\n", "[[140477253316608,140477260132351]]");
    gives(" 1000 ,\t2000 \r\n\r\n3000,4000\r\n", "[[4096,8191],[12288,16383]]");
    gives("\"1000\",\"2000\"\n", "[[4096,8191]]");
    gives("\xef\xbb\xbf"
          "1000,2000\n",
          "[[4096,8191]]");
}

/* An end is the first address after the region, or its last address if a page ends there. */
TEST(ends)
{
    gives("1000,1fff\n", "[[4096,8191]]");
    gives("1000,2000\n", "[[4096,8191]]");
    gives("1000,1800\n", "[[4096,6143]]");
    gives("0,ffffffffffffffff\n", "[[0,-1]]");
    gives("ffffffffff600000,ffffffffff601000\n", "[[-10485760,-10481665]]");
    gives("0,8000000000000000\n", "[[0,9223372036854775807]]");
    gives("0,1\n", "[[0,0]]");
}

TEST(headers)
{
    gives("start,end\n1000,2000\n", "[[4096,8191]]");
    gives("\xef\xbb\xbf\r\nSTART,END\r\n1000,2000\r\n", "[[4096,8191]]");
    refuses("START,END", "r.csv: no region in it: a row is START,END");
    refuses("begin,last\n1000,2000\n", "r.csv:1: " TWO);
    refuses("1000,2000\nstart,end\n", "r.csv:2: " TWO);
}

/* The message has FILE:LINE, which counts the header and empty lines. */
TEST(bad_numbers)
{
    static const char *const bad[] = {"7fxyz", "-1", "+1",    "0x",       "x",
                                      "1 0",   "`1", "1`",    "0x`1",     "10000000000000000",
                                      "1.0",   "",   "1000h", "0x0x1000", "\xc3\xa9"};
    char text[96];

    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(text, sizeof text, "1000,2000\n\n%s,9000\n", bad[i]);
        refuses(text, "r.csv:3: " TWO);
        snprintf(text, sizeof text, "start,end\n1000,2000\n5000,%s\n", bad[i]);
        refuses(text, "r.csv:3: " TWO);
    }
}

TEST(bad_rows)
{
    refuses("2000,1000\n", "r.csv:1: the end is not after the start");
    refuses("1000,1000\n", "r.csv:1: the end is not after the start");
    refuses("1000,2000\n3000\n", "r.csv:2: " TWO);
    refuses("1000,2000,3000\n", "r.csv:1: " TWO);
    refuses("", "r.csv: no region in it: a row is START,END");
    refuses(" \n\n", "r.csv: no region in it: a row is START,END");
}

TEST(limits)
{
    pm_buf text = {0}, json = {0};
    char why[64];

    for (int i = 0; i < PM_REGIONS_MAX; i++)
        assert_int_equal(pm_buf_add(&text, "1000,2000\n", 10, NULL), PMAPDB_OK);
    assert_int_equal(pm_regions_parse(FILE_NAME, pm_buf_text(&text), &json, NULL), PMAPDB_OK);
    pm_buf_free(&json);
    assert_int_equal(pm_buf_add(&text, "1000,2000\n", 10, NULL), PMAPDB_OK);
    snprintf(why, sizeof why, "r.csv:%d: too many regions", PM_REGIONS_MAX + 1);
    refuses(text.data, why);
    pm_buf_free(&text);
}

IN_BOX(files)
{
    pm_buf json = {0};
    pmapdb_error err = {.text = ""};

    box_text(FILE_NAME, "1000,2000\n3000,x\n");
    assert_int_equal(pm_regions_read(FILE_NAME, &json, &err), PMAPDB_INPUT);
    assert_string_equal(err.text, "r.csv:2: " TWO);
    pm_buf_clear(&json);
    box_text(FILE_NAME, "1000,2000\n");
    assert_int_equal(pm_regions_read(FILE_NAME, &json, &err), PMAPDB_OK);
    assert_string_equal(json.data, "[[4096,8191]]");
    assert_int_equal(truncate(FILE_NAME, 2 << 20), 0);
    assert_int_equal(pm_regions_read(FILE_NAME, &json, &err), PMAPDB_INPUT);
    assert_int_not_equal(pm_regions_read("none", &json, &err), PMAPDB_OK);
    assert_int_not_equal(pm_regions_read(".", &json, &err), PMAPDB_OK);
    pm_buf_free(&json);
}

RUN_TESTS(NULL, NULL)
