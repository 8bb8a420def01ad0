/* export_table: every table of the schema: the rows that an export copies, and how. */
#include "store/export/export.h"

#define OF_PROCESS "WHERE t.process_id IN (SELECT id FROM temp.export_process)"
#define OF_SNAPSHOT "WHERE t.snapshot_id IN (SELECT id FROM temp.export_snapshot)"
#define OF_LIVE                                                             \
    "WHERE t.live_process_id IN (SELECT live_process_id FROM live_reading " \
    "WHERE snapshot_id IN (SELECT id FROM temp.export_snapshot))"
#define OF_TRACED "CROSS JOIN temp.export_traced e ON e.id = t.traced_process_id"
#define OF_CAPTURE "WHERE ?1 OR t.capture_id IN (SELECT id FROM temp.export_capture)"
/* Versions in one of the chosen snapshots. */
#define SHOWN                                                                        \
    "WHERE EXISTS (SELECT 1 FROM temp.export_shown s WHERE s.epoch_id = t.epoch_id " \
    "AND s.off BETWEEN t.first AND coalesce(t.last, 32767))"

const pm_export_table pm_export_tables[] = {
    {"host", "WHERE ?1 OR t.host_id IN (SELECT id FROM temp.export_host)", NULL, false},
    {"host_label", "WHERE ?1 OR t.host_id IN (SELECT id FROM temp.export_host)", NULL, false},
    {"name",
     "WHERE ?1 OR t.name_id IN (SELECT name_id FROM process WHERE process_id IN "
     "(SELECT id FROM temp.export_process))",
     NULL, false},
    {"process", OF_PROCESS, "t.process_id", false},
    {"origin",
     "WHERE ?1 OR t.origin_id IN (SELECT origin_id FROM capture WHERE capture_id IN "
     "(SELECT id FROM temp.export_capture))",
     NULL, false},
    {"capture", OF_CAPTURE, NULL, false},
    {"schedule",
     "WHERE ?1 OR t.schedule_id IN (SELECT schedule_id FROM beat WHERE capture_id IN "
     "(SELECT id FROM temp.export_capture))",
     NULL, false},
    {"beat", OF_CAPTURE, NULL, false},
    {"page_scan", OF_CAPTURE, NULL, false},
    {"import_log",
     "WHERE ?1 OR t.import_log_id IN (SELECT import_log_id FROM snapshot WHERE snapshot_id IN "
     "(SELECT id FROM temp.export_snapshot))",
     NULL, false},
    {"epoch", "WHERE t.epoch_id IN (SELECT epoch_id FROM temp.export_shown)", NULL, false},
    {"snapshot", OF_SNAPSHOT, NULL, false},
    {"live_process", OF_LIVE, NULL, false},
    {"environment", OF_LIVE, NULL, true},
    {"live_reading", OF_SNAPSHOT, NULL, false},
    {"page_process", OF_SNAPSHOT, NULL, false},
    {"activity", OF_SNAPSHOT, NULL, false},
    {"clearing", OF_PROCESS, NULL, false},
    {"pin", OF_SNAPSHOT, NULL, false},
    {"forgotten", "WHERE ?1", NULL, true},
    {"refused", "WHERE ?1", NULL, true},
    {"category",
     "WHERE t.category_id > 14 AND (?1 OR t.category_id IN (SELECT id FROM temp.export_category))",
     NULL, false},
    {"object",
     "WHERE t.object_id IN (SELECT object_id FROM region WHERE region_id IN "
     "(SELECT id FROM temp.export_region))",
     NULL, false},
    {"lineage",
     "WHERE t.lineage_id IN (SELECT lineage_id FROM region WHERE region_id IN "
     "(SELECT id FROM temp.export_region))",
     NULL, false},
    {"label", OF_PROCESS, "t.process_id", false},
    {"region",
     "CROSS JOIN lineage l ON l.lineage_id = t.lineage_id "
     "WHERE t.region_id IN (SELECT id FROM temp.export_region)",
     "l.process_id", false},
    {"recording",
     "WHERE t.recording_id IN (SELECT recording_id FROM traced_process WHERE traced_process_id IN "
     "(SELECT id FROM temp.export_traced))",
     NULL, false},
    {"traced_process", OF_TRACED, NULL, false},
    {"thread", OF_TRACED, NULL, false},
    {"frame",
     "WHERE t.frame_id IN (SELECT k.frame_id FROM stack k WHERE k.stack_id IN "
     "(SELECT id FROM temp.export_stack))",
     NULL, false},
    {"stack", "WHERE t.stack_id > 0 AND t.stack_id IN (SELECT id FROM temp.export_stack)", NULL,
     false},
    {"call",
     "CROSS JOIN thread h ON h.thread_id = t.thread_id "
     "CROSS JOIN temp.export_traced e ON e.id = h.traced_process_id",
     "e.space", false},
    {"extent", OF_TRACED, "e.space", false},
    {"foreign_extent", OF_TRACED, "e.space", false},
    {"rare_fields", "WHERE t.rare_fields_id IN (SELECT id FROM temp.export_rare)", NULL, false},
    {"mapping_version", SHOWN, NULL, false},
    {"category_version", SHOWN, NULL, false},
    {"rule_set", "", NULL, true}, /* replaces the rules of the new store */
};
const size_t pm_export_n_tables = sizeof pm_export_tables / sizeof *pm_export_tables;

/* ---- copying ---- */

/* A version that ends at or after the last copied capture is left open: else the next imported
 * capture would show it again. */
#define LAST                                                                             \
    "CASE WHEN t.last < (SELECT max(s.off) FROM temp.export_shown s WHERE s.epoch_id = " \
    "t.epoch_id) THEN t.last END"

typedef struct copying {
    pm_export_copy *copy;
    const pm_export_table *table;
    sqlite3_stmt *read, *write;
} copying;

/* Writes both statements, column by column, without generated columns. */
static void write_statements(copying *c, pm_buf *select, pm_buf *insert)
{
    const pm_export_table *t = c->table;
    pm_sql *sql = c->copy->into->sql;
    pm_buf value = {0};
    int n = 0;
    sqlite3_stmt *row = pm_sql_ask(sql, "SELECT name FROM pragma_table_info(?1) ORDER BY cid",
                                   PM_ARGS(PM_S(t->name)));

    pm_buf_addf(select, NULL, "SELECT ");
    pm_buf_addf(insert, NULL, "%s INTO \"%s\" VALUES (",
                strcmp(t->name, "rule_set") == 0 ? "REPLACE" : "INSERT", t->name);
    for (; pm_sql_next(sql, row); n++) {
        const char *name = pm_col_text(row, 0).data;

        pm_buf_clear(&value);
        pm_buf_addf(&value, NULL, strcmp(name, "last") == 0 ? LAST : "t.\"%s\"", name);
        pm_buf_addf(select, NULL, "%s", n ? ", " : "");
        pm_buf_addf(insert, NULL, "%s?", n ? ", " : "");
        if (c->copy->redact)
            PM_SQL_STEP(sql, pm_redact_expression(select, t->name, name, pm_buf_text(&value).data,
                                                  t->space, &err));
        else
            pm_buf_addf(select, NULL, "%s", pm_buf_text(&value).data);
        PM_SQL_STEP(sql, pm_buf_status(&value, &err));
    }
    pm_buf_addf(select, NULL, " FROM \"%s\" t %s", t->name, t->rows);
    pm_buf_addf(insert, NULL, ")");
    PM_SQL_STEP(sql, pm_buf_status(select, &err));
    PM_SQL_STEP(sql, pm_buf_status(insert, &err));
    pm_buf_free(&value);
}

static pmapdb_status prepare(copying *c, pmapdb_error *err)
{
    pm_buf select = {0}, insert = {0};
    pmapdb_status st;

    write_statements(c, &select, &insert);
    st = pm_sql_end(c->copy->into->sql, err);
    if (st == PMAPDB_OK &&
        sqlite3_prepare_v2(c->copy->from->db, select.data, -1, &c->read, NULL) != SQLITE_OK)
        st = pm_sql_fail(c->copy->from->db, "read", err);
    if (st == PMAPDB_OK &&
        sqlite3_prepare_v2(c->copy->into->db, insert.data, -1, &c->write, NULL) != SQLITE_OK)
        st = pm_sql_fail(c->copy->into->db, "write", err);
    if (st == PMAPDB_OK && sqlite3_bind_parameter_count(c->read))
        sqlite3_bind_int(c->read, 1, c->copy->whole);
    pm_buf_free(&select);
    pm_buf_free(&insert);
    return st;
}

static pmapdb_status write_row(copying *c, pmapdb_error *err)
{
    int n = sqlite3_column_count(c->read), rc = SQLITE_OK;

    for (int i = 0; i < n && rc == SQLITE_OK; i++)
        rc = sqlite3_bind_value(c->write, i + 1, sqlite3_column_value(c->read, i));
    if (rc == SQLITE_OK)
        rc = sqlite3_step(c->write);
    if (rc != SQLITE_DONE)
        return pm_sql_fail(c->copy->into->db, "write", err);
    sqlite3_reset(c->write);
    c->copy->rows++;
    return PMAPDB_OK;
}

pmapdb_status pm_export_table_copy(pm_export_copy *copy, const pm_export_table *table,
                                   pmapdb_error *err)
{
    copying c = {.copy = copy, .table = table};
    pmapdb_status st = prepare(&c, err);
    int rc = SQLITE_DONE;

    while (st == PMAPDB_OK && (rc = sqlite3_step(c.read)) == SQLITE_ROW)
        st = write_row(&c, err);
    if (copy->redact) /* its failure has a better message than SQLite's */
        PM_STEP(st, pm_redact_failed(copy->redact, err));
    if (st == PMAPDB_OK && rc != SQLITE_DONE)
        st = pm_sql_fail(copy->from->db, "read", err);
    sqlite3_finalize(c.read);
    sqlite3_finalize(c.write);
    return st;
}
