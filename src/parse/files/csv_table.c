/* csv_table: rows of a CSV text whose first line names the columns. libcsv is fed line by line, so
 * that every message has a line number. */
#include "parse/files/csv_table.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/near.h"
#include "base/num.h"
#include "base/utf8.h"
#include <csv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WANT_MAX 16
#define ROW_MOST ((size_t)256 << 10) /* bytes */
#define NUMBER_MAX 40                /* bytes */
#define MOST 9007199254740992.0      /* 2^53: more KiB than any memory has */
#define LAST_SECOND 253402300799     /* of the year 9999; larger: probably ms, refused */

typedef struct table {
    const pm_csv_options *o;
    uint64_t line, row_line; /* the current line, and the line in which its row began; from 1 */
    size_t row_bytes;        /* of the current row, so far */
    bool header;             /* the first line was read */
    size_t n_columns;        /* number of columns in the text */
    size_t column[WANT_MAX]; /* position in the text of each of o->columns, from 1; 0: missing */
    pm_buf text;             /* the wanted fields of the current row */
    size_t n_fields, at[WANT_MAX], len[WANT_MAX];
    pmapdb_status st; /* from the callbacks, because libcsv does not pass statuses on */
    pmapdb_error *err;
} table;

#define WRONG(c, format, ...)                                                    \
    ((c)->st = pm_fail((c)->err, PMAPDB_INPUT, "%s:%llu: " format, (c)->o->path, \
                       (unsigned long long)(c)->row_line, __VA_ARGS__))

/* ---- callbacks of libcsv ---- */

static void name_column(table *c, pm_text name)
{
    pm_near near;

    pm_near_start(&near, name);
    c->n_columns++;
    for (size_t i = 0; i < c->o->n_columns; i++) {
        pm_near_try(&near, pm_text_of(c->o->columns[i].name));
        if (!pm_text_equal(name, pm_text_of(c->o->columns[i].name)))
            continue;
        if (c->column[i])
            WRONG(c, "two columns are called '%s'", c->o->columns[i].name);
        c->column[i] = c->n_columns;
        return;
    }
    if (c->o->strict)
        WRONG(c, "there is no column '%.*s'%s", (int)(name.len < 40 ? name.len : 40), name.data,
              near.best[0] ? pm_near_hint(&near) : "");
}

static void take_field(void *bytes, size_t n, void *ctx)
{
    table *c = ctx;

    if (c->st == PMAPDB_OK && !c->header)
        name_column(c, (pm_text){bytes, n});
    c->n_fields++;
    for (size_t i = 0; i < c->o->n_columns && c->st == PMAPDB_OK && c->header; i++)
        if (c->column[i] == c->n_fields) {
            c->at[i] = c->text.len;
            c->len[i] = n;
            c->st = pm_buf_add(&c->text, bytes, n, c->err);
        }
}

static void end_header(table *c)
{
    c->header = true;
    for (size_t i = 0; i < c->o->n_columns && c->st == PMAPDB_OK; i++)
        if (c->o->columns[i].needed && !c->column[i])
            WRONG(c, "no column '%s': the first line names the columns, with commas between them",
                  c->o->columns[i].name);
}

static pmapdb_status tell_row(const table *c)
{
    pm_text field[WANT_MAX] = {{0}};
    char what[96];

    if (c->n_fields != c->n_columns) {
        snprintf(what, sizeof what, "%zu field%s, and the first line names %zu", c->n_fields,
                 c->n_fields == 1 ? "" : "s", c->n_columns);
        return c->o->bad(c->o->ctx, c->row_line, what, c->err);
    }
    for (size_t i = 0; i < c->o->n_columns; i++)
        if (c->column[i])
            field[i] = (pm_text){pm_buf_text(&c->text).data + c->at[i], c->len[i]};
    return c->o->row(c->o->ctx, c->row_line, field, c->err);
}

static void end_row(int byte, void *ctx)
{
    table *c = ctx;

    (void)byte;
    if (c->st == PMAPDB_OK && c->header)
        c->st = tell_row(c);
    else if (c->st == PMAPDB_OK)
        end_header(c);
    c->n_fields = 0;
    c->row_line = c->line;
    pm_buf_clear(&c->text);
}

/* ---- the text ---- */

static void read_lines(table *c, struct csv_parser *parser, pm_text rest)
{
    while (rest.len && c->st == PMAPDB_OK) {
        const char *end = memchr(rest.data, '\n', rest.len);
        size_t n = end ? (size_t)(end - rest.data) + 1 : rest.len;
        bool begins_row = parser->pstate == 0;

        c->line++;
        if (begins_row) {
            c->row_line = c->line;
            c->row_bytes = 0;
        }
        c->row_bytes += n;
        if (c->row_bytes > ROW_MOST)
            WRONG(c, "a row of more than %zu KiB: is a quote not closed?", ROW_MOST >> 10);
        else if (c->o->strict && !pm_utf8_valid((pm_text){rest.data, n}))
            WRONG(c, "%s", "bytes that are not UTF-8");
        else if (!(begins_row && c->o->strict && *rest.data == '#') &&
                 csv_parse(parser, rest.data, n, take_field, end_row, c) < n && c->st == PMAPDB_OK)
            WRONG(c, "%s",
                  "a quote in the middle of a field: quote the whole field, and write a "
                  "quote inside as two");
        rest = pm_text_from(rest, n);
    }
}

pmapdb_status pm_csv_read(pm_text text, const pm_csv_options *options, pmapdb_error *err)
{
    table c = {.o = options, .err = err};
    struct csv_parser parser;

    if (options->n_columns > WANT_MAX)
        return pm_fail(err, PMAPDB_USAGE, "more than %d columns are wanted", WANT_MAX);
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        return pm_fail_nomem(err);
    pm_text_take(&text, "\xef\xbb\xbf");
    read_lines(&c, &parser, text);
    if (c.st == PMAPDB_OK && csv_fini(&parser, take_field, end_row, &c) != 0)
        WRONG(&c, "%s", "a quote is opened and not closed");
    if (csv_error(&parser) == CSV_ENOMEM)
        c.st = pm_fail_nomem(err);
    if (c.st == PMAPDB_OK && !c.header)
        c.st = pm_fail(err, PMAPDB_INPUT, "%s: empty: the first line names the columns",
                       options->path);
    csv_free(&parser);
    pm_buf_free(&c.text);
    return c.st;
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
