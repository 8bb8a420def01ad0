/* compact_rest: rows of the dictionaries that nothing refers to any more.
 *
 * To find them is to read all of what could refer to them, so that is done without the writer's
 * lock; they are removed if nobody wrote since, else looked for again.
 */
#include "store/prune/compact.h"

#include "classify/classify.h"
#include "store/categories.h"
#include "store/ids.h"
#include "store/space.h"

#define PART 5000 /* rows removed in one transaction, where the disk is not full */
#define LEAST 4   /* ... where it is */
#define TRIES 3   /* to look without the lock */

#define MOST_STATEMENTS 3

/* Before a sweep goes: what is expected of its job, and taken from a merge, begins behind it. */
#define REMEMBER_SWEEP                                                                     \
    "UPDATE schedule SET (pruned_ms, removed_ms) = (SELECT max(w.started_ms, coalesce("    \
    "schedule.pruned_ms, w.started_ms)), max(w.started_ms, coalesce(schedule.removed_ms, " \
    "w.started_ms)) "                                                                      \
    "FROM beat w WHERE w.capture_id = ?1) "                                                \
    "WHERE schedule_id = (SELECT w.schedule_id FROM beat w WHERE w.capture_id = ?1)"

#define PRUNED_TRACEES "(SELECT traced_process_id FROM traced_process WHERE pruned = 1)"

/* Parents behind their children. ?1 is used by sweeps alone. Rows of log stay: those without
 * snapshots and traces may be an import's that has just begun. */
static const struct dictionary {
    const char *find, *remove[MOST_STATEMENTS]; /* what belongs to the row comes before it */
} dictionaries[] = {
    {"SELECT object_id FROM object WHERE object_id NOT IN (SELECT object_id FROM region)",
     {"DELETE FROM object WHERE object_id = ?1"}},
    {"SELECT rare_fields_id FROM rare_fields WHERE rare_fields_id NOT IN "
     "(SELECT rare_fields_id FROM mapping_version WHERE rare_fields_id IS NOT NULL)",
     {"DELETE FROM rare_fields WHERE rare_fields_id = ?1"}},
    {"SELECT live_process_id FROM live_process t WHERE NOT EXISTS "
     "(SELECT 1 FROM live_reading s WHERE s.live_process_id = t.live_process_id)",
     {"DELETE FROM environment WHERE live_process_id = ?1",
      "DELETE FROM live_process WHERE live_process_id = ?1"}},
    /* What was recorded of processes that a prune removed. */
    {"SELECT foreign_extent_id FROM foreign_extent WHERE traced_process_id IN " PRUNED_TRACEES,
     {"DELETE FROM foreign_extent WHERE foreign_extent_id = ?1"}},
    {"SELECT extent_id FROM extent WHERE traced_process_id IN " PRUNED_TRACEES,
     {"DELETE FROM extent WHERE extent_id = ?1"}},
    {"SELECT call_id FROM call WHERE thread_id IN "
     "(SELECT thread_id FROM thread WHERE traced_process_id IN " PRUNED_TRACEES ")",
     {"DELETE FROM call WHERE call_id = ?1"}},
    {"SELECT thread_id FROM thread WHERE traced_process_id IN " PRUNED_TRACEES,
     {"DELETE FROM thread WHERE thread_id = ?1"}},
    {"SELECT traced_process_id FROM traced_process WHERE pruned = 1",
     {"DELETE FROM traced_process WHERE traced_process_id = ?1"}},
    {"SELECT recording_id FROM recording WHERE recording_id NOT IN "
     "(SELECT recording_id FROM traced_process)",
     {"DELETE FROM recording WHERE recording_id = ?1"}},
    {"WITH RECURSIVE used (stack_id) AS (SELECT 0 UNION SELECT stack_id FROM call UNION "
     "SELECT s.caller_id FROM used JOIN stack s USING (stack_id)) "
     "SELECT stack_id FROM stack WHERE stack_id NOT IN (SELECT stack_id FROM used)",
     {"DELETE FROM stack WHERE stack_id = ?1"}},
    {"SELECT frame_id FROM frame WHERE frame_id NOT IN "
     "(SELECT frame_id FROM stack WHERE frame_id IS NOT NULL)",
     {"DELETE FROM frame WHERE frame_id = ?1"}},
    {"SELECT capture_id FROM capture c WHERE capture_id NOT IN (SELECT capture_id FROM snapshot) "
     "AND NOT EXISTS (SELECT 1 FROM beat w WHERE w.capture_id = c.capture_id "
     "AND w.started_ms > ?1)",
     {REMEMBER_SWEEP, "DELETE FROM beat WHERE capture_id = ?1",
      "DELETE FROM capture WHERE capture_id = ?1"}},
    {"SELECT schedule_id FROM schedule j WHERE removed_ms IS NULL " /* else it is a merge's to know
                                                                     */
     "AND NOT EXISTS (SELECT 1 FROM beat w WHERE w.schedule_id = j.schedule_id)",
     {"DELETE FROM schedule WHERE schedule_id = ?1"}},
    {"SELECT origin_id FROM origin WHERE origin_id NOT IN (SELECT origin_id FROM capture)",
     {"DELETE FROM origin WHERE origin_id = ?1"}},
    {"SELECT name_id FROM name n WHERE NOT EXISTS "
     "(SELECT 1 FROM process p WHERE p.name_id = n.name_id)",
     {"DELETE FROM name WHERE name_id = ?1"}},
    {"SELECT host_id FROM host WHERE host_id NOT IN "
     "(SELECT host_id FROM process WHERE host_id IS NOT NULL "
     "UNION SELECT host_id FROM name WHERE host_id IS NOT NULL "
     "UNION SELECT host_id FROM schedule UNION SELECT host_id FROM import_log WHERE host_id IS NOT "
     "NULL "
     "UNION SELECT host_id FROM forgotten WHERE host_id IS NOT NULL "
     "UNION SELECT host_id FROM recording WHERE host_id IS NOT NULL)",
     {"DELETE FROM host WHERE host_id = ?1"}},
    {PM_CATEGORIES_UNUSED, {"DELETE FROM category WHERE category_id = ?1"}},
};
_Static_assert(PM_CATEGORY_COUNT == 14, "the program's own categories are 1 to 14");

static pmapdb_status find(pm_sql *sql, const struct dictionary *d, int64_t until_ms, pm_ids *out,
                          pmapdb_error *err)
{
    const pm_arg args[] = {PM_BITS(until_ms)};
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(sql, d->find, args, strstr(d->find, "?1") ? 1 : 0, &stmt, err);

    out->n = 0;
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

/* Up to `most` of them, from the end. */
static pmapdb_status remove_some(pm_sql *sql, const struct dictionary *d, size_t most, pm_ids *ids,
                                 pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < most && ids->n && st == PMAPDB_OK; i++) {
        int64_t id = ids->id[--ids->n];

        for (int k = 0; k < MOST_STATEMENTS && d->remove[k] && st == PMAPDB_OK; k++)
            st = pm_sql_run(sql, d->remove[k], PM_ARGS(PM_I(id)), err);
    }
    return st;
}

/* *stale: somebody wrote since `version`, so that nothing was removed. */
static pmapdb_status remove_part(pmapdb_store *s, const struct dictionary *d, int64_t version,
                                 pm_pace *pace, pm_ids *ids, bool *stale, pmapdb_error *err)
{
    size_t n = ids->n;
    int64_t now;
    pmapdb_status st = pm_store_begin(s, err);

    if (st == PMAPDB_OK)
        st = pm_store_version(s, &now, err);
    *stale = st == PMAPDB_OK && now != version;
    if (st == PMAPDB_OK && !*stale)
        st = remove_some(s->sql, d, pace->now, ids, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st == PMAPDB_OK) {
        pm_pace_fitted(pace);
        return st;
    }
    pm_store_rollback(s);
    ids->n = n; /* for a smaller part */
    return pm_space_try_again(s, pace, st, err) ? PMAPDB_OK : st;
}

static pmapdb_status try_remove(pmapdb_store *s, const struct dictionary *d, int64_t until_ms,
                                pm_ids *ids, bool *done, pmapdb_error *err)
{
    pm_pace pace = pm_pace_of(PART, LEAST);
    bool stale = false;
    int64_t version;
    pmapdb_status st = pm_sql_run(s->sql, "BEGIN", PM_NO_ARGS, err);

    if (st == PMAPDB_OK)
        st = pm_store_version(s, &version, err);
    if (st == PMAPDB_OK)
        st = find(s->sql, d, until_ms, ids, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    else
        pm_store_rollback(s);
    while (st == PMAPDB_OK && ids->n && !stale)
        st = remove_part(s, d, version, &pace, ids, &stale, err);
    *done = st == PMAPDB_OK && !stale;
    return st;
}

static pmapdb_status remove_locked(pmapdb_store *s, const struct dictionary *d, int64_t until_ms,
                                   pm_ids *ids, pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin(s, err);

    if (st == PMAPDB_OK)
        st = find(s->sql, d, until_ms, ids, err);
    while (st == PMAPDB_OK && ids->n)
        st = remove_some(s->sql, d, PART, ids, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    return st;
}

pmapdb_status pm_tidy_rest(pmapdb_store *s, int64_t until_ms, const pm_steps *steps,
                           pmapdb_error *err)
{
    size_t n = sizeof dictionaries / sizeof *dictionaries;
    pm_ids ids = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        bool done = false;

        st = pm_steps_tell(steps, "removing what nothing shows", i, n, err);
        for (int t = 0; t < TRIES && !done && st == PMAPDB_OK; t++)
            st = try_remove(s, &dictionaries[i], until_ms, &ids, &done, err);
        if (st == PMAPDB_OK && !done)
            st = remove_locked(s, &dictionaries[i], until_ms, &ids, err);
    }
    pm_ids_free(&ids);
    return st;
}
