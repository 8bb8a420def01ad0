/* stream: what each line of a stream is, and how it begins, feeds or ends a block. */
#include "parse/block.h"

#include "base/clock.h"

#define TIME_LINE_MAX 256

static bool is_wanted(const pm_reader *r, pm_family family, pm_dialect dialect)
{
    switch (family) {
    case PM_FAMILY_RANGE:
        return r->only == PM_DIALECT_COUNT || r->only == PM_DIALECT_SMAPS ||
               r->only == PM_DIALECT_MAPS;
    case PM_FAMILY_WIDE:
        return r->only == PM_DIALECT_COUNT || r->only == PM_DIALECT_PMAP_XX ||
               r->only == PM_DIALECT_PMAP_X;
    default:
        return r->only == PM_DIALECT_COUNT || r->only == dialect;
    }
}

static void foreign_line(pm_reader *r)
{
    r->foreign++;
    r->smaps.torn = true;
    if (r->b.open && r->b.n_rows && !r->b.strange_line)
        r->b.strange_line = r->line;
}

static bool has_header(const pm_open *b)
{
    return b->pid_line || b->columns_line;
}

/* A row of another shape begins a block, and so does one that lies below the row before, unless the
 * block has a header: then its rows were sorted otherwise. */
static bool begins_block(const pm_open *b, pm_family family, pm_dialect dialect,
                         const pm_mapping *m)
{
    bool again = m->start == b->last_start, back = again || m->end <= b->last_start;

    if (!b->open || b->family == PM_FAMILY_NONE)
        return !b->open;
    if (b->family != family)
        return true;
    switch (family) {
    case PM_FAMILY_RANGE:
        return back;
    case PM_FAMILY_NARROW:
        return !has_header(b) && (b->dialect != dialect || (back && !again));
    default:
        return !has_header(b) && back;
    }
}

/* The block that a row belongs to: the one at hand or a new one. */
static pmapdb_status enter_row(pm_reader *r, pm_family family, pm_dialect dialect,
                               const pm_mapping *m, pmapdb_error *err)
{
    pm_open *b = &r->b;

    if (begins_block(b, family, dialect, m)) {
        pmapdb_status st = pm_block_end(r, err);

        if (st != PMAPDB_OK)
            return st;
        pm_block_open(r);
    }
    if (b->family == PM_FAMILY_NONE) {
        b->family = family;
        b->dialect = dialect;
    }
    b->last_start = m->start;
    b->n_rows++;
    r->any_row = true;
    return PMAPDB_OK;
}

/* A moment of its own line is that of the blocks behind it. */
static pmapdb_status time_line(pm_reader *r, pm_text t, bool *is_time, pmapdb_error *err)
{
    int64_t ms;
    pmapdb_status st = PMAPDB_OK;

    *is_time = t.len <= TIME_LINE_MAX && pm_clock_parse_line(t, &ms);
    if (*is_time) {
        st = pm_block_end(r, err);
        r->time_ms = ms;
    }
    return st;
}

/* Begins like a row and is none. */
static pmapdb_status broken_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    bool is_time;
    pmapdb_status st = time_line(r, t, &is_time, err);

    if (st != PMAPDB_OK || is_time)
        return st;
    if (!r->b.open) {
        foreign_line(r);
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

static pmapdb_status range_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    pm_mapping m;
    bool rollup;
    pmapdb_status st;

    if (!is_wanted(r, PM_FAMILY_RANGE, PM_DIALECT_MAPS)) {
        foreign_line(r);
        return PMAPDB_OK;
    }
    if (!pm_range_read(t, &m) || m.end <= m.start)
        return broken_line(r, line, t, err);
    rollup = pm_text_equal(m.path, PM_TEXT("[rollup]"));
    if (rollup || (r->b.open && r->b.refused)) {
        st = pm_block_end(r, err);
        if (st != PMAPDB_OK)
            return st;
    }
    st = enter_row(r, PM_FAMILY_RANGE, PM_DIALECT_MAPS, &m, err);
    if (st != PMAPDB_OK)
        return st;
    if (rollup)
        r->b.refused = "sums of smaps_rollup without mappings: not a known dialect";
    pm_block_line(r, line);
    return pm_smaps_row(r, &m, err);
}

static pmapdb_status narrow_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    pm_open *b = &r->b;
    pm_narrow row;
    pmapdb_status st;

    if (!pm_narrow_read(t, &row) ||
        (b->open && has_header(b) && b->family == PM_FAMILY_NARROW && b->dialect != row.dialect))
        return broken_line(r, line, t, err);
    if (!is_wanted(r, PM_FAMILY_NARROW, row.dialect)) {
        foreign_line(r);
        return PMAPDB_OK;
    }
    st = enter_row(r, PM_FAMILY_NARROW, row.dialect, &row.m, err);
    if (st != PMAPDB_OK)
        return st;
    pm_block_line(r, line);
    if (row.refused)
        b->refused = row.refused;
    return b->refused ? PMAPDB_OK : pm_narrow_row(r, &row, err);
}

static pmapdb_status wide_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    static const pm_columns none;
    pm_mapping m;
    pmapdb_status st;

    if (!is_wanted(r, PM_FAMILY_WIDE, PM_DIALECT_PMAP_X)) {
        foreign_line(r);
        return PMAPDB_OK;
    }
    pm_wide_lead(&none, t, &m);
    m.end = m.start + 1;
    st = enter_row(r, PM_FAMILY_WIDE, PM_DIALECT_COUNT, &m, err);
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
    pmapdb_status st;

    if (!pm_guess_pid(t, &pid, &command, &tentative) || (tentative && r->b.open && r->b.n_rows)) {
        foreign_line(r);
        return PMAPDB_OK;
    }
    st = pm_block_end(r, err);
    if (st != PMAPDB_OK)
        return st;
    pm_block_open(r);
    r->b.pid_line = true;
    r->b.tentative = tentative;
    r->b.pid = pid;
    pm_block_line(r, line);
    return pm_buf_add(&r->command, command.data, command.len, err);
}

static pmapdb_status columns_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    if (r->b.open && (r->b.n_rows || r->b.columns_line)) {
        pmapdb_status st = pm_block_end(r, err);

        if (st != PMAPDB_OK)
            return st;
    }
    if (!r->b.open)
        pm_block_open(r);
    r->b.columns_line = true;
    if (pm_guess_has_word(t, "PSS"))
        r->b.refused = "a column PSS (busybox, toybox, openSUSE): not a known dialect";
    pm_block_line(r, line);
    return pm_buf_add(&r->columns, t.data, t.len, err);
}

static void rule_line(pm_reader *r, pm_text line, bool equals)
{
    pm_open *b = &r->b;
    bool fits = equals ? b->family == PM_FAMILY_WIDE : b->family != PM_FAMILY_WIDE;

    if (!b->open || b->family == PM_FAMILY_RANGE || (!fits && b->family != PM_FAMILY_NONE)) {
        foreign_line(r);
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
    return pm_guess_hex_run(t.data, t.data + t.len) == t.len;
}

static pmapdb_status other_line(pm_reader *r, pm_text line, pm_text t, pmapdb_error *err)
{
    pm_open *b = &r->b;
    bool is_time;
    pmapdb_status st;

    if (b->open && pm_footer_narrow(r, t)) {
        pm_block_line(r, line);
        return pm_block_end(r, err);
    }
    st = time_line(r, t, &is_time, err);
    if (st != PMAPDB_OK || is_time)
        return st;
    if (b->open && b->pid_line && !b->columns_line && b->last_line + 1 == r->line &&
        b->first_line == b->last_line && pm_guess_translated_columns(t))
        return columns_line(r, line, t, err);
    if (is_cut(r, t)) {
        pm_block_line(r, line);
        b->cut_line = r->line;
        return PMAPDB_OK;
    }
    foreign_line(r);
    return PMAPDB_OK;
}

pmapdb_status pm_stream_line(void *reader, pm_text line, pmapdb_error *err)
{
    pm_reader *r = reader;
    pm_text t = line;
    bool used = false;

    r->line++;
    if (line.len > PM_LINE_BYTES_MAX)
        return pm_fail(err, PMAPDB_INPUT, "a line is longer than %zu MiB", PM_LINE_BYTES_MAX >> 20);
    if (t.len && t.data[t.len - 1] == '\r')
        t.len--;
    if (r->line == 1 && pm_text_starts(t, PM_TEXT("\xef\xbb\xbf")))
        t = pm_text_from(t, 3); /* an editor's byte order mark */
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

size_t pm_stream_bulk(void *reader, const char *p, const char *end)
{
    pm_reader *r = reader;
    uint64_t lines = 0;
    size_t n;

    if (!r->b.open || !r->smaps.open || r->smaps.torn)
        return 0;
    n = pm_smaps_bulk(&r->smaps, p, end, &lines);
    if (n == 0)
        return 0;
    r->line += lines;
    pm_block_bytes(r, p, n);
    return n;
}
