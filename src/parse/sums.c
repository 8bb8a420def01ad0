/* sums: reads the sums that a tool prints under its rows and compares them with the rows. The sums
 * prove that no row is missing. A log may contain only the sums. */
#include "parse/block.h"

#include "base/num.h"
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* ---- the line of pmap, -x and -d, in every tool and language ---- */

typedef struct sums {
    pm_numbers v;
    bool colon;    /* "mapped:", "Total:" */
    bool wide_gap; /* two blanks in a row, as in columns */
} sums;

static bool read_sums(pm_text line, sums *s)
{
    const char *p = line.data, *end = p + line.len;

    *s = (sums){.wide_gap = line.len && pm_char_in(*line.data, PM_BLANKS)};
    while (p < end) {
        bool begins = p == line.data || pm_char_in(p[-1], PM_BLANKS);

        if (*p >= '0' && *p <= '9') {
            if (!begins || s->v.dashes || !pm_form_number(&p, end, &s->v) ||
                s->v.v[s->v.n - 1] > PM_KIB_MAX)
                return false;
            continue;
        }
        if (*p == '-' && begins && s->v.n && (p + 1 == end || pm_char_in(p[1], PM_BLANKS)))
            s->v.dashes++;
        s->colon |= *p == ':';
        s->wide_gap |= p + 1 < end && pm_char_in(*p, PM_BLANKS) && pm_char_in(p[1], PM_BLANKS);
        p++;
    }
    return s->v.n > 0;
}

/* Returns the format of a line that ends with its last number: " total  123K", "total kB  1 2 3",
 * "mapped: 1K ... 3K". */
static const pm_form *format_of(pm_text line, pm_dialect dialect, sums *s)
{
    pm_text t = pm_text_trim(line, " ");
    char last = t.len ? t.data[t.len - 1] : ' ';

    if (!pm_char_in(last, "0123456789Kk-") && last != '\x9a') /* the last byte of a Russian K */
        return NULL;
    return read_sums(line, s) && !pm_guess_has_perms(line, INT_MAX)
               ? pm_form_of_sums(&s->v, s->colon, dialect)
               : NULL;
}

/* SLES 11 and 12 end with "336K writable-private, 10224K readonly-private, 0K shared, and 636K
 * referenced"; they leave out a part if nothing is shared or referenced. */
static bool read_sles(pm_text t, uint64_t *size)
{
    int found = 0;

    *size = 0;
    while ((t = pm_text_skip(t, " ")).len) {
        pm_text part = pm_text_cut(&t, ',');
        uint64_t v;

        pm_text_take(&part, "and ");
        if (!pm_num_take(&part, &v) || v > PM_KIB_MAX || !pm_text_take(&part, "K "))
            return false;
        if (pm_text_listed(pm_text_word(&part, " "),
                           " writable-private readonly-private shared ")) {
            *size += v;
            found++;
        }
    }
    return found >= 2;
}

/* True if known words directly precede the sums, in any language of procps. Without rows above,
 * only these words distinguish a sum from any other number. */
static bool has_known_words(pm_text line, const sums *s)
{
    static const struct {
        char kind; /* 1: one number, or four; x: -x; d: -d; S: SLES */
        const char *words;
    } known[] = {{'1', "total"},        {'1', "gesamt"},   {'1', "razem"},      {'1', "totalt"},
                 {'1', "загалом"},      {'1', "tổng"},     {'x', "total kB"},   {'x', "kB gesamt"},
                 {'x', "ko total"},     {'x', "razem kB"}, {'x', "totalt kB"},  {'x', "кБ загалом"},
                 {'x', "tổng kB"},      {'x', "kB total"}, {'d', "mapped:"},    {'d', "mappé:"},
                 {'d', "odwzorowane:"}, {'d', "mappat:"},  {'d', "пов'язано:"}, {'d', "ánhxạ:"},
                 {'d', "asignado:"},    {'d', "mapeado:"}, {'S', "Total:"}};
    char kind = s->colon ? (s->v.n == 5 ? 'S' : 'd') : s->v.n == 4 || s->v.k ? '1' : 'x';
    pm_text t = pm_text_skip(line, " \t");

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        pm_text rest = t, number;

        if (known[i].kind != kind || !pm_text_take(&rest, known[i].words))
            continue;
        number = pm_text_skip(rest, " \t");
        /* `ls -l` and `du -c` print one blank after "total" */
        if (pm_digits(number) && (kind != '1' || rest.len - number.len > 1))
            return true;
    }
    return false;
}

bool pm_footer_narrow(pm_open *b, pm_text line)
{
    bool rows = b->rows == PM_LINE_NARROW, sles;
    enum pm_field field[PM_NUMBERS_MAX] = {PM_SIZE};
    const pm_form *f = NULL;
    sums s = {.v.n = 1};

    if (!rows && b->rows != PM_LINE_OTHER)
        return false;
    sles = read_sles(line, &s.v.v[0]);
    if (!sles) { /* without known words a line must fit the rows: `ls -l` prints numbers, too */
        f = format_of(line, b->dialect, &s);
        if (!f || !(has_known_words(line, &s) || (rows && s.wide_gap && f->dialect == b->dialect)))
            return false;
        pm_form_fields(f, field);
    }
    b->footer = true;
    for (int i = 0; i < s.v.n; i++)
        if (field[i] != PM_NO_COLUMN)
            b->tool[field[i]] = (int64_t)s.v.v[i];
    if (!rows) {
        b->dialect = sles ? PM_DIALECT_SUSE : f->dialect;
        if (b->dialect == PM_DIALECT_TOYBOX_X && memchr(line.data, '\t', line.len))
            b->dialect = PM_DIALECT_BUSYBOX_X;
    }
    return true;
}

bool pm_footer_in_words(pm_text line)
{
    uint64_t size;

    return read_sles(line, &size);
}

bool pm_footer_alone(pm_text line)
{
    return pm_footer_narrow(&(pm_open){.dialect = PM_DIALECT_COUNT}, line);
}

/* ---- the line of -X and -XX ---- */

bool pm_footer_wide(pm_reader *r, pm_text line)
{
    pm_wide *w = &r->wide;
    size_t at = 0;

    if (r->b.rows != PM_LINE_WIDE && r->b.rows != PM_LINE_OTHER)
        return false;
    w->n_footer = pm_wide_numbers(line, &at, PM_COLUMNS_MAX, w->footer);
    line = pm_text_from(line, at);
    if (w->n_footer == 0 || !pm_text_equal(pm_text_word(&line, PM_BLANKS), PM_TEXT("KB")))
        return false;
    r->b.footer = true;
    return true;
}

/* ---- the comparison ---- */

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

static const enum pm_field summed[] = {PM_SIZE,          PM_RSS,  PM_PSS,          PM_DIRTY,
                                       PM_PRIVATE_DIRTY, PM_SWAP, PM_PRIVATE_CLEAN};
#define N_SUMMED (sizeof summed / sizeof *summed)

/* The sums of -x have two known faults, and each must explain all of the difference alone. procps
 * 3.3.2 to 3.3.11 counts shared mappings twice in Kbytes; rows that are printed twice identify
 * these versions, and without them the sum proves nothing. With -A, the other sums include the
 * memory outside the range, which some versions print in rows of size 0. */
static void check_narrow(pm_reader *r)
{
    pm_open *b = &r->b;
    bool small_x = b->dialect == PM_DIALECT_PMAP_SMALL_X, twice = false, below = false;

    for (size_t i = 0; i < N_SUMMED; i++) {
        int64_t rows = pm_mapping_value(&b->sum, summed[i]), tool = b->tool[summed[i]];

        if (rows == PMAPDB_UNKNOWN || tool == PMAPDB_UNKNOWN)
            continue;
        rows += (int64_t)b->again[summed[i]]; /* the tool sums up what it prints */
        if (rows == tool)
            continue;
        if (i == 0 && small_x && tool == rows + b->shared_kib) {
            twice = true;
        } else if (i > 0 && small_x && tool > rows &&
                   (!twice || tool == rows + (int64_t)b->outside[summed[i]])) {
            b->mark[PM_MARK_BELOW].n += below ? 0 : (uint64_t)(tool - rows);
            below = true;
        } else {
            differ(r, summed[i], rows, tool);
            return;
        }
    }
    b->mark[PM_MARK_SHARED_TWICE].n = twice ? (uint64_t)b->shared_kib : 0;
    if (!twice || b->mark[PM_MARK_DOUBLED].n)
        b->checked = PM_CHECKED_FOOTER;
}

static const uint64_t zero[PM_COLUMNS_MAX]; /* sums in place of a previous footer */

/* Returns the sum of a field in the footer, minus `base`: the sum in the previous footer, or zero.
 */
static int64_t tool_sum(const pm_wide *w, const uint64_t *base, enum pm_field field)
{
    for (size_t i = 0; i < w->columns.n; i++)
        if (w->columns.field[i] == field && w->footer[i] - base[i] <= INT64_MAX)
            return (int64_t)(w->footer[i] - base[i]);
    return PMAPDB_UNKNOWN;
}

/* True if the footer includes the previous blocks: before procps 4.0.4 the sums of -X and -XX run
 * on over all processes of one call. The sum of KernelPageSize reflects the number of mappings and
 * is used if the sum of Size comes from another moment. */
static bool runs_on(const pm_reader *r)
{
    const pm_wide *w = &r->wide;
    int64_t size = (int64_t)r->b.sum.value[PM_SIZE];
    int64_t pages = (int64_t)r->b.sum.value[PM_KERNEL_PAGE];

    if (w->n_before != w->columns.n || tool_sum(w, zero, PM_SIZE) == size)
        return false;
    return tool_sum(w, w->before, PM_SIZE) == size ||
           (tool_sum(w, w->before, PM_KERNEL_PAGE) == pages &&
            tool_sum(w, zero, PM_KERNEL_PAGE) != pages);
}

/* For -X and -XX, pmap reads smaps twice: first for the widths and the sums, then for the rows. If
 * the process is running, the sums may come from another moment than the rows. So a difference
 * means missing rows only if the sum is larger and covers more mappings. It means too many rows
 * only if the sum is smaller and the rows are not in the order in which Linux prints them. */
static void check_wide(pm_reader *r)
{
    pm_wide *w = &r->wide;
    pm_open *b = &r->b;
    int64_t *tool = b->tool, size = (int64_t)b->sum.value[PM_SIZE], pages, apart = 0;
    const uint64_t *base = runs_on(r) ? w->before : zero;

    if (w->n_footer != w->columns.n) {
        pm_block_missing(r, "the footer has %zu sums for %zu columns", w->n_footer, w->columns.n);
        return;
    }
    b->mark[PM_MARK_RUNS_ON].n = base != zero;
    for (size_t i = N_SUMMED; i--;) {
        int64_t rows = pm_mapping_value(&b->sum, summed[i]), sum = tool_sum(w, base, summed[i]);

        if (summed[i] == PM_SIZE || summed[i] == PM_RSS)
            tool[summed[i]] = sum;
        if (rows != PMAPDB_UNKNOWN && sum != PMAPDB_UNKNOWN && rows != sum)
            apart = llabs(rows - sum);
    }
    pages = tool_sum(w, base, PM_KERNEL_PAGE);
    if (tool[PM_SIZE] > size
            ? pages < 0 || pages > (int64_t)b->sum.value[PM_KERNEL_PAGE]
            : tool[PM_SIZE] < size && b->goes_back && tool[PM_SIZE] != PMAPDB_UNKNOWN)
        differ(r, PM_SIZE, size, tool[PM_SIZE]);
    else if (tool[PM_SIZE] == size)
        b->checked = PM_CHECKED_FOOTER;
    b->mark[PM_MARK_MOMENT].n = r->missing.len ? 0 : (uint64_t)apart;
    w->n_before = w->n_footer;
    memcpy(w->before, w->footer, sizeof w->before);
}

void pm_footer_check(pm_reader *r)
{
    if (r->b.rows == PM_LINE_WIDE)
        check_wide(r);
    else
        check_narrow(r);
}
