/* regions: reads address ranges from a CSV file. */
#include "api/regions.h"

#include "api/one_file.h"
#include "base/num.h"
#include <strings.h>

#define BYTES_MAX 1048576
#define DIGITS_MAX 32
#define PAGE_BITS 0xfff /* of the smallest page */

/* Reads hexadecimal digits after an optional 0x; backticks may be only between digits. */
static bool read_address(pm_text t, uint64_t *out)
{
    char digits[DIGITS_MAX];
    size_t n = 0;

    t = pm_text_trim(t, " \t\"");
    (void)(pm_text_take(&t, "0x") || pm_text_take(&t, "0X"));
    if (t.len == 0 || t.len > DIGITS_MAX || t.data[0] == '`' || t.data[t.len - 1] == '`')
        return false;
    for (size_t i = 0; i < t.len; i++)
        if (t.data[i] != '`')
            digits[n++] = t.data[i];
    return pm_num_hex(digits, digits + n, out) == n;
}

/* Reads "START,END" into the first and the last address of the region. Returns what is wrong, or
 * NULL. */
static const char *read_region(pm_text line, uint64_t *first, uint64_t *last)
{
    pm_text start = pm_text_cut(&line, ',');

    if (!read_address(start, first) || !read_address(line, last))
        return "a region is START,END, two hexadecimal addresses";
    if (*last <= *first)
        return "the end is not after the start";
    if ((*last & PAGE_BITS) != PAGE_BITS)
        --*last;
    return NULL;
}

pmapdb_status pm_regions_parse(const char *name, pm_text text, pm_buf *json, pmapdb_error *err)
{
    size_t n = 0;
    pmapdb_status st = pm_buf_add(json, "[", 1, err);

    pm_text_take(&text, "\xef\xbb\xbf");
    for (int number = 1; text.len && st == PMAPDB_OK; number++) {
        pm_text line = pm_text_trim(pm_text_cut(&text, '\n'), " \t\r");
        uint64_t first, last;
        const char *wrong;

        if (line.len == 0 || /* or the header */
            (n == 0 && line.len > 5 && strncasecmp(line.data, "start", 5) == 0))
            continue;
        wrong = n == PM_REGIONS_MAX ? "too many regions" : read_region(line, &first, &last);
        st = wrong ? pm_fail(err, PMAPDB_INPUT, "%s:%d: %s", name, number, wrong)
                   : pm_buf_addf(json, err, "%s[%lld,%lld]", n++ ? "," : "", (long long)first,
                                 (long long)last);
    }
    if (st == PMAPDB_OK && n == 0)
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
