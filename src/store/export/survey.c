/* survey: before anything is copied: all addresses, and what lies in folders of the system. */
#include "store/export/export_run.h"

/* whose, start, length */
static const char *const addresses[] = {
    "SELECT l.process_id, r.start, r.length FROM region r JOIN lineage l ON l.lineage_id = "
    "r.lineage_id WHERE r.region_id IN (SELECT id FROM temp.export_region)",
    "SELECT process_id, start, length FROM label WHERE process_id IN (SELECT id FROM "
    "temp.export_process)",
    "SELECT process_id, stack_end, 0 FROM process WHERE process_id IN (SELECT id FROM "
    "temp.export_process)",
    "SELECT process_id, vdso_start, 0 FROM process WHERE process_id IN (SELECT id FROM "
    "temp.export_process)",
    "SELECT process_id, libc_start, 0 FROM process WHERE process_id IN (SELECT id FROM "
    "temp.export_process)",
    "SELECT process_id, ld_start, 0 FROM process WHERE process_id IN (SELECT id FROM "
    "temp.export_process)",
    "SELECT process_id, exe_start, 0 FROM process WHERE process_id IN (SELECT id FROM "
    "temp.export_process)",
    "SELECT coalesce(e.process_id, -e.traced_process_id), x.start, x.length FROM traced_process e "
    "JOIN extent x ON "
    "x.traced_process_id = e.traced_process_id WHERE e.traced_process_id IN (SELECT id FROM "
    "temp.export_tracee)",
    "SELECT coalesce(e.process_id, -e.traced_process_id), x.start, x.length FROM traced_process e "
    "JOIN "
    "foreign_extent x ON x.traced_process_id = e.traced_process_id WHERE e.traced_process_id IN "
    "(SELECT id FROM "
    "temp.export_tracee)",
    "SELECT coalesce(e.process_id, -e.traced_process_id), c.a0, 0 FROM traced_process e JOIN "
    "thread h ON "
    "h.traced_process_id = e.traced_process_id JOIN call c ON c.thread_id = h.thread_id WHERE "
    "e.traced_process_id IN "
    "(SELECT id FROM temp.export_tracee)",
    "SELECT coalesce(e.process_id, -e.traced_process_id), c.ret, 0 FROM traced_process e JOIN "
    "thread h ON "
    "h.traced_process_id = e.traced_process_id JOIN call c ON c.thread_id = h.thread_id WHERE "
    "e.traced_process_id IN "
    "(SELECT id FROM temp.export_tracee)",
    "SELECT coalesce(e.process_id, -e.traced_process_id), c.a4, 0 FROM traced_process e JOIN "
    "thread h ON "
    "h.traced_process_id = e.traced_process_id JOIN call c ON c.thread_id = h.thread_id WHERE "
    "c.kind = 3 AND "
    "e.traced_process_id IN (SELECT id FROM temp.export_tracee)",
    "SELECT u.space, f.offset, 0 FROM temp.export_frame u JOIN frame f ON f.frame_id = u.frame_id",
};

/* A frame without a symbol is known by its address: processes that share one (they were forked) are
 * moved alike. */
static const char shared[] =
    "SELECT u.space, k.space FROM temp.export_stack k JOIN stack s ON s.stack_id = k.stack_id "
    "JOIN temp.export_frame u ON u.frame_id = s.frame_id JOIN frame f ON f.frame_id = u.frame_id "
    "WHERE k.space <> u.space AND f.offset > 0 GROUP BY 1, 2";

static const char *const paths[] = {
    "SELECT DISTINCT o.path FROM object o WHERE o.object_id IN (SELECT r.object_id FROM region r "
    "WHERE r.region_id IN (SELECT id FROM temp.export_region))",
    "SELECT DISTINCT t.exe FROM live_process t WHERE t.exe IS NOT NULL AND t.live_process_id IN "
    "(SELECT "
    "g.live_process_id FROM live_reading g WHERE g.snapshot_id IN (SELECT id FROM "
    "temp.export_snapshot))",
    "SELECT DISTINCT substr(p.command, 1, instr(p.command || ' ', ' ') - 1) FROM process p WHERE "
    "p.command IS NOT NULL AND p.process_id IN (SELECT id FROM temp.export_process)",
};

typedef pmapdb_status (*note_row)(pm_export_run *run, sqlite3_stmt *row, pmapdb_error *err);

static pmapdb_status each(pm_export_run *run, const char *sql, note_row note, pmapdb_error *err)
{
    sqlite3_stmt *row;
    bool has;
    pmapdb_status st = pm_sql_rows(run->from->sql, sql, PM_NO_ARGS, &row, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(run->from->sql, row, &has, err)) == PMAPDB_OK &&
           has)
        if ((st = note(run, row, err)) != PMAPDB_OK)
            pm_sql_done(row);
    return st;
}

static pmapdb_status note_address(pm_export_run *run, sqlite3_stmt *row, pmapdb_error *err)
{
    return pm_places_note(pm_redact_places(run->export->redact), sqlite3_column_int64(row, 0),
                          sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2), err);
}

static pmapdb_status note_shared(pm_export_run *run, sqlite3_stmt *row, pmapdb_error *err)
{
    return pm_places_join(pm_redact_places(run->export->redact), sqlite3_column_int64(row, 0),
                          sqlite3_column_int64(row, 1), err);
}

static pmapdb_status note_path(pm_export_run *run, sqlite3_stmt *row, pmapdb_error *err)
{
    pm_text path = pm_col_text(row, 0);

    return path.data ? pm_redact_publish(run->export->redact, path, err) : PMAPDB_OK;
}

pmapdb_status pm_export_survey(pm_export_run *run, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < sizeof addresses / sizeof *addresses && st == PMAPDB_OK; i++)
        st = each(run, addresses[i], note_address, err);
    if (st == PMAPDB_OK)
        st = each(run, shared, note_shared, err);
    if (st == PMAPDB_OK)
        st = pm_places_settle(pm_redact_places(run->export->redact), err);
    for (size_t i = 0; i < sizeof paths / sizeof *paths && st == PMAPDB_OK; i++)
        st = each(run, paths[i], note_path, err);
    return st;
}
