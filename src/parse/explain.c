/* explain: says in words what a block lacks and what was repaired. The facts about versions come
 * from the sources of procps 3.2.0 to 4.0.6. */
#include "parse/block.h"

#include "parse/wide.h"
#include <inttypes.h>

/* # stands for the count of the mark, @ for the line of its first occurrence. */
static const char *const sentences[PM_MARK_COUNT] = {
    [PM_MARK_GAVE_UP] = "line @: pmap gave up in the middle",
    [PM_MARK_CUT] = "line @ ends in the middle",
    [PM_MARK_TOP] = "line @ above the first row holds a piece of a row: the beginning is missing",
    [PM_MARK_DIGITS] = "line @ begins in the middle of an address",
    [PM_MARK_KEYS] = "line @ has keys that the rows before it lack",
    [PM_MARK_BAD] = "# damaged rows, the first is line @: ",
    [PM_MARK_ELIDED] = "line @ stands for rows that were left out",
    [PM_MARK_GAP] = "line @ in the middle is not a row: rows may be missing",
    [PM_MARK_DOUBLED] = "# rows are printed twice, the second time with zeroes: counted once "
                        "(procps 3.3.2 to 3.3.12 on Linux 4.3 or later)",
    [PM_MARK_GROWN] = "# mappings are printed twice, as they grew while they were read: the later "
                      "row counts",
    [PM_MARK_OUTSIDE] = "# rows of size 0 lie outside of the range of -A: left out (procps 3.3.2 "
                        "to 3.3.14)",
    [PM_MARK_ODD] = "sizes that are no whole pages (#, the first in line @): edited or made up",
    [PM_MARK_NAME_CUT] = "the tool cut # of its names at 127 bytes",
    [PM_MARK_NO_NAMES] = "no column Mapping: the names are unknown, and all counts as anonymous",
    [PM_MARK_NO_HEADER] = "no header: which number is which was told by what Linux prints",
    [PM_MARK_TRANSLATED] = "\"[ anon ]\" and \"[ stack ]\" are in another language",
    [PM_MARK_SHARED_TWICE] =
        "the footer counts shared mappings twice: # KiB taken off (procps 3.3.2 to 3.3.11)",
    [PM_MARK_MOMENT] = "rows and footer differ by # KiB, as in a running process: pmap -X reads "
                       "the map twice",
    [PM_MARK_SECOND] = "line @ goes back in time within the hour that local clocks show twice: its "
                       "second time counts",
    [PM_MARK_NO_DATE] =
        "line @ is a date that does not exist or in an unknown zone: its time is not used",
    [PM_MARK_HUGE] = "line @ spans more than 4 GiB: are digits of its address lost?",
    [PM_MARK_ABOVE] = "line @ above the first row is no row: was a row lost?",
    [PM_MARK_AFTER] = "line @ after the last row is no row: was a row lost?",
    [PM_MARK_ORDER] = "the rows are not in the order of addresses: sorted, or of several captures",
    [PM_MARK_NO_END] = "the last line has no end: were rows lost?",
    [PM_MARK_RUNS_ON] =
        "the footer goes on from the process before: that was taken off (procps before 4.0.4)",
    [PM_MARK_BELOW] = "the footer counts # KiB of RSS outside of these rows: only a range was "
                      "asked for (-A)",
    [PM_MARK_UNPROVED] = "no footer: whether rows are missing cannot be told",
    [PM_MARK_COLOUR] = "colour codes were taken off",
    [PM_MARK_QUOTE] = "\"> \" was taken off",
    [PM_MARK_CALLOUT] = "marks like <1> were taken off the names",
    [PM_MARK_BUSYBOX] =
        "busybox cuts a name at its first blank: \" (deleted)\" and what else follows is lost",
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
