/* render_fuzz: hostile text and numbers in every format; libraries read JSON and CSV back and find
 * the written values. Byte 0: the format; byte 1: the options; byte 2: number of columns; then the
 * values, each after a byte for its type. */
#include "kit.h"

#include "base/utf8.h"
#include "render/number.h"
#include "render/render.h"
#include "render/terminal.h"
#include <csv.h>
#include <jansson.h>
#include <math.h>

#define COLUMNS 5
#define ROWS 8

typedef struct world {
    pm_render_options options;
    pm_column columns[COLUMNS];
    int n_columns;
    pm_value values[ROWS][COLUMNS];
    int n_rows;
    pm_buf out;
} world;

static pmapdb_status collect(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_buf_add(ctx, bytes, n, err);
}

/* ---- values from bytes ---- */

static pm_value any_value(fuzz_input *in)
{
    pm_value v = {.kind = PM_VALUE_NULL};
    uint8_t what = fuzz_byte(in);

    switch (what % 8) {
    case 0:
        break;
    case 1:
        v.kind = PM_VALUE_INT;
        v.i = (int64_t)fuzz_number(in, what / 8 % 9);
        break;
    case 2: {
        uint64_t bits = fuzz_number(in, 8);

        v.kind = PM_VALUE_REAL;
        memcpy(&v.r, &bits, sizeof v.r);
        break;
    }
    case 3:
        v.kind = PM_VALUE_REAL;
        v.r = (double)fuzz_number(in, 3) / 16;
        break;
    default: {
        pm_text rest = fuzz_rest(in);

        v.kind = PM_VALUE_TEXT;
        v.t = (pm_text){rest.data, what / 8 < rest.len ? what / 8 : rest.len};
        in->p += v.t.len;
    }
    }
    return v;
}

static void any_world(world *w, fuzz_input *in)
{
    static const char *const names[] = {"taken_at", "rss_kib", "path", "a \"b\",|\n\xff", "start"};
    uint8_t format = fuzz_byte(in), options = fuzz_byte(in);
    pm_buf out = w->out;

    pm_buf_clear(&out);
    *w = (world){.out = out, .n_columns = 1 + fuzz_byte(in) % COLUMNS};
    w->options = (pm_render_options){.format = (pm_format)(format % PM_FORMAT_COUNT),
                                     .human = options & 1,
                                     .color = options & 2,
                                     .width = options & 4 ? 10 + options : 0,
                                     .crlf = options & 8,
                                     .safe = options & 16,
                                     .top = options & 32 ? 2 : 0,
                                     .now_ms = 1795226732000};
    for (int i = 0; i < w->n_columns; i++)
        w->columns[i] = (pm_column){names[i], (pm_unit)(fuzz_byte(in) % PM_UNIT_COUNT_OF_UNITS)};
    while (w->n_rows < ROWS && in->p < in->end) {
        for (int i = 0; i < w->n_columns; i++)
            w->values[w->n_rows][i] = any_value(in);
        w->n_rows++;
    }
}

/* ---- reading back ---- */

static void check_json_row(const world *w, const json_t *row, const pm_value *values)
{
    static pm_buf repaired;

    FUZZ_CHECK(json_is_object(row), "a row that is no object");
    for (int i = 0; i < 3 && i < w->n_columns; i++) { /* the fourth name is none */
        const json_t *got = json_object_get(row, w->columns[i].name);

        if (values[i].kind != PM_VALUE_TEXT)
            continue;
        pm_buf_clear(&repaired);
        FUZZ_CHECK(pm_utf8_repair(values[i].t, &repaired, NULL) == PMAPDB_OK, "memory");
        FUZZ_CHECK(json_is_string(got), "text in column %d is gone", i);
        FUZZ_CHECK(pm_text_equal((pm_text){json_string_value(got), json_string_length(got)},
                                 pm_buf_text(&repaired)),
                   "other text in column %d", i);
    }
}

static json_t *load_json(pm_text t)
{
    json_error_t why;
    json_t *all =
        json_loadb(t.data, t.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &why);

    FUZZ_CHECK(all, "no JSON: %s", why.text);
    return all;
}

static int rows_shown(const world *w)
{
    return w->options.top && w->n_rows > (int)w->options.top ? (int)w->options.top : w->n_rows;
}

static void check_json(const world *w)
{
    json_t *all = load_json(pm_buf_text(&w->out));

    FUZZ_CHECK((int)json_array_size(all) == rows_shown(w), "%zu rows", json_array_size(all));
    for (int i = 0; i < rows_shown(w); i++)
        check_json_row(w, json_array_get(all, (size_t)i), w->values[i]);
    json_decref(all);
}

static void check_ndjson(const world *w)
{
    pm_text t = pm_buf_text(&w->out);
    int n = 0;

    for (; t.len; n++) {
        const char *end = memchr(t.data, '\n', t.len);
        json_t *row;

        FUZZ_CHECK(end && n < rows_shown(w), "a line too many, or without end");
        row = load_json((pm_text){t.data, (size_t)(end - t.data)});
        check_json_row(w, row, w->values[n]);
        json_decref(row);
        t = pm_text_from(t, (size_t)(end - t.data) + 1);
    }
    FUZZ_CHECK(n == rows_shown(w), "%d rows", n);
}

typedef struct csv_read {
    const world *w;
    int row, column; /* row 0: the names */
} csv_read;

static void on_field(void *bytes, size_t n, void *ctx)
{
    csv_read *r = ctx;
    const pm_value *v =
        r->row && r->column < r->w->n_columns ? &r->w->values[r->row - 1][r->column] : NULL;
    pm_text got = {bytes, n};

    FUZZ_CHECK(r->row <= rows_shown(r->w), "row %d", r->row);
    if (v && v->kind == PM_VALUE_TEXT && !(r->w->options.safe && n && got.data[0] == '\''))
        FUZZ_CHECK(pm_text_equal(got, v->t), "other text in row %d, column %d", r->row, r->column);
    if (r->w->options.safe && v && v->kind == PM_VALUE_TEXT)
        FUZZ_CHECK(!n || !pm_char_in(got.data[0], "=+-@"), "a formula");
    r->column++;
}

static void on_row(int byte, void *ctx)
{
    csv_read *r = ctx;

    (void)byte;
    FUZZ_CHECK(r->column == r->w->n_columns, "%d fields in row %d", r->column, r->row);
    r->row++;
    r->column = 0;
}

static void check_csv(const world *w)
{
    struct csv_parser parser;
    csv_read r = {.w = w};

    FUZZ_CHECK(csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) == 0, "memory");
    FUZZ_CHECK(csv_parse(&parser, w->out.data, w->out.len, on_field, on_row, &r) == w->out.len,
               "no CSV: %s", csv_strerror(csv_error(&parser)));
    FUZZ_CHECK(csv_fini(&parser, on_field, on_row, &r) == 0, "it does not end");
    FUZZ_CHECK(r.row == 1 + rows_shown(w), "%d rows", r.row);
    csv_free(&parser);
}

/* Formats for people contain no terminal controls except the requested colours. */
static void check_people(const world *w)
{
    pm_text t = pm_buf_text(&w->out);

    FUZZ_CHECK(pm_utf8_valid(t), "no UTF-8");
    for (size_t i = 0; i < t.len && w->options.format != PM_FORMAT_PROMETHEUS; i++)
        FUZZ_CHECK(
            (unsigned char)t.data[i] >= ' ' || t.data[i] == '\n' ||
                (t.data[i] == '\033' && w->options.color && w->options.format == PM_FORMAT_TABLE),
            "byte %02x", (unsigned char)t.data[i]);
}

static void check_output(const world *w)
{
    switch (w->options.format) {
    case PM_FORMAT_JSON:
        check_json(w);
        break;
    case PM_FORMAT_NDJSON:
        check_ndjson(w);
        break;
    case PM_FORMAT_CSV:
        check_csv(w);
        break;
    default:
        check_people(w);
    }
}

/* ---- the parts ---- */

static void check_number(double v)
{
    char text[PM_NUMBER_TEXT];

    pm_number_exact(v, text);
    FUZZ_CHECK(memchr(text, '\0', sizeof text), "exact");
    if (isfinite(v))
        FUZZ_CHECK(strtod(text, NULL) == v, "%s", text);
    pm_number_brief(v, text);
    pm_number_size(v, text);
    pm_number_percent(v, text);
    pm_number_span(v, text);
    FUZZ_CHECK(memchr(text, '\0', sizeof text), "span");
}

static void check_text(pm_text t)
{
    static pm_buf out;

    pm_buf_clear(&out);
    FUZZ_CHECK(pm_utf8_repair(t, &out, NULL) == PMAPDB_OK && pm_utf8_valid(pm_buf_text(&out)),
               "repaired it is no UTF-8");
    FUZZ_CHECK(!pm_utf8_valid(t) || pm_text_equal(t, pm_buf_text(&out)), "repaired without need");
    pm_buf_clear(&out);
    FUZZ_CHECK(pm_terminal_escape(t, &out, NULL) == PMAPDB_OK && pm_utf8_valid(pm_buf_text(&out)),
               "escaped it is no UTF-8");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    fuzz_input in = fuzz_open(data, size);
    pm_sink sink = {&w.out, collect};
    pm_render *r = NULL;
    pmapdb_error err = {0};
    pmapdb_status st;

    any_world(&w, &in);
    st = pm_render_new(&w.options, &sink, w.columns, w.n_columns, &r, &err);
    for (int i = 0; i < w.n_rows && st == PMAPDB_OK; i++)
        st = pm_render_row(r, w.values[i], &err);
    if (st == PMAPDB_OK)
        st = pm_render_end(r, &err);
    pm_render_free(r);
    FUZZ_CHECK(st == PMAPDB_OK || st == PMAPDB_USAGE, "status %d: %s", (int)st, err.text);
    if (st == PMAPDB_OK)
        check_output(&w);
    for (int i = 0; i < w.n_rows; i++)
        for (int k = 0; k < w.n_columns; k++) {
            if (w.values[i][k].kind == PM_VALUE_REAL)
                check_number(w.values[i][k].r);
            else if (w.values[i][k].kind == PM_VALUE_TEXT)
                check_text(w.values[i][k].t);
        }
    return 0;
}
