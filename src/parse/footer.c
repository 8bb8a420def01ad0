/* footer: the sums that the tool prints below its rows, and whether they are those of the rows. */
#include "parse/block.h"

#include "base/num.h"
#include <inttypes.h>

/* Up to three numbers in a line; true where nothing but words and blanks stands between them, and
 * either all or none has a K behind it ("12K", Swedish "12 k", Ukrainian "12 К"). */
typedef struct sums {
    uint64_t v[3];
    int n;
    bool k;
    bool colon, wide_gap;
} sums;

static size_t unit_length(const char *p, const char *end)
{
    static const char *const units[] = {"K", "k", "К"};
    const char *q = p < end && *p == ' ' ? p + 1 : p;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]);

        if ((size_t)(end - q) >= n && memcmp(q, units[i], n) == 0 && (q + n == end || q[n] == ' '))
            return (size_t)(q - p) + n;
    }
    return 0;
}

static bool read_number(const char **at, const char *end, sums *s)
{
    const char *p = *at;
    size_t n = s->n < 3 ? pm_num_dec(p, end, &s->v[s->n]) : 0, unit;

    if (n == 0 || s->v[s->n] > (uint64_t)INT64_MAX / 2)
        return false;
    p += n;
    unit = unit_length(p, end);
    if (s->n && s->k != (unit != 0))
        return false;
    s->k = unit != 0;
    p += unit;
    s->n++;
    *at = p;
    return p == end || *p == ' ';
}

static bool read_sums(pm_text line, sums *s)
{
    const char *p = line.data, *end = p + line.len;

    *s = (sums){.wide_gap = line.len && line.data[0] == ' '};
    while (p < end) {
        if (*p >= '0' && *p <= '9') {
            if (p > line.data && p[-1] != ' ')
                return false;
            if (!read_number(&p, end, s))
                return false;
            continue;
        }
        s->colon |= *p == ':';
        s->wide_gap |= p + 1 < end && p[0] == ' ' && p[1] == ' ';
        p++;
    }
    return s->n > 0;
}

/* A line that ends in its last number: " total  123K", "total kB  1 2 3", "mapped: 1K  ... 3K". */
static bool ends_in_number(pm_text line)
{
    const unsigned char *p = (const unsigned char *)line.data;
    size_t n = line.len;

    while (n && p[n - 1] == ' ')
        n--;
    return n && ((p[n - 1] >= '0' && p[n - 1] <= '9') || p[n - 1] == 'K' || p[n - 1] == 'k' ||
                 p[n - 1] == 0x9a);
}

bool pm_footer_narrow(pm_reader *r, pm_text line)
{
    pm_open *b = &r->b;
    bool small_x, d, plain;
    sums s;

    if (b->family == PM_FAMILY_WIDE || b->family == PM_FAMILY_RANGE || !ends_in_number(line) ||
        !read_sums(line, &s) || !s.wide_gap)
        return false;
    small_x = s.n == 3 && !s.k;
    d = s.n == 3 && s.k && s.colon;
    plain = s.n == 1 && s.k && !s.colon;
    if (!small_x && !d && !plain)
        return false;
    b->footer = true;
    b->tool_size_kib = (int64_t)s.v[0];
    if (small_x) {
        b->tool_rss_kib = (int64_t)s.v[1];
        b->tool_dirty_kib = (int64_t)s.v[2];
    }
    return true;
}

bool pm_footer_wide(pm_reader *r, pm_text line)
{
    pm_wide *w = &r->wide;
    size_t at = 0;
    pm_text rest;

    if (!r->b.rule)
        return false;
    w->n_footer = pm_wide_numbers(line, &at, PM_COLUMNS_MAX, w->footer);
    if (w->n_footer == 0 || !pm_guess_word(line, &at, &rest) || !pm_text_equal(rest, PM_TEXT("KB")))
        return false;
    r->b.footer = true;
    return true;
}

/* what: "" for the size. */
static pmapdb_status differ(pm_reader *r, const char *what, int64_t rows, int64_t tool,
                            pmapdb_error *err)
{
    int64_t missing = tool - rows;

    return pm_block_missing(r, err,
                            "rows add up to %s%s%" PRId64 " KiB, footer says %" PRId64
                            " KiB: %" PRId64 " KiB %s",
                            what, *what ? " " : "", rows, tool, missing < 0 ? -missing : missing,
                            missing < 0 ? "are too many" : "are missing");
}

static pmapdb_status check_narrow(pm_reader *r, pmapdb_error *err)
{
    pm_open *b = &r->b;
    int64_t size = b->totals.v[PM_TOTAL_SIZE], rss = b->totals.v[PM_TOTAL_RSS];

    /* -x of procps 3.3.2 to 3.3.11 counts shared mappings twice in the sum of Kbytes. */
    if (b->tool_size_kib != size &&
        (b->dialect != PM_DIALECT_PMAP_SMALL_X || b->tool_size_kib != size + b->shared_kib))
        return differ(r, "", size, b->tool_size_kib, err);
    /* With -A the sums of RSS and Dirty count what lies below the range too: more is no damage. */
    if (b->tool_rss_kib != PMAPDB_UNKNOWN && b->tool_rss_kib < rss)
        return differ(r, "RSS", rss, b->tool_rss_kib, err);
    if (b->tool_dirty_kib != PMAPDB_UNKNOWN && b->tool_dirty_kib < b->dirty_kib)
        return differ(r, "Dirty", b->dirty_kib, b->tool_dirty_kib, err);
    b->checked = PM_CHECKED_FOOTER;
    return PMAPDB_OK;
}

/* What the footer claims for a field, less what it said below the block before. */
static int64_t tool_sum(const pm_wide *w, const uint64_t *base, enum pm_field field)
{
    for (size_t i = 0; i < w->columns.n; i++)
        if (w->columns.field[i] == field && w->footer[i] - base[i] <= INT64_MAX)
            return (int64_t)(w->footer[i] - base[i]);
    return PMAPDB_UNKNOWN;
}

/* Before procps 4.0.4 the sums of -X and -XX run on over all processes of one call. KernelPageSize
 * counts the mappings, where the size is of another moment. */
static bool runs_on(const pm_reader *r)
{
    static const uint64_t zero[PM_COLUMNS_MAX];
    const pm_wide *w = &r->wide;
    int64_t size = r->b.totals.v[PM_TOTAL_SIZE], pages = r->b.pages_kib;

    if (w->n_before != w->columns.n || tool_sum(w, zero, PM_SIZE) == size)
        return false;
    return tool_sum(w, w->before, PM_SIZE) == size ||
           (tool_sum(w, w->before, PM_KERNEL_PAGE) == pages &&
            tool_sum(w, zero, PM_KERNEL_PAGE) != pages);
}

/* pmap reads smaps twice for -X and -XX, first for the widths and the sums, then for the rows: of a
 * process that lives, a sum may be of another moment than the rows. A difference means missing rows
 * only where the sum is the larger one, and of more mappings. */
static pmapdb_status check_wide(pm_reader *r, pmapdb_error *err)
{
    static const uint64_t zero[PM_COLUMNS_MAX];
    pm_wide *w = &r->wide;
    int64_t size = r->b.totals.v[PM_TOTAL_SIZE], pages;
    const uint64_t *base = runs_on(r) ? w->before : zero;
    pmapdb_status st = PMAPDB_OK;

    if (w->n_footer != w->columns.n)
        return pm_block_missing(r, err, "the footer has %zu sums for %zu columns", w->n_footer,
                                w->columns.n);
    r->b.tool_size_kib = tool_sum(w, base, PM_SIZE);
    r->b.tool_rss_kib = tool_sum(w, base, PM_RSS);
    pages = tool_sum(w, base, PM_KERNEL_PAGE);
    if (r->b.tool_size_kib == size)
        r->b.checked = PM_CHECKED_FOOTER;
    else if (r->b.tool_size_kib > size && (pages < 0 || pages > r->b.pages_kib))
        st = differ(r, "", size, r->b.tool_size_kib, err);
    w->n_before = w->n_footer;
    memcpy(w->before, w->footer, sizeof w->before);
    return st;
}

pmapdb_status pm_footer_check(pm_reader *r, pmapdb_error *err)
{
    return r->b.family == PM_FAMILY_WIDE ? check_wide(r, err) : check_narrow(r, err);
}
