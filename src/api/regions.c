/* regions: address ranges out of a CSV file. */
#include "api/regions.h"

#include "base/num.h"
#include "parse/csv_table.h"
#include "source/source.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define BYTES_MAX 1048576
#define DIGITS_MAX 32
#define HEADER "start,end\n"
#define PAGE_BITS 0xfff /* of the smallest page */

typedef struct reading {
    pm_regions *out;
    const char *name;
    bool has_header; /* else one was put in front, and every line counts one more */
} reading;

/* ---- one row ---- */

/* Hexadecimal digits behind an optional 0x, backticks only between them. */
static bool read_address(pm_text t, uint64_t *out)
{
    char digits[DIGITS_MAX];
    size_t n = 0;

    if (pm_text_starts(t, PM_TEXT("0x")) || pm_text_starts(t, PM_TEXT("0X")))
        t = pm_text_from(t, 2);
    if (t.len == 0 || t.len > DIGITS_MAX || t.data[0] == '`' || t.data[t.len - 1] == '`')
        return false;
    for (size_t i = 0; i < t.len; i++)
        if (t.data[i] != '`')
            digits[n++] = t.data[i];
    return pm_num_hex(digits, digits + n, out) == n;
}

static uint64_t line_of(const reading *r, uint64_t line)
{
    return r->has_header ? line : line - 1;
}

static pmapdb_status no_address(const reading *r, uint64_t line, const char *column, pm_text field,
                                pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s is '%.*s', no hexadecimal address", r->name,
                   (unsigned long long)line_of(r, line), column,
                   (int)(field.len < 64 ? field.len : 64), field.data);
}

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    const reading *r = ctx;
    uint64_t start, end;

    if (!read_address(field[0], &start))
        return no_address(r, line, "start", field[0], err);
    if (!read_address(field[1], &end))
        return no_address(r, line, "end", field[1], err);
    if (end <= start)
        return pm_fail(err, PMAPDB_INPUT, "%s:%llu: end %llx is not behind start %llx", r->name,
                       (unsigned long long)line_of(r, line), (unsigned long long)end,
                       (unsigned long long)start);
    if (r->out->n == PM_REGIONS_MAX)
        return pm_fail(err, PMAPDB_INPUT, "%s:%llu: more than %d regions", r->name,
                       (unsigned long long)line_of(r, line), PM_REGIONS_MAX);
    if (pm_grow(&r->out->region, &r->out->cap, r->out->n, sizeof *r->out->region, err) != PMAPDB_OK)
        return PMAPDB_NOMEM;
    r->out->region[r->out->n++] =
        (pm_region){start, (end & PAGE_BITS) == PAGE_BITS ? end : end - 1};
    return PMAPDB_OK;
}

static pmapdb_status refuse(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    const reading *r = ctx;

    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s", r->name, (unsigned long long)line_of(r, line),
                   r->has_header ? what : "a region is START,END, two hexadecimal addresses");
}

/* ---- the file ---- */

/* No address has such letters. */
static bool names_columns(pm_text line)
{
    static const char name[] = "start";
    size_t n = sizeof name - 1;

    for (size_t i = 0; i + n <= line.len; i++)
        if (strncasecmp(line.data + i, name, n) == 0)
            return true;
    return false;
}

/* The first line that is not blank. */
static pm_text first_line(pm_text text)
{
    size_t at = 0, end;

    while (at < text.len && pm_char_in(text.data[at], " \t\r\n"))
        at++;
    for (end = at; end < text.len && text.data[end] != '\n';)
        end++;
    return (pm_text){text.data + at, end - at};
}

/* Whoever writes START,END in a manual gets it in a file. */
static pmapdb_status feed_header(pm_csv *csv, pm_text line, pmapdb_error *err)
{
    pm_buf lower = {0};
    pmapdb_status st = pm_buf_add(&lower, line.data, line.len, err);

    for (size_t i = 0; i < lower.len; i++)
        lower.data[i] = (char)tolower((unsigned char)lower.data[i]);
    PM_STEP(st, pm_csv_feed(csv, lower.data, lower.len, err));
    pm_buf_free(&lower);
    return st;
}

pmapdb_status pm_regions_parse(const char *name, pm_text text, pm_regions *out, pmapdb_error *err)
{
    static const pm_csv_column columns[] = {{"start", true}, {"end", true}};
    reading r = {.out = out, .name = name};
    pm_csv_options options = {.path = name,
                              .columns = columns,
                              .n_columns = sizeof columns / sizeof *columns,
                              .ctx = &r,
                              .row = take_row,
                              .bad = refuse};
    size_t before = out->n;
    pm_text first;
    pm_csv *csv = NULL;
    pmapdb_status st = pm_csv_new(&options, &csv, err);

    if (pm_text_starts(text, PM_TEXT("\xef\xbb\xbf")))
        text = pm_text_from(text, 3);
    first = first_line(text);
    r.has_header = names_columns(first);
    if (r.has_header) {
        size_t n = (size_t)(first.data + first.len - text.data); /* and what is blank before it */

        first = (pm_text){text.data, n};
        text = pm_text_from(text, n);
    } else {
        first = PM_TEXT(HEADER);
    }
    PM_STEP(st, feed_header(csv, first, err));
    PM_STEP(st, pm_csv_feed(csv, text.data, text.len, err));
    PM_STEP(st, pm_csv_finish(csv, err));
    if (st == PMAPDB_OK && out->n == before)
        st = pm_fail(err, PMAPDB_INPUT, "%s: no region in it: a row is START,END", name);
    pm_csv_free(csv);
    return st;
}

/* A compressed file is one of its bytes; an archive or a folder is not one file. */
static pmapdb_status read_bytes(const char *path, pm_buf *out, pmapdb_error *err)
{
    const pm_source_entry *entry = NULL;
    pm_source *source = NULL;
    const char *bytes;
    size_t n = 1;
    pmapdb_status st = pm_source_new(&path, 1, &source, err);

    PM_STEP(st, pm_source_next(source, &entry, err));
    if (st == PMAPDB_OK && (!entry || entry->in_archive || (!entry->named && !entry->is_stdin)))
        st = pm_fail(err, PMAPDB_USAGE, "'%s' is not one file of CSV", path);
    while (st == PMAPDB_OK && n) {
        st = pm_source_read(source, &bytes, &n, err);
        if (st == PMAPDB_OK && out->len + n > BYTES_MAX)
            st = pm_fail(err, PMAPDB_INPUT, "%s: more than %d bytes", path, BYTES_MAX);
        PM_STEP(st, pm_buf_add(out, bytes, n, err));
    }
    pm_source_free(source);
    return st;
}

pmapdb_status pm_regions_read(const char *path, pm_regions *out, pmapdb_error *err)
{
    const char *name = strcmp(path, PM_SOURCE_STDIN) == 0 ? "standard input" : path;
    pm_buf text = {0};
    pmapdb_status st = read_bytes(path, &text, err);

    PM_STEP(st, pm_regions_parse(name, pm_buf_text(&text), out, err));
    pm_buf_free(&text);
    return st;
}

pmapdb_status pm_regions_json(const pm_regions *regions, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_add(out, "[", 1, err);

    for (size_t i = 0; i < regions->n && st == PMAPDB_OK; i++)
        st = pm_buf_addf(out, err, "%s[%lld,%lld]", i ? "," : "",
                         (long long)regions->region[i].start, (long long)regions->region[i].last);
    return st == PMAPDB_OK ? pm_buf_add(out, "]", 1, err) : st;
}

void pm_regions_free(pm_regions *regions)
{
    free(regions->region);
    *regions = (pm_regions){0};
}
