/* stream: classifies each line of a stream, and begins, feeds or ends a block. r->raw is the
 * unchanged line; t is the line without decoration. */
#include "parse/block.h"

#include "base/num.h"
#include <limits.h>

static void line_of(pm_reader *r, pm_text t);

/* ---- rows ---- */

/* True below a header of -X, where the user may have chosen columns without Perm. */
static bool is_below_wide_header(const pm_reader *r)
{
    pm_text header = pm_buf_text(&r->columns);

    return r->b.open && r->b.columns_line && !r->b.refused &&
           (r->b.rows == PM_LINE_OTHER || r->b.rows == PM_LINE_WIDE) &&
           (pm_text_has(header, PM_BLANKS, PM_TEXT("Size")) ||
            pm_text_has(header, PM_BLANKS, PM_TEXT("Rss")));
}

static void wide_line(pm_reader *r, pm_text t)
{
    static const pm_columns any = {.no_perms = true};
    pm_mapping m;

    if (!pm_is_wanted(r, PM_LINE_WIDE, PM_DIALECT_PMAP_X)) {
        pm_pass_over(r);
        return;
    }
    pm_wide_lead(&any, t, &m);
    m.end = m.start + 1;
    pm_enter_row(r, PM_LINE_WIDE, PM_DIALECT_COUNT, &m);
    pm_block_line(r);
    pm_wide_hold(r, t);
}

/* True for the beginning of an address or of a key, where the text was cut. */
static bool is_cut(pm_reader *r, pm_text t)
{
    t = pm_text_skip(t, " ");
    if (!r->lines.unended || !r->b.open || !r->b.n_rows || !t.len)
        return false;
    if (r->smaps.open && t.data[0] >= 'A' && t.data[0] <= 'Z' && !memchr(t.data, ' ', t.len)) {
        r->smaps.bad = "it ends in the middle";
        return true;
    }
    return pm_num_hex_run(t.data, t.data + t.len) == t.len;
}

/* Handles a line that begins like a row but is not a row. */
static void broken_line(pm_reader *r, pm_text t)
{
    bool cut = is_cut(r, t); /* even if the digits could be a moment */

    if (!cut && pm_words_stamped(r, &t)) {
        line_of(r, t);
        return;
    }
    if (!cut && pm_words_time(r, t))
        return;
    if (is_below_wide_header(r)) {
        wide_line(r, t);
        return;
    }
    if (r->b.rollup) /* the one row was read: the block ends with the sums so far */
        pm_block_end(r);
    if (!r->b.open || (!r->b.n_rows && r->b.footer)) {
        pm_stray_line(r, t, true);
        return;
    }
    pm_block_line(r);
    if (!r->lines.unended) {
        pm_bad_line(r, PM_BROKEN_ROW);
        return;
    }
    r->b.n_rows++;
    pm_block_mark(r, PM_MARK_CUT, r->line);
}

static void range_line(pm_reader *r, pm_text t)
{
    pm_mapping m;
    bool rollup;

    t = pm_text_skip(t, " \t");
    if (!pm_is_wanted(r, PM_LINE_RANGE, PM_DIALECT_MAPS)) {
        pm_pass_over(r);
        return;
    }
    if (!pm_range_read(t, &m) || m.end <= m.start) {
        broken_line(r, t);
        return;
    }
    rollup = pm_text_equal(m.path, PM_TEXT("[rollup]"));
    if (rollup)
        pm_block_end(r);
    pm_enter_row(r, PM_LINE_RANGE, PM_DIALECT_MAPS, &m);
    r->b.rollup = rollup;
    pm_smaps_row(r, t, &m);
    pm_block_line(r);
}

static void narrow_line(pm_reader *r, pm_text t)
{
    pm_open *b = &r->b;
    pm_narrow row;

    t = pm_text_skip(t, " \t");
    if (!pm_narrow_read(t, &row) || (b->open && !b->footer && (b->pid_line || b->columns_line) &&
                                     b->rows == PM_LINE_NARROW && b->dialect != row.dialect)) {
        broken_line(r, t);
        return;
    }
    if (!pm_is_wanted(r, PM_LINE_NARROW, row.dialect)) {
        pm_pass_over(r);
        return;
    }
    pm_enter_row(r, PM_LINE_NARROW, row.dialect, &row.m);
    pm_block_line(r);
    if (row.refused)
        b->refused = row.refused;
    else if (b->n_rows == 1 && row.dialect == PM_DIALECT_PMAP_SMALL_X &&
             pm_text_has(pm_buf_text(&r->columns), PM_BLANKS, PM_TEXT("PSS")))
        b->refused = "three numbers below a header with PSS: not a known dialect";
    if (!b->refused)
        pm_narrow_row(r, &row);
}

/* ---- headers and rules ---- */

/* A header that lost its newline contains the first row. */
static void mark_glued(pm_reader *r, pm_text header)
{
    if (pm_guess_has_perms(header, INT_MAX))
        pm_block_mark(r, PM_MARK_TOP, r->line);
}

static void pid_line(pm_reader *r, pm_text t)
{
    pm_text command;
    int64_t pid = PMAPDB_UNKNOWN;
    bool tentative = false;

    /* Among rows, only a header like that of the current block begins the next block (busybox -q).
     */
    if (!pm_guess_pid(t, &pid, &command, &tentative) ||
        (tentative && r->b.open && r->b.n_rows && !(r->b.pid_line && r->b.tentative))) {
        pm_pass_over(r);
        return;
    }
    pm_block_flush(r);
    if (r->b.pid_line || !pm_is_sorted_header(r)) {
        pm_block_end(r);
        pm_block_open(r);
    }
    r->b.pid_line = true;
    r->b.tentative = tentative;
    r->b.word_for_pid = pid == PMAPDB_UNKNOWN;
    if (!r->b.word_for_pid)
        r->b.pid = pid;
    pm_block_line(r);
    pm_keep(r, &r->command, command);
    mark_glued(r, command);
}

static void columns_line(pm_reader *r, pm_text t)
{
    pm_block_flush(r);
    if (r->b.open && (r->b.columns_line || (r->b.n_rows && !pm_is_sorted_header(r))))
        pm_block_end(r);
    if (!r->b.open)
        pm_block_open(r);
    r->b.columns_line = true;
    r->b.refused = pm_form_foreign(t);
    pm_block_line(r);
    pm_keep(r, &r->columns, t);
    mark_glued(r, t);
}

static void rule_line(pm_reader *r, pm_text t)
{
    pm_open *b = &r->b;
    bool equals = memchr(t.data, '=', t.len),
         fits = equals ? b->rows == PM_LINE_WIDE : b->rows != PM_LINE_WIDE;

    if (!b->open)
        r->rule_line = r->line;
    if (!b->open || b->rows == PM_LINE_RANGE || (!fits && b->rows != PM_LINE_OTHER)) {
        pm_pass_over(r);
        return;
    }
    b->rule |= equals;
    pm_block_line(r);
}

/* Handles the message that `cat` prints for a file that it may not read. It makes an empty block
 * for that process. */
static void denied_line(pm_reader *r, pm_text t)
{
    int64_t pid = PMAPDB_UNKNOWN;

    pm_block_end(r);
    pm_block_open(r);
    r->b.empty = pm_guess_denied(t, &pid);
    r->b.pid = pid;
    pm_block_line(r);
    pm_block_end(r);
}

/* ---- other lines ---- */

static bool sums_line(pm_reader *r, pm_text t)
{
    bool sums_only = r->b.footer && !r->b.n_rows;
    /* Without rows, each line of sums is a capture. Only SLES prints two lines for one capture. */
    bool used = r->b.open && (!sums_only || (r->b.half_footer && pm_footer_in_words(t))) &&
                pm_footer_narrow(&r->b, t);

    if (!used && pm_footer_alone(t)) {
        pm_block_end(r);
        pm_block_open(r);
        r->any_row = used = pm_footer_narrow(&r->b, t);
    }
    if (used && !r->b.n_rows && !pm_is_wanted(r, PM_LINE_NARROW, r->b.dialect))
        r->b.open = used = false;
    if (!used)
        return false;
    pm_block_line(r);
    r->b.half_footer = !r->b.half_footer && pm_text_starts(t, PM_TEXT("Total:"));
    /* A block with sums and no rows stays open for one line, because `sort -r` moves the sums above
     * the rows. */
    if (!r->b.half_footer && r->b.n_rows)
        pm_block_end(r);
    return true;
}

/* True for a header of -x or -X in a language without any known word. Only procps is translated. */
static bool is_translated_header(const pm_reader *r, pm_text t)
{
    const pm_open *b = &r->b;

    return b->open && b->pid_line && (!b->tentative || b->word_for_pid) && !b->columns_line &&
           b->last_line + 1 == r->line && b->first_line == b->last_line && pm_text_holds(t, "  ");
}

static void other_line(pm_reader *r, pm_text t)
{
    if (sums_line(r, t))
        return;
    if (pm_words_stamped(r, &t)) {
        line_of(r, t);
        return;
    }
    if (pm_words_line(r, t))
        return;
    if (is_translated_header(r, t)) {
        columns_line(r, t);
    } else if (is_cut(r, t)) {
        pm_block_line(r);
        pm_block_mark(r, PM_MARK_CUT, r->line);
    } else {
        pm_stray_line(r, t, false);
    }
}

/* True if text was lost to NUL bytes. Other lines with NUL bytes are words of cmdline or environ.
 */
static bool is_hole(pm_text t)
{
    pm_line_kind kind = pm_guess(t);

    return memmem(t.data, t.len, "\0\0\0\0", 4) || kind == PM_LINE_RANGE ||
           kind == PM_LINE_NARROW || kind == PM_LINE_WIDE || kind == PM_LINE_BROKEN ||
           pm_guess_has_perms(t, INT_MAX) || pm_smaps_is_key(t, true);
}

static void line_of(pm_reader *r, pm_text t)
{
    static void (*const take[])(pm_reader *, pm_text) = {
        [PM_LINE_BLANK] = NULL,       [PM_LINE_OTHER] = other_line,
        [PM_LINE_RANGE] = range_line, [PM_LINE_NARROW] = narrow_line,
        [PM_LINE_WIDE] = wide_line,   [PM_LINE_BROKEN] = broken_line,
        [PM_LINE_PID] = pid_line,     [PM_LINE_COLUMNS] = columns_line,
        [PM_LINE_RULE] = rule_line,   [PM_LINE_DENIED] = denied_line};
    pm_line_kind kind;

    if (t.len && memchr(t.data, '\0', t.len) && is_hole(t)) {
        pm_nul_line(r);
        return;
    }
    if (r->b.open && r->smaps.open && pm_smaps_key(r, t)) {
        pm_block_line(r);
        return;
    }
    /* Must come before the guess, because a sum of ten digits looks like an address. */
    if (r->b.open && r->b.rule && pm_footer_wide(r, t)) {
        pm_block_line(r);
        pm_block_end(r);
        return;
    }
    if (take[kind = pm_guess(t)])
        take[kind](r, t);
}

/* Handles a line that is too long. Its rest was dropped, and inside a capture it is damage. */
static void long_line(pm_reader *r)
{
    if (r->b.rollup)
        pm_block_end(r);
    if (!r->b.open) {
        pm_pass_over(r);
        return;
    }
    pm_block_line(r);
    pm_bad_line(r, PM_LONG_LINE);
}

pmapdb_status pm_stream_line(void *reader, pm_text line, pmapdb_error *err)
{
    pm_reader *r = reader;
    pm_text t = line;

    r->err = err;
    r->raw = line;
    r->worn = 0;
    r->line++;
    if (r->lines.cut) {
        long_line(r);
    } else {
        pm_strip_decoration(r, &t);
        line_of(r, t);
    }
    return r->st;
}
