/* live_reading: what a live capture knows besides its mappings. */
#include "store/write/live_reading.h"

#include "base/buf.h"
#include "base/hash.h"
#include "store/dict/captures.h"
#include "store/write/process.h"

/* ---- live_process: what rarely changes ---- */

static int64_t standing_hash(const pm_arg *args, int n, pm_text environment)
{
    uint64_t h = pm_hash(environment.data, environment.len, 0);

    for (int i = 0; i < n; i++)
        h = args[i].kind == PM_ARG_TEXT ? pm_hash(args[i].t.data, args[i].t.len, h + (uint64_t)i)
                                        : pm_hash(&args[i].i, sizeof args[i].i, h + (uint64_t)i);
    return (int64_t)h;
}

static void add_environment(pm_sql *sql, int64_t id, pm_text environment)
{
    while (environment.len) {
        pm_text value = pm_text_cut(&environment, '\0'), name = pm_text_cut(&value, '=');

        pm_sql_do(sql, "INSERT OR IGNORE INTO environment VALUES (?1, ?2, ?3)",
                  PM_ARGS(PM_I(id), PM_T(name), PM_T(value)));
    }
}

/* Finds or inserts the row. A 64-bit hash identifies it: a host has a few thousand rows. */
static int64_t standing_of(pm_sql *sql, const pm_standing *s)
{
    pm_arg args[] = {PM_I(s->ppid),
                     PM_WORD(s->comm),
                     PM_WORD(s->exe),
                     PM_WORD(s->cmdline),
                     PM_I(s->uid),
                     PM_WORD(s->user),
                     PM_WORD(s->cgroup),
                     PM_I(s->memory_max_kib),
                     PM_I(s->address_limit_kib),
                     PM_I(s->stack_limit_kib),
                     PM_I(s->max_map_count),
                     PM_I(s->ns_pid),
                     PM_I(0)};
    int n = sizeof args / sizeof *args - 1;
    int64_t id;

    args[n] = PM_I(standing_hash(args, n, s->environment));
    id = pm_sql_value(sql, "SELECT live_process_id FROM live_process WHERE hash = ?1", &args[n], 1,
                      0);
    if (id)
        return id;
    id = pm_sql_do(sql,
                   "INSERT INTO live_process "
                   "VALUES (NULL, ?13, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                   args, sizeof args / sizeof *args);
    add_environment(sql, id, s->environment);
    return id;
}

/* ---- live_reading: one snapshot ---- */

void pm_live_reading_put(pm_sql *sql, int64_t snapshot_id, const pm_live *live)
{
    int64_t id = standing_of(sql, &live->standing);
    const pm_cgroup_use *use = &live->standing.use;
    const pm_page_totals *p = &live->pages;

    pm_sql_do(sql, /* every column, in the order of the table */
              "INSERT INTO live_reading VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
              "?, ?, ?)",
              PM_ARGS(PM_I(snapshot_id), PM_I(id), PM_I(live->mono_ns), PM_I(live->read_us),
                      PM_I(live->cpu_us), PM_I(live->longest_us), PM_I(live->predicted_us),
                      PM_S(live->degraded), PM_I(live->threads), PM_I(live->hwm_kib),
                      PM_I(live->swap_kib), PM_I(live->page_tables_kib), PM_I(live->anon_kib),
                      PM_I(live->file_kib), PM_I(live->shmem_kib), PM_I(live->oom_score),
                      PM_I(use->current_kib), PM_I(use->file_kib), PM_I(use->shmem_kib),
                      PM_I(use->oom_kills)));
    if (p->number)
        pm_sql_do(
            sql,
            "INSERT INTO page_process SELECT snapshot_id, capture_id, ?2, ?3, ?4, ?5, ?6, ?7, "
            "?8, ?9 FROM snapshot WHERE snapshot_id = ?1",
            PM_ARGS(PM_I(snapshot_id), PM_I(p->number), PM_I(p->anon_kib), PM_I(p->file_kib),
                    PM_I(p->shmem_kib), PM_I(p->own_kib), PM_I(p->swap_kib), PM_I(p->zero_kib),
                    PM_I(p->hugetlb_kib)));
    if (live->activity.known)
        pm_sql_do(sql, "INSERT INTO activity VALUES (?1, ?2, ?3, ?4, ?5)",
                  PM_ARGS(PM_I(snapshot_id), PM_I(live->activity.cpu_us),
                          PM_I(live->activity.minor_faults), PM_I(live->activity.major_faults),
                          PM_I(live->activity.page_idle)));
}

/* ---- one beat ---- */

static int64_t schedule_of(pm_sql *sql, const pm_sweep *sweep, int64_t host_id)
{
    return pm_sql_id(sql,
                     "SELECT schedule_id FROM schedule WHERE host_id = ?1 AND boot_id = ?2 "
                     "AND selection = ?3 AND every_ms IS ?4",
                     "INSERT INTO schedule (host_id, boot_id, selection, every_ms) "
                     "VALUES (?1, ?2, ?3, ?4)",
                     PM_ARGS(PM_I(host_id), PM_S(sweep->boot_id), PM_S(sweep->selection),
                             PM_I(sweep->every_ms)));
}

int64_t pm_sweep_begin(pm_sql *sql, int64_t capture_id)
{
    if (!capture_id)
        return pm_origin_capture(sql, PM_TEXT(""), PM_TEXT("/proc"));
    pm_sql_do(sql, "DELETE FROM beat WHERE capture_id = ?1", PM_ARGS(PM_I(capture_id)));
    return capture_id;
}

void pm_sweep_end(pm_sql *sql, const pm_sweep *sweep, int64_t capture_id, int64_t ended_ms)
{
    int64_t host_id = pm_host_of(sql, sweep->host);
    pm_arg args[11 + PM_HOST_N];

    memcpy(args,
           (pm_arg[]){PM_I(capture_id), PM_I(schedule_of(sql, sweep, host_id)),
                      PM_I(sweep->started_ms), PM_I(ended_ms), PM_I(sweep->mono_ns),
                      PM_I(sweep->counts.missed), PM_I(sweep->counts.unreadable),
                      PM_I(sweep->counts.vanished), PM_I(sweep->counts.degraded),
                      PM_I(sweep->counts.unmoved), PM_I(sweep->counts.changed)},
           11 * sizeof *args);
    for (size_t i = 0; i < PM_HOST_N; i++)
        args[11 + i] = PM_I(sweep->memory.v[i]);
    pm_sql_do(sql, /* every column, in the order of the table */
              "INSERT INTO beat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?" PM_HOST_VALUES ")", args,
              11 + PM_HOST_N);
}

bool pm_sweep_known(pm_sql *sql, const pm_sweep *sweep)
{
    return pm_sql_value(sql,
                        "SELECT 1 FROM host h JOIN schedule j ON j.host_id = h.host_id "
                        "JOIN beat b ON b.schedule_id = j.schedule_id WHERE h.name = ?1 "
                        "AND j.boot_id = ?2 AND j.selection = ?3 AND b.started_ms = ?4 "
                        "AND b.mono_ns = ?5",
                        PM_ARGS(PM_S(sweep->host), PM_S(sweep->boot_id), PM_S(sweep->selection),
                                PM_I(sweep->started_ms), PM_I(sweep->mono_ns)),
                        0) > 0;
}

void pm_page_scan_put(pm_sql *sql, int64_t capture_id, const pm_page_scan *scan)
{
    pm_sql_do(
        sql, "INSERT OR REPLACE INTO page_scan VALUES (?1, ?2, ?3, ?4, ?5, ?6, CAST(?7 AS BLOB))",
        PM_ARGS(PM_I(capture_id), PM_I(scan->taken_ms), PM_T(scan->method), PM_I(scan->unread),
                PM_I(scan->moved_kib), PM_I(scan->page_kib), PM_T(scan->sets)));
}

/* ---- the cost of earlier readings ---- */

int64_t pm_reading_page_ns(pm_sql *sql, const char *host)
{
    return pm_sql_value(sql, pm_sql_script_text("reading-page-ns"), PM_ARGS(PM_S(host)), 100);
}

int64_t pm_reading_stall(pm_sql *sql, const pm_reading_ask *ask, bool *measured)
{
    int64_t us = 0;
    sqlite3_stmt *row = pm_sql_ask(
        sql, pm_sql_script_text("reading-stall"),
        PM_ARGS(PM_I(ask->pid), PM_S(ask->host), PM_S(ask->boot_id), PM_I(ask->start_time),
                PM_I(ask->kib), PM_I(ask->page_ns), PM_I(ask->host_us), PM_I(PM_READING_CAPTURES)));

    if (pm_sql_next(sql, row)) {
        us = pm_col_int(row, 0);
        *measured = pm_col_int(row, 1) > 0;
        pm_sql_done(row);
    }
    return us;
}

/* ---- clearings of accessed bits ---- */

void pm_clearing_begin(pm_sql *sql, const pm_clearing *c)
{
    pm_sql_do(
        sql,
        "INSERT OR REPLACE INTO clearing (process_id, mono_ns, cleared_ms, small_kib, cpu_us, "
        "minor_faults, major_faults, page_idle) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        PM_ARGS(PM_I(c->process_id), PM_I(c->mono_ns), PM_I(c->cleared_ms), PM_I(c->small_kib),
                PM_I(c->activity.cpu_us), PM_I(c->activity.minor_faults),
                PM_I(c->activity.major_faults), PM_I(c->page_idle)));
}

void pm_clearing_end(pm_sql *sql, const pm_clearing *c, int64_t clear_us)
{
    if (clear_us == PMAPDB_UNKNOWN)
        pm_sql_do(sql, "DELETE FROM clearing WHERE process_id = ?1 AND mono_ns = ?2",
                  PM_ARGS(PM_I(c->process_id), PM_I(c->mono_ns)));
    else
        pm_sql_do(sql, "UPDATE clearing SET clear_us = ?3 WHERE process_id = ?1 AND mono_ns = ?2",
                  PM_ARGS(PM_I(c->process_id), PM_I(c->mono_ns), PM_I(clear_us)));
}

pmapdb_status pm_clearing_last(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                               int64_t start_time, int64_t *mono_ns, bool *page_idle,
                               pmapdb_error *err)
{
    sqlite3_stmt *row =
        pm_sql_ask(sql,
                   "SELECT mono_ns, page_idle FROM clearing WHERE process_id = "
                   "(SELECT process_id FROM process WHERE coalesce(pid, -1) = ?1 "
                   "AND coalesce(host_id, 0) = (SELECT host_id FROM host WHERE name = ?2) "
                   "AND coalesce(boot_id, '') = ?3 AND coalesce(start_time, -1) = ?4) "
                   "ORDER BY mono_ns DESC LIMIT 1",
                   PM_ARGS(PM_I(pid), PM_S(host), PM_S(boot_id), PM_I(start_time)));

    *mono_ns = PMAPDB_UNKNOWN;
    *page_idle = false;
    if (pm_sql_next(sql, row)) {
        *mono_ns = pm_col_int(row, 0);
        *page_idle = pm_col_int(row, 1) == 1;
        pm_sql_done(row);
    }
    return pm_sql_end(sql, err);
}

pmapdb_status pm_clearing_predict(pm_sql *sql, const pm_clearing *next, int64_t us_per_gib,
                                  int64_t *predicted_us, pmapdb_error *err)
{
    *predicted_us = next->small_kib * us_per_gib >> 20;
    *predicted_us = pm_sql_value(sql, pm_sql_script_text("clearing-predict"),
                                 PM_ARGS(PM_I(next->process_id), PM_I(next->small_kib),
                                         PM_I(us_per_gib), PM_I(*predicted_us)),
                                 *predicted_us);
    return pm_sql_end(sql, err);
}
