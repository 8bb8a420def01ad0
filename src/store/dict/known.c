/* known: the captures that the store has, or had until a prune removed them. */
#include "store/dict/known.h"

/* ?6: the name of the host; NULL: unknown. */
#define OF_HOST                                                \
    "coalesce(host_id, 0) = CASE WHEN ?6 IS NULL THEN 0 ELSE " \
    "coalesce((SELECT h.host_id FROM host h WHERE h.name = ?6), -1) END"
#define SAME_BLOCK                                                                          \
    "hash = ?1 AND dialect = ?2 AND taken_ms BETWEEN ?3 AND ?4 AND coalesce(pid, -1) = ?5 " \
    "AND " OF_HOST

int64_t pm_known(pm_sql *sql, const pm_capture *c, bool *pruned)
{
    bool live = c->time_source == PM_TIME_LIVE, seconds = c->time_source == PM_TIME_MTIME;
    int64_t from = seconds ? c->taken_ms - c->taken_ms % 1000 : c->taken_ms;
    const pm_arg args[] = {PM_BITS(c->block.hash),
                           PM_S(pm_dialect_name(c->block.dialect)),
                           PM_I(from),
                           PM_I(seconds ? from + 999 : from),
                           PM_I(c->pid == PMAPDB_UNKNOWN ? -1 : c->pid),
                           PM_S(c->host),
                           PM_I(live),
                           PM_S(c->live ? c->live->boot_id : NULL),
                           PM_I(c->start_time)};
    int64_t id = pm_sql_value(
        sql,
        "SELECT snapshot_id FROM process p CROSS JOIN snapshot s ON s.process_id = p.process_id "
        "WHERE " SAME_BLOCK " AND (NOT ?7 OR boot_id = ?8 AND start_time IS ?9) LIMIT 1",
        args, 9, 0);

    *pruned = !id && !live && c->time_source != PM_TIME_NOW &&
              pm_sql_value(sql, "SELECT 1 FROM forgotten WHERE " SAME_BLOCK, args, 6, 0);
    return id;
}
