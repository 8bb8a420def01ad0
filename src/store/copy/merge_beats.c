/* merge_beats: the beats of live captures, their schedules, and the labels of hosts. A beat is
 * known by its schedule and its clocks, or because a prune here removed the beats of its schedule
 * up to it. */
#include "store/copy/merge_run.h"

#include "store/write/live_reading.h"

#define AT_CAPTURE 7
#define BEATS                                                                                    \
    "SELECT h.name, j.boot_id, j.selection, j.every_ms, w.started_ms, w.mono_ns, w.capture_id, " \
    "w.ended_ms, w.missed, w.unreadable, w.vanished, w.degraded, w.unmoved, "                    \
    "w.changed" PM_HOST_COLUMNS " FROM beat w JOIN schedule j ON j.schedule_id = w.schedule_id " \
    "JOIN host h ON h.host_id = j.host_id "

/* A statement on this store for a row of BEATS finds its schedule so. */
#define OF_SCHEDULE                                              \
    "FROM schedule j JOIN host h ON h.host_id = j.host_id "      \
    "WHERE h.name = ?1 AND j.boot_id = ?2 AND j.selection = ?3 " \
    "AND coalesce(j.every_ms, 0) = coalesce(?4, 0)"

void pm_merge_find_beats(pm_merge *m)
{
    sqlite3_stmt *row = m->into ? pm_sql_ask(m->from->sql, BEATS, PM_NO_ARGS) : NULL;

    while (row && pm_merge_next(m, row)) {
        sqlite3_stmt *known = pm_sql_ask_row(
            m->into->sql,
            "SELECT 1 " OF_SCHEDULE " AND (?5 <= j.removed_ms OR EXISTS (SELECT 1 FROM beat w "
            "WHERE w.schedule_id = j.schedule_id AND w.started_ms = ?5 AND w.mono_ns = ?6))",
            row);

        if (!pm_sql_next(m->into->sql, known))
            continue;
        pm_sql_done(known);
        pm_merge_set(m, &m->beats, pm_col_int(row, AT_CAPTURE - 1), 1);
    }
}

/* The numbers in the sets are those that the snapshots of the beat keep. */
static void store_scan(pm_merge *m, int64_t capture_there, int64_t capture_here)
{
    sqlite3_stmt *row = pm_sql_ask(m->from->sql,
                                   "SELECT capture_id, taken_ms, method, unread, moved_kib, "
                                   "page_kib, sets FROM page_scan WHERE capture_id = ?1",
                                   PM_ARGS(PM_I(capture_there)));

    while (pm_merge_next(m, row)) {
        sqlite3_stmt *stmt = pm_sql_ask_row(m->into->sql,
                                            "INSERT OR IGNORE INTO page_scan (capture_id, "
                                            "taken_ms, method, unread, moved_kib, page_kib, sets) "
                                            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                                            row);

        if (stmt)
            pm_sql_bind(stmt, 1, &PM_I(capture_here));
        pm_sql_next(m->into->sql, stmt);
    }
}

static void store_beat(pm_merge *m, sqlite3_stmt *row)
{
    pm_sql *sql = m->into->sql;
    int64_t capture_id = pm_merge_get(&m->captures, pm_col_int(row, AT_CAPTURE - 1));
    sqlite3_stmt *stmt;

    if (!capture_id) /* a beat without snapshots */
        capture_id = pm_sweep_begin(sql);
    pm_sql_next(sql, pm_sql_ask_row(sql, "INSERT OR IGNORE INTO host (name) VALUES (?1)", row));
    pm_sql_next(sql,
                pm_sql_ask_row(sql,
                               "INSERT OR IGNORE INTO schedule (host_id, boot_id, selection, "
                               "every_ms) SELECT host_id, ?2, ?3, ?4 FROM host WHERE name = ?1",
                               row));
    stmt = pm_sql_ask_row(
        sql,
        "INSERT OR IGNORE INTO beat (schedule_id, started_ms, mono_ns, capture_id, ended_ms, "
        "missed, unreadable, vanished, degraded, unmoved, changed" PM_HOST_COLUMNS
        ") SELECT j.schedule_id, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14" PM_HOST_VALUES
        " " OF_SCHEDULE,
        row);
    if (stmt)
        pm_sql_bind(stmt, AT_CAPTURE, &PM_I(capture_id));
    pm_sql_next(sql, stmt);
    store_scan(m, pm_col_int(row, AT_CAPTURE - 1), capture_id);
}

/* Stores the new beats, except one that may still be running: its missing snapshots would pass for
 * pruned. */
void pm_merge_store_beats(pm_merge *m)
{
    sqlite3_stmt *row = pm_sql_ask(m->from->sql,
                                   BEATS "WHERE w.ended_ms IS NOT NULL OR EXISTS (SELECT 1 FROM "
                                         "beat n WHERE n.schedule_id = w.schedule_id "
                                         "AND n.started_ms > w.started_ms)",
                                   PM_NO_ARGS);

    while (pm_merge_next(m, row)) {
        if (pm_merge_get(&m->beats, pm_col_int(row, AT_CAPTURE - 1)))
            continue;
        pm_merge_begin(m);
        store_beat(m, row);
        pm_merge_wrote(m);
    }
}

/* The labels of hosts that this store has now. */
void pm_merge_store_labels(pm_merge *m)
{
    sqlite3_stmt *row =
        pm_sql_ask(m->from->sql, "SELECT host, key, at_ms, value FROM host_labels", PM_NO_ARGS);

    while (pm_merge_next(m, row)) {
        pm_merge_begin(m);
        pm_sql_next(m->into->sql,
                    pm_sql_ask_row(m->into->sql,
                                   "INSERT OR IGNORE INTO host_label (host_id, key, at_ms, value) "
                                   "SELECT host_id, ?2, ?3, ?4 FROM host WHERE name = ?1",
                                   row));
        pm_merge_wrote(m);
    }
}
