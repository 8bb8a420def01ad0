/* moment: which snapshots of one (host, name) were captured together. */
#include "store/write/moment.h"

#include <inttypes.h>
#include <stdio.h>

/* True if the new snapshot at from_ms is the last of its name and comes after a pause, or after a
 * live sweep, which is always a moment of its own: the usual case. The snapshot is already a moment
 * of its own. */
static bool is_alone(pm_sql *sql, int64_t sweep_ms, int64_t name_id, int64_t from_ms)
{
    return pm_sql_value(
               sql,
               "SELECT 1 FROM process CROSS JOIN snapshot USING (process_id) WHERE name_id = ?1 "
               "AND taken_ms >= ?2 - ?3 AND (taken_ms >= ?2 OR time_source_code <> 6) LIMIT 1, 1",
               PM_ARGS(PM_I(name_id), PM_I(from_ms), PM_I(sweep_ms)), 0) == 0;
}

void pm_moments_group(pm_sql *sql, int64_t sweep_ms, int64_t name_id, int64_t from_ms,
                      int64_t to_ms)
{
    int64_t newest_ms = to_ms, begin_ms = from_ms, end_ms;
    sqlite3_stmt *stmt;

    if (from_ms == to_ms && is_alone(sql, sweep_ms, name_id, from_ms))
        return;
    stmt = pm_sql_ask(
        sql,
        "SELECT max((SELECT max(taken_ms) FROM snapshot s WHERE s.process_id = p.process_id)), "
        "max((SELECT moment_ms FROM snapshot s WHERE s.process_id = p.process_id "
        "AND s.taken_ms < ?2 ORDER BY taken_ms DESC LIMIT 1)) FROM process p WHERE p.name_id = ?1",
        PM_ARGS(PM_I(name_id), PM_I(from_ms)));
    if (pm_sql_next(sql, stmt)) {
        newest_ms = pm_col_ms(stmt, 0);
        begin_ms = pm_col_ms(stmt, 1);
        pm_sql_done(stmt);
    }
    if (newest_ms == PMAPDB_UNKNOWN)
        return;
    begin_ms = begin_ms == PMAPDB_UNKNOWN ? from_ms : begin_ms;
    end_ms = to_ms;
    for (int64_t span = 2 * sweep_ms + 2;; span *= 8) {
        end_ms = end_ms < newest_ms - span ? end_ms + span : newest_ms;
        pm_sql_script(sql, "moment-group",
                      PM_PARAMS({":name_id", PM_I(name_id)}, {":from_ms", PM_I(begin_ms)},
                                {":to_ms", PM_I(end_ms)}, {":after_ms", PM_I(to_ms)},
                                {":newest_ms", PM_I(newest_ms)}, {":sweep_ms", PM_I(sweep_ms)}));
        if (!pm_sql_ok(sql) || pm_sql_value(sql, "SELECT until_ms FROM moment_end", PM_NO_ARGS, 0))
            return;
    }
}

/* ---- moments that should be one ---- */

void pm_moments_spread(pm_sql *sql, int64_t name_id, int64_t from_ms, int64_t to_ms,
                       int64_t sweep_ms, char *text, size_t size)
{
    static const int64_t reach = 10;
    sqlite3_stmt *stmt;

    *text = '\0';
    if (from_ms == to_ms) /* at most two moments, and turns take three */
        return;
    stmt = pm_sql_ask(
        sql, pm_sql_script_text("moment-spread"),
        PM_ARGS(PM_I(name_id), PM_I(from_ms), PM_I(to_ms), PM_I(reach * (sweep_ms + 1))));
    if (!pm_sql_next(sql, stmt))
        return;
    if (pm_col_int(stmt, 0) > 1)
        snprintf(text, size,
                 "processes of '%s' were captured in turns, up to %" PRId64
                 " ms apart: sums by name count "
                 "them as different moments; import with --sweep %" PRId64
                 "ms to make them one moment",
                 pm_col_text(stmt, 2).data, pm_col_int(stmt, 1),
                 pm_col_int(stmt, 1) * pm_col_int(stmt, 3));
    pm_sql_done(stmt);
}
