/* block: the sums of the block at hand, its hash, and what it is worth when it ends. */
#include "parse/block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void pm_block_open(pm_reader *r)
{
    r->b = (pm_open){.open = true,
                     .pid = pm_words_pid(r),
                     .time_ms = r->time_ms,
                     .first_line = r->line,
                     .last_line = r->line};
    r->hinted_pid = PMAPDB_UNKNOWN;
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        r->b.tool[i] = PMAPDB_UNKNOWN;
    pm_totals_zero(&r->b.totals);
    pm_block_unhash(r);
    pm_buf_clear(&r->command);
    pm_buf_clear(&r->columns);
    pm_buf_clear(&r->missing);
    pm_buf_clear(&r->notes);
    pm_buf_clear(&r->why);
    pm_buf_clear(&r->tool);
    pm_map_clear(&r->starts);
    r->smaps.open = r->smaps.any_key = r->smaps.any_row = r->smaps.blank_ends = false;
    r->smaps.common = 0;
    pm_buf_clear(&r->wide.text);
    r->wide.n = r->wide.n_values = r->wide.due = r->wide.n_footer = 0;
}

void pm_block_bad(pm_reader *r, uint64_t line, const char *why)
{
    if (r->b.n_bad++)
        return;
    r->b.bad_line = line;
    r->b.bad_why = why;
}

#define SUM_MAX (INT64_MAX - 4 * (int64_t)PM_KIB_MAX)

/* A row whose sums could overflow is no row of a real process. */
static bool sums_fit(const pm_totals *t)
{
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        if (t->v[i] > SUM_MAX)
            return false;
    return true;
}

/* No machine has pages of less than 4 KiB: such numbers were edited or made up. */
static void note_odd(pm_open *b, const pm_mapping *m, uint64_t line)
{
    if (!((m->start | m->end) & 0xfff) && !(m->value[PM_SIZE] & 3))
        return;
    if (!b->n_odd++)
        b->odd_line = line;
}

static const char overlaps[] = "it overlaps the row before it";

static const char *row_fault(const pm_open *b, const pm_mapping *m)
{
    uint64_t any = 0; /* all bits that are set in some number */

    if (m->end <= m->start)
        return "it has no extent";
    if (m->start < b->prev_end && m->end > b->prev_start)
        return overlaps;
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        any |= m->value[i];
    for (int i = 0; any > PM_KIB_MAX && i < PM_FIELD_COUNT; i++)
        if (m->value[i] > PM_KIB_MAX)
            return "its numbers are too large";
    return sums_fit(&b->totals) && b->dirty_kib <= SUM_MAX && b->pages_kib <= SUM_MAX
               ? NULL
               : "the sums are too large";
}

/* procps 3.3.2 to 3.3.12 on Linux 4.3 and later prints each row of -x a second time, with zeroes:
 * it takes SwapPss for Swap. */
static bool is_doubled(const pm_open *b, const pm_mapping *m)
{
    return b->dialect == PM_DIALECT_PMAP_SMALL_X && b->family == PM_FAMILY_NARROW &&
           b->totals.v[PM_TOTAL_MAPPINGS] > 0 && m->start == b->prev_start && m->end == m->start &&
           m->value[PM_RSS] == 0 && m->value[PM_DIRTY] == 0 &&
           memcmp(m->perms, b->prev_perms, sizeof m->perms) == 0;
}

/* A row whose text was read before is the same mapping, and need not be looked for in the pool. */
static pmapdb_status hand_on(pm_reader *r, const pm_mapping *m, uint64_t line, pmapdb_error *err)
{
    const pm_reader_events *e = &r->events;
    pmapdb_status st = PMAPDB_OK;
    uint64_t hash = 0;
    uint32_t id;
    bool memo;

    if (!r->pool)
        return e->on_mapping ? e->on_mapping(e->ctx, m, err) : PMAPDB_OK;
    memo = r->b.family == PM_FAMILY_RANGE && pm_block_row_hash(r, line, &hash);
    if (!memo || !pm_pool_recall(r->pool, hash, &id)) {
        st = pm_pool_mapping(r->pool, m, &id, err);
        if (st == PMAPDB_OK && memo)
            st = pm_pool_note(r->pool, hash, id, err);
    }
    return st == PMAPDB_OK ? r->on_row(e->ctx, id, err) : st;
}

pmapdb_status pm_block_add(pm_reader *r, const pm_mapping *m, uint64_t line, pmapdb_error *err)
{
    pm_open *b = &r->b;
    const char *why;

    if (is_doubled(b, m)) {
        b->n_doubled++;
        return PMAPDB_OK;
    }
    why = row_fault(b, m);
    if (why) {
        b->overlaps |= why == overlaps;
        pm_block_bad(r, line, why);
        return PMAPDB_OK;
    }
    note_odd(b, m, line);
    b->goes_back |= m->start < b->prev_start;
    b->prev_start = m->start;
    b->prev_end = m->end;
    memcpy(b->prev_perms, m->perms, sizeof b->prev_perms);
    pm_totals_add(&b->totals, m);
    b->fields |= m->present;
    b->names_cut += m->name_cut;
    b->dirty_kib += (int64_t)m->value[PM_DIRTY];
    b->pages_kib += (int64_t)m->value[PM_KERNEL_PAGE];
    if (m->perms[3] == 's' && pm_has(m, PM_BIT(PM_SIZE)))
        b->shared_kib += (int64_t)m->value[PM_SIZE];
    return hand_on(r, m, line, err);
}

pmapdb_status pm_block_missing(pm_reader *r, pmapdb_error *err, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pm_buf_addf(&r->missing, err, "%s%s", r->missing.len ? "; " : "", text);
}

/* What the lines say is missing where no sum proves that nothing is. */
static pmapdb_status judge_gaps(pm_reader *r, pmapdb_error *err)
{
    const pm_open *b = &r->b;

    if (b->elided_line)
        return pm_block_missing(r, err, "line %" PRIu64 " stands for rows that were left out",
                                b->elided_line);
    if (b->gap_line)
        return pm_block_missing(
            r, err, "line %" PRIu64 " in the middle is no row: rows may be missing", b->gap_line);
    return PMAPDB_OK;
}

/* What the rows and lines themselves say is missing; the sums were compared before. */
static pmapdb_status judge(pm_reader *r, pmapdb_error *err)
{
    const pm_open *b = &r->b;
    pmapdb_status st = PMAPDB_OK;

    if (b->gave_up_line)
        st = pm_block_missing(r, err, "line %" PRIu64 ": pmap gave up in the middle",
                              b->gave_up_line);
    if (st == PMAPDB_OK && b->cut_line)
        st = pm_block_missing(r, err, "line %" PRIu64 " ends in the middle", b->cut_line);
    if (st == PMAPDB_OK && b->n_bad == 1)
        st = pm_block_missing(r, err, "line %" PRIu64 " is damaged: %s", b->bad_line, b->bad_why);
    if (st == PMAPDB_OK && b->n_bad > 1)
        st = pm_block_missing(r, err, "%" PRIu64 " damaged rows, the first is line %" PRIu64 ": %s",
                              b->n_bad, b->bad_line, b->bad_why);
    if (st == PMAPDB_OK && b->checked == PM_CHECKED_NONE)
        st = judge_gaps(r, err);
    /* Rows of -X and -XX are copied about without their sums: no fragment unless a line is cut. */
    if (st == PMAPDB_OK && b->columns_line && !b->footer &&
        (b->family == PM_FAMILY_NARROW || b->rule || r->unterminated))
        st = pm_block_missing(r, err, "no footer: the end is missing");
    return st;
}

/* ---- totals ---- */

static void add_total(pm_reader *r, enum pm_total total, enum pm_field field, int64_t kib)
{
    r->b.totals.v[total] = kib == PMAPDB_UNKNOWN ? -1 : kib;
    if (kib != PMAPDB_UNKNOWN)
        r->b.fields |= PM_BIT(field);
}

/* Only sums: those of a footer, or of smaps_rollup, whose row the keys belong to. */
static void take_totals(pm_reader *r)
{
    pm_open *b = &r->b;

    b->state = PM_STATE_TOTALS;
    b->fields = 0;
    if (b->rollup)
        for (int i = 0; i < PM_FIELD_COUNT; i++)
            if (i != PM_SIZE && pm_has(&r->smaps.row, PM_BIT(i)))
                b->tool[i] = (int64_t)r->smaps.row.value[i];
    /* A kernel without the keys that pmap -x adds up (WSL1) leaves its sums at 0. */
    if (b->tool[PM_SIZE] > 0 && b->tool[PM_RSS] == 0)
        b->tool[PM_RSS] = b->tool[PM_DIRTY] = PMAPDB_UNKNOWN;
    b->totals.v[PM_TOTAL_MAPPINGS] = -1;
    add_total(r, PM_TOTAL_SIZE, PM_SIZE, b->tool[PM_SIZE]);
    add_total(r, PM_TOTAL_RSS, PM_RSS, b->tool[PM_RSS]);
    add_total(r, PM_TOTAL_PSS, PM_PSS, b->tool[PM_PSS]);
    add_total(r, PM_TOTAL_PRIVATE_DIRTY, PM_PRIVATE_DIRTY, b->tool[PM_PRIVATE_DIRTY]);
    add_total(r, PM_TOTAL_PRIVATE, PM_PRIVATE_CLEAN,
              b->tool[PM_PRIVATE_CLEAN] == PMAPDB_UNKNOWN ||
                      b->tool[PM_PRIVATE_DIRTY] == PMAPDB_UNKNOWN
                  ? PMAPDB_UNKNOWN
                  : b->tool[PM_PRIVATE_CLEAN] + b->tool[PM_PRIVATE_DIRTY]);
    add_total(r, PM_TOTAL_SWAP, PM_SWAP, b->tool[PM_SWAP]);
}

static bool has_totals(const pm_reader *r)
{
    const pm_open *b = &r->b;

    if (b->refused || b->n_bad || b->cut_line)
        return false;
    if (b->rollup)
        return pm_has(&r->smaps.row, PM_BIT(PM_RSS)) && !r->smaps.bad;
    return b->footer && b->n_rows == 0 && b->tool[PM_SIZE] > 0;
}

/* ---- the verdict ---- */

static pm_dialect dialect_of(const pm_reader *r)
{
    const uint64_t only_xx = PM_BIT(PM_KERNEL_PAGE) | PM_HAS_FLAGS;

    if (r->b.rollup)
        return PM_DIALECT_ROLLUP;
    switch (r->b.family) {
    case PM_FAMILY_RANGE:
        return r->smaps.any_key ? PM_DIALECT_SMAPS : PM_DIALECT_MAPS;
    case PM_FAMILY_WIDE:
        return r->b.fields & only_xx || r->b.tool[PM_KERNEL_PAGE] != PMAPDB_UNKNOWN
                   ? PM_DIALECT_PMAP_XX
                   : PM_DIALECT_PMAP_X;
    case PM_FAMILY_NARROW:
        return r->b.dialect == PM_DIALECT_PMAP && r->b.tool_names ? PM_DIALECT_TOYBOX
                                                                  : r->b.dialect;
    case PM_FAMILY_NONE:
        break;
    }
    return r->b.footer ? r->b.dialect : PM_DIALECT_COUNT;
}

/* busybox prints it of a process that is not there. */
static bool is_gone(const pm_reader *r)
{
    return pm_text_equal(pm_buf_text(&r->command), PM_TEXT("[?]")) && !r->b.columns_line;
}

/* Why a block without rows has none. */
static pm_text empty_reason(const pm_reader *r)
{
    pm_text command = pm_buf_text(&r->command);

    if (r->b.refused)
        return pm_text_of(r->b.refused);
    if (r->b.empty)
        return pm_text_of(r->b.empty);
    if (r->b.n_rows)
        return PM_TEXT("no row could be read");
    if (is_gone(r))
        return PM_TEXT("the process is gone");
    if (pm_text_starts(command, PM_TEXT("[")) && pm_text_ends(command, PM_TEXT("]")))
        return PM_TEXT("kernel thread");
    return PM_TEXT("no mappings: kernel thread or no permission");
}

static pmapdb_status tell(pm_reader *r, pmapdb_error *err)
{
    const pm_open *b = &r->b;
    bool none = b->totals.v[PM_TOTAL_MAPPINGS] == 0;
    pm_block block = {.dialect = dialect_of(r),
                      .pid = b->pid,
                      .command = pm_buf_text(&r->command),
                      .time_ms = b->time_ms,
                      .first_line = b->first_line,
                      .last_line = b->last_line,
                      .fields = b->fields,
                      .checked = none ? PM_CHECKED_NONE : b->checked,
                      .totals = b->totals,
                      .tool_size_kib = b->tool[PM_SIZE],
                      .tool_rss_kib = b->tool[PM_RSS],
                      .overlaps = b->overlaps};
    pmapdb_status st = pm_explain(r, block.dialect, &block.confidence, err);

    if (st != PMAPDB_OK)
        return st;
    block.missing = pm_buf_text(&r->missing);
    block.notes = pm_buf_text(&r->notes);
    block.why = pm_buf_text(&r->why);
    block.tool = pm_buf_text(&r->tool);
    block.state = b->state == PM_STATE_TOTALS ? PM_STATE_TOTALS
                  : block.missing.len         ? PM_STATE_PARTIAL
                                              : PM_STATE_COMPLETE;
    if (none)
        block.empty = empty_reason(r);
    block.foreign = none && (b->refused || b->n_rows);
    block.hash = pm_block_hash(r);
    return r->events.on_block ? r->events.on_block(r->events.ctx, &block, err) : PMAPDB_OK;
}

/* A line like a header that nothing followed was none; nor was "16: 17," in a table of numbers,
 * when all that followed begins like rows and is none. */
static bool is_nothing(const pm_reader *r)
{
    const pm_open *b = &r->b;

    if (b->family != PM_FAMILY_NONE || b->empty || b->refused || b->footer)
        return false;
    if (b->n_rows)
        return b->tentative && !b->columns_line;
    return !b->pid_line || (b->tentative && !is_gone(r));
}

pmapdb_status pm_block_end(pm_reader *r, pmapdb_error *err)
{
    pm_open *b = &r->b;
    pmapdb_status st = PMAPDB_OK;

    if (!b->open)
        return PMAPDB_OK;
    if (is_nothing(r)) {
        if (!b->pid_line || b->word_for_pid)
            r->hinted_pid = b->pid; /* not used after all */
        r->foreign += b->pid_line + b->columns_line;
        b->open = false;
        return PMAPDB_OK;
    }
    if (!b->refused && b->family == PM_FAMILY_RANGE && !b->rollup)
        st = pm_smaps_end(r, err);
    if (st == PMAPDB_OK && !b->refused &&
        (b->family == PM_FAMILY_WIDE || (b->footer && b->family == PM_FAMILY_NONE && b->rule)))
        st = pm_wide_end(r, err);
    if (has_totals(r))
        take_totals(r);
    if (st == PMAPDB_OK && b->footer && b->totals.v[PM_TOTAL_MAPPINGS] > 0)
        st = pm_footer_check(r, err);
    if (st == PMAPDB_OK && b->totals.v[PM_TOTAL_MAPPINGS] > 0)
        st = judge(r, err);
    if (st == PMAPDB_OK)
        st = tell(r, err);
    b->open = false;
    return st;
}
