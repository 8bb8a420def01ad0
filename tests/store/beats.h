/* beats: adds the data of live captures to stored captures: schedules, their beats, a live process,
 * and a live reading for each smaps snapshot. */
#ifndef TESTS_STORE_BEATS_H
#define TESTS_STORE_BEATS_H

#include "kit.h"

#define BEATS_MS INT64_C(1700000000000)

static inline void beats_exec(const kit *k, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void beats_exec(const kit *k, const char *format, ...)
{
    char sql[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(sql, sizeof sql, format, args);
    va_end(args);
    kit_exec(k, sql);
}

static inline void beats_job(const kit *k, int job, const char *boot, const char *selection,
                             int64_t every_ms)
{
    kit_exec(k, "INSERT OR IGNORE INTO host (host_id, name) VALUES (900, 'here')");
    beats_exec(k,
               "INSERT INTO schedule (schedule_id, host_id, boot_id, selection, every_ms) "
               "VALUES (%d, 900, '%s', '%s', nullif(%lld, 0))",
               job, boot, selection, (long long)every_ms);
}

/* A beat at second `at`, which took 100 ms; `mono` seconds since the boot. */
static inline void beats_sweep(const kit *k, int job, int64_t at, int64_t mono, int missed)
{
    kit_exec(k, "INSERT OR IGNORE INTO origin (folder, file) VALUES ('', '/proc'); INSERT INTO "
                "capture (origin_id) "
                "SELECT origin_id FROM origin WHERE folder = ''");
    beats_exec(k,
               "INSERT INTO beat (capture_id, schedule_id, started_ms, ended_ms, mono_ns, missed, "
               "unreadable, vanished, degraded, unmoved, changed, total_kib, available_kib) "
               "VALUES (last_insert_rowid(), %d, %lld, %lld, %lld, %d, 3, 1, 0, 2, 1, 9000, 4000)",
               job, (long long)(BEATS_MS + at * 1000), (long long)(BEATS_MS + at * 1000 + 100),
               (long long)mono * 1000000000, missed);
}

/* Adds one live process with limits, and a live reading to each smaps snapshot that has none. */
static inline void beats_sights(const kit *k)
{
    kit_exec(k, "INSERT OR IGNORE INTO live_process (live_process_id, hash, user, cgroup, "
                "memory_max_kib, address_limit_kib, stack_limit_kib, max_map_count) "
                "VALUES (900, 900, 'root', '/a', 524288, -1, 8192, 65530)");
    kit_exec(k, "INSERT OR IGNORE INTO live_reading (snapshot_id, live_process_id, mono_ns, "
                "read_us, cpu_us, longest_us, predicted_us, threads, hwm_kib) SELECT snapshot_id, "
                "900, 0, 1000, 500, 90, 80, 4, 5000 FROM snapshot WHERE dialect = 'smaps'");
}

/* Stores enough for every query about live captures to find rows. */
static inline void beats_beside(const kit *k)
{
    beats_job(k, 901, "boot-a", "--all", 60000);
    beats_job(k, 902, "boot-b", "--all", 60000);
    beats_sweep(k, 901, 0, 10, 0);
    beats_sweep(k, 901, 3600, 70, 0); /* the clock was set */
    beats_sweep(k, 902, 7200, 5, 0);
    beats_sights(k);
    kit_exec(k,
             "UPDATE snapshot SET tool_rss_kib = rss_kib + 4 WHERE dialect = 'smaps';"
             "INSERT INTO pin SELECT max(snapshot_id), 'evidence', 1700000000000 FROM snapshot;"
             "INSERT INTO refused (hash, first_ms, reason) VALUES (1, 1700000000000, 'cut');"
             "INSERT INTO rare_fields (rare_fields_id, hash, extra) VALUES (900, 0, 'Foo: 4 kB');"
             "UPDATE mapping_version SET rare_fields_id = 900 WHERE first = 0");
}

#endif
