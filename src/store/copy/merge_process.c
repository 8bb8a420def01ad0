/* merge_process: recognises snapshots of the other store, and adds to a process what the other
 * store knows about it. */
#include "store/copy/merge_run.h"

#include "store/dict/known.h"
#include "store/write/moment.h"
#include "store/write/process.h"
#include "store/write/put.h"

/* ---- snapshots ---- */

/* A live snapshot was pruned here if this store has or had its beat. */
void pm_merge_look(pm_merge *m, pm_recall_item *item)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    const pm_live live = {.boot_id = who->boot_id};
    const pm_capture c = {.block = {.hash = (uint64_t)item->hash, .dialect = item->dialect},
                          .pid = who->pid,
                          .host = pm_merge_host(m, who->host),
                          .start_time = who->start_time,
                          .taken_ms = item->taken_ms,
                          .time_source = item->time_source,
                          .live = &live};
    bool pruned = false;

    if (!m->into || !pm_merge_ok(m))
        return;
    item->known = pm_known(m->into->sql, &c, &pruned);
    if (item->known)
        pm_merge_set(m, &m->captures, item->capture_id,
                     pm_sql_value(m->into->sql,
                                  "SELECT capture_id FROM snapshot WHERE snapshot_id = ?1",
                                  PM_ARGS(PM_I(item->known)), 0));
    else if (item->log_id)
        item->known = pm_merge_get(&m->log_blocks, item->snapshot_id);
    if (item->time_source == PM_TIME_LIVE)
        pruned = pm_merge_get(&m->beats, item->capture_id) != 0;
    if (!item->known && pruned)
        item->known = PM_MERGE_PRUNED;
}

/* ---- facts about the process ---- */

/* Groups the moments of both names again: their processes changed. */
static void regroup(pm_merge *m, int64_t old_id, int64_t name_id)
{
    pm_moments *moments = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = pm_moments_new(m->into->sql, m->options->sweep_ms, &moments, &err);

    PM_STEP(st, pm_moments_regroup(moments, old_id, &err));
    PM_STEP(st, pm_moments_regroup(moments, name_id, &err));
    pm_merge_keep(m, st, &err);
    pm_moments_free(moments);
}

/* Takes over a better name, or an equally good one that is earlier: a prune may have removed the
 * capture that gave it. */
static void take_name(pm_merge *m, int64_t process_id)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    pm_sql *sql = m->into->sql;
    pmapdb_error err = {0};
    int64_t name_id;
    int64_t old_id =
        pm_sql_value(sql,
                     "SELECT name_id FROM process WHERE process_id = ?1 AND "
                     "(name_rank > ?2 OR (name_rank = ?2 AND name_ms > ?3))",
                     PM_ARGS(PM_I(process_id), PM_I(who->name_rank), PM_I(who->name_ms)), 0);

    if (!old_id)
        return;
    pm_sql_do(sql,
              "INSERT OR IGNORE INTO name (name, host_id) "
              "SELECT ?2, host_id FROM process WHERE process_id = ?1",
              PM_ARGS(PM_I(process_id), PM_S(who->name)));
    name_id = pm_sql_value(sql,
                           "SELECT n.name_id FROM process p JOIN name n ON n.name = ?2 "
                           "AND coalesce(n.host_id, 0) = coalesce(p.host_id, 0) "
                           "WHERE p.process_id = ?1",
                           PM_ARGS(PM_I(process_id), PM_S(who->name)), 0);
    if (!pm_sql_ok(sql))
        return;
    pm_merge_keep(
        m, pm_process_rename(sql, process_id, old_id, name_id, who->name_rank, who->name_ms, &err),
        &err);
    pm_store_forget(m->into); /* the writer keeps the moments of names */
    if (name_id != old_id && pm_sql_ok(sql))
        regroup(m, old_id, name_id);
}

#define EARLIER_COMMAND "?3 < coalesce(command_ms, ?3 + 1)"
#define EARLIER_CLOCK "?4 < coalesce(clock_mono_ns, ?4 + 1)"
#define WEAKEST                                                        \
    "CASE WHEN ?6 = 'assumed' OR identity = 'assumed' THEN 'assumed' " \
    "WHEN ?6 = 'command' OR identity = 'command' THEN 'command' "      \
    "WHEN ?6 = 'addresses' OR identity = 'addresses' THEN 'addresses' ELSE 'start-time' END"

void pm_merge_facts(pm_merge *m, int64_t process_id)
{
    const pm_recall_process *who = pm_recall_who(m->recall);

    pm_sql_do(m->into->sql,
              "UPDATE process SET "
              "command = CASE WHEN " EARLIER_COMMAND " THEN ?2 ELSE command END, "
              "command_ms = CASE WHEN " EARLIER_COMMAND " THEN ?3 ELSE command_ms END, "
              "clock_utc_ms = CASE WHEN " EARLIER_CLOCK " THEN ?5 ELSE clock_utc_ms END, "
              "clock_mono_ns = CASE WHEN " EARLIER_CLOCK " THEN ?4 ELSE clock_mono_ns END, "
              "identity = " WEAKEST " WHERE process_id = ?1 "
              "AND (" EARLIER_COMMAND " OR " EARLIER_CLOCK " OR identity <> " WEAKEST ")",
              PM_ARGS(PM_I(process_id), PM_S(who->command), PM_I(who->command_ms),
                      PM_I(who->clock_mono_ns), PM_I(who->clock_utc_ms),
                      PM_S(pm_link_name(who->identity))));
    take_name(m, process_id);
}
