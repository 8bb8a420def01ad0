/* merge_beats: the beats of live captures and their schedules. A beat is known by its schedule and
 * its clocks, or because a prune here removed the beats of its schedule up to it. */
#include "store/copy/merge_run.h"

#include "store/write/live_reading.h"

/* The beat of a capture there, with its schedule. */
#define BEAT                                                                                     \
    "SELECT h.name, j.boot_id, j.selection, j.every_ms, w.started_ms, w.mono_ns, ?2, "           \
    "w.ended_ms, w.missed, w.unreadable, w.vanished, w.degraded, w.unmoved, "                    \
    "w.changed" PM_HOST_COLUMNS " FROM beat w JOIN schedule j ON j.schedule_id = w.schedule_id " \
    "JOIN host h ON h.host_id = j.host_id WHERE w.capture_id = ?1"

/* A statement on this store for such a row finds its schedule so. */
#define OF_SCHEDULE                                              \
    "FROM schedule j JOIN host h ON h.host_id = j.host_id "      \
    "WHERE h.name = ?1 AND j.boot_id = ?2 AND j.selection = ?3 " \
    "AND coalesce(j.every_ms, 0) = coalesce(?4, 0)"

/* The numbers in the sets of a scan are those that the snapshots of the beat keep. The beat comes
 * last: a stored beat is complete. */
static const pm_merge_copy of_beat[] = {
    {"SELECT ?2, taken_ms, method, unread, moved_kib, page_kib, sets FROM page_scan "
     "WHERE capture_id = ?1",
     "INSERT OR IGNORE INTO page_scan (capture_id, taken_ms, method, unread, moved_kib, page_kib, "
     "sets) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
     NULL},
    {BEAT, "INSERT OR IGNORE INTO host (name) VALUES (?1)", NULL},
    {BEAT,
     "INSERT OR IGNORE INTO schedule (host_id, boot_id, selection, every_ms) "
     "SELECT host_id, ?2, ?3, ?4 FROM host WHERE name = ?1",
     NULL},
    {BEAT,
     "INSERT OR IGNORE INTO beat (schedule_id, started_ms, mono_ns, capture_id, ended_ms, "
     "missed, unreadable, vanished, degraded, unmoved, changed" PM_HOST_COLUMNS
     ") SELECT j.schedule_id, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14" PM_HOST_VALUES
     " " OF_SCHEDULE,
     NULL},
};

static bool is_known(pm_merge *m, int64_t capture_id)
{
    sqlite3_stmt *row = pm_sql_ask(m->from->sql, BEAT, PM_ARGS(PM_I(capture_id), PM_I(0)));
    bool known = false;

    while (pm_merge_next(m, row)) {
        sqlite3_stmt *here = pm_sql_ask_row(
            m->into->sql,
            "SELECT 1 " OF_SCHEDULE " AND (?5 <= j.removed_ms OR EXISTS (SELECT 1 FROM beat w "
            "WHERE w.schedule_id = j.schedule_id AND w.started_ms = ?5 AND w.mono_ns = ?6))",
            row);

        while (pm_sql_next(m->into->sql, here))
            known = true;
    }
    return known;
}

void pm_merge_find_beats(pm_merge *m)
{
    sqlite3_stmt *row =
        m->into ? pm_sql_ask(m->from->sql, "SELECT capture_id FROM beat", PM_NO_ARGS) : NULL;

    while (row && pm_merge_next(m, row))
        if (is_known(m, pm_col_int(row, 0)))
            pm_merge_set(m, &m->beats, pm_col_int(row, 0), 1);
}

/* Stores the new beats, except one that may still be running: its missing snapshots would pass for
 * pruned. */
void pm_merge_store_beats(pm_merge *m)
{
    sqlite3_stmt *row = pm_sql_ask(m->from->sql,
                                   "SELECT capture_id FROM beat w WHERE ended_ms IS NOT NULL OR "
                                   "EXISTS (SELECT 1 FROM beat n WHERE n.schedule_id = "
                                   "w.schedule_id AND n.started_ms > w.started_ms)",
                                   PM_NO_ARGS);

    while (pm_merge_next(m, row)) {
        int64_t there = pm_col_int(row, 0), here = pm_merge_get(&m->captures, there);

        if (pm_merge_get(&m->beats, there))
            continue;
        pm_merge_begin(m);
        if (!here && pm_merge_ok(m)) /* a beat without snapshots */
            here = pm_sweep_begin(m->into->sql);
        pm_merge_rows(m, of_beat, sizeof of_beat / sizeof *of_beat, there, here);
    }
}
