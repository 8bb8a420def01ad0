/* csv_table_test: named columns, rows of wrong length, unclosed quotes; for every division of the
 * bytes into chunks. */
#include "unit.h"

#include "base/buf.h"
#include "parse/files/csv_table.h"

#include <math.h>
#include <stdlib.h>

static const pm_csv_column columns[] = {{"id", true}, {"kb", true}, {"pid", false}};

static pmapdb_status row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    pm_buf *out = (pm_buf *)ctx;

    return pm_buf_addf(out, err, "%d:%.*s|%.*s|%.*s\n", (int)line, (int)field[0].len, field[0].data,
                       (int)field[1].len, field[1].data, field[2].data ? (int)field[2].len : 1,
                       field[2].data ? field[2].data : "-");
}

static pmapdb_status bad(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    pm_buf *out = (pm_buf *)ctx;

    return pm_buf_addf(out, err, "%d! %.12s\n", (int)line, what);
}

static pmapdb_status read_in(const char *text, size_t n, size_t step, pm_buf *out,
                             pmapdb_error *err)
{
    pm_csv_options options = {
        .path = "F", .columns = columns, .n_columns = 3, .ctx = out, .row = row, .bad = bad};
    pm_csv *csv = NULL;
    pmapdb_status st = pm_csv_new(&options, &csv, err);

    for (size_t at = 0; at < n && st == PMAPDB_OK; at += step)
        st = pm_csv_feed(csv, text + at, at + step < n ? step : n - at, err);
    if (st == PMAPDB_OK)
        st = pm_csv_finish(csv, err);
    pm_csv_free(csv);
    return st;
}

static void reads_n(const char *text, size_t n, const char *expected)
{
    for (size_t step = 1; step <= n; step += step < 64 ? 1 : n) {
        pm_buf out = {0};
        pmapdb_error err;

        assert_int_equal(read_in(text, n, step, &out, &err), PMAPDB_OK);
        assert_string_equal(pm_buf_text(&out).data, expected);
        pm_buf_free(&out);
    }
}

static void reads(const char *text, const char *expected)
{
    reads_n(text, strlen(text), expected);
}

static void fails(const char *text, const char *expected)
{
    pm_buf out = {0};
    pmapdb_error err;

    assert_int_equal(read_in(text, strlen(text), 7, &out, &err), PMAPDB_INPUT);
    assert_string_equal(err.text, expected);
    pm_buf_free(&out);
}

static void columns_by_name(void **state)
{
    reads("id,kb\na,1\nb,2", "2:a|1|-\n3:b|2|-\n");
    reads("kb,x,pid,id\n1,9,7,a\n", "2:a|1|7\n");
    reads("\xef\xbb\xbfid,kb\r\na,1\r\n\r\n  \r\nb,\r\n", "2:a|1|-\n5:b||-\n");
    reads("\n\nid , kb\n a b , 1 \n", "4:a b|1|-\n");
    reads("\"id\",\"kb\"\n\"a,\"\"b\"\"\",\"1\"\n", "2:a,\"b\"|1|-\n");
    reads("id,kb\n", "");
    fails("id,pid\na,1\n", "F:1: no column 'kb': the first line names the columns, with commas "
                           "between them");
    fails("id,kb,id\n", "F:1: two columns are called 'id'");
    fails("", "F: empty: the first line names the columns");
    fails("\n \n", "F: empty: the first line names the columns");
    fails("id,\"kb\na,1\n", "F:1: a quote is opened and not closed: nothing is read from here on");
}

static void bad_rows(void **state)
{
    reads("id,kb\na\nb,1,2\nc,3\n", "2! 1 field, and\n3! 3 fields, an\n4:c|3|-\n");
    reads("id,kb\na,1\nx\"y,1\nc,3\n", "2:a|1|-\n3! a quote wher\n");
    reads("id,kb\n\"x\"y,1\nc,3\n", "2! a quote wher\n");
}

/* A quoted field may hold line ends. */
static void rows_of_several_lines(void **state)
{
    reads("id,kb,x\na,1,\"two\n\nlines\"\nb,2,\n", "2:a|1|-\n5:b|2|-\n");
    reads("id,kb,x\na,1,\"two\nb,2,\nc,3,\n", "2! a quote is o\n");
    reads("id,kb,x\na,1,\"two\nb,2,\nc,\"3,\nd,4,\n", "2! a quote wher\n");
}

/* libcsv ends a row there too: no row is lost, and none read twice. */
static void carriage_returns_alone(void **state)
{
    reads("id,kb\ra,1\rb,2\n", "1:a|1|-\n1:b|2|-\n");
    reads("id,kb\n\"a\nb\",1\rc,2\n", "2:a\nb|1|-\n3:c|2|-\n");
    reads("id,kb\n\"a\rb\",1\r\n", "2:a\rb|1|-\n");
    reads("id,kb\na,1\r\"open,1\nb,2\n", "2:a|1|-\n2! a quote is o\n");
}

/* A quote that nobody closes takes no memory without end. */
static void never_closed(void **state)
{
    pm_buf text = {0};

    assert_int_equal(pm_buf_addf(&text, NULL, "id,kb\n\"a,1\n"), PMAPDB_OK);
    for (int i = 3; i < 20000; i++)
        assert_int_equal(pm_buf_addf(&text, NULL, "row,%d\n", i), PMAPDB_OK);
    reads_n(text.data, text.len, "2! a quote is o\n");
    pm_buf_free(&text);
}

static void numbers(void **state)
{
    static const char *const good[] = {
        "0", "4096", "0.5", "12e2", "1.5E-1", "007", "9007199254740992"};
    static const char *const wrong[] = {"",    "-1",   "+1",  " 1",  "1 ",    "1.",   ".5",  "1e",
                                        "1,5", "0x10", "nan", "inf", "1e999", "1KiB", "1e16"};
    double v;

    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(pm_csv_number(pm_text_of(good[i]), &v));
        assert_true(v == atof(good[i]));
    }
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_false(pm_csv_number(pm_text_of(wrong[i]), &v));
    assert_false(pm_csv_number((pm_text){"1\0b", 3}, &v));
}

static void moments(void **state)
{
    int64_t ms;

    assert_true(pm_csv_moment(PM_TEXT("0"), &ms));
    assert_int_equal(ms, 0);
    assert_true(pm_csv_moment(PM_TEXT("1700640000"), &ms));
    assert_int_equal(ms, 1700640000000);
    assert_true(pm_csv_moment(PM_TEXT("1700640000.25"), &ms));
    assert_int_equal(ms, 1700640000250);
    assert_true(pm_csv_moment(PM_TEXT("2026-11-21T02:48:38Z"), &ms));
    assert_int_equal(ms, 1795229318000);
    assert_false(pm_csv_moment(PM_TEXT("1700640000000"), &ms));
    assert_false(pm_csv_moment(PM_TEXT("99999999999999999999"), &ms));
    assert_false(pm_csv_moment(PM_TEXT("9223372036854775807"), &ms));
    assert_false(pm_csv_moment(PM_TEXT("-5"), &ms));
    assert_false(pm_csv_moment(PM_TEXT("yesterday"), &ms));
    assert_false(pm_csv_moment(PM_TEXT(""), &ms));
}

RUN_TESTS(TEST(columns_by_name), TEST(bad_rows), TEST(rows_of_several_lines),
          TEST(carriage_returns_alone), TEST(never_closed), TEST(numbers), TEST(moments))
