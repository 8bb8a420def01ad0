/* intake_bounds: what one file may take, and where one ends that somebody is writing. */
#include "api/intake.h"

#include "api/blocks.h"
#include "base/clock.h"
#include "parse/reader.h"
#include <stdlib.h>

#define FRESH_MS 10000 /* no tool takes longer between two pieces of what it prints */

size_t pm_intake_pooled(const pm_intake *in)
{
    return pm_pool_bytes(in->pool);
}

/* Until its end nothing of a file can be stored: only then it is known to be a log without times.
 * What is at hand is counted, so that no file takes more than its share. */
pmapdb_status pm_intake_bound(const pm_intake *in, const pm_reader *reader, pmapdb_error *err)
{
    size_t pool = pm_intake_pooled(in) - in->pool_before;
    size_t held = in->held + pool + in->cap_rows * sizeof *in->rows + pm_reader_held(reader);

    return pm_blocks_within(held, in->options->max_memory, err);
}

/* Of smaps nothing else shows that rows are missing. */
static pmapdb_status mark_cut(pm_capture *c, pmapdb_error *err)
{
    char *missing;

    if (c->block.state != PM_STATE_COMPLETE || c->block.checked != PM_CHECKED_NONE)
        return PMAPDB_OK;
    missing = strdup("the file could not be read to its end: rows may be missing");
    if (!missing)
        return pm_fail_nomem(err);
    free(c->missing);
    c->missing = missing;
    c->block.missing = pm_text_of(missing);
    c->block.state = PM_STATE_PARTIAL;
    return PMAPDB_OK;
}

pmapdb_status pm_intake_finish_cut(pm_intake *in, pm_reader *reader, pmapdb_error *err)
{
    size_t n_pending = in->n_pending, n_empty = in->n_empty, n_foreign = in->n_foreign;
    pmapdb_status st = pm_reader_finish(reader, err);

    if (st != PMAPDB_OK)
        return st;
    in->n_empty = n_empty; /* a header without the rows below it is no kernel thread */
    in->n_foreign = n_foreign;
    if (n_empty == 0) {
        free(in->empty_text);
        in->empty_text = NULL;
    }
    return in->n_pending > n_pending ? mark_cut(in->pending[in->n_pending - 1].capture, err)
                                     : PMAPDB_OK;
}

/* The header of a block, with nothing below it yet. */
static bool drop_bare(pm_intake *in)
{
    if (!in->last_bare || in->n_foreign + in->n_empty > 1)
        return false;
    in->n_foreign = in->n_empty = 0;
    return true;
}

static bool drop_last(pm_intake *in)
{
    const pm_pending *last = &in->pending[in->n_pending - 1];

    if (in->last_bare || last->capture->block.checked != PM_CHECKED_NONE)
        return false;
    pm_capture_free(last->capture);
    in->n_pending--;
    return true;
}

/* A log that is written just now: what its end shows would be stored as if there were no more of
 * it, beside the whole of it when that is there. The next import finds it whole. */
pmapdb_status pm_intake_leave_begun(pm_intake *in, const pm_source *source, pmapdb_error *err)
{
    const pm_source_entry *e = in->entry;
    size_t n = in->n_pending - in->first;
    bool fresh = !e->in_archive && !e->is_stdin && pm_clock_now() - e->mtime_ms < FRESH_MS;
    bool changed = pm_source_changed(source);
    pm_state state = n ? in->pending[in->n_pending - 1].capture->block.state : PM_STATE_COMPLETE;

    if (!n || !(changed || fresh) ||
        !(drop_bare(in) || ((changed || (n > 1 && state == PM_STATE_PARTIAL)) && drop_last(in))))
        return PMAPDB_OK;
    return pm_intake_problem(in, e->path,
                             "it is being written: its last capture is left for the next import",
                             false, 0, err);
}
