/* block: the sums of the block at hand, its hash, and what it is worth when it ends. */
#include "parse/block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void pm_block_open(pm_reader *r)
{
    r->b = (pm_open){.open = true,
                     .pid = PMAPDB_UNKNOWN,
                     .time_ms = r->time_ms,
                     .first_line = r->line,
                     .last_line = r->line,
                     .tool_size_kib = PMAPDB_UNKNOWN,
                     .tool_rss_kib = PMAPDB_UNKNOWN,
                     .tool_dirty_kib = PMAPDB_UNKNOWN};
    pm_totals_zero(&r->b.totals);
    XXH3_64bits_reset(r->hash);
    pm_buf_clear(&r->command);
    pm_buf_clear(&r->columns);
    pm_buf_clear(&r->missing);
    r->smaps.open = r->smaps.any_key = r->smaps.any_row = r->smaps.blank_ends = false;
    r->smaps.common = 0;
    pm_buf_clear(&r->wide.text);
    r->wide.n = r->wide.n_footer = 0;
}

void pm_block_flush(pm_reader *r)
{
    if (r->run != r->run_end)
        XXH3_64bits_update(r->hash, r->run, (size_t)(r->run_end - r->run));
    r->run = r->run_end = NULL;
}

void pm_block_bytes(pm_reader *r, const char *p, size_t n)
{
    if (p != r->run_end) {
        pm_block_flush(r);
        r->run = p;
    }
    r->run_end = p + n;
    r->b.last_line = r->line;
}

void pm_block_line(pm_reader *r, pm_text line)
{
    if (r->b.strange_line && !r->b.gap_line)
        r->b.gap_line = r->b.strange_line;
    r->b.last_line = r->line;
    if ((uintptr_t)line.data >= (uintptr_t)r->chunk &&
        (uintptr_t)line.data < (uintptr_t)r->chunk_end) {
        pm_block_bytes(r, line.data, line.len + 1);
        return;
    }
    XXH3_64bits_update(r->hash, line.data, line.len);
    XXH3_64bits_update(r->hash, "\n", 1);
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

static const char *row_fault(const pm_open *b, const pm_mapping *m)
{
    if (m->end <= m->start)
        return "it has no extent";
    if (m->start < b->prev_end && m->end > b->prev_start)
        return "it overlaps the row before it";
    for (int i = 0; i < PM_FIELD_COUNT; i++)
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

pmapdb_status pm_block_add(pm_reader *r, const pm_mapping *m, uint64_t line, pmapdb_error *err)
{
    pm_open *b = &r->b;
    const char *why;

    if (is_doubled(b, m))
        return PMAPDB_OK;
    why = row_fault(b, m);
    if (why) {
        pm_block_bad(r, line, why);
        return PMAPDB_OK;
    }
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
    return r->events.on_mapping ? r->events.on_mapping(r->events.ctx, m, err) : PMAPDB_OK;
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

/* What the rows and lines themselves say is missing; the sums were compared before. */
static pmapdb_status judge(pm_reader *r, pmapdb_error *err)
{
    const pm_open *b = &r->b;
    pmapdb_status st = PMAPDB_OK;

    if (b->cut_line)
        st = pm_block_missing(r, err, "line %" PRIu64 " ends in the middle", b->cut_line);
    if (st == PMAPDB_OK && b->n_bad == 1)
        st = pm_block_missing(r, err, "line %" PRIu64 " is damaged: %s", b->bad_line, b->bad_why);
    if (st == PMAPDB_OK && b->n_bad > 1)
        st = pm_block_missing(r, err, "%" PRIu64 " damaged rows, the first is line %" PRIu64 ": %s",
                              b->n_bad, b->bad_line, b->bad_why);
    if (st == PMAPDB_OK && b->gap_line && b->checked == PM_CHECKED_NONE)
        st = pm_block_missing(
            r, err, "line %" PRIu64 " in the middle is no row: rows may be missing", b->gap_line);
    if (st == PMAPDB_OK && b->columns_line && !b->footer)
        st = pm_block_missing(r, err, "no footer: the end is missing");
    return st;
}

static pm_dialect dialect_of(const pm_reader *r)
{
    const uint64_t only_xx = PM_BIT(PM_KERNEL_PAGE) | PM_HAS_FLAGS;

    switch (r->b.family) {
    case PM_FAMILY_RANGE:
        return r->smaps.any_key ? PM_DIALECT_SMAPS : PM_DIALECT_MAPS;
    case PM_FAMILY_WIDE:
        return r->b.fields & only_xx ? PM_DIALECT_PMAP_XX : PM_DIALECT_PMAP_X;
    case PM_FAMILY_NARROW:
        return r->b.dialect;
    case PM_FAMILY_NONE:
        break;
    }
    return PM_DIALECT_COUNT;
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
                      .tool_size_kib = b->tool_size_kib,
                      .tool_rss_kib = b->tool_rss_kib,
                      .names_cut = b->names_cut,
                      .missing = pm_buf_text(&r->missing)};

    block.state = block.missing.len ? PM_STATE_PARTIAL : PM_STATE_COMPLETE;
    if (none)
        block.empty = empty_reason(r);
    block.foreign = none && (b->refused || b->n_rows);
    pm_block_flush(r);
    block.hash = XXH3_64bits_digest(r->hash);
    return r->events.on_block ? r->events.on_block(r->events.ctx, &block, err) : PMAPDB_OK;
}

pmapdb_status pm_block_end(pm_reader *r, pmapdb_error *err)
{
    pm_open *b = &r->b;
    pmapdb_status st = PMAPDB_OK;

    if (!b->open)
        return PMAPDB_OK;
    /* A line like a header that nothing followed was none. */
    if (b->family == PM_FAMILY_NONE && !b->empty && !b->n_rows && (!b->pid_line || b->tentative)) {
        r->foreign += b->pid_line + b->columns_line;
        pm_block_flush(r);
        b->open = false;
        return PMAPDB_OK;
    }
    if (!b->refused && b->family == PM_FAMILY_RANGE)
        st = pm_smaps_end(r, err);
    if (st == PMAPDB_OK && !b->refused && b->family == PM_FAMILY_WIDE)
        st = pm_wide_end(r, err);
    if (st == PMAPDB_OK && b->footer && b->totals.v[PM_TOTAL_MAPPINGS])
        st = pm_footer_check(r, err);
    if (st == PMAPDB_OK && b->totals.v[PM_TOTAL_MAPPINGS])
        st = judge(r, err);
    if (st == PMAPDB_OK)
        st = tell(r, err);
    b->open = false;
    return st;
}
