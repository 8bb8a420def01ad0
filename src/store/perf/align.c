/* align: which time on a recording's clock is which UTC, in temporary tables. */
#include "store/perf/align.h"

#define LEAST_VOTES 3

/* The captures that are compared, at most 400. A time in whole seconds is most often cut off: then
 * the change may have come up to a second later. */
#define SHOTS                                                                                     \
    "INSERT INTO align_shot SELECT row_number() OVER (ORDER BY k), epoch_id, off, taken_ms, "     \
    "taken_ms + CASE WHEN fine THEN 1 ELSE 1000 END FROM ("                                       \
    "SELECT epoch_id, off, taken_ms, row_number() OVER (ORDER BY taken_ms, ordinal) - 1 AS k, "   \
    "count(*) OVER () AS n, max(taken_ms % 1000 <> 0) OVER () AS fine FROM snapshot "             \
    "WHERE process_id = ?1 AND taken_ms BETWEEN ?2 AND ?3 AND preferred = 1 "                     \
    "AND state = 'complete') WHERE n <= 400 OR k = 0 OR k * 399 / (n - 1) <> (k - 1) * 399 / (n " \
    "- 1)"

/* The edges in each capture. Where one mapping ends and the next begins is no edge: the calls do
 * not tell either which of the mappings that touch the kernel took for one. */
#define MARKS                                                                                   \
    "INSERT INTO align_mark WITH row (k, start, length) AS (SELECT s.k, r.start, r.length "     \
    "FROM align_shot s CROSS JOIN mapping_version v ON v.epoch_id = s.epoch_id AND v.first <= " \
    "s.off "                                                                                    \
    "AND (v.last IS NULL OR v.last >= s.off) CROSS JOIN region r ON r.region_id = "             \
    "v.region_id) SELECT address, k FROM (SELECT k, start AS address FROM row UNION ALL "       \
    "SELECT k, start + length FROM row) GROUP BY address, k HAVING count(*) % 2 = 1"

/* An edge that the next capture has not, or the previous one had not. */
#define STEPS                                                                               \
    "INSERT INTO align_step (address, appears, from_ns, to_ns) "                            \
    "SELECT m.address, 1, p.ms * 1000000, s.end_ms * 1000000 FROM align_mark m "            \
    "JOIN align_shot s ON s.k = m.k JOIN align_shot p ON p.k = m.k - 1 WHERE NOT EXISTS "   \
    "(SELECT 1 FROM align_mark x WHERE x.address = m.address AND x.k = m.k - 1) UNION ALL " \
    "SELECT m.address, 0, s.ms * 1000000, n.end_ms * 1000000 FROM align_mark m "            \
    "JOIN align_shot s ON s.k = m.k JOIN align_shot n ON n.k = m.k + 1 WHERE NOT EXISTS "   \
    "(SELECT 1 FROM align_mark x WHERE x.address = m.address AND x.k = m.k + 1)"

/* When the calls made these addresses edges: while exactly one side is mapped. */
#define EDGES                                                                                      \
    "INSERT INTO align_edge (address, appears, ns) WITH change (address, ns, below, above) AS ("   \
    "SELECT start, born_ns, 0, 1 FROM extent WHERE traced_process_id = ?1 UNION ALL "              \
    "SELECT start, died_ns, 0, -1 FROM extent WHERE traced_process_id = ?1 AND died_ns IS NOT "    \
    "NULL "                                                                                        \
    "UNION ALL SELECT start + length, born_ns, 1, 0 FROM extent WHERE traced_process_id = ?1 "     \
    "UNION ALL "                                                                                   \
    "SELECT start + length, died_ns, -1, 0 FROM extent WHERE traced_process_id = ?1 AND died_ns "  \
    "IS NOT "                                                                                      \
    "NULL), moment AS (SELECT address, ns, sum(below) AS below, sum(above) AS above FROM change "  \
    "WHERE address IN (SELECT address FROM align_step) GROUP BY address, ns), "                    \
    "side AS (SELECT address, ns, sum(below) OVER w > 0 AS below, sum(above) OVER w > 0 AS above " \
    "FROM moment WINDOW w AS (PARTITION BY address ORDER BY ns)), "                                \
    "edge AS (SELECT address, ns, below <> above AS is_edge, "                                     \
    "lag(below <> above, 1, 0) OVER (PARTITION BY address ORDER BY ns) AS was_edge FROM side) "    \
    "SELECT address, is_edge, ns FROM edge WHERE is_edge <> was_edge"

/* The offsets at which an edge falls into the step, where the number of votes changes. Spans of one
 * step are equally long; those that overlap are one vote. An address that changes more than 16
 * times is used again and again: its changes say nothing. */
#define TURNS                                                                                     \
    "INSERT INTO align_turn (ns, change) WITH span (step, a, b) AS ("                             \
    "SELECT s.rowid, s.from_ns - e.ns, s.to_ns - e.ns FROM align_step s "                         \
    "JOIN align_edge e ON e.address = s.address AND e.appears = s.appears "                       \
    "WHERE s.to_ns - e.ns >= ?1 AND s.from_ns - e.ns <= ?2 AND (SELECT count(*) FROM align_edge " \
    "x WHERE x.address = s.address AND x.appears = s.appears) <= 16), "                           \
    "beside AS (SELECT a, b, lag(b) OVER w AS before, lead(a) OVER w AS after FROM span "         \
    "WINDOW w AS (PARTITION BY step ORDER BY a)) "                                                \
    "SELECT a, 1 FROM beside WHERE before IS NULL OR before < a UNION ALL "                       \
    "SELECT b, -1 FROM beside WHERE after IS NULL OR after > b"

#define VOTES                                                                        \
    "(SELECT ns, change, sum(change) OVER (ORDER BY ns, change DESC ROWS UNBOUNDED " \
    "PRECEDING) AS votes FROM align_turn)"

static void make_tables(pm_sql *sql)
{
    static const char *const all[] = {
        "CREATE TEMP TABLE IF NOT EXISTS align_shot (k INTEGER PRIMARY KEY, epoch_id, off, ms, "
        "end_ms)",
        "CREATE TEMP TABLE IF NOT EXISTS align_mark (address, k, PRIMARY KEY (address, k)) "
        "WITHOUT ROWID",
        "CREATE TEMP TABLE IF NOT EXISTS align_step (address, appears, from_ns, to_ns)",
        "CREATE TEMP TABLE IF NOT EXISTS align_edge (address, appears, ns, "
        "PRIMARY KEY (address, appears, ns)) WITHOUT ROWID",
        "CREATE TEMP TABLE IF NOT EXISTS align_turn (ns, change)",
        "DELETE FROM align_shot",
        "DELETE FROM align_mark",
        "DELETE FROM align_step",
        "DELETE FROM align_edge",
        "DELETE FROM align_turn",
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pm_sql_do(sql, all[i], PM_NO_ARGS);
}

/* Where most votes are, the lowest offset of several; rivals are farther away than a step is long.
 */
static pm_alignment count_votes(pm_sql *sql)
{
    pm_alignment out = {0};
    int64_t from = 0, to = 0, rival = 0, width = 0;
    sqlite3_stmt *row = pm_sql_ask(
        sql, "SELECT ns, votes FROM " VOTES " WHERE change > 0 ORDER BY votes DESC, ns LIMIT 1",
        PM_NO_ARGS);

    while (pm_sql_next(sql, row)) {
        from = pm_col_int(row, 0);
        out.votes = pm_col_int(row, 1);
    }
    if (!out.votes)
        return out;
    to = pm_sql_value(sql, "SELECT min(ns) FROM align_turn WHERE change < 0 AND ns >= ?1",
                      PM_ARGS(PM_BITS(from)), from);
    width = pm_sql_value(sql, "SELECT max(to_ns - from_ns) FROM align_step", PM_NO_ARGS, 0);
    rival = pm_sql_value(
        sql, "SELECT max(votes) FROM " VOTES " WHERE change > 0 AND (ns < ?1 OR ns > ?2)",
        PM_ARGS(PM_BITS(from - width), PM_BITS(to + width)), 0);
    out.offset_ns = from + (to - from) / 2;
    out.slack_ns = (to - from + 1) / 2;
    out.found = out.votes >= LEAST_VOTES && out.votes >= 2 * rival;
    return out;
}

pm_alignment pm_align(pm_sql *sql, int64_t tracee_id, int64_t process_id, int64_t from_ms,
                      int64_t to_ms, int64_t lo_ns, int64_t hi_ns)
{
    make_tables(sql);
    pm_sql_do(sql, SHOTS, PM_ARGS(PM_I(process_id), PM_BITS(from_ms), PM_BITS(to_ms)));
    pm_sql_do(sql, MARKS, PM_NO_ARGS);
    pm_sql_do(sql, STEPS, PM_NO_ARGS);
    pm_sql_do(sql, EDGES, PM_ARGS(PM_I(tracee_id)));
    pm_sql_do(sql, TURNS, PM_ARGS(PM_BITS(lo_ns), PM_BITS(hi_ns)));
    return count_votes(sql);
}
