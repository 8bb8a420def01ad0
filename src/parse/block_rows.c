/* block_rows: the rows of the current block: which of them count, their sums, and their ids in the
 * pool. */
#include "parse/block.h"

#include <limits.h>

static const char *row_fault(pm_open *b, const pm_mapping *m)
{
    uint64_t any = 0; /* all bits that are set in any of the numbers */

    if (m->end <= m->start)
        return "it has no extent";
    if (m->path.len && memchr(m->path.data, ' ', m->path.len) &&
        (pm_guess_has_perms(m->path, INT_MAX) ||
         (pm_text_ends(m->path, PM_TEXT(" kB")) && memchr(m->path.data, ':', m->path.len))))
        return "it contains a second line";
    if (b->prev && m->start < b->prev->end && m->end > b->prev->start) {
        b->overlaps = true;
        return "it overlaps the row before it";
    }
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        any |= m->value[i];
    for (int i = 0; any > PM_KIB_MAX && i < PM_FIELD_COUNT; i++)
        if (m->value[i] > PM_KIB_MAX)
            return "its numbers are too large";
    /* no row of a real process makes a sum overflow */
    return b->any_sum_bit >> 62 ? "the sums are too large" : NULL;
}

/* procps 3.3.2 to 3.3.12 on Linux 4.3 and later print each row of -x twice, the second time with
 * zeroes, because they mistake SwapPss for Swap. */
static bool is_doubled(const pm_open *b, const pm_mapping *m)
{
    return b->dialect == PM_DIALECT_PMAP_SMALL_X && b->rows == PM_LINE_NARROW && b->prev &&
           m->start == b->prev->start && m->end == m->start && m->value[PM_RSS] == 0 &&
           m->value[PM_DIRTY] == 0 && memcmp(m->perms, b->prev->perms, sizeof m->perms) == 0;
}

static void hold(pm_reader *r, const pm_mapping *m, uint64_t line)
{
    pm_open *b = &r->b;

    b->held_line = line;
    b->held_id = r->smaps.id;
    if (b->rows != PM_LINE_RANGE || !r->smaps.known)
        pm_check(r, pm_pool_mapping(r->pool, m, &b->held_id, r->err));
    b->held = r->st == PMAPDB_OK ? &r->pool->mappings[b->held_id]->m : NULL;
}

static void add_up(pm_open *b, const pm_mapping *m)
{
    const uint64_t *restrict value = m->value; /* restrict: the compiler adds several at once */
    uint64_t *restrict sum = b->sum.value, any = 0;

    b->fields |= m->present;
    b->sum.present &= m->present;
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        any |= sum[i] += value[i];
    b->any_sum_bit |= any;
}

void pm_block_flush(pm_reader *r)
{
    pm_open *b = &r->b;
    const pm_mapping *m = b->held;
    uint64_t line = b->held_line;
    const char *why;

    b->held = NULL;
    if (!m)
        return;
    if (is_doubled(b, m)) {
        pm_block_mark(r, PM_MARK_DOUBLED, line);
        return;
    }
    why = row_fault(b, m);
    if (why) {
        pm_block_bad(r, line, why);
        return;
    }
    /* No machine has pages smaller than 4 KiB, so such numbers were edited or made up. */
    if (((m->start | m->end) & 0xfff) || (m->value[PM_SIZE] & 3))
        pm_block_mark(r, PM_MARK_ODD, line);
    if (m->name_cut)
        pm_block_mark(r, PM_MARK_NAME_CUT, line);
    b->goes_back |= b->prev && m->start < b->prev->start;
    b->prev = m;
    add_up(b, m);
    if (m->perms[3] == 's' && pm_has(m, PM_BIT(PM_SIZE)))
        b->shared_kib += (int64_t)m->value[PM_SIZE];
    pm_check(r, pm_grow(&r->rows, &r->cap_rows, r->n_rows, sizeof *r->rows, r->err));
    if (r->st == PMAPDB_OK)
        r->rows[r->n_rows++] = b->held_id;
}

void pm_block_add(pm_reader *r, const pm_mapping *m, uint64_t line)
{
    pm_open *b = &r->b;

    if (b->held && pm_block_grew(b->held, m)) {
        pm_block_mark(r, PM_MARK_GROWN, line);
        pm_block_add_up(b->held, b->again);
    } else {
        pm_block_flush(r);
    }
    hold(r, m, line);
}

void pm_block_add_up(const pm_mapping *m, uint64_t sums[PM_FIELD_COUNT])
{
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        sums[i] += m->value[i] <= PM_KIB_MAX ? m->value[i] : 0;
}
