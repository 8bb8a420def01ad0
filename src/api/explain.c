/* explain: how each block in the files is read, and why; stores nothing. */
#include "api/blocks.h"
#include "api/event.h"

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

/* An error about a whole file has no block, so its event has only the error. */
static pmapdb_explain_event event_of(const pm_found_block *found)
{
    const pm_block *b = &found->capture.block;
    bool stored = !found->error, known = b->dialect != PM_DIALECT_COUNT;

    if (found->number == PMAPDB_UNKNOWN)
        return (pmapdb_explain_event){.path = found->path ? found->path : "",
                                      .error = found->error,
                                      .first_line = PMAPDB_UNKNOWN,
                                      .last_line = PMAPDB_UNKNOWN,
                                      .pid = PMAPDB_UNKNOWN,
                                      .mappings = PMAPDB_UNKNOWN,
                                      .size_kib = PMAPDB_UNKNOWN};
    return (pmapdb_explain_event){
        .path = found->path,
        .error = found->error,
        .first_line = (int64_t)b->first_line,
        .last_line = (int64_t)b->last_line,
        .pid = found->capture.pid,
        .dialect = known ? pm_dialect_name(b->dialect) : NULL,
        .tool = stored ? or_null(b->tool.data) : NULL,
        .confidence = stored ? pm_confidence_name(b->confidence) : NULL,
        .state = stored ? pm_state_name(b->state) : NULL,
        .checked = stored ? pm_checked_name(b->checked) : NULL,
        .missing = stored ? or_null(b->missing.data) : NULL,
        .mappings = stored ? pm_total_known(b->totals.v[PM_TOTAL_MAPPINGS]) : PMAPDB_UNKNOWN,
        .size_kib = stored ? pm_total_known(b->totals.v[PM_TOTAL_SIZE]) : PMAPDB_UNKNOWN,
    };
}

static pmapdb_status tell(const pmapdb_explain_options *options, const pm_found_block *found,
                          pmapdb_error *err)
{
    const char *why[PM_LINES_MAX], *notes[PM_LINES_MAX];
    pmapdb_explain_event event = event_of(found);

    event.n_why = pm_lines_split((char *)found->capture.block.why.data, why);
    event.why = why;
    event.n_notes = pm_lines_split((char *)found->capture.block.notes.data, notes);
    event.notes = notes;
    return !options->on_event || options->on_event(options->ctx, &event)
               ? PMAPDB_OK
               : pm_fail(err, PMAPDB_STOPPED, "stopped");
}

pmapdb_status pmapdb_explain(const char *const *paths, size_t n_paths,
                             const pmapdb_explain_options *options, pmapdb_explain_result *result,
                             pmapdb_error *err)
{
    const pm_blocks_options how = {.paths = paths,
                                   .n_paths = n_paths,
                                   .dialect = options->dialect,
                                   .every_file = true,
                                   .max_memory = options->max_memory};
    pm_blocks *blocks = NULL;
    pmapdb_explain_result counted = {0};
    pmapdb_error local;
    pmapdb_status st = pm_blocks_new(&how, &blocks, err = err ? err : &local);

    while (st == PMAPDB_OK) {
        pm_found_block *found = NULL;

        st = pm_blocks_next(blocks, &found, err);
        if (!found)
            break;
        counted.captures += !found->error;
        counted.refused += found->error != NULL;
        st = tell(options, found, err);
        pm_found_block_free(found);
    }
    if (blocks)
        counted.trouble = pm_blocks_trouble(blocks);
    *result = counted;
    pm_blocks_free(blocks);
    return st;
}
