/* reading: what readings of live processes have cost so far. */
#include "store/write/reading.h"

#include "store/write/process.h"

pmapdb_status pm_reading_rss(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                             int64_t start_time, int64_t *rss_kib, pmapdb_error *err)
{
    return pm_sql_int(sql,
                      "SELECT coalesce(s.tool_rss_kib, s.rss_kib) FROM process p "
                      "JOIN snapshot s ON s.process_id = p.process_id WHERE " PM_IS_LIVE_PROCESS
                      " ORDER BY s.taken_ms DESC LIMIT 1",
                      PM_ARGS(PM_I(pid), PM_S(host), PM_S(boot_id), PM_I(start_time)),
                      PMAPDB_UNKNOWN, rss_kib, err);
}

#define READING "s.taken_ms, s.tool_rss_kib, i.swap_kib, s.mappings, i.cpu_us, i.longest_us "

static pmapdb_status read_rows(pm_sql *sql, sqlite3_stmt *stmt, pm_reading *out, size_t *n,
                               pmapdb_error *err)
{
    bool has;
    pmapdb_status st;

    *n = 0;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has)
        out[(*n)++] = (pm_reading){pm_col_int(stmt, 0), pm_col_int(stmt, 1), pm_col_int(stmt, 2),
                                   pm_col_int(stmt, 3), pm_col_int(stmt, 4), pm_col_int(stmt, 5)};
    return st;
}

pmapdb_status pm_reading_own(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                             int64_t start_time, pm_reading *out, bool *found, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    size_t n = 0;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT " READING "FROM process p JOIN snapshot s ON s.process_id = p.process_id "
        "JOIN live_reading i ON i.snapshot_id = s.snapshot_id WHERE " PM_IS_LIVE_PROCESS
        " AND s.dialect = 'smaps' ORDER BY s.taken_ms DESC LIMIT 1",
        PM_ARGS(PM_I(pid), PM_S(host), PM_S(boot_id), PM_I(start_time)), &stmt, err);

    if (st == PMAPDB_OK)
        st = read_rows(sql, stmt, out, &n, err);
    *found = n > 0;
    return st;
}

/* Of little, nothing is learnt; and however long the store is, only its end is looked at. */
pmapdb_status pm_reading_host(pm_sql *sql, const char *host, pm_reading *out, size_t max, size_t *n,
                              pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st =
        pm_sql_rows(sql,
                    "SELECT " READING
                    "FROM (SELECT * FROM live_reading ORDER BY snapshot_id DESC LIMIT 4096) i "
                    "JOIN snapshot s ON s.snapshot_id = i.snapshot_id "
                    "JOIN process p ON p.process_id = s.process_id "
                    "WHERE p.host_id = (SELECT host_id FROM host WHERE name = ?1) "
                    "AND s.dialect = 'smaps' AND s.tool_rss_kib >= 65536 LIMIT ?2",
                    PM_ARGS(PM_S(host), PM_I((int64_t)max)), &stmt, err);

    return st == PMAPDB_OK ? read_rows(sql, stmt, out, n, err) : st;
}
