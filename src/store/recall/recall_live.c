/* recall_live: what a live capture knew of a process besides its mappings. */
#include "store/recall/recall_live.h"

void pm_recall_live_free(pm_recall_live_part *part)
{
    pm_buf_free(&part->texts);
    pm_buf_free(&part->environment);
    pm_buf_free(&part->degraded);
}

/* The same process has the same one for long. */
#define STANDING                                                             \
    "SELECT ppid, uid, memory_max_kib, address_limit_kib, stack_limit_kib, " \
    "max_map_count, comm, exe, cmdline, user, cgroup FROM live_process WHERE live_process_id = ?1"

/* Copies, behind one another. */
static pmapdb_status add_texts(sqlite3_stmt *stmt, int from, pm_text *const to[], int n,
                               pm_buf *texts, pmapdb_error *err)
{
    size_t at[8] = {0};
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(texts);
    for (int i = 0; i < n && st == PMAPDB_OK; i++) {
        pm_text t = pm_col_text(stmt, from + i);

        at[i] = texts->len;
        *to[i] = (pm_text){NULL, t.len};
        st = pm_buf_add(texts, t.data ? t.data : "", t.len, err);
    }
    for (int i = 0; i < n && st == PMAPDB_OK; i++) /* it moves no more */
        to[i]->data = texts->data + at[i];
    return st;
}

/* In the order in which a live capture sorts them: by NAME=VALUE. */
static pmapdb_status read_environment(pm_sql *sql, int64_t standing_id, pm_buf *out,
                                      pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(sql,
                                   "SELECT name || '=' || value FROM environment "
                                   "WHERE live_process_id = ?1 ORDER BY 1",
                                   PM_ARGS(PM_I(standing_id)), &stmt, err);

    pm_buf_clear(out);
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_text t = pm_col_text(stmt, 0);

        st = pm_buf_add(out, t.data ? t.data : "", t.len, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(out, "", 1, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

static pmapdb_status read_standing(pm_sql *sql, int64_t standing_id, pm_recall_live_part *part,
                                   pmapdb_error *err)
{
    pm_standing *s = &part->standing;
    pm_text *const texts[] = {&s->comm, &s->exe, &s->cmdline, &s->user, &s->cgroup};
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(sql, STANDING, PM_ARGS(PM_I(standing_id)), &stmt, err);

    part->standing_id = 0;
    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st == PMAPDB_OK && !has)
        st = pm_fail(err, PMAPDB_INPUT, "live_process %lld is missing; the store is damaged",
                     (long long)standing_id);
    if (st != PMAPDB_OK)
        return st;
    *s = (pm_standing){.ppid = pm_col_int(stmt, 0),
                       .uid = pm_col_int(stmt, 1),
                       .memory_max_kib = pm_col_int(stmt, 2),
                       .address_limit_kib = pm_col_int(stmt, 3),
                       .stack_limit_kib = pm_col_int(stmt, 4),
                       .max_map_count = pm_col_int(stmt, 5)};
    st = add_texts(stmt, 6, texts, 5, &part->texts, err);
    pm_sql_done(stmt);
    if (st == PMAPDB_OK)
        st = read_environment(sql, standing_id, &part->environment, err);
    s->environment = pm_buf_text(&part->environment);
    if (st == PMAPDB_OK)
        part->standing_id = standing_id;
    return st;
}

#define SIGHT                                                                                  \
    "SELECT i.live_process_id, i.mono_ns, i.read_us, i.cpu_us, i.longest_us, i.predicted_us, " \
    "i.threads, i.hwm_kib, i.swap_kib, i.page_tables_kib, i.anon_kib, i.file_kib, "            \
    "i.shmem_kib, i.degraded, s.tool_size_kib, s.tool_rss_kib FROM live_reading i "            \
    "JOIN snapshot s ON s.snapshot_id = i.snapshot_id WHERE i.snapshot_id = ?1"

static pmapdb_status read_sight(sqlite3_stmt *stmt, pm_recall_live_part *part, pmapdb_error *err)
{
    pm_text degraded = pm_col_text(stmt, 13);
    pmapdb_status st = PMAPDB_OK;

    for (int i = 1; i <= 4; i++)
        if (pm_col_int(stmt, i) == PMAPDB_UNKNOWN)
            return pm_fail(err, PMAPDB_INPUT,
                           "a live reading is without its times; the store is damaged");
    part->live = (pm_live){.mono_ns = pm_col_int(stmt, 1),
                           .utc_ms = PMAPDB_UNKNOWN,
                           .read_us = pm_col_int(stmt, 2),
                           .cpu_us = pm_col_int(stmt, 3),
                           .longest_us = pm_col_int(stmt, 4),
                           .predicted_us = pm_col_int(stmt, 5),
                           .threads = pm_col_int(stmt, 6),
                           .size_kib = pm_col_int(stmt, 14),
                           .rss_kib = pm_col_int(stmt, 15),
                           .hwm_kib = pm_col_int(stmt, 7),
                           .swap_kib = pm_col_int(stmt, 8),
                           .page_tables_kib = pm_col_int(stmt, 9),
                           .anon_kib = pm_col_int(stmt, 10),
                           .file_kib = pm_col_int(stmt, 11),
                           .shmem_kib = pm_col_int(stmt, 12)};
    pm_buf_clear(&part->degraded);
    if (degraded.data)
        st = pm_buf_add(&part->degraded, degraded.data, degraded.len, err);
    if (degraded.data && st == PMAPDB_OK)
        part->live.degraded = part->degraded.data;
    return st;
}

pmapdb_status pm_recall_live_read(pm_sql *sql, int64_t snapshot_id, pm_recall_live_part *part,
                                  pm_live **out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    int64_t standing_id;
    pmapdb_status st = pm_sql_rows(sql, SIGHT, PM_ARGS(PM_I(snapshot_id)), &stmt, err);

    *out = NULL;
    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st;
    standing_id = pm_col_int(stmt, 0);
    st = read_sight(stmt, part, err);
    pm_sql_done(stmt);
    if (st == PMAPDB_OK && standing_id != part->standing_id)
        st = read_standing(sql, standing_id, part, err);
    if (st != PMAPDB_OK)
        return st;
    part->live.standing = part->standing;
    *out = &part->live;
    return PMAPDB_OK;
}
