/* pin: protects the moments of snapshots from prunes. */
#include "base/clock/clock.h"
#include "base/err.h"
#include "store/file/store.h"
#include "store/read/select.h"

/* Selects one snapshot. Runs inside a transaction, so that the snapshot still exists when the pin
 * is set. */
static pmapdb_status select_one(pmapdb_store *s, const char *process, const char *snapshot,
                                pm_pick *pick, pm_scope *scope, pmapdb_error *err)
{
    static const pm_text any = {NULL, 0};
    pmapdb_status st = PMAPDB_OK;

    *scope = pm_scope_all;
    if (!*snapshot || (process && !*process))
        return pm_fail(err, PMAPDB_USAGE, "'' is not a %s", *snapshot ? "process" : "snapshot");
    if (process || snapshot[0] != '@') /* an id needs no process */
        st = pm_select_process(s->sql, pm_text_of(process ? process : "only"), scope, err);
    PM_STEP(st, pm_select_snapshot(s->sql, scope, any, pm_text_of(snapshot), PMAPDB_UNKNOWN, pick,
                                   err));
    return st;
}

/* The pin may be on any process of the moment. */
static void unpin(pm_sql *sql, int64_t snapshot_id)
{
    pm_sql_do(
        sql,
        "DELETE FROM pin WHERE snapshot_id IN (SELECT o.snapshot_id FROM snapshot s "
        "JOIN process p ON p.process_id = s.process_id JOIN process q ON q.name_id = p.name_id "
        "JOIN snapshot o ON o.process_id = q.process_id AND o.moment_ms = s.moment_ms "
        "WHERE s.snapshot_id = ?1)",
        PM_ARGS(PM_I(snapshot_id)));
    if (sqlite3_changes(pm_sql_db(sql)) == 0)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_NOTFOUND,
                                 "neither @%lld nor another snapshot of its moment is pinned; "
                                 "'pmapdb pins' lists all pins",
                                 (long long)snapshot_id));
}

/* reason NULL: unpins. */
static pmapdb_status change(pmapdb_store *s, const char *process, const char *snapshot,
                            const char *reason, int64_t *snapshot_id, pmapdb_error *err)
{
    pm_pick pick = {0};
    pm_scope scope;
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    pm_sql_keep(s->sql, select_one(s, process, snapshot, &pick, &scope, err), err);
    if (reason)
        pm_sql_do(s->sql,
                  "INSERT OR REPLACE INTO pin (snapshot_id, reason, pinned_ms) VALUES (?1, ?2, ?3)",
                  PM_ARGS(PM_I(pick.snapshot_id), PM_S(reason), PM_I(pm_clock_now())));
    else
        unpin(s->sql, pick.snapshot_id);
    st = pm_store_end(s, err);
    if (st == PMAPDB_OK && snapshot_id)
        *snapshot_id = pick.snapshot_id;
    return st;
}

pmapdb_status pmapdb_pin(pmapdb_store *s, const char *process, const char *snapshot,
                         const char *reason, int64_t *snapshot_id, pmapdb_error *err)
{
    if (!reason || !*reason)
        return pm_fail(err, PMAPDB_USAGE,
                       "a pin needs a reason, for the reader who finds the pin in a year");
    return change(s, process, snapshot, reason, snapshot_id, err);
}

pmapdb_status pmapdb_unpin(pmapdb_store *s, const char *process, const char *snapshot,
                           int64_t *snapshot_id, pmapdb_error *err)
{
    return change(s, process, snapshot, NULL, snapshot_id, err);
}
