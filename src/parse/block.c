/* block: the lines of the current block; when it ends, the verdict on the block, and what it lacks
 * and what was repaired, in words. */
#include "parse/block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void pm_block_open(pm_reader *r)
{
    pm_buf *texts[] = {&r->command, &r->columns, &r->missing, &r->notes};

    r->b = (pm_open){.open = true,
                     .pid = r->line <= r->hint_until ? r->hinted_pid : PMAPDB_UNKNOWN,
                     .time_ms = r->time_ms,
                     .first_line = r->line,
                     .last_line = r->line};
    r->hinted_pid = PMAPDB_UNKNOWN;
    r->n_rows = 0;
    if (r->second_line)
        pm_block_mark(r, PM_MARK_SECOND, r->second_line);
    if (r->no_date_line)
        pm_block_mark(r, PM_MARK_NO_DATE, r->no_date_line);
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        r->b.tool[i] = PMAPDB_UNKNOWN;
    r->b.sum.present = ~(uint64_t)0;
    pm_hash_parts_begin(&r->hash);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        pm_buf_clear(texts[i]);
    if (r->starts.used)
        pm_map_clear(&r->starts);
    r->smaps.open = r->smaps.any_key = r->smaps.blank_ends = false;
    r->smaps.common = 0;
    r->smaps.remembers = r->pool->n_mappings > 0;
    pm_buf_clear(&r->wide.text);
    r->wide.n = r->wide.n_footer = 0;
}

void pm_block_mark(pm_reader *r, pm_mark mark, uint64_t line)
{
    if (!r->b.mark[mark].n++)
        r->b.mark[mark].line = line;
}

void pm_block_bad(pm_reader *r, uint64_t line, const char *why)
{
    /* a held row is judged after a damaged line that follows it */
    if (!r->b.mark[PM_MARK_BAD].n++ || line < r->b.mark[PM_MARK_BAD].line) {
        r->b.mark[PM_MARK_BAD].line = line;
        r->b.bad_why = why;
    }
}

void pm_block_missing(pm_reader *r, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pm_check(r, pm_buf_addf(&r->missing, r->err, "%s%s", r->missing.len ? "; " : "", text));
}

/* ---- lines ---- */

/* Makes all lines up to the current line part of the block. A strange line among them becomes a
 * gap. */
static void go_on(pm_reader *r)
{
    r->b.last_line = r->line;
    if (r->b.mark[PM_MARK_STRANGE].n && !r->b.mark[PM_MARK_GAP].n)
        pm_block_mark(r, PM_MARK_GAP, r->b.mark[PM_MARK_STRANGE].line);
}

static void add_to_hash(pm_reader *r, const char *p, size_t n)
{
    if (!r->unhashed)
        pm_hash_parts_add(&r->hash, p, n);
}

void pm_block_lines(pm_reader *r, const char *p, size_t n)
{
    go_on(r);
    add_to_hash(r, p, n);
}

void pm_block_line(pm_reader *r)
{
    go_on(r);
    r->b.worn |= r->worn;
    if (r->raw.len)
        add_to_hash(r, r->raw.data, r->raw.len);
    add_to_hash(r, "\n", 1);
}

/* ---- sums without rows ---- */

/* Takes the sums from a footer or from smaps_rollup. In smaps_rollup the keys belong to its one
 * row. */
static void take_totals(pm_reader *r)
{
    static const enum pm_field taken[] = {PM_SIZE, PM_RSS, PM_PSS, PM_SWAP, PM_PRIVATE_DIRTY};
    pm_open *b = &r->b;
    int64_t *tool = b->tool;

    b->state = PM_STATE_TOTALS;
    b->sum = (pm_mapping){0};
    for (int i = 0; i < PM_FIELD_COUNT && b->rollup; i++)
        if (i != PM_SIZE && pm_has(&r->smaps.row, PM_BIT(i)))
            tool[i] = (int64_t)r->smaps.row.value[i];
    /* A kernel without the keys that pmap -x adds up (WSL1) leaves its sums at 0. */
    if (tool[PM_SIZE] > 0 && tool[PM_RSS] == 0)
        tool[PM_RSS] = tool[PM_DIRTY] = PMAPDB_UNKNOWN;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (tool[taken[i]] != PMAPDB_UNKNOWN)
            pm_set(&b->sum, taken[i], (uint64_t)tool[taken[i]]);
    if (tool[PM_PRIVATE_CLEAN] != PMAPDB_UNKNOWN && pm_has(&b->sum, PM_BIT(PM_PRIVATE_DIRTY)))
        pm_set(&b->sum, PM_PRIVATE_CLEAN, (uint64_t)tool[PM_PRIVATE_CLEAN]);
    b->fields = b->sum.present;
}

static pm_totals totals_of(const pm_reader *r)
{
    const pm_open *b = &r->b;
    pm_totals t;

    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        t.v[i] = pm_total_of(&b->sum, (enum pm_total)i);
    t.v[PM_TOTAL_MAPPINGS] = b->state == PM_STATE_TOTALS ? PMAPDB_UNKNOWN : (int64_t)r->n_rows;
    return t;
}

static bool has_totals(const pm_reader *r)
{
    const pm_open *b = &r->b;

    if (b->refused || b->mark[PM_MARK_BAD].n || b->mark[PM_MARK_CUT].n)
        return false;
    if (b->rollup)
        return pm_has(&r->smaps.row, PM_BIT(PM_RSS)) && !r->smaps.bad;
    return b->footer && b->n_rows == 0 && b->tool[PM_SIZE] > 0;
}

/* ---- the words: facts about versions come from the sources of procps 3.2.0 to 4.0.6 ---- */

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

static void explain_missing(pm_reader *r)
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
    if (b->columns_line && !b->footer && (b->rows == PM_LINE_NARROW || b->rule || r->lines.unended))
        pm_block_missing(r, "no footer: the end is missing");
    pm_check(r, pm_buf_status(&r->missing, r->err));
}

static void explain(pm_reader *r, pm_dialect dialect)
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

/* ---- the verdict ---- */

static pm_dialect dialect_of(const pm_reader *r)
{
    const uint64_t only_xx = PM_BIT(PM_KERNEL_PAGE) | PM_HAS_FLAGS;
    const pm_open *b = &r->b;

    if (b->rollup)
        return PM_DIALECT_ROLLUP;
    switch (b->rows) {
    case PM_LINE_RANGE:
        return r->smaps.any_key ? PM_DIALECT_SMAPS : PM_DIALECT_MAPS;
    case PM_LINE_WIDE:
        return b->fields & only_xx || b->tool[PM_KERNEL_PAGE] != PMAPDB_UNKNOWN ? PM_DIALECT_PMAP_XX
                                                                                : PM_DIALECT_PMAP_X;
    case PM_LINE_NARROW:
        return b->dialect == PM_DIALECT_PMAP && b->style.tool_names ? PM_DIALECT_TOYBOX
                                                                    : b->dialect;
    default:
        return b->footer ? b->dialect : PM_DIALECT_COUNT;
    }
}

/* True for the header that busybox prints for a process that does not exist. */
static bool is_gone(const pm_reader *r)
{
    return pm_text_equal(pm_buf_text(&r->command), PM_TEXT("[?]")) && !r->b.columns_line;
}

/* Returns why a block has no rows. */
static const char *empty_reason(const pm_reader *r)
{
    pm_text command = pm_buf_text(&r->command);

    if (r->b.refused || r->b.empty)
        return r->b.refused ? r->b.refused : r->b.empty;
    if (r->b.n_rows)
        return "no row could be read";
    if (is_gone(r))
        return "the process is gone";
    return pm_text_starts(command, PM_TEXT("[")) && pm_text_ends(command, PM_TEXT("]"))
               ? "kernel thread"
               : "no mappings: kernel thread or no permission";
}

static void tell(pm_reader *r)
{
    const pm_open *b = &r->b;
    bool none = r->n_rows == 0 && b->state != PM_STATE_TOTALS;
    pm_dialect dialect = dialect_of(r);
    pm_block block;

    explain(r, dialect);
    block = (pm_block){.dialect = dialect,
                       .pid = b->pid,
                       .command = pm_buf_text(&r->command),
                       .time_ms = b->time_ms,
                       .first_line = b->first_line,
                       .last_line = b->last_line,
                       .fields = b->fields,
                       .checked = none ? PM_CHECKED_NONE : b->checked,
                       .state = b->state == PM_STATE_TOTALS ? PM_STATE_TOTALS
                                : r->missing.len            ? PM_STATE_PARTIAL
                                                            : PM_STATE_COMPLETE,
                       .totals = totals_of(r),
                       .tool_size_kib = b->tool[PM_SIZE],
                       .tool_rss_kib = b->tool[PM_RSS],
                       .overlaps = b->overlaps,
                       .ordered = !b->goes_back,
                       .missing = pm_buf_text(&r->missing),
                       .notes = pm_buf_text(&r->notes),
                       .empty = pm_text_of(none ? empty_reason(r) : ""),
                       .foreign = none && (b->refused || b->n_rows),
                       .hash = pm_hash_parts_end(&r->hash)};

    if (r->st == PMAPDB_OK)
        pm_check(r, r->on_block(r->ctx, &block, r->rows, r->n_rows, r->err));
}

/* True if the block was not a capture: a line like a header without rows after it, or "16: 17," in
 * a table of numbers, where every line that followed began like a row but was not a row. */
static bool is_nothing(const pm_reader *r)
{
    const pm_open *b = &r->b;

    if (b->rows != PM_LINE_OTHER || b->empty || b->refused || b->footer)
        return false;
    if (b->n_rows)
        return b->tentative && !b->columns_line;
    return !b->pid_line || (b->tentative && !is_gone(r));
}

void pm_block_end(pm_reader *r)
{
    pm_open *b = &r->b;

    if (!b->open || is_nothing(r)) {
        if (b->open && (!b->pid_line || b->word_for_pid))
            r->hinted_pid = b->pid; /* the block did not use it */
        r->foreign += b->open ? b->pid_line + b->columns_line : 0;
        b->open = false;
        return;
    }
    if (!b->refused && b->rows == PM_LINE_RANGE && !b->rollup)
        pm_smaps_close(r, true);
    if (!b->refused &&
        (b->rows == PM_LINE_WIDE || (b->footer && b->rows == PM_LINE_OTHER && b->rule)))
        pm_wide_end(r);
    pm_block_flush(r);
    if (has_totals(r))
        take_totals(r);
    if (r->n_rows) {
        if (b->footer)
            pm_footer_check(r);
        explain_missing(r);
    }
    tell(r);
    b->open = false;
}
