/* doctor_proof: reads every snapshot in full, and compares its stored sums with its mappings and
 * its categories. */
#include "store/health/doctor.h"

/* Lists the rows up to a failure of the statement. */
static bool list(pm_doctor *d, const char *select)
{
    pm_sql *sql = d->store->sql;
    pmapdb_status st;
    sqlite3_stmt *row;

    pm_sql_do(sql, "DELETE FROM temp.listed", PM_NO_ARGS);
    row = pm_sql_ask(sql, select, PM_NO_ARGS);
    while (pm_sql_next(sql, row))
        pm_sql_do(sql, "INSERT INTO temp.listed VALUES (?1)", PM_ARGS(PM_I(pm_col_int(row, 0))));
    st = pm_sql_end(sql, NULL);
    d->nomem |= st == PMAPDB_NOMEM;
    return st == PMAPDB_OK;
}

/* A statement that fails on damage does not end the proof: the next snapshot may be intact. */
static void prove(pm_doctor *d, sqlite3_stmt *proof, int64_t id)
{
    int rc;

    sqlite3_bind_int64(proof, 1, id);
    sqlite3_step(proof);
    rc = sqlite3_reset(proof);
    d->nomem |= (rc & 0xff) == SQLITE_NOMEM;
    if (rc != SQLITE_OK)
        pm_sql_do(d->store->sql, "INSERT INTO temp.proof (snapshot_id) VALUES (?1)",
                  PM_ARGS(PM_I(id)));
}

void pm_doctor_proof(pm_doctor *d)
{
    pm_sql *sql = d->store->sql;
    sqlite3_stmt *proof = NULL, *row;
    pmapdb_error err = {0};

    pm_sql_do(sql, "CREATE TEMP TABLE listed (snapshot_id INTEGER)", PM_NO_ARGS);
    pm_sql_do(sql, "CREATE TEMP TABLE proof (snapshot_id INTEGER, sums, categories)", PM_NO_ARGS);
    /* if pages of the table are damaged, an index may still have its rows */
    if (!list(d, "SELECT snapshot_id FROM snapshot NOT INDEXED ORDER BY snapshot_id") &&
        !list(d, "SELECT snapshot_id FROM snapshot INDEXED BY snapshot_process "
                 "ORDER BY process_id, taken_ms"))
        pm_sql_do(sql, "INSERT INTO temp.listed VALUES (NULL)", PM_NO_ARGS);
    if (pm_sql_ok(sql) && sqlite3_prepare_v2(d->store->db, pm_sql_script_text("doctor-proof"), -1,
                                             &proof, NULL) != SQLITE_OK)
        pm_sql_keep(sql, pm_sql_fail(d->store->db, "read", &err), &err);
    row = pm_sql_ask(sql, "SELECT snapshot_id FROM temp.listed WHERE snapshot_id IS NOT NULL",
                     PM_NO_ARGS);
    while (pm_sql_next(sql, row))
        prove(d, proof, pm_col_int(row, 0));
    sqlite3_finalize(proof);
    if (pm_sql_end(sql, &err) == PMAPDB_OK)
        pm_doctor_find(d, "readable");
    else
        pm_doctor_lost(d, "readable", &err);
    pm_doctor_find(d, "order");
}
