/* regions: reads address ranges from a CSV file. */
#include "api/regions.h"

#include "api/one_file.h"
#include "base/num.h"
#include "parse/files/csv_table.h"
#include <ctype.h>

#define BYTES_MAX 1048576
#define DIGITS_MAX 32
#define HEADER "start,end\n"
#define PAGE_BITS 0xfff /* of the smallest page */

typedef struct reading {
    const char *name;
    bool has_header; /* false: a header was inserted, and line numbers are one too high */
    pm_buf *json;
    size_t n;
} reading;

/* ---- one row ---- */

static pmapdb_status refuse(void *ctx, uint64_t line, const char *what, pmapdb_error *err)
{
    const reading *r = ctx;

    return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s", r->name,
                   (unsigned long long)(r->has_header ? line : line - 1),
                   r->has_header ? what : "a region is START,END, two hexadecimal addresses");
}

/* Reads hexadecimal digits after an optional 0x; backticks may be only between digits. */
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

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    static const char *const columns[] = {"start", "end"};
    reading *r = ctx;
    unsigned long long at = r->has_header ? line : line - 1;
    uint64_t address[2];

    for (size_t i = 0; i < 2; i++)
        if (!read_address(field[i], &address[i]))
            return pm_fail(err, PMAPDB_INPUT, "%s:%llu: %s is '%.*s', not a hexadecimal address",
                           r->name, at, columns[i], (int)(field[i].len < 64 ? field[i].len : 64),
                           field[i].data);
    if (address[1] <= address[0])
        return pm_fail(err, PMAPDB_INPUT, "%s:%llu: end %llx is not after start %llx", r->name, at,
                       (unsigned long long)address[1], (unsigned long long)address[0]);
    if (r->n == PM_REGIONS_MAX)
        return pm_fail(err, PMAPDB_INPUT, "%s:%llu: more than %d regions", r->name, at,
                       PM_REGIONS_MAX);
    if ((address[1] & PAGE_BITS) != PAGE_BITS)
        address[1]--;
    return pm_buf_addf(r->json, err, "%s[%lld,%lld]", r->n++ ? "," : "", (long long)address[0],
                       (long long)address[1]);
}

/* ---- the file ---- */

/* The length of the text up to the end of its first line that is not blank. */
static size_t first_line(pm_text text)
{
    size_t at = 0;

    while (at < text.len && pm_char_in(text.data[at], " \t\r\n"))
        at++;
    while (at < text.len && text.data[at] != '\n')
        at++;
    return at;
}

/* Makes a header lower case, because users copy START,END from a manual. Addresses do not have
 * these letters. */
static bool lower_header(pm_text line, pm_buf *out, pmapdb_status *st, pmapdb_error *err)
{
    *st = pm_buf_add(out, line.data, line.len, err);
    for (size_t i = 0; i < out->len; i++)
        out->data[i] = (char)tolower((unsigned char)out->data[i]);
    return *st == PMAPDB_OK && strstr(out->data, "start");
}

static pmapdb_status parse(reading *r, pm_text text, pmapdb_error *err)
{
    static const pm_csv_column columns[] = {{"start", true}, {"end", true}};
    const pm_csv_options options = {.path = r->name,
                                    .columns = columns,
                                    .n_columns = sizeof columns / sizeof *columns,
                                    .ctx = r,
                                    .row = take_row,
                                    .bad = refuse};
    pm_text line = {text.data, first_line(text)};
    pm_buf header = {0};
    pm_csv *csv = NULL;
    pmapdb_status st;

    r->has_header = lower_header(line, &header, &st, err);
    PM_STEP(st, pm_csv_new(&options, &csv, err));
    if (r->has_header) {
        PM_STEP(st, pm_csv_feed(csv, header.data, header.len, err));
        text = pm_text_from(text, line.len);
    } else {
        PM_STEP(st, pm_csv_feed(csv, HEADER, sizeof HEADER - 1, err));
    }
    PM_STEP(st, pm_csv_feed(csv, text.data, text.len, err));
    PM_STEP(st, pm_csv_finish(csv, err));
    pm_csv_free(csv);
    pm_buf_free(&header);
    return st;
}

pmapdb_status pm_regions_parse(const char *name, pm_text text, pm_buf *json, pmapdb_error *err)
{
    reading r = {.name = name, .json = json};
    pmapdb_status st = pm_buf_add(json, "[", 1, err);

    if (pm_text_starts(text, PM_TEXT("\xef\xbb\xbf")))
        text = pm_text_from(text, 3);
    PM_STEP(st, parse(&r, text, err));
    if (st == PMAPDB_OK && r.n == 0)
        st = pm_fail(err, PMAPDB_INPUT, "%s: no region in it: a row is START,END", name);
    PM_STEP(st, pm_buf_add(json, "]", 1, err));
    return st;
}

pmapdb_status pm_regions_read(const char *path, pm_buf *json, pmapdb_error *err)
{
    const char *name = strcmp(path, PM_SOURCE_STDIN) == 0 ? "standard input" : path;
    pm_buf text = {0};
    pmapdb_status st = pm_one_file_read(path, BYTES_MAX, &text, err);

    if (st == PMAPDB_OK && text.len > BYTES_MAX)
        st = pm_fail(err, PMAPDB_INPUT, "%s: more than %d bytes", path, BYTES_MAX);
    PM_STEP(st, pm_regions_parse(name, pm_buf_text(&text), json, err));
    pm_buf_free(&text);
    return st;
}
