/* compact: makes the store as small as if what it holds had come in order and alone. */
#include "store/prune/compact.h"

#include "store/ids.h"
#include "store/space.h"

static pmapdb_status untidy_processes(pm_sql *sql, pm_ids *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(sql, "SELECT process_id FROM untidy", PM_NO_ARGS, &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_ids_add(out, pm_col_int(stmt, 0), err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

static pmapdb_status tidy_process(pmapdb_store *s, int64_t process_id, pmapdb_error *err)
{
    pmapdb_status st = pm_tidy_epochs(s, process_id, err);

    return st == PMAPDB_OK ? pm_tidy_lineages(s, process_id, err) : st;
}

pmapdb_status pm_tidy_processes(pmapdb_store *s, const pm_steps *steps, pmapdb_error *err)
{
    pm_ids ids = {0};
    pmapdb_error own = {0}, full = {0};
    pmapdb_status st = untidy_processes(s->sql, &ids, &own);

    for (size_t i = 0; i < ids.n && st == PMAPDB_OK; i++) {
        st = pm_steps_tell(steps, "tidying processes", i, ids.n, &own);
        if (st == PMAPDB_OK)
            st = tidy_process(s, ids.id[i], &own);
        if (pm_space_is_full(st, &own)) {
            full = own;
            st = PMAPDB_OK;
        }
    }
    pm_ids_free(&ids);
    if (st == PMAPDB_OK && full.status != PMAPDB_OK) {
        own = full;
        st = full.status;
    }
    if (st != PMAPDB_OK && err)
        *err = own;
    return st;
}

static pmapdb_status count_epochs(pm_sql *sql, uint64_t *n, pmapdb_error *err)
{
    int64_t count = 0;
    pmapdb_status st = pm_sql_int(sql, "SELECT count(*) FROM epoch", PM_NO_ARGS, 0, &count, err);

    *n = (uint64_t)count;
    return st;
}

static pmapdb_status tidy_all(pmapdb_store *s, const pm_steps *steps, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(
        s->sql, "INSERT OR IGNORE INTO untidy (process_id) SELECT process_id FROM process",
        PM_NO_ARGS, err);

    if (st == PMAPDB_OK)
        st = pm_tidy_processes(s, steps, err);
    return st == PMAPDB_OK ? pm_tidy_rest(s, INT64_MIN, steps, err) : st;
}

static pmapdb_status compact(pmapdb_store *s, const pmapdb_compact_options *o,
                             pmapdb_compact_result *result, pmapdb_error *err)
{
    pm_steps steps = {o->ctx, o->on_progress};
    pm_space space;
    pmapdb_status st = pm_space_read(s, &space, err);

    result->kib_before = space.file_kib;
    if (st == PMAPDB_OK)
        st = count_epochs(s->sql, &result->epochs_before, err);
    if (st == PMAPDB_OK)
        st = tidy_all(s, &steps, err);
    if (st == PMAPDB_OK)
        st = count_epochs(s->sql, &result->epochs_after, err);
    if (st == PMAPDB_OK && o->vacuum)
        st = pm_space_vacuum(s, err);
    if (st == PMAPDB_OK)
        st = pm_space_give_back(s, &steps, &result->held, err);
    if (st == PMAPDB_OK)
        st = pm_space_read(s, &space, err);
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
