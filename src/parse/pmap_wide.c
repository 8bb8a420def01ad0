/* pmap_wide: the rows of pmap -X and -XX. They are held until the block ends, because the name
 * begins after the VmFlags column and only all rows together show the right edge of this column. */
#include "parse/block.h"

#include "base/num.h"
#include <inttypes.h>

/* procps reads the name of -X and -XX with "%127[^\n]". */
#define NAME_CUT 127

void pm_wide_hold(pm_reader *r, pm_text line)
{
    pm_wide *w = &r->wide;

    pm_check(r, pm_grow(&w->rows, &w->cap, w->n, sizeof *w->rows, r->err));
    if (r->st != PMAPDB_OK)
        return;
    w->rows[w->n++] = (pm_wide_row){.at = w->text.len, .len = line.len, .line = r->line};
    pm_keep(r, &w->text, line);
}

size_t pm_wide_lead(const pm_columns *c, pm_text line, pm_mapping *out)
{
    const char *p = line.data, *end = p + line.len;
    size_t n;

    *out = (pm_mapping){.present = PM_HAS_PSEUDO};
    p = pm_skip_blanks(p, end);
    p = pm_skip_blanks(p + pm_num_hex(p, end, &out->start), end);
    n = pm_guess_perms(p, end, out->perms);
    if (n == 4) {
        p += n;
    } else if (c->no_perms && p > line.data && p[-1] == ' ') {
        memset(out->perms, 0, sizeof out->perms);
        p--;
    } else {
        return 0;
    }
    p = pm_read_place(p, end, c->place, out);
    return p ? (size_t)(p - line.data) : 0;
}

size_t pm_wide_numbers(pm_text line, size_t *at, size_t max, uint64_t *out)
{
    const char *end = line.data + line.len;
    size_t n = 0;

    for (const char *p = line.data + *at; n < max; n++) {
        size_t digits;

        p = pm_skip_blanks(p, end);
        digits = pm_num_dec(p, end, &out[n]);
        p += digits;
        if (digits == 0 || (p < end && *p != ' '))
            break;
        *at = (size_t)(p - line.data);
    }
    return n;
}

size_t pm_wide_count(const pm_wide *w, size_t i, size_t max, uint64_t *out, size_t *end)
{
    pm_text line = pm_wide_line(w, i);
    pm_mapping place;

    *end = pm_wide_lead(&w->columns, line, &place);
    return *end ? pm_wide_numbers(line, end, max, out) : 0;
}

/* ---- flags ---- */

/* Returns the end of the longest run of two-letter words at `at`; 0 without such words. */
static size_t find_flags_end(pm_text line, size_t at)
{
    size_t end = 0;

    while (at < line.len && line.data[at] == ' ')
        at++;
    for (; pm_guess_is_flag(line, at); at += 3)
        end = at + 2;
    return end;
}

/* Returns the column where most lists seem to end. All flag lists of a block end in the same
 * column, and a name rarely consists of two lower-case letters. */
size_t pm_wide_vote(const pm_wide *w)
{
    uint64_t values[PM_COLUMNS_MAX];
    pm_vote vote = {0};
    size_t end;

    for (size_t i = 0; i < w->n; i++)
        if (pm_wide_values(w, i, values, &end))
            pm_vote_for(&vote, find_flags_end(pm_wide_line(w, i), end));
    return vote.winner;
}

/* ---- rows ---- */

/* Reads flags and name, from the end of the last number on. */
static void read_rest(pm_reader *r, pm_text line, size_t at, pm_mapping *m)
{
    const pm_columns *c = &r->wide.columns;
    size_t end = c->flags_end < line.len ? c->flags_end : line.len;
    pm_buf *flags = &r->wide.flags;

    if (c->has_flags) {
        if (end < at || (end < line.len && line.data[end] != ' '))
            end = at;
        if (!pm_read_flags(r, flags, (pm_text){line.data + at, end - at}, true) || end == at) {
            end = find_flags_end(line, at);
            end = end ? end : at;
            pm_read_flags(r, flags, (pm_text){line.data + at, end - at}, true);
        }
        m->flags = pm_buf_text(flags);
        at = end;
        m->present |= PM_HAS_FLAGS;
    }
    m->path = pm_text_from(line, at < line.len ? at + 1 : at);
    m->name_cut = m->path.len == NAME_CUT;
}

static void set_values(pm_reader *r, const uint64_t *values, pm_mapping *m)
{
    const pm_columns *c = &r->wide.columns;
    pm_buf *extra = &r->wide.extra;

    pm_buf_clear(extra);
    for (size_t i = 0; i < c->n; i++) {
        if (c->field[i] != PM_NO_COLUMN)
            pm_set(m, c->field[i], values[i]);
        else if (c->name[i].len)
            pm_check(r, pm_buf_addf(extra, r->err, "%s%.*s: %" PRIu64 " kB", extra->len ? "\n" : "",
                                    (int)c->name[i].len, c->name[i].data, values[i]));
    }
    m->extra = pm_buf_text(extra);
    m->end = m->value[PM_SIZE] > PM_KIB_MAX ? 0 : m->start + m->value[PM_SIZE] * 1024;
}

static void add_row(pm_reader *r, size_t i)
{
    const pm_wide *w = &r->wide;
    const pm_wide_row *row = &w->rows[i];
    uint64_t values[PM_COLUMNS_MAX];
    pm_text line = pm_wide_line(w, i);
    pm_mapping m;
    size_t end;

    if (pm_wide_values(w, i, values, &end)) {
        pm_wide_lead(&w->columns, line, &m);
        set_values(r, values, &m);
        read_rest(r, line, end, &m);
        pm_block_add(r, &m, row->line);
    } else if (r->lines.unended && row->line == r->line) {
        pm_block_mark(r, PM_MARK_CUT, r->line);
    } else {
        pm_block_bad(r, row->line, "it does not have the columns of the other rows");
    }
}

/* Takes the sums of a block that has a header and a footer but no rows, as `grep` or `tail` leaves
 * it. */
static void take_sums(pm_reader *r)
{
    const pm_columns *c = &r->wide.columns;

    r->b.rows = PM_LINE_WIDE;
    for (size_t i = 0; i < c->n; i++)
        if (c->field[i] != PM_NO_COLUMN && r->wide.footer[i] <= PM_KIB_MAX)
            r->b.tool[c->field[i]] = (int64_t)r->wide.footer[i];
}

/* Returns the column of the permissions. */
static size_t perms_column(const pm_wide *w, size_t i)
{
    pm_text line = pm_wide_line(w, i), t = pm_text_skip(line, " ");

    t = pm_text_skip(t, "0123456789abcdef");
    return line.len - pm_text_skip(t, " ").len;
}

/* True if the first row is shifted to the left of all others, which are aligned. */
static bool is_first_cut(const pm_wide *w)
{
    size_t column = w->n > 1 ? perms_column(w, 1) : 0;

    for (size_t i = 2; i < w->n; i++)
        if (perms_column(w, i) != column)
            return false;
    return w->n > 1 && perms_column(w, 0) < column;
}

void pm_wide_end(pm_reader *r)
{
    pm_wide *w = &r->wide;
    pm_columns *c = &w->columns;
    size_t vote;

    r->b.refused = pm_layout_find(w, pm_buf_text(&r->columns));
    if (r->b.refused)
        return;
    vote = pm_wide_vote(w);
    if (!r->b.columns_line)
        c->has_flags = vote != 0;
    /* Up to procps 3.3.14 the list ends with a blank, one column before the edge. */
    if (!r->b.columns_line || (vote && vote != c->flags_end && vote + 1 != c->flags_end))
        c->flags_end = vote;
    if (!r->b.columns_line && is_first_cut(w))
        pm_block_mark(r, PM_MARK_DIGITS, w->rows[0].line);
    for (size_t i = 0; i < w->n; i++)
        add_row(r, i);
    if (w->n == 0 && w->n_footer == c->n)
        take_sums(r);
}
