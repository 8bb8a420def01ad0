/* csv_table: rows of a CSV file whose first line names the columns. libcsv is fed line by line, so
 * that every message has a line number. */
#include "parse/files/csv_table.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/line.h"
#include "base/num.h"
#include <csv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROW_MAX 65536 /* bytes; a longer row of several lines has an unclosed quote */
#define WANT_MAX 16
#define LINE_MAX_BYTES ((size_t)1 << 20) /* a longer line is not a row and may be endless */
#define NUMBER_MAX 40                    /* bytes */
#define MOST 9007199254740992.0          /* 2^53: more KiB than any memory has */
#define LAST_SECOND 253402300799         /* of the year 9999; larger numbers are milliseconds */

struct pm_csv {
    pm_csv_options o;
    pm_lines lines;
    struct csv_parser parser;
    uint64_t line, row_line; /* the current line, and the line in which its row began; from 1 */
    size_t row_bytes;        /* bytes of the lines of the open row; 0: no row is open */
    bool header, stopped;    /* the first line was read; the rest cannot be split into rows */
    size_t n_columns;        /* number of columns in the file */
    size_t column[WANT_MAX]; /* position in the file of each of o.columns, from 1; 0: missing */
    pm_buf text;             /* the wanted fields of the current row */
    size_t n_fields, at[WANT_MAX], len[WANT_MAX];
    pmapdb_status st; /* from the callbacks, because libcsv does not pass statuses on */
    pmapdb_error *err;
};

static pmapdb_status wrong(const pm_csv *c, const char *what)
{
    return pm_fail(c->err, PMAPDB_INPUT, "%s:%llu: %s", c->o.path, (unsigned long long)c->row_line,
                   what);
}

/* ---- callbacks of libcsv ---- */

static pmapdb_status name_column(pm_csv *c, pm_text name)
{
    char what[120];

    for (size_t i = 0; i < c->o.n_columns; i++) {
        if (!pm_text_equal(name, pm_text_of(c->o.columns[i].name)))
            continue;
        if (c->column[i]) {
            snprintf(what, sizeof what, "two columns are called '%s'", c->o.columns[i].name);
            return wrong(c, what);
        }
        c->column[i] = c->n_columns;
    }
    return PMAPDB_OK;
}

static void take_field(void *bytes, size_t n, void *ctx)
{
    pm_csv *c = ctx;

    if (c->st != PMAPDB_OK)
        return;
    if (!c->header) {
        c->n_columns++;
        c->st = name_column(c, (pm_text){bytes, n});
        return;
    }
    c->n_fields++;
    for (size_t i = 0; i < c->o.n_columns; i++)
        if (c->column[i] == c->n_fields) {
            c->at[i] = c->text.len;
            c->len[i] = n;
            c->st = pm_buf_add(&c->text, bytes, n, c->err);
        }
}

static pmapdb_status end_header(pm_csv *c)
{
    char what[160];

    c->header = true;
    for (size_t i = 0; i < c->o.n_columns; i++)
        if (c->o.columns[i].needed && !c->column[i]) {
            snprintf(what, sizeof what,
                     "no column '%s': the first line names the columns, with commas between them",
                     c->o.columns[i].name);
            return wrong(c, what);
        }
    return PMAPDB_OK;
}

static pmapdb_status tell_row(pm_csv *c)
{
    pm_text field[WANT_MAX] = {{0}};
    char what[96];

    if (c->n_fields != c->n_columns) {
        snprintf(what, sizeof what, "%zu field%s, and the first line names %zu", c->n_fields,
                 c->n_fields == 1 ? "" : "s", c->n_columns);
        return c->o.bad(c->o.ctx, c->row_line, what, c->err);
    }
    for (size_t i = 0; i < c->o.n_columns; i++)
        if (c->column[i])
            field[i] = (pm_text){pm_buf_text(&c->text).data + c->at[i], c->len[i]};
    return c->o.row(c->o.ctx, c->row_line, field, c->err);
}

static void end_row(int byte, void *ctx)
{
    pm_csv *c = ctx;

    (void)byte;
    if (c->st == PMAPDB_OK)
        c->st = c->header ? tell_row(c) : end_header(c);
    c->n_fields = 0;
    c->row_line = c->line;
    pm_buf_clear(&c->text);
}

/* ---- lines ---- */

/* Stops reading: the lines from here on cannot be split into rows. */
static pmapdb_status give_up(pm_csv *c, const char *what)
{
    c->stopped = true;
    return c->header ? c->o.bad(c->o.ctx, c->row_line, what, c->err) : wrong(c, what);
}

static pmapdb_status not_closed(pm_csv *c)
{
    return give_up(c, "a quote is opened and not closed: nothing is read from here on");
}

static pmapdb_status take_line(pm_csv *c, pm_text line)
{
    size_t taken;

    c->line++;
    if (!c->row_bytes) {
        if (pm_text_skip(line, " \t\r").len == 0)
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
    if (!c || csv_init(&c->parser, CSV_STRICT) != 0) {
        free(c);
        return pm_fail_nomem(err);
    }
    c->o = *options;
    c->lines = (pm_lines){.fn = read_line, .ctx = c, .max = LINE_MAX_BYTES};
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
    free(csv);
}

/* ---- fields ---- */

bool pm_csv_number(pm_text t, double *out)
{
    char text[NUMBER_MAX + 1] = "", *end;

    if (!t.len || t.len > NUMBER_MAX)
        return false;
    memcpy(text, t.data, t.len);
    /* strtod would accept signs, blanks, "inf", "0x1", "1." and ".5" too */
    if (strspn(text, "0123456789.eE+-") != t.len || !pm_char_in(*text, "0123456789") ||
        !pm_char_in(text[t.len - 1], "0123456789"))
        return false;
    *out = strtod(text, &end);
    return end == text + t.len && *out <= MOST;
}

bool pm_csv_moment(pm_text t, int64_t *ms)
{
    double seconds;
    uint64_t whole;

    if (pm_num_all(t, &whole)) { /* the most common case, read exactly */
        *ms = whole <= LAST_SECOND ? (int64_t)whole * 1000 : 0;
        return whole <= LAST_SECOND;
    }
    if (!pm_csv_number(t, &seconds))
        return pm_clock_parse(t, ms);
    *ms = seconds <= LAST_SECOND ? llround(seconds * 1000) : 0;
    return seconds <= LAST_SECOND;
}
