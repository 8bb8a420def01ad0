/* csv_table: rows of a CSV file whose first line names the columns. libcsv is fed line by line, so
 * that every message has a line number. */
#include "parse/csv_table.h"

#include "base/buf.h"
#include "base/line.h"
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>

#define ROW_MAX 65536 /* a row of several lines that is longer has a quote that nobody closed */
#define WANT_MAX 16
#define LINE_MAX_BYTES ((size_t)1 << 20) /* a longer one is no row, and need not end */

struct pm_csv {
    pm_csv_options o;
    pm_lines lines;
    struct csv_parser parser;
    uint64_t line, row_line; /* the current line, and that in which its row began; from 1 */
    size_t row_bytes;        /* of lines in which no row has ended; 0: no row is open */
    bool header;             /* the first line was read */
    bool stopped;            /* the rest cannot be cut into rows */
    int *want;               /* for each column of the file, its place in o.columns, or -1 */
    size_t n_want, want_cap;
    pm_buf text; /* the wanted fields of the current row */
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
                           (unsigned long long)c->row_line, c->o.columns[which].name);
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
                           c->o.path, (unsigned long long)c->row_line, c->o.columns[i].name);
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

static void end_row(int byte, void *ctx)
{
    pm_csv *c = ctx;
    pm_text field[WANT_MAX] = {{0}};
    char what[96];

    (void)byte;
    if (c->st != PMAPDB_OK)
        return;
    if (!c->header) {
        c->st = check_header(c);
        return;
    }
    if (c->n_fields != c->n_want) {
        snprintf(what, sizeof what, "%zu field%s, and the first line names %zu", c->n_fields,
                 c->n_fields == 1 ? "" : "s", c->n_want);
        c->st = c->o.bad(c->o.ctx, c->row_line, what, c->err);
    } else {
        for (size_t i = 0; i < c->n_want; i++)
            if (c->want[i] >= 0)
                field[c->want[i]] =
                    (pm_text){pm_buf_text(&c->text).data + c->at[c->want[i]], c->len[c->want[i]]};
        c->st = c->o.row(c->o.ctx, c->row_line, field, c->err);
    }
    c->n_fields = 0;
    c->row_line = c->line;
    pm_buf_clear(&c->text);
}

/* ---- lines ---- */

/* What follows cannot be cut into rows. */
static pmapdb_status give_up(pm_csv *c, const char *what)
{
    c->stopped = true;
    if (!c->header)
        return pm_fail(c->err, PMAPDB_INPUT, "%s:%llu: %s", c->o.path,
                       (unsigned long long)c->row_line, what);
    return c->o.bad(c->o.ctx, c->row_line, what, c->err);
}

static pmapdb_status not_closed(pm_csv *c)
{
    return give_up(c, "a quote is opened and not closed: nothing is read from here on");
}

static bool is_blank(pm_text line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!pm_char_in(line.data[i], " \t\r"))
            return false;
    return true;
}

static pmapdb_status take_line(pm_csv *c, pm_text line)
{
    size_t taken;

    c->line++;
    if (!c->row_bytes) {
        if (is_blank(line))
            return PMAPDB_OK;
        c->row_line = c->line;
    }
    c->row_bytes += line.len + 1;
    taken = csv_parse(&c->parser, line.data, line.len, take_field, end_row, c);
    if (taken == line.len)
        taken += csv_parse(&c->parser, "\n", 1, take_field, end_row, c);
    if (c->st != PMAPDB_OK)
        return c->st;
    if (taken <= line.len && csv_error(&c->parser) != CSV_EPARSE)
        return pm_fail_nomem(c->err);
    if (taken <= line.len)
        return give_up(c, "a quote where none can stand (quote the whole field, and write a quote "
                          "inside as two): nothing is read from here on");
    if (!c->parser.pstate) /* between two rows */
        c->row_bytes = 0;
    return c->row_bytes > ROW_MAX ? not_closed(c) : PMAPDB_OK;
}

static pmapdb_status too_long(const pm_csv *c, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: a line of more than 1 MiB: this is no CSV",
                   c->o.path, (unsigned long long)c->line + 1);
}

static pmapdb_status read_line(void *ctx, pm_text line, pmapdb_error *err)
{
    pm_csv *c = ctx;

    c->err = err;
    if (c->stopped)
        return PMAPDB_OK;
    if (c->lines.cut)
        return too_long(c, err);
    if (c->line == 0 && pm_text_starts(line, PM_TEXT("\xef\xbb\xbf")))
        line = pm_text_from(line, 3);
    return take_line(c, line);
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
    if (st == PMAPDB_OK && csv->row_bytes && !csv->stopped)
        st = not_closed(csv);
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
    pm_buf_free(&csv->text);
    free(csv->want);
    free(csv);
}
