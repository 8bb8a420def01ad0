/* csv_table_test: named columns, rows with too few or too many fields, unclosed quotes. */
#include "unit.h"

#include "base/buf.h"
#include "parse/files/csv_table.h"

#include <math.h>

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

static pmapdb_status read_text(const char *text, pm_buf *out, pmapdb_error *err)
{
    const pm_csv_options options = {
        .path = "F", .columns = columns, .n_columns = 3, .ctx = out, .row = row, .bad = bad};
    size_t n = strlen(text);
    char *exact = malloc(n + 1); /* the sanitizer sees a read past its end */
    pmapdb_status st;

    assert_non_null(exact);
    memcpy(exact, text, n);
    st = pm_csv_read((pm_text){exact, n}, &options, err);
    free(exact);
    return st;
}

static void reads(const char *text, const char *expected)
{
    pm_buf out = {0};
    pmapdb_error err;

    assert_int_equal(read_text(text, &out, &err), PMAPDB_OK);
    assert_string_equal(pm_buf_text(&out).data, expected);
    pm_buf_free(&out);
}

/* Expects a failure, after the rows before it were reported. */
static void fails(const char *text, const char *before, const char *expected)
{
    pm_buf out = {0};
    pmapdb_error err;

    assert_int_equal(read_text(text, &out, &err), PMAPDB_INPUT);
    assert_string_equal(err.text, expected);
    assert_string_equal(pm_buf_text(&out).data, before);
    pm_buf_free(&out);
}

#define NOT_CLOSED "a quote is opened and not closed"
#define IN_FIELD \
    "a quote in the middle of a field: quote the whole field, and write a quote inside as two"

TEST(columns_by_name)
{
    reads("id,kb\na,1\nb,2", "2:a|1|-\n3:b|2|-\n");
    reads("kb,x,pid,id\n1,9,7,a\n", "2:a|1|7\n");
    reads("\xef\xbb\xbfid,kb\r\na,1\r\n\r\n  \r\nb,\r\n", "2:a|1|-\n5:b||-\n");
    reads("\n\nid , kb\n a b , 1 \n", "4:a b|1|-\n");
    reads("\"id\",\"kb\"\n\"a,\"\"b\"\"\",\"1\"\n", "2:a,\"b\"|1|-\n");
    reads("id,kb\n", "");
    fails("id,pid\na,1\n", "",
          "F:1: no column 'kb': the first line names the columns, with commas between them");
    fails("id,kb,id\n", "", "F:1: two columns are called 'id'");
    fails("", "", "F: empty: the first line names the columns");
    fails("\n \n", "", "F: empty: the first line names the columns");
    fails("id,\"kb\na,1\n", "", "F:1: " NOT_CLOSED);
}

TEST(bad_rows)
{
    reads("id,kb\na\nb,1,2\nc,3\n", "2! 1 field, and\n3! 3 fields, an\n4:c|3|-\n");
    fails("id,kb\na,1\nx\"y,1\nc,3\n", "2:a|1|-\n", "F:3: " IN_FIELD);
    fails("id,kb\n\"x\"y,1\nc,3\n", "", "F:2: " IN_FIELD);
}

TEST(strict)
{
    const pm_csv_options options = {
        .path = "F", .columns = columns, .n_columns = 3, .strict = true, .row = row, .bad = bad};
    pm_csv_options with = options;
    pm_buf out = {0};
    pmapdb_error err;

    with.ctx = &out;
    assert_int_equal(pm_csv_read(PM_TEXT("# x\nid,kb\n#a,1\n\"b\n#\",2\n"), &with, &err),
                     PMAPDB_OK);
    assert_string_equal(out.data, "4:b\n#|2|-\n");
    assert_int_equal(pm_csv_read(PM_TEXT("id,kb,pidd\n"), &with, &err), PMAPDB_INPUT);
    assert_string_equal(err.text, "F:1: there is no column 'pidd', did you mean 'pid'?");
    pm_buf_free(&out);
}

/* A quoted field may contain line ends. */
TEST(rows_of_several_lines)
{
    reads("id,kb,x\na,1,\"two\n\nlines\"\nb,2,\n", "2:a|1|-\n5:b|2|-\n");
    fails("id,kb,x\na,1,\"two\nb,2,\nc,3,\n", "", "F:2: " NOT_CLOSED);
    fails("id,kb,x\na,1,\"two\nb,2,\nc,\"3,\nd,4,\n", "", "F:2: " IN_FIELD);
}

/* libcsv ends a row at a carriage return, too: no row is lost or read twice. */
TEST(carriage_returns_alone)
{
    reads("id,kb\ra,1\rb,2\n", "1:a|1|-\n1:b|2|-\n");
    reads("id,kb\n\"a\nb\",1\rc,2\n", "2:a\nb|1|-\n3:c|2|-\n");
    reads("id,kb\n\"a\rb\",1\r\n", "2:a\rb|1|-\n");
    fails("id,kb\na,1\r\"open,1\nb,2\n", "2:a|1|-\n", "F:2: " NOT_CLOSED);
}

TEST(numbers)
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

TEST(moments)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"0", 0},
                {"1700640000", 1700640000000},
                {"1700640000.25", 1700640000250},
                {"2026-11-21T02:48:38Z", 1795229318000}};
    char bad[] = " -5 yesterday 1700640000000 99999999999999999999 9223372036854775807";
    int64_t ms;

    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(pm_csv_moment(pm_text_of(good[i].text), &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (char *rest = bad, *text; (text = strsep(&rest, " "));)
        assert_false(pm_csv_moment(pm_text_of(text), &ms));
}

RUN_TESTS(NULL, NULL)
