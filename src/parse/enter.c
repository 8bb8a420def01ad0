/* enter: which block a row belongs to: the one at hand, or one that begins with it. */
#include "parse/block.h"

bool pm_is_wanted(const pm_reader *r, pm_family family, pm_dialect dialect)
{
    switch (family) {
    case PM_FAMILY_RANGE:
        return r->only == PM_DIALECT_COUNT || r->only == PM_DIALECT_SMAPS ||
               r->only == PM_DIALECT_MAPS || r->only == PM_DIALECT_ROLLUP;
    case PM_FAMILY_WIDE:
        return r->only == PM_DIALECT_COUNT || r->only == PM_DIALECT_PMAP_XX ||
               r->only == PM_DIALECT_PMAP_X;
    default: /* toybox's rows are pmap's but for the names */
        return r->only == PM_DIALECT_COUNT || r->only == dialect ||
               (r->only == PM_DIALECT_TOYBOX && dialect == PM_DIALECT_PMAP);
    }
}

void pm_pass_over(pm_reader *r)
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

    if (!b->open || b->footer || b->rollup)
        return true;
    if (b->family == PM_FAMILY_NONE)
        return family == PM_FAMILY_RANGE && b->word_for_pid;
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

pmapdb_status pm_enter_row(pm_reader *r, pm_family family, pm_dialect dialect, const pm_mapping *m,
                           pmapdb_error *err)
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
