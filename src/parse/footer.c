/* footer: compares the sums that a tool printed with those of its rows. */
#include "parse/block.h"

#include <inttypes.h>

bool pm_footer_wide(pm_reader *r, pm_text line)
{
    pm_wide *w = &r->wide;
    size_t at = 0;
    pm_text rest;

    if (!r->b.rule || (r->b.family != PM_FAMILY_WIDE && r->b.family != PM_FAMILY_NONE))
        return false;
    w->n_footer = pm_wide_numbers(line, &at, PM_COLUMNS_MAX, w->footer);
    if (w->n_footer == 0 || !pm_guess_word(line, &at, &rest) || !pm_text_equal(rest, PM_TEXT("KB")))
        return false;
    r->b.footer = true;
    return true;
}

/* What the rows add up to; UNKNOWN where one lacks it. */
static int64_t rows_sum(const pm_open *b, enum pm_field field)
{
    static const struct {
        enum pm_field field;
        enum pm_total total;
    } totals[] = {{PM_SIZE, PM_TOTAL_SIZE},
                  {PM_RSS, PM_TOTAL_RSS},
                  {PM_PSS, PM_TOTAL_PSS},
                  {PM_PRIVATE_DIRTY, PM_TOTAL_PRIVATE_DIRTY},
                  {PM_SWAP, PM_TOTAL_SWAP}};

    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        if (totals[i].field == field)
            return b->totals.v[totals[i].total] < 0 ? PMAPDB_UNKNOWN : b->totals.v[totals[i].total];
    return field == PM_DIRTY ? b->dirty_kib : PMAPDB_UNKNOWN;
}

static void differ(pm_reader *r, enum pm_field field, int64_t rows, int64_t tool)
{
    const char *what = field == PM_SIZE ? "" : pm_fields[field].key;
    int64_t missing = tool - rows;

    if (field == PM_RSS || field == PM_PSS)
        what = field == PM_RSS ? "RSS" : "PSS";
    pm_block_missing(
        r, "rows add up to %s%s%" PRId64 " KiB, footer says %" PRId64 " KiB: %" PRId64 " KiB %s",
        what, *what ? " " : "", rows, tool, missing < 0 ? -missing : missing,
        missing < 0 ? "are too many" : "are missing");
}

static bool is_x(const pm_open *b)
{
    return b->dialect == PM_DIALECT_PMAP_SMALL_X;
}

/* The sums of -x with -A count, besides Kbytes, what lies below the range too: more is no damage.
 * Kbytes is the sum that must agree; -x of procps 3.3.2 to 3.3.11 counts shared mappings twice in
 * it. */
static bool agrees(pm_open *b, enum pm_field field, int64_t rows, int64_t tool)
{
    if (tool == rows)
        return true;
    if (!is_x(b))
        return false;
    if (field == PM_SIZE) {
        b->mark[PM_MARK_SHARED_TWICE].n =
            tool == rows + b->shared_kib ? (uint64_t)b->shared_kib : 0;
        return b->mark[PM_MARK_SHARED_TWICE].n;
    }
    if (tool > rows && field == PM_RSS)
        b->mark[PM_MARK_BELOW].n = (uint64_t)(tool - rows);
    return tool > rows;
}

static void check_narrow(pm_reader *r)
{
    static const enum pm_field fields[] = {PM_SIZE,  PM_RSS,           PM_PSS,
                                           PM_DIRTY, PM_PRIVATE_DIRTY, PM_SWAP};
    pm_open *b = &r->b;

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int64_t rows = rows_sum(b, fields[i]), tool = b->tool[fields[i]];

        if (rows != PMAPDB_UNKNOWN && tool != PMAPDB_UNKNOWN && !agrees(b, fields[i], rows, tool)) {
            differ(r, fields[i], rows, tool);
            return;
        }
    }
    b->checked = PM_CHECKED_FOOTER;
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
 * only where the sum is the larger one, and of more mappings; and too many where it is the smaller
 * one, and rows stand below others that Linux prints in order. */
static void check_wide(pm_reader *r)
{
    static const uint64_t zero[PM_COLUMNS_MAX];
    pm_wide *w = &r->wide;
    int64_t *tool = r->b.tool, size = r->b.totals.v[PM_TOTAL_SIZE], pages;
    const uint64_t *base = runs_on(r) ? w->before : zero;

    if (w->n_footer != w->columns.n) {
        pm_block_missing(r, "the footer has %zu sums for %zu columns", w->n_footer, w->columns.n);
        return;
    }
    tool[PM_SIZE] = tool_sum(w, base, PM_SIZE);
    tool[PM_RSS] = tool_sum(w, base, PM_RSS);
    r->b.mark[PM_MARK_RUNS_ON].n = base != zero;
    pages = tool_sum(w, base, PM_KERNEL_PAGE);
    if (tool[PM_SIZE] == size)
        r->b.checked = PM_CHECKED_FOOTER;
    else if (tool[PM_SIZE] > size ? pages < 0 || pages > r->b.pages_kib
                                  : r->b.goes_back && tool[PM_SIZE] != PMAPDB_UNKNOWN)
        differ(r, PM_SIZE, size, tool[PM_SIZE]);
    w->n_before = w->n_footer;
    memcpy(w->before, w->footer, sizeof w->before);
}

void pm_footer_check(pm_reader *r)
{
    if (r->b.family == PM_FAMILY_WIDE)
        check_wide(r);
    else
        check_narrow(r);
}
