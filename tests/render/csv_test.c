/* csv_test: golden CSV, and CSV read back by libcsv's own parser. */
#include "collect.h"

#include <csv.h>
#include <math.h>

static const pm_column columns[] = {
    {"id", PM_UNIT_SNAPSHOT}, {"taken_at", PM_UNIT_TIME},     {"path", PM_UNIT_TEXT},
    {"rss_kib", PM_UNIT_KIB}, {"start", PM_UNIT_ADDRESS},     {"rate", PM_UNIT_RATE},
    {"live", PM_UNIT_BOOL},   {"category", PM_UNIT_CATEGORY},
};

static const pm_value rows[] = {
    INT(7),
    TEXT("2026-11-21T02:05:32.250Z"),
    TEXT("/usr/lib/a,b \"c\".so"),
    INT(1468006),
    INT(-4096),
    REAL(0.1),
    INT(1),
    TEXT("heap"),
    INT(INT64_MIN),
    NONE,
    TEXT(""),
    NONE,
    INT(0x7f00),
    REAL(1e300),
    INT(0),
    NONE,
};

#define GOLDEN(end)                                                                            \
    "id,taken_at,path,rss_kib,start,rate,live,category" end                                    \
    "7,2026-11-21T02:05:32.250Z,\"/usr/lib/a,b \"\"c\"\".so\",1468006,fffffffffffff000,0.1,1," \
    "\"heap\"" end "-9223372036854775808,,\"\",,7f00,1e+300,0," end

TEST(golden)
{
    assert_renders(
        (pm_render_options){.format = PM_FORMAT_CSV, .human = true, .color = true, .width = 20},
        columns, COUNT_OF(columns), rows, 2, GOLDEN("\n"));
    assert_renders((pm_render_options){.format = PM_FORMAT_CSV, .crlf = true}, columns,
                   COUNT_OF(columns), rows, 2, GOLDEN("\r\n"));
    assert_renders((pm_render_options){.format = PM_FORMAT_CSV}, columns, 2, NULL, 0,
                   "id,taken_at\n");
}

/* Names and times that are not plain are quoted, even if plain ones are not. */
TEST(odd_names_and_times_are_quoted)
{
    static const pm_column odd[] = {{"max(a, b)", PM_UNIT_TEXT},
                                    {"\"q\"", PM_UNIT_TIME},
                                    {" x", PM_UNIT_INT},
                                    {"", PM_UNIT_INT}};
    static const pm_value values[] = {REAL(2.5), TEXT("21 Nov, 02:05"), TEXT("n/a"), INT(-1)};

    assert_renders((pm_render_options){.format = PM_FORMAT_CSV}, odd, 4, values, 1,
                   "\"max(a, b)\",\"\"\"q\"\"\",\" x\",\"\"\n"
                   "2.5,\"21 Nov, 02:05\",\"n/a\",-1\n");
}

/* SQLite and other libraries return NULL as the address of an empty text. */
TEST(empty_text_without_an_address_is_known)
{
    static const pm_value value = {.kind = PM_VALUE_TEXT, .t = {NULL, 0}};
    static const pm_column text = {"text", PM_UNIT_TEXT};

    assert_renders((pm_render_options){.format = PM_FORMAT_CSV}, &text, 1, &value, 1,
                   "text\n\"\"\n");
    assert_renders((pm_render_options){.format = PM_FORMAT_NDJSON}, &text, 1, &value, 1,
                   "{\"text\":\"\"}\n");
    assert_renders((pm_render_options){.format = PM_FORMAT_TABLE}, &text, 1, &value, 1, "text\n\n");
}

TEST(no_number_is_unknown)
{
    static const pm_value values[] = {REAL(NAN), NONE};

    assert_renders((pm_render_options){.format = PM_FORMAT_CSV}, columns, 2, values, 1,
                   "id,taken_at\n,\n");
    /* readers skip an empty line */
    assert_renders((pm_render_options){.format = PM_FORMAT_CSV}, columns, 1, values, 2,
                   "id\n\"\"\n\"\"\n");
}

typedef struct field {
    pm_buf bytes;
    bool null;
} field;

typedef struct fields {
    field items[64];
    size_t n, lines;
} fields;

static void on_field(void *bytes, size_t n, void *ctx)
{
    fields *f = ctx;

    assert_true(f->n < sizeof f->items / sizeof f->items[0]);
    f->items[f->n].null = !bytes;
    assert_int_equal(pm_buf_add(&f->items[f->n++].bytes, bytes ? bytes : "", n, NULL), PMAPDB_OK);
}

static void on_line(int end, void *ctx)
{
    fields *f = ctx;

    (void)end;
    f->lines++;
}

TEST(reads_back)
{
    static const pm_column two[] = {{"text", PM_UNIT_TEXT}, {"n", PM_UNIT_INT}};
    static const pm_value values[][2] = {
        {TEXT("a,b"), INT(1)},
        {TEXT("say \"hi\""), NONE},
        {TEXT("two\nlines\r\n"), INT(3)},
        {TEXT("\xff\xfe"), INT(4)},
        {TEXT("nul\0end\0"), INT(5)},
        {TEXT("  blanks  "), INT(6)},
        {TEXT(""), INT(7)},
        {NONE, INT(8)},
        {TEXT("\""), INT(9)},
        {TEXT("\xe6\xbc\xa2"), INT(10)},
        {TEXT("'=1+1"), INT(11)},
    };
    size_t n = 2 * COUNT(values);
    struct csv_parser parser;
    fields got = {0};
    collected c = {0};

    assert_int_equal(render_into(&c, (pm_render_options){.format = PM_FORMAT_CSV}, two, 2,
                                 values[0], (int)n / 2, NULL),
                     PMAPDB_OK);
    assert_int_equal(csv_init(&parser, CSV_STRICT | CSV_EMPTY_IS_NULL), 0);
    assert_int_equal(csv_parse(&parser, c.text.data, c.text.len, on_field, on_line, &got),
                     c.text.len);
    csv_fini(&parser, on_field, on_line, &got);
    csv_free(&parser);
    assert_int_equal(got.n, n + 2);
    assert_int_equal(got.lines, n / 2 + 1);
    for (size_t i = 0; i < n; i++) {
        const field *f = &got.items[i + 2];
        const pm_value *v = &values[i / 2][i % 2];

        assert_int_equal(f->null, v->kind == PM_VALUE_NULL);
        if (v->kind == PM_VALUE_TEXT)
            assert_true(pm_text_equal(pm_buf_text(&f->bytes), v->t));
        if (v->kind == PM_VALUE_INT)
            assert_int_equal(strtoll(f->bytes.data, NULL, 10), v->i);
    }
    for (size_t i = 0; i < got.n; i++)
        pm_buf_free(&got.items[i].bytes);
    pm_buf_free(&c.text);
}

/* With --spreadsheet-safe, text that would run as a formula gets an apostrophe, and nothing else
 * changes. Without the option no byte changes. */
TEST(formulas_are_made_text)
{
    static const struct {
        const char *text;
        bool formula;
    } cells[] = {
        {"=1+1", true},
        {"+1", true},
        {"-1", true},
        {"@SUM(A1)", true},
        {"\t=1", true},
        {"\r=1", true},
        {"\n=1", true},
        {"  =1", true},
        {"\"=1", true},
        {" \" -1", true},
        {"\xef\xbc\x9d"
         "1",
         true},
        {"-", true},
        {"'=1", false},
        {"a=1", false},
        {"", false},
        {" ", false},
        {"1-1", false},
        {"[heap]", false},
        {"\xef\xbc", false},
        {"/=x", false},
    };
    static const pm_column column = {"path", PM_UNIT_TEXT}, odd = {"=now()", PM_UNIT_TEXT};
    static const pm_column numbers[] = {
        {"d", PM_UNIT_KIB}, {"t", PM_UNIT_TIME}, {"r", PM_UNIT_REAL}};
    static const pm_value values[] = {INT(-5), TEXT("-2h"), REAL(-0.5)};
    pm_render_options safe = {.format = PM_FORMAT_CSV, .safe = true};

    for (size_t i = 0; i < COUNT(cells); i++) {
        pm_value v = {.kind = PM_VALUE_TEXT, .t = pm_text_of(cells[i].text)};
        collected plain = {0}, made = {0};
        pm_buf expected = {0};

        assert_int_equal(render_into(&plain, (pm_render_options){.format = PM_FORMAT_CSV}, &column,
                                     1, &v, 1, NULL),
                         PMAPDB_OK);
        assert_int_equal(render_into(&made, safe, &column, 1, &v, 1, NULL), PMAPDB_OK);
        assert_true(pm_text_starts(pm_buf_text(&plain.text), PM_TEXT("path\n\"")));
        pm_buf_addf(&expected, NULL, "path\n\"%s%s", cells[i].formula ? "'" : "",
                    plain.text.data + 6);
        assert_string_equal(made.text.data, expected.data);
        pm_buf_free(&plain.text);
        pm_buf_free(&made.text);
        pm_buf_free(&expected);
    }
    assert_renders(safe, numbers, 3, values, 1, "d,t,r\n-5,\"'-2h\",-0.5\n");
    assert_renders(safe, &odd, 1, NULL, 0, "\"'=now()\"\n");
}

RUN_TESTS(NULL, NULL)
