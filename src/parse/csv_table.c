/* csv_table: rows of a CSV file whose first line names the columns.
 *
 * libcsv is fed line by line, so that a row that is bad ends at its line and the next one is read
 * as if nothing had been. A quoted field may hold line ends: the lines of such a row are kept until
 * it ends, and where it turns out bad, or never ends, all but the first are read again.
 */
#include "parse/csv_table.h"

#include "base/buf.h"
#include "base/line.h"
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>

#define HELD_MAX 65536 /* a row of several lines that is longer has a quote that nobody closed */
#define WANT_MAX 16
#define LINE_MAX_BYTES ((size_t)1 << 20) /* a longer one is no row, and need not end */
#define NO_CLOSING "a quote is opened and not closed"

struct pm_csv {
    pm_csv_options o;
    pm_lines lines;
    struct csv_parser parser;
    uint64_t line; /* the one at hand, from 1 */
    pm_buf held;   /* the lines of a row that has not ended, each with its newline */
    pm_buf again;  /* lines to read again, from again_at on */
    size_t again_at;
    bool ended;  /* the row at hand has ended in this line */
    bool header; /* the first line was read */
    int *want;   /* for each column of the file, its place in o.columns, or -1 */
    size_t n_want, want_cap;
    pm_buf text; /* the wanted fields of the row at hand */
    size_t at[WANT_MAX], len[WANT_MAX], n_fields;
    pmapdb_status st; /* of the callbacks, which libcsv does not pass on */
    pmapdb_error *err;
};

/* ---- the first line ---- */

static pmapdb_status add_column(pm_csv *c, pm_text name)
{
    int which = -1;

    for (size_t i = 0; i < c->o.n_columns; i++)
        if (pm_text_equal(name, pm_text_of(c->o.columns[i].name)))
            which = (int)i;
    for (size_t i = 0; i < c->n_want && which >= 0; i++)
        if (c->want[i] == which)
            return pm_fail(c->err, PMAPDB_INPUT, "%s:%llu: two columns are called '%s'", c->o.path,
                           (unsigned long long)c->line, c->o.columns[which].name);
    if (pm_grow(&c->want, &c->want_cap, c->n_want, sizeof *c->want, c->err) != PMAPDB_OK)
        return PMAPDB_NOMEM;
    c->want[c->n_want++] = which;
    return PMAPDB_OK;
}

static pmapdb_status check_header(pm_csv *c)
{
    for (size_t i = 0; i < c->o.n_columns; i++) {
        bool found = !c->o.columns[i].needed;

        for (size_t k = 0; k < c->n_want; k++)
            found |= c->want[k] == (int)i;
        if (!found)
            return pm_fail(c->err, PMAPDB_INPUT,
                           "%s:%llu: no column '%s': the first line names the columns, with commas "
                           "between them",
                           c->o.path, (unsigned long long)c->line, c->o.columns[i].name);
    }
    c->header = true;
    return PMAPDB_OK;
}

/* ---- what libcsv calls ---- */

static void take_field(void *bytes, size_t n, void *ctx)
{
    pm_csv *c = ctx;
    int which;

    if (c->st != PMAPDB_OK)
        return;
    if (!c->header) {
        c->st = add_column(c, (pm_text){bytes, n});
        return;
    }
    which = c->n_fields < c->n_want ? c->want[c->n_fields] : -1;
    c->n_fields++;
    if (which < 0)
        return;
    c->at[which] = c->text.len;
    c->len[which] = n;
    c->st = pm_buf_add(&c->text, bytes, n, c->err);
}

/* Of the row at hand, while its last line is read. */
static uint64_t first_line(const pm_csv *c)
{
    uint64_t line = c->line;

    for (size_t i = 0; i < c->held.len; i++)
        line -= c->held.data[i] == '\n';
    return line;
}

static void end_row(int byte, void *ctx)
{
    pm_csv *c = ctx;
    pm_text field[WANT_MAX] = {{0}};
    char what[96];

    (void)byte;
    c->ended = true;
    if (c->st != PMAPDB_OK)
        return;
    if (!c->header) {
        c->st = check_header(c);
        return;
    }
    if (c->n_fields != c->n_want) {
        snprintf(what, sizeof what, "%zu field%s, and the first line names %zu", c->n_fields,
                 c->n_fields == 1 ? "" : "s", c->n_want);
        c->st = c->o.bad(c->o.ctx, first_line(c), what, c->err);
    } else {
        for (size_t i = 0; i < c->n_want; i++)
            if (c->want[i] >= 0)
                field[c->want[i]] =
                    (pm_text){pm_buf_text(&c->text).data + c->at[c->want[i]], c->len[c->want[i]]};
        c->st = c->o.row(c->o.ctx, first_line(c), field, c->err);
    }
    c->n_fields = 0;
    pm_buf_clear(&c->text);
}

/* ---- lines ---- */

static pmapdb_status restart(pm_csv *c)
{
    csv_free(&c->parser);
    c->n_fields = 0;
    pm_buf_clear(&c->text);
    return csv_init(&c->parser, CSV_STRICT) == 0 ? PMAPDB_OK : pm_fail_nomem(c->err);
}

/* Puts all lines of the held row but the first in front of those that are to be read again. */
static pmapdb_status queue_held(pm_csv *c)
{
    pm_text held = pm_buf_text(&c->held);
    size_t first = (size_t)((const char *)memchr(held.data, '\n', held.len) - held.data) + 1;
    pm_text rest = pm_text_from(pm_buf_text(&c->again), c->again_at);
    pm_buf all = {0};
    pmapdb_status st = pm_buf_add(&all, held.data + first, held.len - first, c->err);

    if (st == PMAPDB_OK)
        st = pm_buf_add(&all, rest.data, rest.len, c->err);
    pm_buf_free(&c->again);
    c->again = all;
    c->again_at = 0;
    pm_buf_clear(&c->held);
    return st;
}

/* The row that is held is bad: says so of its first line, and goes back to the one behind it. */
static pmapdb_status give_up(pm_csv *c, const char *what)
{
    pmapdb_status st = restart(c);

    c->line = first_line(c) + 1;
    if (st == PMAPDB_OK && !c->header)
        return pm_fail(c->err, PMAPDB_INPUT, "%s:%llu: %s", c->o.path, (unsigned long long)c->line,
                       what);
    if (st == PMAPDB_OK)
        st = c->o.bad(c->o.ctx, c->line, what, c->err);
    return st == PMAPDB_OK ? queue_held(c) : st;
}

static bool is_blank(pm_text line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!pm_char_in(line.data[i], " \t\r"))
            return false;
    return true;
}

static pmapdb_status hold(pm_csv *c, pm_text line)
{
    pmapdb_status st = pm_buf_add(&c->held, line.data, line.len, c->err);

    return st == PMAPDB_OK ? pm_buf_add(&c->held, "\n", 1, c->err) : st;
}

/* False where libcsv does not take the bytes. */
static bool parse(pm_csv *c, const char *bytes, size_t n)
{
    return csv_parse(&c->parser, bytes, n, take_field, end_row, c) == n;
}

/* libcsv ends a row at a lone CR too: a line may hold several, and end in the middle of one.
 * *any: a row ended in it. */
static bool parse_line(pm_csv *c, pm_text line, bool *any)
{
    *any = c->ended = false;
    while (line.len) {
        const char *cr = memchr(line.data, '\r', line.len);
        size_t n = cr ? (size_t)(cr - line.data) + 1 : line.len;

        if (n > 1 || !cr)
            c->ended = false;
        if (!parse(c, line.data, n))
            return false;
        *any |= c->ended;
        line = pm_text_from(line, n);
    }
    if (!parse(c, "\n", 1))
        return false;
    *any |= c->ended;
    return true;
}

static pmapdb_status take_line(pm_csv *c, pm_text line)
{
    bool good, any;

    c->line++;
    if (c->held.len == 0 && is_blank(line))
        return PMAPDB_OK;
    good = parse_line(c, line, &any);
    if (c->st != PMAPDB_OK)
        return c->st;
    if (!good && csv_error(&c->parser) != CSV_EPARSE)
        return pm_fail_nomem(c->err);
    if (any) /* what is read again begins with the row at hand */
        pm_buf_clear(&c->held);
    if (good && c->ended)
        return PMAPDB_OK;
    if (hold(c, line) != PMAPDB_OK)
        return PMAPDB_NOMEM;
    if (!good)
        return give_up(c, "a quote where none can stand: quote the whole field, and write a quote "
                          "inside as two");
    return c->held.len > HELD_MAX ? give_up(c, NO_CLOSING) : PMAPDB_OK;
}

static pmapdb_status read_again(pm_csv *c)
{
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && c->again_at < c->again.len) {
        const char *begin = c->again.data + c->again_at;
        size_t n = (size_t)((const char *)memchr(begin, '\n', c->again.len - c->again_at) - begin);
        pm_buf line = {0}; /* taking it may replace what is read from */

        c->again_at += n + 1;
        st = pm_buf_add(&line, begin, n, c->err);
        if (st == PMAPDB_OK)
            st = take_line(c, pm_buf_text(&line));
        pm_buf_free(&line);
    }
    return st;
}

static pmapdb_status too_long(const pm_csv *c, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: a line of more than 1 MiB: this is no CSV",
                   c->o.path, (unsigned long long)c->line + 1);
}

static pmapdb_status read_line(void *ctx, pm_text line, pmapdb_error *err)
{
    pm_csv *c = ctx;
    pmapdb_status st;

    c->err = err;
    if (c->lines.cut)
        return too_long(c, err);
    if (c->line == 0 && pm_text_starts(line, PM_TEXT("\xef\xbb\xbf")))
        line = pm_text_from(line, 3);
    st = take_line(c, line);
    return st == PMAPDB_OK ? read_again(c) : st;
}

/* ---- the reader ---- */

pmapdb_status pm_csv_new(const pm_csv_options *options, pm_csv **out, pmapdb_error *err)
{
    pm_csv *c;

    if (options->n_columns > WANT_MAX)
        return pm_fail(err, PMAPDB_USAGE, "more than %d columns are wanted", WANT_MAX);
    c = calloc(1, sizeof *c);
    if (!c)
        return pm_fail_nomem(err);
    c->o = *options;
    c->lines = (pm_lines){.fn = read_line, .ctx = c, .max = LINE_MAX_BYTES};
    if (csv_init(&c->parser, CSV_STRICT) != 0) {
        free(c);
        return pm_fail_nomem(err);
    }
    *out = c;
    return PMAPDB_OK;
}

pmapdb_status pm_csv_feed(pm_csv *csv, const char *bytes, size_t n, pmapdb_error *err)
{
    pmapdb_status st = pm_lines_feed(&csv->lines, bytes, n, err);

    return st == PMAPDB_OK && csv->lines.cut ? too_long(csv, err) : st;
}

pmapdb_status pm_csv_finish(pm_csv *csv, pmapdb_error *err)
{
    pmapdb_status st = pm_lines_finish(&csv->lines, err);

    csv->err = err;
    while (st == PMAPDB_OK && csv->held.len) {
        st = give_up(csv, NO_CLOSING);
        if (st == PMAPDB_OK)
            st = read_again(csv);
    }
    if (st == PMAPDB_OK && !csv->header)
        st = pm_fail(err, PMAPDB_INPUT, "%s: empty: the first line names the columns", csv->o.path);
    return st;
}

void pm_csv_free(pm_csv *csv)
{
    if (!csv)
        return;
    pm_lines_free(&csv->lines);
    csv_free(&csv->parser);
    pm_buf_free(&csv->held);
    pm_buf_free(&csv->again);
    pm_buf_free(&csv->text);
    free(csv->want);
    free(csv);
}
