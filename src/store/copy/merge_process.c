/* merge_process: recognises snapshots of the other store, and adds to a process what the other
 * store knows about it. */
#include "store/copy/merge_run.h"

#include "store/dict/captures.h"
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

void pm_merge_facts(pm_merge *m, int64_t process_id)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    pm_process_facts facts = {.evidence = pm_evidence_none(),
                              .command_ms = who->command_ms,
                              .mono_ns = who->clock_mono_ns,
                              .utc_ms = who->clock_utc_ms,
                              .by = who->identity,
                              .name = pm_text_of(who->name),
                              .rank = who->name_rank,
                              .name_ms = who->name_ms};
    pm_process_found found;

    facts.evidence.command = pm_text_of(who->command ? who->command : "");
    pm_process_teach(m->into->sql, process_id, &facts, &found);
    if (found.name_id == found.old_name_id)
        return;
    pm_moments_group(m->into->sql, m->options->sweep_ms, found.old_name_id, PM_MOMENTS_ALL);
    pm_moments_group(m->into->sql, m->options->sweep_ms, found.name_id, PM_MOMENTS_ALL);
}

void pm_merge_clearings(pm_merge *m, int64_t process_id)
{
    sqlite3_stmt *row =
        pm_sql_ask(m->from->sql,
                   "SELECT ?2, mono_ns, cleared_ms, page_idle, clear_us, small_kib, cpu_us, "
                   "minor_faults, major_faults FROM clearing WHERE process_id = ?1",
                   PM_ARGS(PM_I(pm_recall_who(m->recall)->process_id), PM_I(process_id)));

    while (pm_merge_next(m, row)) {
        pm_merge_begin(m);
        pm_sql_next(m->into->sql,
                    pm_sql_ask_row(m->into->sql,
                                   "INSERT OR IGNORE INTO clearing (process_id, mono_ns, "
                                   "cleared_ms, page_idle, clear_us, small_kib, cpu_us, "
                                   "minor_faults, major_faults) "
                                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                                   row));
        pm_merge_wrote(m);
    }
}
