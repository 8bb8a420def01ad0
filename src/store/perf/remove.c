/* remove: takes a recording out of the store. */
#include "store/perf/remove.h"

#define ITS_TRACEES "(SELECT t.traced_process_id FROM traced_process t WHERE t.recording_id = ?1)"

static pmapdb_status remove_all(pm_sql *sql, int64_t recording_id, pmapdb_error *err)
{
    static const char *const all[] = {
        "DELETE FROM foreign_extent WHERE traced_process_id IN " ITS_TRACEES,
        "DELETE FROM extent WHERE traced_process_id IN " ITS_TRACEES,
        "DELETE FROM call WHERE thread_id IN (SELECT thread_id FROM "
        "thread WHERE traced_process_id IN " ITS_TRACEES ")",
        "DELETE FROM thread WHERE traced_process_id IN " ITS_TRACEES,
        "DELETE FROM traced_process WHERE recording_id = ?1",
        "DELETE FROM recording WHERE recording_id = ?1"};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < sizeof all / sizeof *all && st == PMAPDB_OK; i++)
        st = pm_sql_run(sql, all[i], PM_ARGS(PM_I(recording_id)), err);
    return st;
}

pmapdb_status pm_recording_remove(pmapdb_store *s, int64_t recording_id, pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin_tidying(s, err);

    if (st != PMAPDB_OK)
        return st;
    st = pm_store_begin(s, err);
    if (st == PMAPDB_OK)
        st = remove_all(s->sql, recording_id, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    pm_store_end_tidying(s);
    return st;
}
