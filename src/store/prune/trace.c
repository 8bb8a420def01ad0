/* trace: what a prune removed of text stays known. */
#include "store/prune/trace.h"

#include "store/process.h"

pmapdb_status pm_trace_leave(pm_sql *sql, int64_t snapshot_id, pmapdb_error *err)
{
    return pm_sql_run(
        sql,
        "INSERT INTO forgotten (hash, taken_ms, n, ordinal, dialect, pid, host_id, import_log_id) "
        "SELECT s.hash, s.taken_ms, (SELECT count(*) FROM forgotten t WHERE t.hash = s.hash "
        "AND t.taken_ms = s.taken_ms), s.ordinal, s.dialect, p.pid, p.host_id, s.import_log_id "
        "FROM snapshot s JOIN process p ON p.process_id = s.process_id WHERE s.snapshot_id = ?1 "
        "AND s.time_source NOT IN (?2, ?3)",
        PM_ARGS(PM_I(snapshot_id), PM_S(pm_time_source_name(PM_TIME_NOW)),
                PM_S(pm_time_source_name(PM_TIME_LIVE))),
        err);
}

/* As pm_process_known: an mtime is compared in whole seconds. */
pmapdb_status pm_trace_known(pm_sql *sql, const pm_capture *c, bool *known, pmapdb_error *err)
{
    bool seconds = c->time_source == PM_TIME_MTIME;
    int64_t from = seconds ? c->taken_ms - c->taken_ms % 1000 : c->taken_ms;
    int64_t host_id, n = 0;
    pmapdb_status st = PMAPDB_OK;

    *known = false;
    if (c->time_source == PM_TIME_NOW || c->time_source == PM_TIME_LIVE)
        return PMAPDB_OK;
    st = pm_host_of(sql, c->host, &host_id, err);
    if (st == PMAPDB_OK)
        st = pm_sql_int(
            sql,
            "SELECT count(*) FROM forgotten WHERE hash = ?1 AND taken_ms BETWEEN ?2 AND ?3 "
            "AND dialect = ?4 AND pid IS ?5 AND host_id IS ?6",
            PM_ARGS(PM_I((int64_t)c->block.hash), PM_I(from), PM_I(seconds ? from + 999 : from),
                    PM_S(pm_dialect_name(c->block.dialect)), PM_I(c->pid), PM_I(host_id)),
            0, &n, err);
    *known = n > 0;
    return st;
}
