/* recall_live: the live reading of a snapshot, from tables live_reading, live_process and
 * environment. */
#include "store/recall/recall_parts.h"

#include "base/buf.h"

pm_text pm_recall_text(pm_sql *sql, pm_pool *pool, pm_text t)
{
    uint32_t id = 0;

    if (!t.data)
        return t;
    PM_SQL_STEP(sql, pm_pool_text(pool, t, &id, &err));
    return pm_pool_text_get(pool, id);
}

/* Reads the variables in the order of a live capture: sorted by NAME=VALUE, each ended by a NUL. */
static pm_text read_environment(pm_sql *sql, int64_t standing_id, pm_pool *pool)
{
    pm_buf all = {0};
    pm_text out;
    sqlite3_stmt *row = pm_sql_ask(sql,
                                   "SELECT name || '=' || value FROM environment "
                                   "WHERE live_process_id = ?1 ORDER BY 1",
                                   PM_ARGS(PM_I(standing_id)));

    while (pm_sql_next(sql, row)) {
        pm_text t = pm_col_text(row, 0);

        PM_SQL_STEP(sql, pm_buf_add(&all, t.data ? t.data : "", t.len, &err));
        PM_SQL_STEP(sql, pm_buf_add(&all, "", 1, &err));
    }
    out = pm_recall_text(sql, pool, pm_buf_text(&all));
    pm_buf_free(&all);
    return out;
}

static void read_standing(pm_sql *sql, int64_t standing_id, pm_pool *pool, pm_recall_standing *out)
{
    pm_standing *s = &out->standing;
    pm_text *const texts[] = {&s->comm, &s->exe, &s->cmdline, &s->user, &s->cgroup};
    sqlite3_stmt *row =
        pm_sql_ask(sql, pm_sql_script_text("recall-standing"), PM_ARGS(PM_I(standing_id)));

    out->standing_id = 0;
    if (!pm_sql_next(sql, row)) {
        pm_recall_damaged(sql, "live process", standing_id, "is missing");
        return;
    }
    *s = (pm_standing){.ppid = pm_col_int(row, 0),
                       .uid = pm_col_int(row, 1),
                       .memory_max_kib = pm_col_int(row, 2),
                       .address_limit_kib = pm_col_int(row, 3),
                       .stack_limit_kib = pm_col_int(row, 4),
                       .max_map_count = pm_col_int(row, 5),
                       .ns_pid = pm_col_int(row, 6)};
    for (int i = 0; i < 5; i++)
        *texts[i] = pm_recall_text(sql, pool, pm_col_text(row, 7 + i));
    pm_sql_done(row);
    s->environment = read_environment(sql, standing_id, pool);
    out->standing_id = pm_sql_ok(sql) ? standing_id : 0;
}

static void read_reading(pm_sql *sql, sqlite3_stmt *row, pm_pool *pool, pm_live *out)
{
    *out = (pm_live){.mono_ns = pm_col_int(row, 1),
                     .utc_ms = PMAPDB_UNKNOWN,
                     .read_us = pm_col_int(row, 2),
                     .cpu_us = pm_col_int(row, 3),
                     .longest_us = pm_col_int(row, 4),
                     .predicted_us = pm_col_int(row, 5),
                     .threads = pm_col_int(row, 6),
                     .hwm_kib = pm_col_int(row, 7),
                     .swap_kib = pm_col_int(row, 8),
                     .page_tables_kib = pm_col_int(row, 9),
                     .anon_kib = pm_col_int(row, 10),
                     .file_kib = pm_col_int(row, 11),
                     .shmem_kib = pm_col_int(row, 12),
                     .degraded = pm_recall_text(sql, pool, pm_col_text(row, 13)).data,
                     .size_kib = pm_col_int(row, 14),
                     .rss_kib = pm_col_int(row, 15),
                     .oom_score = pm_col_int(row, 16),
                     .standing.use = {pm_col_int(row, 17), pm_col_int(row, 18), pm_col_int(row, 19),
                                      pm_col_int(row, 20)},
                     .pages = {.number = pm_col_int(row, 21),
                               .anon_kib = pm_col_int(row, 22),
                               .file_kib = pm_col_int(row, 23),
                               .shmem_kib = pm_col_int(row, 24),
                               .own_kib = pm_col_int(row, 25),
                               .swap_kib = pm_col_int(row, 26),
                               .zero_kib = pm_col_int(row, 27),
                               .hugetlb_kib = pm_col_int(row, 28)},
                     .activity = {.known = pm_col_int(row, 29) != PMAPDB_UNKNOWN,
                                  .cpu_us = pm_col_int(row, 29),
                                  .minor_faults = pm_col_int(row, 30),
                                  .major_faults = pm_col_int(row, 31),
                                  .page_idle = pm_col_int(row, 32) == 1}};
}

bool pm_recall_live(pm_sql *sql, int64_t snapshot_id, pm_pool *pool, pm_recall_standing *last,
                    pm_live *out)
{
    pm_cgroup_use use;
    int64_t standing_id;
    sqlite3_stmt *row =
        pm_sql_ask(sql, pm_sql_script_text("recall-live"), PM_ARGS(PM_I(snapshot_id)));

    if (!pm_sql_next(sql, row))
        return false;
    standing_id = pm_col_int(row, 0);
    for (int i = 1; i <= 4; i++)
        if (pm_col_int(row, i) == PMAPDB_UNKNOWN)
            pm_recall_damaged(sql, "snapshot", snapshot_id, "has a live reading without its times");
    read_reading(sql, row, pool, out);
    pm_sql_done(row);
    if (standing_id != last->standing_id)
        read_standing(sql, standing_id, pool, last);
    use = out->standing.use;
    out->standing = last->standing;
    out->standing.use = use;
    return pm_sql_ok(sql);
}
