/* answers: the full contents of a store except ids, as text: equal for any order of captures. */
#ifndef TESTS_STORE_ANSWERS_H
#define TESTS_STORE_ANSWERS_H

#include "kit.h"

#define ANSWERS_KEY "h.name, p.pid, s.taken_ms, s.dialect, s.state, s.ordinal, s.hash"
#define ANSWERS_FROM                                                 \
    "FROM snapshot s JOIN process p ON p.process_id = s.process_id " \
    "LEFT JOIN host h ON h.host_id = p.host_id "

static const char *const answers_of_snapshots[] = {
    "SELECT " ANSWERS_KEY ", s.moment_ms, s.preferred, s.taken_at, s.time_source, s.checked, "
    "s.missing, s.mappings, s.size_kib, s.rss_kib, s.pss_kib, s.private_kib, s.private_dirty_kib, "
    "s.swap_kib, s.tool_size_kib, s.tool_rss_kib, s.import_log_id IS NULL, f.folder, "
    "coalesce(replace(f.file, '*', c.number), f.file), "
    "w.started_ms, "
    "w.ended_ms, w.mono_ns, w.missed, w.unreadable, w.vanished, w.degraded, w.unmoved, w.changed, "
    "j.boot_id, j.selection, j.every_ms, i.reason, i.pinned_ms " ANSWERS_FROM
    "JOIN capture c ON c.capture_id = s.capture_id "
    "JOIN origin f ON f.origin_id = c.origin_id "
    "LEFT JOIN beat w ON w.capture_id = s.capture_id LEFT JOIN schedule j ON j.schedule_id = "
    "w.schedule_id "
    "LEFT JOIN pin i ON i.snapshot_id = s.snapshot_id ORDER BY " ANSWERS_KEY,
    "SELECT h.name, p.pid, n.name, p.name_rank, p.name_ms, p.boot_id, p.start_time, p.command, "
    "p.command_ms, p.identity, p.stack_end, p.vdso_start, p.libc_start, p.ld_start, p.exe_start, "
    "p.clock_mono_ns, p.clock_utc_ms FROM process p JOIN name n ON n.name_id = p.name_id "
    "LEFT JOIN host h ON h.host_id = p.host_id ORDER BY 1, 2, 3, 6, 7, 11",
    /* Former names of processes stay until the store is compacted. */
    "SELECT n.name, h.name FROM name n LEFT JOIN host h ON h.host_id = n.host_id "
    "WHERE n.name_id IN (SELECT name_id FROM process) ORDER BY 1, 2",
    "SELECT " ANSWERS_KEY ", c.category, c.mappings, c.size_kib, c.rss_kib, c.pss_kib, "
    "c.private_kib, c.private_dirty_kib, c.swap_kib " ANSWERS_FROM
    "JOIN categories c ON c.snapshot_id = s.snapshot_id ORDER BY " ANSWERS_KEY ", c.category",
    "SELECT h.name, p.pid, p.stack_end, r.dialect, r.category, r.first_ms, r.last_ms, r.n, "
    "r.mappings, r.size_kib, r.rss_kib, r.pss_kib, r.private_kib, r.private_dirty_kib, r.swap_kib "
    "FROM process p LEFT JOIN host h ON h.host_id = p.host_id "
    "JOIN category_runs r ON r.process_id = p.process_id ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
    "11",
    "SELECT " ANSWERS_KEY ", t.ppid, t.comm, t.exe, t.cmdline, t.uid, t.user, t.cgroup, "
    "t.memory_max_kib, t.address_limit_kib, t.stack_limit_kib, t.max_map_count, i.mono_ns, "
    "i.read_us, i.cpu_us, i.longest_us, i.predicted_us, i.degraded, i.threads, i.hwm_kib, "
    "i.swap_kib, i.page_tables_kib, i.anon_kib, i.file_kib, i.shmem_kib, i.oom_score, "
    "i.cgroup_kib, i.cgroup_file_kib, i.cgroup_shmem_kib, i.cgroup_oom_kills, g.capture_id = "
    "s.capture_id, g.number, g.anon_kib, g.file_kib, g.shmem_kib, g.own_kib, g.swap_kib, "
    "g.zero_kib, g.hugetlb_kib, a.cpu_us, a.minor_faults, a.major_faults, a.page_idle, "
    "(SELECT group_concat("
    "name || '=' || value, ' ') FROM (SELECT * FROM environment e WHERE e.live_process_id = "
    "t.live_process_id ORDER BY name)) " ANSWERS_FROM
    "JOIN live_reading i ON i.snapshot_id = s.snapshot_id "
    "LEFT JOIN page_process g ON g.snapshot_id = s.snapshot_id "
    "LEFT JOIN activity a ON a.snapshot_id = s.snapshot_id "
    "JOIN live_process t ON t.live_process_id = i.live_process_id ORDER BY " ANSWERS_KEY,
    "SELECT count(*), count(DISTINCT hash) FROM live_process",
    "SELECT h.name, j.boot_id, j.selection, j.every_ms, w.started_ms, w.ended_ms, w.mono_ns, "
    "w.missed, w.unreadable, w.vanished, w.degraded, w.unmoved, w.changed FROM beat w JOIN "
    "schedule j "
    "ON j.schedule_id = w.schedule_id JOIN host h ON h.host_id = j.host_id ORDER BY 1, 2, 3, 4, 5, "
    "7",
    "SELECT hash, first_ms, reason FROM refused ORDER BY 1",
    /* The snapshots of each log, which is named by its first block. */
    "SELECT l.first, " ANSWERS_KEY " " ANSWERS_FROM
    "JOIN (SELECT import_log_id, min(printf('%020d %d', taken_ms, hash)) AS first FROM snapshot "
    "WHERE import_log_id IS NOT NULL GROUP BY import_log_id) l ON l.import_log_id = "
    "s.import_log_id ORDER BY "
    "l.first, " ANSWERS_KEY,
    "SELECT h.name FROM host h ORDER BY 1",
};

/* Numbers the lineages by the time and place of their first appearance. */
static const char answers_numbers[] =
    "CREATE TEMP TABLE number AS SELECT lineage_id, row_number() OVER (ORDER BY first) AS n FROM ("
    "SELECT lineage_id, min(place) AS first FROM (SELECT m.lineage_id, row_number() OVER "
    "(ORDER BY s.taken_ms, s.dialect, h.name, p.pid, s.ordinal, s.hash, m.start) AS "
    "place " ANSWERS_FROM "JOIN mappings m ON m.snapshot_id = s.snapshot_id) GROUP BY lineage_id);"
    "CREATE INDEX temp.number_id ON number (lineage_id)";

static const char *const answers_of_lineages[] = {
    "SELECT " ANSWERS_KEY ", number.n, m.start, m.end, m.size_kib, m.rss_kib, m.pss_kib, "
    "m.dirty_kib, m.private_kib, m.private_dirty_kib, m.swap_kib, m.perms, m.offset, m.device, "
    "m.inode, m.category, m.flags, m.path, m.kernel_page_kib, m.mmu_page_kib, m.pss_dirty_kib, "
    "m.shared_clean_kib, m.shared_dirty_kib, m.private_clean_kib, m.referenced_kib, "
    "m.anonymous_kib, m.ksm_kib, m.lazy_free_kib, m.anon_huge_kib, m.shmem_pmd_kib, "
    "m.file_pmd_kib, m.shared_hugetlb_kib, m.private_hugetlb_kib, m.swap_pss_kib, m.locked_kib, "
    "m.thp_eligible, m.protection_key, m.extra, m.inferred, m.name_cut " ANSWERS_FROM
    "JOIN mappings m ON m.snapshot_id = s.snapshot_id JOIN number ON number.lineage_id = "
    "m.lineage_id ORDER BY " ANSWERS_KEY ", m.start, m.end",
    "SELECT DISTINCT number.n, h.dialect, h.start, h.end, h.offset, h.perms, h.path, h.category, "
    "h.reason, h.state FROM number JOIN lineage_history h ON h.lineage_id = number.lineage_id "
    "ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10",
    "SELECT number.n, " ANSWERS_KEY ", c.category, l.rule FROM number JOIN lineage l ON "
    "l.lineage_id = number.lineage_id JOIN snapshot s ON s.snapshot_id = l.first_snapshot_id "
    "JOIN process p ON p.process_id = s.process_id LEFT JOIN host h ON h.host_id = p.host_id "
    "JOIN category c ON c.category_id = l.category_id ORDER BY 1",
};

static inline void answers(const kit *k, pm_buf *out)
{
    pm_buf_clear(out);
    for (size_t i = 0; i < COUNT(answers_of_snapshots); i++)
        kit_rows(k, out, answers_of_snapshots[i]);
    kit_exec(k, answers_numbers);
    for (size_t i = 0; i < COUNT(answers_of_lineages); i++)
        kit_rows(k, out, answers_of_lineages[i]);
    kit_exec(k, "DROP TABLE number");
}

static inline pm_text answers_line(const pm_buf *b, size_t at)
{
    size_t from = at, to = at;

    while (from > 0 && b->data[from - 1] != '\n')
        from--;
    while (to < b->len && b->data[to] != '\n')
        to++;
    return (pm_text){b->data + from, to - from};
}

/* Compares two answers; prints the first line that differs. */
static inline bool answers_equal(const pm_buf *got, const pm_buf *want)
{
    size_t at = 0;
    pm_text x, y;

    if (pm_text_equal(pm_buf_text(got), pm_buf_text(want)))
        return true;
    while (at < got->len && at < want->len && got->data[at] == want->data[at])
        at++;
    x = answers_line(got, at);
    y = answers_line(want, at);
    print_error("it says: %.*s\nwanted:  %.*s\n", (int)x.len, x.data, (int)y.len, y.data);
    return false;
}

#endif
