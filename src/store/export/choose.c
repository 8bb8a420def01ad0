/* choose: which processes, which snapshots, and all that they refer to. */
#include "store/export/export_run.h"

#include "store/select.h"
#include <stdio.h>

/* Temporary tables are of this connection alone, and in memory. */
static pmapdb_status exec(pm_export_run *run, const char *sql, pmapdb_error *err)
{
    if (sqlite3_exec(run->from->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return pm_sql_fail(run->from->db, "choose rows", err);
    return PMAPDB_OK;
}

static const char make_sets[] =
    "CREATE TEMP TABLE export_process (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE export_snapshot (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE export_shown (epoch_id INTEGER, off INTEGER, PRIMARY KEY (epoch_id, off)) "
    "WITHOUT ROWID;"
    "CREATE TEMP TABLE export_capture (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE export_region (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE export_detail (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE export_category (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE export_host (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE export_tracee (id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE export_stack (space INTEGER, stack_id INTEGER, PRIMARY KEY (stack_id, "
    "space)) WITHOUT "
    "ROWID;"
    "CREATE TEMP TABLE export_frame (frame_id INTEGER PRIMARY KEY, space INTEGER);";

static const char drop_sets[] =
    "DROP TABLE IF EXISTS temp.export_process; DROP TABLE IF EXISTS temp.export_snapshot;"
    "DROP TABLE IF EXISTS temp.export_shown; DROP TABLE IF EXISTS temp.export_capture;"
    "DROP TABLE IF EXISTS temp.export_region; DROP TABLE IF EXISTS temp.export_detail;"
    "DROP TABLE IF EXISTS temp.export_category; DROP TABLE IF EXISTS temp.export_host;"
    "DROP TABLE IF EXISTS temp.export_tracee; DROP TABLE IF EXISTS temp.export_stack;"
    "DROP TABLE IF EXISTS temp.export_frame";

void pm_export_forget(pm_export_run *run)
{
    sqlite3_exec(run->from->db, drop_sets, NULL, NULL, NULL);
    if (!run->from->writes)
        sqlite3_exec(run->from->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
}

/* ---- what was asked for ---- */

static pmapdb_status add_processes(pm_export_run *run, const pm_scope *scope, pmapdb_error *err)
{
    return pm_sql_run(run->from->sql,
                      "INSERT OR IGNORE INTO temp.export_process SELECT process_id FROM process "
                      "WHERE process_id IS coalesce(?1, process_id) AND name_id IS coalesce(?2, "
                      "name_id)",
                      PM_ARGS(PM_I(scope->process_id), PM_I(scope->name_id)), err);
}

/* *scope: of the only selector, else of all. */
static pmapdb_status choose_processes(pm_export_run *run, pm_scope *scope, pmapdb_error *err)
{
    const pm_export *x = run->export;
    pmapdb_status st = PMAPDB_OK;

    *scope = (pm_scope){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};
    if (!x->n_processes)
        return add_processes(run, scope, err);
    for (size_t i = 0; i < x->n_processes && st == PMAPDB_OK; i++) {
        st = pm_select_process(run->from->sql, pm_text_of(x->process[i]), scope, err);
        if (st == PMAPDB_OK)
            st = add_processes(run, scope, err);
    }
    if (x->n_processes > 1)
        *scope = (pm_scope){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};
    return st;
}

static pmapdb_status find_moment(pm_export_run *run, const pm_scope *scope, const char *selector,
                                 int64_t back_from, int64_t *ms, pmapdb_error *err)
{
    pm_text any = {NULL, 0};
    pm_pick pick;
    pmapdb_status st;

    if (!selector)
        return PMAPDB_OK;
    st =
        pm_select_snapshot(run->from->sql, scope, any, pm_text_of(selector), back_from, &pick, err);
    if (st == PMAPDB_OK)
        *ms = pick.moment_ms;
    return st;
}

static pmapdb_status choose_snapshots(pm_export_run *run, const pm_scope *scope, pmapdb_error *err)
{
    const pm_export *x = run->export;
    int64_t from = INT64_MIN, to = INT64_MAX, n;
    pmapdb_status st = find_moment(run, scope, x->to, PMAPDB_UNKNOWN, &to, err);

    if (st == PMAPDB_OK)
        st = find_moment(run, scope, x->from, x->to ? to : PMAPDB_UNKNOWN, &from, err);
    if (st == PMAPDB_OK && from > to)
        st = pm_fail(err, PMAPDB_USAGE, "--from '%s' is behind --to '%s'", x->from, x->to);
    if (st == PMAPDB_OK)
        st = pm_sql_run(run->from->sql,
                        "INSERT INTO temp.export_snapshot SELECT snapshot_id FROM snapshot WHERE "
                        "moment_ms BETWEEN ?1 AND ?2 AND process_id IN (SELECT id FROM "
                        "temp.export_process)",
                        PM_ARGS(PM_BITS(from), PM_BITS(to)), err);
    if (st != PMAPDB_OK || !run->cut)
        return st;
    st = exec(run,
              "DELETE FROM temp.export_process WHERE id NOT IN (SELECT s.process_id FROM "
              "snapshot s WHERE s.snapshot_id IN (SELECT id FROM temp.export_snapshot))",
              err);
    if (st == PMAPDB_OK)
        st = pm_sql_int(run->from->sql, "SELECT count(*) FROM temp.export_process", PM_NO_ARGS, 0,
                        &n, err);
    return st == PMAPDB_OK && !n ? pm_fail(err, PMAPDB_NOTFOUND, "no snapshot lies in that span")
                                 : st;
}

/* ---- what that refers to ---- */

static const char fill_sets[] =
    "INSERT INTO temp.export_shown SELECT epoch_id, off FROM snapshot WHERE snapshot_id IN "
    "(SELECT id FROM temp.export_snapshot);"
    "INSERT OR IGNORE INTO temp.export_capture SELECT capture_id FROM snapshot WHERE snapshot_id "
    "IN (SELECT id FROM temp.export_snapshot);"
    "INSERT OR IGNORE INTO temp.export_region SELECT v.region_id FROM (SELECT DISTINCT epoch_id "
    "FROM temp.export_shown) e CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id WHERE "
    "EXISTS (SELECT 1 "
    "FROM temp.export_shown s WHERE s.epoch_id = v.epoch_id AND s.off >= v.first AND s.off <= "
    "coalesce(v.last, 32767));"
    "INSERT OR IGNORE INTO temp.export_detail SELECT v.rare_fields_id FROM (SELECT DISTINCT "
    "epoch_id "
    "FROM temp.export_shown) e CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id WHERE "
    "v.rare_fields_id IS "
    "NOT NULL AND EXISTS (SELECT 1 FROM temp.export_shown s WHERE s.epoch_id = v.epoch_id AND "
    "s.off >= v.first AND s.off <= coalesce(v.last, 32767));"
    "INSERT OR IGNORE INTO temp.export_category SELECT c.category_id FROM (SELECT DISTINCT "
    "epoch_id FROM temp.export_shown) e CROSS JOIN category_version c ON c.epoch_id = e.epoch_id;"
    "INSERT OR IGNORE INTO temp.export_category SELECT r.category_id FROM region r WHERE "
    "r.category_id IS NOT NULL AND r.region_id IN (SELECT id FROM temp.export_region);"
    "INSERT OR IGNORE INTO temp.export_category SELECT l.category_id FROM region r JOIN lineage l "
    "ON l.lineage_id = r.lineage_id WHERE r.region_id IN (SELECT id FROM temp.export_region);"
    "INSERT OR IGNORE INTO temp.export_category SELECT o.category_id FROM region r JOIN object o "
    "ON o.object_id = r.object_id WHERE r.region_id IN (SELECT id FROM temp.export_region);";

/* Of perf, and hosts, which everything may have. */
static const char fill_rest[] =
    "WITH RECURSIVE used (space, stack_id) AS ("
    "SELECT coalesce(e.process_id, -e.traced_process_id), c.stack_id FROM traced_process e JOIN "
    "thread h ON "
    "h.traced_process_id = e.traced_process_id JOIN call c ON c.thread_id = h.thread_id WHERE "
    "e.traced_process_id IN "
    "(SELECT id FROM temp.export_tracee) UNION SELECT u.space, k.caller_id FROM used u JOIN stack "
    "k ON k.stack_id = u.stack_id WHERE k.stack_id <> 0) "
    "INSERT INTO temp.export_stack SELECT space, stack_id FROM used;"
    "INSERT OR IGNORE INTO temp.export_frame SELECT k.frame_id, u.space FROM temp.export_stack u "
    "JOIN stack k ON k.stack_id = u.stack_id JOIN frame f ON f.frame_id = k.frame_id "
    "WHERE f.symbol = '' ORDER BY u.space;"
    "INSERT OR IGNORE INTO temp.export_host "
    "SELECT host_id FROM process WHERE process_id IN (SELECT id FROM temp.export_process) AND "
    "host_id IS NOT NULL "
    "UNION SELECT n.host_id FROM name n JOIN process p ON p.name_id = n.name_id WHERE n.host_id IS "
    "NOT NULL AND p.process_id IN (SELECT id FROM temp.export_process) "
    "UNION SELECT j.host_id FROM beat w JOIN schedule j ON j.schedule_id = w.schedule_id WHERE "
    "w.capture_id IN "
    "(SELECT id FROM temp.export_capture) "
    "UNION SELECT g.host_id FROM snapshot s JOIN import_log g ON g.import_log_id = s.import_log_id "
    "WHERE g.host_id IS "
    "NOT NULL AND s.snapshot_id IN (SELECT id FROM temp.export_snapshot) "
    "UNION SELECT r.host_id FROM traced_process e JOIN recording r ON r.recording_id = "
    "e.recording_id "
    "WHERE r.host_id IS NOT NULL AND e.traced_process_id IN (SELECT id FROM temp.export_tracee);";

static pmapdb_status count(pm_export_run *run, const char *sql, uint64_t *out, pmapdb_error *err)
{
    int64_t n = 0;
    pmapdb_status st = pm_sql_int(run->from->sql, sql, PM_NO_ARGS, 0, &n, err);

    *out = (uint64_t)n;
    return st;
}

static pmapdb_status count_all(pm_export_run *run, pmapdb_error *err)
{
    pm_export_counts *c = run->counts;
    uint64_t sweeps = 0;
    pmapdb_status st = count(run, "SELECT count(*) FROM temp.export_process", &c->processes, err);

    if (st == PMAPDB_OK)
        st = count(run, "SELECT count(*) FROM temp.export_snapshot", &c->snapshots, err);
    if (st == PMAPDB_OK)
        st = count(
            run,
            "SELECT count(DISTINCT recording_id) FROM traced_process WHERE traced_process_id IN "
            "(SELECT id FROM temp.export_tracee)",
            &c->recordings, err);
    if (st == PMAPDB_OK)
        st = count(run,
                   "SELECT count(*) FROM beat WHERE capture_id IN (SELECT id FROM "
                   "temp.export_capture)",
                   &sweeps, err);
    c->sweeps = sweeps > 0;
    return st;
}

pmapdb_status pm_export_choose(pm_export_run *run, pmapdb_error *err)
{
    pm_scope scope;
    pmapdb_status st;

    /* The file is open for reading alone; this is about temporary tables. */
    st = exec(run, "PRAGMA query_only = OFF", err);
    if (st == PMAPDB_OK)
        st = exec(run, drop_sets, err);
    if (st == PMAPDB_OK)
        st = exec(run, make_sets, err);
    if (st == PMAPDB_OK)
        st = choose_processes(run, &scope, err);
    if (st == PMAPDB_OK)
        st = choose_snapshots(run, &scope, err);
    if (st == PMAPDB_OK)
        st = exec(run, fill_sets, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(run->from->sql,
                        "INSERT INTO temp.export_tracee SELECT traced_process_id FROM "
                        "traced_process WHERE pruned "
                        "= 0 AND (process_id IN (SELECT id FROM temp.export_process) OR (?1 AND "
                        "process_id IS NULL))",
                        PM_ARGS(PM_I(run->whole)), err);
    if (st == PMAPDB_OK)
        st = exec(run, fill_rest, err);
    return st == PMAPDB_OK ? count_all(run, err) : st;
}
