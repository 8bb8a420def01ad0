/* enter: decides whether a row belongs to the current block or begins a new block, and what other
 * lines say about the block. */
#include "parse/block.h"

#include <limits.h>

bool pm_is_wanted(const pm_reader *r, pm_line_kind rows, pm_dialect dialect)
{
    pm_dialect only = r->only;

    if (only == PM_DIALECT_COUNT)
        return true;
    if (rows == PM_LINE_RANGE)
        return only == PM_DIALECT_SMAPS || only == PM_DIALECT_MAPS || only == PM_DIALECT_ROLLUP;
    if (rows == PM_LINE_WIDE)
        return only == PM_DIALECT_PMAP_XX || only == PM_DIALECT_PMAP_X;
    /* rows of toybox differ from rows of pmap only in the names */
    return only == dialect || (only == PM_DIALECT_TOYBOX && dialect == PM_DIALECT_PMAP);
}

static bool has_header(const pm_open *b)
{
    return b->pid_line || b->columns_line;
}

bool pm_is_sorted_header(const pm_reader *r)
{
    const pm_open *b = &r->b;

    return b->open && b->n_rows && b->rows == PM_LINE_NARROW && b->last_line + 1 == r->line &&
           (b->sums_first || b->below_rule ||
            (!b->footer && b->dialect == PM_DIALECT_PMAP_SMALL_X &&
             pm_mapping_value(&b->sum, PM_RSS) == 0));
}

/* True if the current row follows its sums, which `sort -r` moves above the rows. */
static bool has_sums_above(const pm_reader *r, pm_line_kind rows, pm_dialect dialect)
{
    const pm_open *b = &r->b;

    return b->footer && b->rows == PM_LINE_OTHER && rows == PM_LINE_NARROW &&
           b->dialect == dialect && b->last_line + 1 == r->line;
}

/* True if the block already has a row at `start`. Rows of `pmap -x | sort -k3n` are in any order,
 * but each appears once; a log of captures without headers repeats addresses. */
static bool was_there(const pm_reader *r, uint64_t start)
{
    int64_t known;

    return pm_map_get(&r->starts, start, &known);
}

/* True if the row begins a block: a row of another shape, or a row with a lower address than the
 * previous row, unless the rows were sorted otherwise. */
static bool begins_block(const pm_reader *r, pm_line_kind rows, pm_dialect dialect,
                         const pm_mapping *m)
{
    const pm_open *b = &r->b;
    bool again = m->start == b->last_start, back = again || m->end <= b->last_start;

    if (!b->open || b->rollup || (b->footer && !b->sums_first))
        return !b->open || !has_sums_above(r, rows, dialect);
    if (b->rows == PM_LINE_OTHER)
        return rows == PM_LINE_RANGE && b->word_for_pid;
    if (b->rows != rows)
        return true;
    switch (rows) {
    case PM_LINE_RANGE: /* after one row, an equal start is the next capture: grep prints such ones
                         */
        return back && !(b->n_rows > 1 && r->smaps.open && pm_block_grew(r->smaps.now, m));
    case PM_LINE_NARROW:
        return !has_header(b) &&
               (b->dialect != dialect || (back && !again && was_there(r, m->start)));
    default:
        return !has_header(b) && back;
    }
}

void pm_enter_row(pm_reader *r, pm_line_kind rows, pm_dialect dialect, const pm_mapping *m)
{
    pm_open *b = &r->b;

    if (begins_block(r, rows, dialect, m)) {
        pm_block_end(r);
        pm_block_open(r);
        if (r->stray_line && r->stray_line + 1 == r->line)
            pm_block_mark(r, r->stray, r->stray_line);
    }
    if (b->rows == PM_LINE_OTHER) {
        b->sums_first = b->footer;
        b->below_rule = !has_header(b) && r->rule_line && r->rule_line + 1 == r->line;
        b->rows = rows;
        b->dialect = dialect;
    }
    b->last_start = m->start;
    b->n_rows++;
    r->any_row = true;
    if (rows == PM_LINE_NARROW && !has_header(b))
        pm_check(r, pm_map_put(&r->starts, m->start, 1, r->err));
}

/* ---- lines that are not rows ---- */

void pm_pass_over(pm_reader *r)
{
    r->foreign++;
    r->smaps.torn = true;
    if (r->b.open)
        pm_block_mark(r, PM_MARK_STRANGE, r->line);
}

void pm_bad_line(pm_reader *r, const char *why)
{
    r->b.n_rows++;
    if (r->b.rows == PM_LINE_RANGE)
        pm_smaps_broken(r, why);
    else
        pm_block_bad(r, r->line, why);
}

/* True for words with a colon, "Dynamic libraries:", which cannot be the end of a path. */
static bool is_title(pm_text t)
{
    return pm_text_ends(t, PM_TEXT(":")) && !memchr(t.data, '/', t.len) &&
           memchr(t.data, ' ', t.len) && *t.data != ' ';
}

void pm_stray_line(pm_reader *r, pm_text t, bool torn)
{
    torn |= pm_guess_has_perms(t, INT_MAX) || pm_smaps_is_key(t, true);
    if (torn && r->b.open && r->b.n_rows && !r->b.rollup && r->b.last_line + 1 == r->line) {
        pm_block_line(r);
        pm_bad_line(r, PM_BROKEN_ROW);
        return;
    }
    pm_pass_over(r);
    if (!torn && is_title(t))
        return;
    if (r->stray != PM_MARK_TOP || r->stray_line + 1 != r->line)
        r->stray = torn ? PM_MARK_TOP : PM_MARK_ABOVE;
    r->stray_line = r->line;
}

void pm_nul_line(pm_reader *r)
{
    if (r->b.open && r->b.rows != PM_LINE_OTHER) {
        pm_block_line(r);
        if (r->b.rollup)
            pm_block_mark(r, PM_MARK_CUT, r->line);
        else
            pm_bad_line(r, "it contains NUL bytes");
    } else if (r->b.open || (r->any_row && !r->nul_told)) {
        r->nul_told = true;
        if (!r->b.open)
            pm_block_open(r);
        r->b.refused = "NUL bytes in place of text: what was there is lost";
        pm_block_line(r);
        pm_block_end(r);
    } else {
        pm_pass_over(r);
        r->stray_line = r->line;
        r->stray = PM_MARK_TOP;
    }
}
