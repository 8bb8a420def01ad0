/* stream: what each line of a stream is, and how it begins, feeds or ends a block. */
#include "parse/block.h"

#include "base/num.h"

static pmapdb_status line_of(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err);

/* Indentation means nothing in rows that are read from the left. */
static pm_text unindent(pm_text t)
{
    while (t.len && (t.data[0] == ' ' || t.data[0] == '\t'))
        t = pm_text_from(t, 1);
    return t;
}

static pmapdb_status wide_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err);

/* Below a header of -X, whose columns the user may have chosen without Perm. */
static bool is_below_wide_header(const pm_reader *r)
{
    pm_text header = pm_buf_text(&r->columns);

    return r->b.open && r->b.columns_line && !r->b.refused &&
           (r->b.family == PM_FAMILY_NONE || r->b.family == PM_FAMILY_WIDE) &&
           (pm_guess_has_word(header, "Size") || pm_guess_has_word(header, "Rss"));
}

/* Begins like a row and is none. */
static pmapdb_status broken_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    bool used;
    pmapdb_status st;

    if (pm_words_stamped(r, &t))
        return line_of(r, line, t, err);
    st = pm_words_time(r, line, t, &used, err);
    if (st != PMAPDB_OK || used)
        return st;
    if (is_below_wide_header(r))
        return wide_line(r, line, t, err);
    /* Of smaps_rollup the one row is behind us: these are the sums so far. */
    if (r->b.rollup && (st = pm_block_end(r, err)) != PMAPDB_OK)
        return st;
    if (!r->b.open || (!r->b.n_rows && r->b.footer)) {
        pm_pass_over(r);
        return PMAPDB_OK;
    }
    r->b.n_rows++;
    pm_block_line(r, line);
    if (r->unterminated)
        r->b.cut_line = r->line;
    else if (r->b.family == PM_FAMILY_RANGE)
        return pm_smaps_broken(r, err);
    else
        pm_block_bad(r, r->line, PM_BROKEN_ROW);
    return PMAPDB_OK;
}

static pmapdb_status range_row(pm_reader *r, pm_text line, pm_text t, const pm_mapping *m,
                               pmapdb_error *err)
{
    bool rollup = pm_text_equal(m->path, PM_TEXT("[rollup]"));
    pmapdb_status st = rollup ? pm_block_end(r, err) : PMAPDB_OK;

    if (st == PMAPDB_OK)
        st = pm_enter_row(r, PM_FAMILY_RANGE, PM_DIALECT_MAPS, m, err);
    if (st != PMAPDB_OK)
        return st;
    r->b.rollup = rollup;
    pm_block_line(r, line);
    st = pm_smaps_row(r, m, err);
    if (pm_range_is_headless(t, m))
        r->smaps.bad = "its address has lost its first digit";
    return st;
}

static pmapdb_status range_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    pm_mapping m;

    if (!pm_is_wanted(r, PM_FAMILY_RANGE, PM_DIALECT_MAPS)) {
        pm_pass_over(r);
        return PMAPDB_OK;
    }
    t = unindent(t);
    /* The kernel ends a name at a NUL: one inside is damage. */
    if (!pm_range_read(t, &m) || m.end <= m.start || memchr(t.data, '\0', t.len))
        return broken_line(r, line, t, err);
    return range_row(r, line, t, &m, err);
}

/* A row just as the kernel prints it: no key, no sum and no words begin like one, and there is
 * nothing around it to be taken off. */
static bool is_plain_row(const pm_reader *r, pm_text line, pm_mapping *m)
{
    return pm_fast_row(line) && pm_is_wanted(r, PM_FAMILY_RANGE, PM_DIALECT_MAPS) &&
           pm_range_read(line, m) && m->end > m->start;
}

static pmapdb_status narrow_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    pm_open *b = &r->b;
    pm_narrow row;
    pmapdb_status st;

    t = unindent(t);
    if (!pm_narrow_read(t, &row) || (b->open && !b->footer && (b->pid_line || b->columns_line) &&
                                     b->family == PM_FAMILY_NARROW && b->dialect != row.dialect))
        return broken_line(r, line, t, err);
    if (!pm_is_wanted(r, PM_FAMILY_NARROW, row.dialect)) {
        pm_pass_over(r);
        return PMAPDB_OK;
    }
    st = pm_enter_row(r, PM_FAMILY_NARROW, row.dialect, &row.m, err);
    if (st != PMAPDB_OK)
        return st;
    pm_block_line(r, line);
    if (row.refused)
        b->refused = row.refused;
    else if (b->n_rows == 1 && row.dialect == PM_DIALECT_PMAP_SMALL_X &&
             pm_guess_has_word(pm_buf_text(&r->columns), "PSS"))
        b->refused = "three numbers below a header with PSS: not a known dialect";
    return b->refused ? PMAPDB_OK : pm_narrow_row(r, &row, err);
}

static pmapdb_status wide_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    static const pm_columns any = {.no_perms = true};
    pm_wide_place place;
    pm_mapping m = {0};
    pmapdb_status st;

    if (!pm_is_wanted(r, PM_FAMILY_WIDE, PM_DIALECT_PMAP_X)) {
        pm_pass_over(r);
        return PMAPDB_OK;
    }
    pm_wide_lead(&any, t, &place);
    m.start = place.start;
    m.end = m.start + 1;
    memcpy(m.perms, place.perms, sizeof m.perms);
    st = pm_enter_row(r, PM_FAMILY_WIDE, PM_DIALECT_COUNT, &m, err);
    if (st != PMAPDB_OK)
        return st;
    pm_block_line(r, line);
    return pm_wide_hold(r, t, err);
}

static pmapdb_status pid_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    pm_text command;
    int64_t pid = PMAPDB_UNKNOWN;
    bool tentative = false;
    pmapdb_status st = PMAPDB_OK;

    /* Among rows only a header like that of the block at hand begins the next (busybox -q). */
    if (!pm_guess_pid(t, &pid, &command, &tentative) ||
        (tentative && r->b.open && r->b.n_rows && !(r->b.pid_line && r->b.tentative))) {
        pm_pass_over(r);
        return PMAPDB_OK;
    }
    if (r->b.pid_line || !pm_is_sorted_header(r)) {
        st = pm_block_end(r, err);
        if (st != PMAPDB_OK)
            return st;
        pm_block_open(r);
    }
    r->b.pid_line = true;
    r->b.tentative = tentative;
    r->b.word_for_pid = pid == PMAPDB_UNKNOWN;
    if (!r->b.word_for_pid)
        r->b.pid = pid;
    pm_block_line(r, line);
    return pm_buf_add(&r->command, command.data, command.len, err);
}

static pmapdb_status columns_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    if (r->b.open && (r->b.columns_line || (r->b.n_rows && !pm_is_sorted_header(r)))) {
        pmapdb_status st = pm_block_end(r, err);

        if (st != PMAPDB_OK)
            return st;
    }
    if (!r->b.open)
        pm_block_open(r);
    r->b.columns_line = true;
    r->b.refused = pm_words_foreign(t);
    pm_block_line(r, line);
    return pm_buf_add(&r->columns, t.data, t.len, err);
}

static void rule_line(pm_reader *r, pm_text line, bool equals)
{
    pm_open *b = &r->b;
    bool fits = equals ? b->family == PM_FAMILY_WIDE : b->family != PM_FAMILY_WIDE;

    if (!b->open)
        r->rule_line = r->line;
    if (!b->open || b->family == PM_FAMILY_RANGE || (!fits && b->family != PM_FAMILY_NONE)) {
        pm_pass_over(r);
        return;
    }
    b->rule |= equals;
    pm_block_line(r, line);
}

/* What `cat` says of a file that it may not read stands for that process. */
static pmapdb_status denied_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    pmapdb_status st = pm_block_end(r, err);
    int64_t pid = PMAPDB_UNKNOWN;

    if (st != PMAPDB_OK)
        return st;
    pm_block_open(r);
    r->b.empty = pm_guess_denied(t, &pid);
    r->b.pid = pid;
    pm_block_line(r, line);
    return pm_block_end(r, err);
}

/* The begin of an address or of a key, where the text was cut. */
static bool is_cut(pm_reader *r, pm_text t)
{
    if (!r->unterminated || !r->b.open || !r->b.n_rows)
        return false;
    while (t.len && t.data[0] == ' ')
        t = pm_text_from(t, 1);
    if (r->smaps.open && t.data[0] >= 'A' && t.data[0] <= 'Z' && !memchr(t.data, ' ', t.len)) {
        r->smaps.bad = "it ends in the middle";
        return true;
    }
    return pm_num_hex_run(t.data, t.data + t.len) == t.len;
}

/* SLES prints its sums in two lines. */
static bool is_first_of_two(pm_text t)
{
    return pm_text_starts(t, PM_TEXT("Total:"));
}

static pmapdb_status sums_line(pm_reader *r, pm_text line, pm_text t, bool *used, pmapdb_error *err)
{
    bool sums_only = r->b.footer && !r->b.n_rows;
    pmapdb_status st = PMAPDB_OK;

    /* One line of sums is a capture, and so is the next; only SLES has two for one. */
    *used = r->b.open && (!sums_only || (r->b.half_footer && pm_footer_in_words(t))) &&
            pm_footer_narrow(r, t);
    if (!*used && pm_footer_alone(t)) {
        st = pm_block_end(r, err);
        if (st != PMAPDB_OK)
            return st;
        pm_block_open(r);
        *used = pm_footer_narrow(r, t);
        r->any_row |= *used;
    }
    if (*used && !r->b.n_rows && !pm_is_wanted(r, PM_FAMILY_NARROW, r->b.dialect)) {
        r->b.open = false;
        *used = false;
    }
    if (!*used)
        return st;
    pm_block_line(r, line);
    r->b.half_footer = !r->b.half_footer && is_first_of_two(t);
    /* Sums without rows stay open for one line: `sort -r` puts them above. */
    return r->b.half_footer || !r->b.n_rows ? st : pm_block_end(r, err);
}

/* The header of -x or -X in a language of which no word is known: only procps has translations. */
static bool is_translated_header(const pm_reader *r, pm_text t)
{
    const pm_open *b = &r->b;

    return b->open && b->pid_line && (!b->tentative || b->word_for_pid) && !b->columns_line &&
           b->last_line + 1 == r->line && b->first_line == b->last_line &&
           pm_guess_translated_columns(t);
}

static pmapdb_status other_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    bool used;
    pmapdb_status st = sums_line(r, line, t, &used, err);

    if (st != PMAPDB_OK || used)
        return st;
    if (pm_words_stamped(r, &t))
        return line_of(r, line, t, err);
    st = pm_words_line(r, line, t, &used, err);
    if (st != PMAPDB_OK || used)
        return st;
    if (is_translated_header(r, t))
        return columns_line(r, line, t, err);
    if (is_cut(r, t)) {
        pm_block_line(r, line);
        r->b.cut_line = r->line;
        return PMAPDB_OK;
    }
    pm_pass_over(r);
    return PMAPDB_OK;
}

/* `line` is what the hash is made of, t what is left of it when everything around is taken off. */
static pmapdb_status line_of(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    bool used = false;

    if (r->b.open && r->smaps.open) {
        pmapdb_status st = pm_smaps_key(r, t, &used, err);

        if (used)
            pm_block_line(r, line);
        if (st != PMAPDB_OK || used)
            return st;
    }
    /* A sum of ten digits looks like an address. */
    if (r->b.open && pm_footer_wide(r, t)) {
        pm_block_line(r, line);
        return pm_block_end(r, err);
    }
    switch (pm_guess(t)) {
    case PM_LINE_BLANK:
        return PMAPDB_OK;
    case PM_LINE_RANGE:
        return range_line(r, line, t, err);
    case PM_LINE_NARROW:
        return narrow_line(r, line, t, err);
    case PM_LINE_WIDE:
        return wide_line(r, line, t, err);
    case PM_LINE_BROKEN:
        return broken_line(r, line, t, err);
    case PM_LINE_PID:
        return pid_line(r, line, t, err);
    case PM_LINE_COLUMNS:
        return columns_line(r, line, t, err);
    case PM_LINE_DASHES:
    case PM_LINE_EQUALS:
        rule_line(r, line, memchr(t.data, '=', t.len) != NULL);
        return PMAPDB_OK;
    case PM_LINE_DENIED:
        return denied_line(r, line, t, err);
    case PM_LINE_OTHER:
        break;
    }
    return other_line(r, line, t, err);
}

/* Of which the rest was not kept: whatever it was, in a capture it is damage. */
static pmapdb_status long_line(pm_reader *r, pmapdb_error *err)
{
    pmapdb_status st = r->b.rollup ? pm_block_end(r, err) : PMAPDB_OK;

    if (!r->b.open || st != PMAPDB_OK) {
        pm_pass_over(r);
        return st;
    }
    r->b.n_rows++;
    r->b.last_line = r->line;
    if (r->b.family == PM_FAMILY_RANGE) {
        st = pm_smaps_broken(r, err);
        r->smaps.bad = PM_LONG_LINE;
        return st;
    }
    pm_block_bad(r, r->line, PM_LONG_LINE);
    return PMAPDB_OK;
}

pmapdb_status pm_stream_line(void *reader, pm_text line, pmapdb_error *err)
{
    pm_reader *r = reader;
    pm_text t = line;
    pm_mapping m;
    pmapdb_status st;

    r->line++;
    if (r->lines.cut)
        return long_line(r, err);
    if (is_plain_row(r, line, &m)) {
        r->worn = 0;
        return range_row(r, line, line, &m, err);
    }
    st = pm_strip_decoration(r, &t, err);
    return st == PMAPDB_OK ? line_of(r, line, t, err) : st;
}
