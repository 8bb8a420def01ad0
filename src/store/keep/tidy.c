/* tidy: makes a store as small as if its captures had arrived in order and the removed ones
 * never. */
#include "store/keep/tidy.h"

#include "store/dict/categories.h"
#include "store/file/space.h"
#include "store/write/stream.h"

void pm_tidy_some(pmapdb_store *s)
{
    pm_sql_script(s->sql, "keep-holes", NULL, 0);
    pm_sql_script(s->sql, "keep-move", NULL, 0);
    pm_sql_script(
        s->sql, "keep-join",
        PM_PARAMS({":captures", PM_I(PM_EPOCH_CAPTURES)}, {":alpha", PM_I(PM_EPOCH_ALPHA)}));
    pm_sql_script(s->sql, "keep-move", NULL, 0);
    pm_sql_script(s->sql, "order", NULL, 0);
    pm_sql_script(s->sql, "keep-lineages", NULL, 0);
}

pmapdb_status pm_tidy_commit(pmapdb_store *s, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_end(s->sql, err);

    PM_STEP(st, pm_store_commit(s, err));
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

/* Tidies the next processes. *after_id becomes the last of them, PMAPDB_UNKNOWN if none was
 * left. */
static pmapdb_status tidy_next(pmapdb_store *s, int64_t *after_id, pmapdb_error *err)
{
    int64_t last_id;
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    pm_sql_script(s->sql, "keep-all",
                  PM_PARAMS({":after_id", PM_BITS(*after_id)}, {":most", PM_I(PM_TIDY_SNAPSHOTS)}));
    last_id = pm_sql_value(s->sql, "SELECT max(process_id) FROM tidy_process", PM_NO_ARGS,
                           PMAPDB_UNKNOWN);
    if (last_id != PMAPDB_UNKNOWN)
        pm_tidy_some(s);
    *after_id = last_id;
    return pm_tidy_commit(s, err);
}

pmapdb_status pm_tidy_all(pmapdb_store *s, const pm_steps *steps, pmapdb_error *err)
{
    int64_t after_id = 0,
            most = pm_sql_value(s->sql, "SELECT max(process_id) FROM process", PM_NO_ARGS, 0);
    pmapdb_status st = pm_sql_end(s->sql, err);

    while (st == PMAPDB_OK && after_id != PMAPDB_UNKNOWN) {
        st = pm_steps_tell(steps, "tidying", "processes", (uint64_t)after_id, (uint64_t)most, err);
        PM_STEP(st, tidy_next(s, &after_id, err));
    }
    return st;
}

pmapdb_status pm_tidy_rest(pmapdb_store *s, int64_t until_ms, pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    pm_sql_script(s->sql, "keep-rest", PM_PARAMS({":until_ms", PM_I(until_ms)}));
    pm_category_remove_unused(s->sql);
    return pm_tidy_commit(s, err);
}

/* ---- compact ---- */

static pmapdb_status count_epochs(pmapdb_store *s, uint64_t *n, pmapdb_error *err)
{
    *n = (uint64_t)pm_sql_value(s->sql, "SELECT count(*) FROM epoch", PM_NO_ARGS, 0);
    return pm_sql_end(s->sql, err);
}

static pmapdb_status compact(pmapdb_store *s, const pmapdb_compact_options *o,
                             pmapdb_compact_result *result, pmapdb_error *err)
{
    pm_steps steps = {o->ctx, o->on_progress};
    pm_space space;
    pmapdb_status st = pm_space_read(s, &space, err);

    result->kib_before = space.file_kib;
    PM_STEP(st, count_epochs(s, &result->epochs_before, err));
    PM_STEP(st, pm_tidy_all(s, &steps, err));
    PM_STEP(st, pm_tidy_rest(s, PMAPDB_UNKNOWN, err));
    PM_STEP(st, count_epochs(s, &result->epochs_after, err));
    if (st == PMAPDB_OK && o->vacuum)
        st = pm_space_vacuum(s, err);
    PM_STEP(st, pm_space_give_back(s, &steps, &result->held, err));
    PM_STEP(st, pm_space_read(s, &space, err));
    result->kib_after = space.file_kib;
    result->wants_vacuum = !space.shrinks;
    return st;
}

pmapdb_status pm_store_compact(pmapdb_store *s, const pmapdb_compact_options *options,
                               pmapdb_compact_result *result, pmapdb_error *err)
{
    pmapdb_status st;

    *result = (pmapdb_compact_result){0};
    st = pm_store_begin_tidying(s, err);
    if (st != PMAPDB_OK)
        return st;
    st = compact(s, options, result, err);
    pm_store_end_tidying(s);
    return st;
}

pmapdb_status pmapdb_compact(pmapdb_store *store, const pmapdb_compact_options *options,
                             pmapdb_compact_result *result, pmapdb_error *err)
{
    return pm_store_compact(store, options, result, err);
}
