/* merge_beats: the beats of live captures and their schedules. A beat is known by its schedule and
 * its clocks, or because a prune here removed the beats of its schedule up to it. */
#include "store/copy/merge_run.h"

#include "store/write/live_reading.h"
#include "store/write/process.h"

/* A row of table schedule in the other store; texts are valid as long as the row. */
typedef struct schedule {
    int64_t schedule_id, pruned_ms;
    pm_arg key[4]; /* host, boot, selection, every_ms */
} schedule;

#define OF_SCHEDULE                                              \
    "FROM schedule j JOIN host h ON h.host_id = j.host_id "      \
    "WHERE h.name = ?1 AND j.boot_id = ?2 AND j.selection = ?3 " \
    "AND coalesce(j.every_ms, 0) = coalesce(?4, 0)"

#define BEAT                                                                    \
    "capture_id, started_ms, mono_ns, ended_ms, missed, unreadable, vanished, " \
    "degraded, unmoved, changed"

static sqlite3_stmt *ask_schedules(pm_merge *m)
{
    return pm_sql_ask(
        m->from->sql,
        "SELECT j.schedule_id, j.pruned_ms, h.name, j.boot_id, j.selection, j.every_ms "
        "FROM schedule j JOIN host h ON h.host_id = j.host_id",
        PM_NO_ARGS);
}

static schedule read_schedule(sqlite3_stmt *row)
{
    return (schedule){pm_col_int(row, 0),
                      pm_col_int(row, 1),
                      {PM_T(pm_col_text(row, 2)), PM_T(pm_col_text(row, 3)),
                       PM_T(pm_col_text(row, 4)), PM_I(pm_col_int(row, 5))}};
}

static sqlite3_stmt *ask_beats(pm_merge *m, int64_t schedule_id)
{
    return pm_sql_ask(
        m->from->sql,
        "SELECT " BEAT ", ended_ms IS NULL AND NOT EXISTS (SELECT 1 FROM beat n "
        "WHERE n.schedule_id = w.schedule_id AND n.capture_id > w.capture_id) FROM beat w "
        "WHERE schedule_id = ?1",
        PM_ARGS(PM_I(schedule_id)));
}

/* ---- finding the known beats ---- */

static void find_of_schedule(pm_merge *m, const schedule *j)
{
    pm_sql *sql = m->into->sql;
    int64_t removed_ms =
        pm_sql_value(sql, "SELECT j.removed_ms " OF_SCHEDULE, j->key, 4, INT64_MIN);
    pm_map here = {0}; /* mono_ns -> started_ms */
    sqlite3_stmt *row = pm_sql_ask(sql,
                                   "SELECT mono_ns, started_ms FROM beat WHERE schedule_id IN "
                                   "(SELECT j.schedule_id " OF_SCHEDULE ")",
                                   j->key, 4);

    while (pm_sql_next(sql, row))
        pm_merge_set(m, &here, pm_col_int(row, 0), pm_col_int(row, 1));
    row = ask_beats(m, j->schedule_id);
    while (pm_merge_next(m, row)) {
        int64_t started_ms = pm_col_int(row, 1), found;

        if (started_ms <= removed_ms ||
            (pm_map_get(&here, (uint64_t)pm_col_int(row, 2), &found) && found == started_ms))
            pm_merge_set(m, &m->beats, pm_col_int(row, 0), 1);
    }
    pm_map_free(&here);
}

void pm_merge_find_beats(pm_merge *m)
{
    sqlite3_stmt *row = m->into ? ask_schedules(m) : NULL;

    while (row && pm_merge_next(m, row)) {
        schedule j = read_schedule(row);

        find_of_schedule(m, &j);
    }
}

/* ---- storing ---- */

static void store_beat(pm_merge *m, int64_t schedule_id, sqlite3_stmt *there)
{
    pm_arg args[11] = {PM_I(schedule_id)};
    int64_t capture_id = pm_merge_get(&m->captures, pm_col_int(there, 0));

    pm_merge_begin(m);
    if (!capture_id && pm_merge_ok(m)) /* a beat without snapshots */
        PM_SQL_STEP(m->into->sql, pm_sweep_begin(m->into->sql, &capture_id, &err));
    args[1] = PM_I(capture_id);
    for (int i = 1; i < 10; i++)
        args[i + 1] = PM_I(pm_col_int(there, i));
    pm_sql_do(m->into->sql,
              "INSERT OR IGNORE INTO beat (schedule_id, " BEAT ") "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
              args, 11);
    pm_merge_wrote(m);
}

static int64_t schedule_here(pm_merge *m, const schedule *j)
{
    pm_sql *sql = m->into->sql;
    pmapdb_error err = {0};
    int64_t host_id;

    pm_merge_begin(m);
    if (!pm_merge_ok(m))
        return 0;
    pm_merge_keep(m, pm_host_of(sql, j->key[0].t.data, &host_id, &err), &err);
    pm_sql_do(sql,
              "INSERT OR IGNORE INTO schedule (host_id, boot_id, selection, every_ms) "
              "SELECT host_id, ?2, ?3, ?4 FROM host WHERE name = ?1",
              j->key, 4);
    return pm_sql_value(sql, "SELECT j.schedule_id " OF_SCHEDULE, j->key, 4, 0);
}

/* Stores the new beats of a schedule, except one that may still be running: its missing snapshots
 * would pass for pruned. */
static void store_of_schedule(pm_merge *m, const schedule *j)
{
    sqlite3_stmt *row = ask_beats(m, j->schedule_id);
    int64_t here = 0;

    while (pm_merge_next(m, row)) {
        if (pm_merge_get(&m->beats, pm_col_int(row, 0)) || pm_col_int(row, 10))
            continue;
        if (!here)
            here = schedule_here(m, j);
        store_beat(m, here, row);
    }
    if (j->pruned_ms ==
        PMAPDB_UNKNOWN) /* if pruned there, the data of the schedule is incomplete here, too */
        return;
    pm_merge_begin(m);
    pm_sql_do(m->into->sql,
              "UPDATE schedule SET pruned_ms = max(?5, coalesce(pruned_ms, ?5)) "
              "WHERE schedule_id IN (SELECT j.schedule_id " OF_SCHEDULE ")",
              PM_ARGS(j->key[0], j->key[1], j->key[2], j->key[3], PM_I(j->pruned_ms)));
    pm_merge_wrote(m);
}

void pm_merge_store_beats(pm_merge *m)
{
    sqlite3_stmt *row = ask_schedules(m);

    while (pm_merge_next(m, row)) {
        schedule j = read_schedule(row);

        store_of_schedule(m, &j);
    }
}
