/* tidy: makes a store as small as if its captures had arrived in order and the removed ones
 * never. */
#include "store/keep/tidy.h"

#include "store/dict/categories.h"
#include "store/file/space.h"
#include "store/write/stream.h"

#define ALL_SNAPSHOTS 2048 /* of whole processes, in one transaction */

void pm_tidy_some(pmapdb_store *s, bool whole)
{
    pm_sql_script(s->sql, "keep-gaps", PM_PARAMS({":whole", PM_I(whole)}));
    pm_sql_script(s->sql, "keep-move", NULL, 0);
    pm_sql_script(s->sql, "keep-lost", NULL, 0);
    pm_sql_script(
        s->sql, "keep-join",
        PM_PARAMS({":captures", PM_I(PM_EPOCH_CAPTURES)}, {":alpha", PM_I(PM_EPOCH_ALPHA)}));
    pm_sql_script(s->sql, "keep-move", NULL, 0);
    pm_sql_script(s->sql, "order", PM_PARAMS({":some", PM_I(!whole)}));
    pm_sql_script(s->sql, "keep-lineages", NULL, 0);
}

void pm_tidy_commit(pmapdb_store *s)
{
    PM_SQL_STEP(s->sql, pm_store_commit(s, &err));
    pm_store_rollback(s); /* does nothing after a commit */
}

void pm_tidy_all(pmapdb_store *s, const pm_steps *steps)
{
    int64_t most = pm_sql_value(s->sql, "SELECT max(process_id) FROM process", PM_NO_ARGS, 0);

    for (int64_t done = 0; done != PMAPDB_UNKNOWN && pm_sql_ok(s->sql);) {
        PM_SQL_STEP(s->sql, pm_steps_tell(steps, "tidying", "processes", (uint64_t)done,
                                          (uint64_t)most, &err));
        PM_SQL_STEP(s->sql, pm_store_begin(s, &err));
        pm_sql_script(s->sql, "tidy-begin", NULL, 0);
        pm_sql_script(s->sql, "keep-all",
                      PM_PARAMS({":after_id", PM_BITS(done)}, {":most", PM_I(ALL_SNAPSHOTS)}));
        done = pm_sql_value(s->sql, "SELECT max(process_id) FROM tidy_process", PM_NO_ARGS,
                            PMAPDB_UNKNOWN);
        if (done != PMAPDB_UNKNOWN)
            pm_tidy_some(s, true);
        pm_tidy_commit(s);
    }
}

void pm_tidy_rest(pmapdb_store *s, int64_t until_ms)
{
    PM_SQL_STEP(s->sql, pm_store_begin(s, &err));
    pm_sql_script(s->sql, "keep-rest", PM_PARAMS({":until_ms", PM_I(until_ms)}));
    pm_category_remove_unused(s->sql);
    pm_tidy_commit(s);
}

/* ---- compact ---- */

pmapdb_status pmapdb_compact(pmapdb_store *s, const pmapdb_compact_options *options,
                             pmapdb_compact_result *result, pmapdb_error *err)
{
    static const char epochs[] = "SELECT count(*) FROM epoch";
    pm_steps steps = {options->ctx, options->on_progress};
    pm_space space;
    pmapdb_status st = pm_store_begin_tidying(s, err);

    *result = (pmapdb_compact_result){0};
    if (st != PMAPDB_OK)
        return st;
    result->kib_before = pm_space_read(s).file_kib;
    result->epochs_before = (uint64_t)pm_sql_value(s->sql, epochs, PM_NO_ARGS, 0);
    pm_tidy_all(s, &steps);
    pm_tidy_rest(s, PMAPDB_UNKNOWN);
    result->epochs_after = (uint64_t)pm_sql_value(s->sql, epochs, PM_NO_ARGS, 0);
    if (options->vacuum)
        pm_space_vacuum(s);
    result->held = pm_space_give_back(s, &steps);
    space = pm_space_read(s);
    result->kib_after = space.file_kib;
    result->wants_vacuum = !space.shrinks;
    pm_store_end_tidying(s);
    return pm_sql_end(s->sql, err);
}
