/* forgotten: remembers the text captures that a prune removed, so that no import restores them. */
#include "store/dict/forgotten.h"

#include "store/write/process.h"

/* Like pm_process_known, compares an mtime in whole seconds. */
pmapdb_status pm_forgotten(pm_sql *sql, const pm_capture *c, bool *known, pmapdb_error *err)
{
    bool seconds = c->time_source == PM_TIME_MTIME;
    int64_t from = seconds ? c->taken_ms - c->taken_ms % 1000 : c->taken_ms;
    int64_t host_id;
    pmapdb_status st;

    *known = false;
    if (c->time_source == PM_TIME_NOW || c->time_source == PM_TIME_LIVE)
        return PMAPDB_OK;
    st = pm_host_of(sql, c->host, &host_id, err);
    if (st != PMAPDB_OK)
        return st;
    *known = pm_sql_value(
        sql,
        "SELECT count(*) FROM forgotten WHERE hash = ?1 AND taken_ms BETWEEN ?2 AND ?3 "
        "AND dialect = ?4 AND pid IS ?5 AND host_id IS ?6",
        PM_ARGS(PM_I((int64_t)c->block.hash), PM_I(from), PM_I(seconds ? from + 999 : from),
                PM_S(pm_dialect_name(c->block.dialect)), PM_I(c->pid), PM_I(host_id)),
        0);
    return pm_sql_end(sql, err);
}
