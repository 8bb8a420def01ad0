/* explain: says in words what a block lacks and what was repaired. The facts about versions come
 * from the sources of procps 3.2.0 to 4.0.6. */
#include "parse/block.h"

#include <inttypes.h>

static const char *const sentences[PM_MARK_COUNT] = {
#define PM_MARK(id, sentence) sentence,
#include "parse/marks.def"
#undef PM_MARK
};

static void add(pm_buf *out, const char *text)
{
    pm_buf_add(out, text, strlen(text), NULL);
}

static void add_sentence(const pm_open *b, pm_mark mark, const char *between, pm_buf *out)
{
    if (out->len)
        add(out, between);
    for (const char *p = sentences[mark]; *p; p++) {
        if (*p == '#' || *p == '@')
            pm_buf_addf(out, NULL, "%" PRIu64, *p == '#' ? b->mark[mark].n : b->mark[mark].line);
        else
            pm_buf_add(out, p, 1, NULL);
    }
}

/* ---- what is missing ---- */

void pm_explain_missing(pm_reader *r)
{
    const pm_open *b = &r->b;

    for (pm_mark mark = PM_MARK_GAVE_UP; mark < PM_MARK_BAD; mark++)
        if (b->mark[mark].n)
            add_sentence(b, mark, "; ", &r->missing);
    if (b->mark[PM_MARK_BAD].n == 1) {
        pm_block_missing(r, "line %" PRIu64 " is damaged: %s", b->mark[PM_MARK_BAD].line,
                         b->bad_why);
    } else if (b->mark[PM_MARK_BAD].n) {
        add_sentence(b, PM_MARK_BAD, "; ", &r->missing);
        add(&r->missing, b->bad_why);
    }
    /* gaps count only where no sum proves that nothing is missing */
    if (b->checked == PM_CHECKED_NONE && b->mark[PM_MARK_ELIDED].n)
        add_sentence(b, PM_MARK_ELIDED, "; ", &r->missing);
    else if (b->checked == PM_CHECKED_NONE && b->mark[PM_MARK_GAP].n)
        add_sentence(b, PM_MARK_GAP, "; ", &r->missing);
    /* People often copy rows of -X and -XX without the sums. Such a block is complete unless a line
     * is cut. */
    if (b->columns_line && !b->footer && (b->rows == PM_LINE_NARROW || b->rule || r->unterminated))
        pm_block_missing(r, "no footer: the end is missing");
    pm_check(r, pm_buf_status(&r->missing, r->err));
}

/* ---- all ---- */

void pm_explain(pm_reader *r, pm_dialect dialect)
{
    pm_open *b = &r->b;
    bool wide = b->rows == PM_LINE_WIDE, headed_wide = wide && b->columns_line;

    b->mark[PM_MARK_NO_HEADER].n = wide && !headed_wide;
    b->mark[PM_MARK_NO_NAMES].n = headed_wide && !r->wide.columns.has_name;
    b->mark[PM_MARK_UNPROVED].n = headed_wide && !b->footer;
    b->mark[PM_MARK_ORDER].n = b->goes_back;
    if (b->mark[PM_MARK_STRANGE].line == b->last_line + 1)
        b->mark[PM_MARK_AFTER] = b->mark[PM_MARK_STRANGE];
    for (pm_mark mark = PM_MARK_ABOVE; mark <= PM_MARK_NO_END; mark++)
        if (b->checked == PM_CHECKED_FOOTER || b->mark[PM_MARK_CUT].n)
            b->mark[mark].n = 0;
    b->mark[PM_MARK_BUSYBOX].n = dialect == PM_DIALECT_BUSYBOX || dialect == PM_DIALECT_BUSYBOX_X;
    for (pm_mark mark = PM_MARK_DOUBLED; mark < PM_MARK_COUNT; mark++)
        if (b->mark[mark].n || (mark >= PM_MARK_COLOUR && b->worn >> (mark - PM_MARK_COLOUR) & 1))
            add_sentence(b, mark, "\n", &r->notes);
    pm_check(r, pm_buf_status(&r->notes, r->err));
}
