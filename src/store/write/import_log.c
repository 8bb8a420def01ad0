/* import_log: files of captures without times, identified by the sequence of their blocks. */
#include "store/write/import_log.h"

#include "base/buf.h"
#include "store/write/process.h"

/* Marks the blocks of the file that the log has. */
static void mark(pm_sql *sql, int64_t log_id, pm_log_block *blocks, size_t n)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql, pm_sql_script_text(PM_LOG_BLOCKS), PM_ARGS(PM_I(log_id)));
    int64_t pid = PMAPDB_UNKNOWN;
    size_t at = 0; /* the next block that may be of the pid */

    while (pm_sql_next(sql, stmt)) {
        if (pm_col_int(stmt, 0) != pid)
            at = 0;
        pid = pm_col_int(stmt, 0);
        while (at < n && blocks[at].pid != pid)
            at++;
        if (at == n)
            continue;
        blocks[at].known = true;
        blocks[at].taken_ms = pm_col_ms(stmt, 2);
        blocks[at++].snapshot_id = pm_col_int(stmt, 4);
    }
}

int64_t pm_log_find(pm_sql *sql, int64_t host_id, pm_log_block *blocks, size_t n,
                    int64_t written_ms, int64_t *last_ms)
{
    pm_buf json = {0};
    int64_t log_id = 0;
    sqlite3_stmt *stmt;

    *last_ms = PMAPDB_UNKNOWN;
    for (size_t i = 0; i < n; i++)
        pm_buf_addf(&json, NULL, "%s[%lld,%lld]", i ? "," : "[",
                    blocks[i].pid == PMAPDB_UNKNOWN ? -1 : (long long)blocks[i].pid,
                    (long long)blocks[i].hash);
    pm_buf_addf(&json, NULL, "]");
    PM_SQL_STEP(sql, pm_buf_status(&json, &err));
    stmt = pm_sql_ask(sql, pm_sql_script_text("import-log-find"),
                      PM_ARGS(PM_I(host_id == PMAPDB_UNKNOWN ? 0 : host_id),
                              PM_T(pm_buf_text(&json)), PM_I(n), PM_I(written_ms)));
    if (pm_sql_next(sql, stmt)) {
        log_id = pm_col_int(stmt, 0);
        *last_ms = pm_col_ms(stmt, 1);
        pm_sql_done(stmt);
        mark(sql, log_id, blocks, n);
    }
    pm_buf_free(&json);
    return log_id;
}

int64_t pm_log_new(pm_sql *sql, const char *host)
{
    return pm_sql_do(sql, "INSERT INTO import_log (host_id) VALUES (?1)",
                     PM_ARGS(PM_I(pm_host_of(sql, host))));
}

pmapdb_status pm_log_match(pmapdb_store *s, const char *host, pm_log_block *blocks, size_t n,
                           int64_t written_ms, int64_t *log_id, int64_t *last_ms, pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    *log_id = pm_log_find(s->sql, pm_host_of(s->sql, host), blocks, n, written_ms, last_ms);
    if (!*log_id)
        *log_id = pm_log_new(s->sql, host);
    return pm_store_end(s, err);
}
