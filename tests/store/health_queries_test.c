/* health_queries_test: answers of the queries of pmapdb doctor, counted by hand. */
#include "asked.h"
#include "beats.h"

static pm_capture *capture(const kit *k, pm_dialect dialect, int pid, int64_t second)
{
    pm_capture *c = kit_capture(k, dialect, pid, BEATS_MS + second * 1000);

    kit_map(k, c, 0x1000, 64, "rw-p", "");
    kit_name(c, pid == 1 ? "one" : "two", PM_NAME_GIVEN);
    return c;
}

/* A hundred beats of a minute: beat j reads for (37 j mod 100) + 1 ms, half of it on the CPU, the
 * longest read a thousandth of that. */
IN_KIT(read_cost_of_a_hundred)
{
    for (int64_t j = 0; j < 100; j++)
        kit_put(k, capture(k, PM_DIALECT_SMAPS, 1, 60 * j));
    for (int64_t j = 0; j < 3; j++)
        kit_put(k, capture(k, PM_DIALECT_MAPS, 2, 60 * j));
    kit_exec(
        k,
        "INSERT INTO live_process (live_process_id, hash) VALUES (1, 1);"
        "INSERT INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, "
        "longest_us, predicted_us) SELECT snapshot_id, 1, 0, 1000 * i, 500 * i, i, 50 FROM (SELECT "
        "snapshot_id, 1 + (taken_ms - 1700000000000) / 60000 * 37 % 100 AS i FROM snapshot "
        "WHERE dialect = 'smaps')");
    kit_exec(k, "INSERT INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, "
                "longest_us, predicted_us, degraded) SELECT snapshot_id, 1, 0, 7 + (taken_ms - "
                "1700000000000) / 60000, 6, 7, 90000, CASE (taken_ms - 1700000000000) / 60000 WHEN "
                "1 THEN 'too large' WHEN 0 THEN 'old' END "
                "FROM snapshot WHERE dialect = 'maps'");
    rows_are(k, "read-cost", NULL,
             "name pid snapshots read_us_p50 read_us_p99 read_us_max longest_us_p50 longest_us_p99 "
             "longest_us_max cpu_of_read underestimated degraded reason",
             "one 1 100 50000 99000 100000 50 99 100 0.5 50 0 ?\n"
             "two 2 3 8 9 9 7 7 7 0.75 0 2 too large\n");
    /* 500 us x (2 + ... + 100) in 99 minutes; predicted 50 us over the 51 us of the median ratio */
    rows_are(k, "read-cost", GIVEN("process", "one"), "cpu_share predicted_ratio degraded_last_at",
             "0.000425 0.980392156862745 ?\n");
    rows_are(k, "read-cost", GIVEN("process", "two"), "degraded_last_at", "2023-11-14T22:14:20Z\n");
    rows_are(k, "read-cost", GIVEN("since", "-1m"), "name snapshots", "one 2\n");
}

IN_KIT(read_cost_of_a_name)
{
    for (int pid = 2; pid <= 3; pid++)
        kit_put(k, capture(k, PM_DIALECT_SMAPS, pid, 0));
    beats_sights(k);
    rows_are(k, "read-cost", GIVEN("by", "name"), "name pid process_id processes snapshots",
             "two ? ? 2 2\n");
    rows_are(k, "read-cost", NULL, "name pid process_id processes snapshots cpu_share",
             "two 2 1 1 1 ?\ntwo 3 2 1 1 ?\n");
}

/* Every minute, but for 3, 4 and one missed; and by cron, which was off for twenty minutes. */
IN_KIT(beats_are_counted)
{
    static const int64_t minutes[] = {0, 1, 2, 5, 6}, cron[] = {0, 5, 10, 35};

    beats_job(k, 1, "a", "--all", 60000);
    beats_job(k, 2, "a", "4711", 0);
    for (size_t i = 0; i < 5; i++)
        beats_sweep(k, 1, 60 * minutes[i], 60 * minutes[i], minutes[i] == 5);
    for (size_t i = 0; i < 4; i++)
        beats_sweep(k, 2, 60 * cron[i], 60 * cron[i], 0);
    rows_are(
        k, "sweeps", NULL,
        "selection every step expected kept missed absent took unreadable vanished unmoved changed",
        "4711 ? 300000 8 4 0 4 100 3 4 8 4\n"
        "--all 60000 60000 7 5 1 1 100 3 5 10 5\n");
    /* Beats missed before the first beat of the window do not count. */
    rows_are(k, "sweeps", GIVEN("since", "2023-11-14T22:18:00Z"),
             "selection expected kept missed absent",
             "4711 3 3 0 0\n--all 2 2 0 0\n"); /* two steps have no median */
}

/* A prune left three of the first ten; after them, one of five is absent. The same for a cron
 * job. */
IN_KIT(what_was_pruned_is_not_expected)
{
    static const int64_t minutes[] = {0, 4, 9, 11, 12, 13, 15};

    for (int job = 1; job <= 2; job++) {
        beats_job(k, job, "a", job == 1 ? "--all" : "4711", job == 1 ? 60000 : 0);
        for (size_t i = 0; i < 7; i++)
            beats_sweep(k, job, 60 * minutes[i], 60 * minutes[i], 0);
    }
    beats_exec(k, "UPDATE schedule SET pruned_ms = %lld", (long long)(BEATS_MS + INT64_C(600000)));
    rows_are(k, "sweeps", NULL, "selection step expected kept absent first_at",
             "4711 60000 8 7 1 2023-11-14T22:13:20Z\n--all 60000 8 7 1 2023-11-14T22:13:20Z\n");
    /* All beats that are left are older than the removed ones. */
    beats_exec(k, "UPDATE schedule SET pruned_ms = %lld", (long long)(BEATS_MS + INT64_C(6000000)));
    rows_are(k, "sweeps", NULL, "selection step expected kept absent",
             "4711 ? 7 7 0\n--all 60000 7 7 0\n");
}

IN_KIT(gaps_begin_after_a_prune)
{
    static const int64_t minutes[] = {0, 30, 60, 61, 62, 63, 70};

    for (size_t i = 0; i < 7; i++)
        kit_put(k, capture(k, PM_DIALECT_SMAPS, 1, 60 * minutes[i]));
    rows_are(k, "gaps", NULL, "name from_at step",
             "one 2023-11-14T22:13:20Z 60000\none 2023-11-14T22:43:20Z 60000\n"
             "one 2023-11-14T23:16:20Z 60000\n");
    beats_exec(k, "UPDATE name SET pruned_ms = %lld", (long long)(BEATS_MS + INT64_C(3540000)));
    rows_are(k, "gaps", NULL, "name from_at step", "one 2023-11-14T23:16:20Z 60000\n");
}

IN_KIT(a_beat_alone)
{
    beats_job(k, 1, "a", "--all", 0);
    beats_sweep(k, 1, 0, 5, 0);
    rows_are(k, "sweeps", NULL, "every step expected kept missed absent", "? ? 1 1 0 0\n");
}

/* Set forward by an hour, back by ten minutes, slewed by 20 ms in a minute; then a reboot. */
IN_KIT(clocks_that_were_set)
{
    beats_job(k, 1, "a", "--all", 60000);
    beats_job(k, 2, "b", "--all", 60000);
    beats_sweep(k, 1, 0, 1000, 0);
    beats_sweep(k, 1, 60, 1060, 0);
    beats_sweep(k, 1, 3720, 1120, 0);
    beats_sweep(k, 1, 3180, 1180, 0);
    beats_sweep(k, 2, 4000, 30, 0);
    beats_sweep(k, 2, 4060, 90, 0);
    kit_exec(
        k, "UPDATE beat SET mono_ns = mono_ns + 20000000 WHERE schedule_id = 2 AND mono_ns > 5e10");
    rows_are(k, "clock-jumps", NULL, "what from_at to_at jump passed boot_id",
             "backward 2023-11-14T23:15:20Z 2023-11-14T23:06:20Z -600000 60000 a\n"
             "forward 2023-11-14T22:14:20Z 2023-11-14T23:15:20Z 3600000 60000 a\n"
             "reboot 2023-11-14T23:15:20Z 2023-11-14T23:20:00Z ? ? b\n");
    rows_are(k, "clock-jumps", GIVEN("least", "15m"), "what jump", "forward 3600000\nreboot ?\n");
    rows_are(k, "clock-jumps", GIVEN("least", "1ms"), "what jump",
             "backward -600000\nforward 3600000\nreboot ?\n");
}

/* Ten days with a snapshot each, but ten on the last day. */
IN_KIT(days_of_a_store)
{
    for (int64_t day = 0; day < 9; day++)
        kit_put(k, capture(k, PM_DIALECT_SMAPS, 1, 86400 * day));
    for (int64_t i = 0; i < 10; i++)
        kit_put(k, capture(k, PM_DIALECT_SMAPS, 2, INT64_C(777600) + 60 * i));
    rows_are(k, "store-growth", NULL, "day processes snapshots days_left",
             "2023-11-14 1 1 ?\n2023-11-15 1 1 ?\n2023-11-16 1 1 ?\n2023-11-17 1 1 ?\n"
             "2023-11-18 1 1 ?\n2023-11-19 1 1 ?\n2023-11-20 1 1 ?\n2023-11-21 1 1 ?\n"
             "2023-11-22 1 1 ?\n2023-11-23 1 10 ?\n");
}

/* The sizes of the days add up to the file without its free pages; the pace covers seven days. */
IN_KIT(days_add_up_to_the_file)
{
    pmapdb_rows *rows = NULL;
    double sum = 0, last[7] = {0}, file = 0;

    for (int64_t i = 0; i < 30; i++)
        kit_put(k, capture(k, PM_DIALECT_SMAPS, 1 + (int)i % 4, 40000 * i));
    file =
        (double)kit_number(k->store, "SELECT (page_count - freelist_count) * page_size / 1024 FROM "
                                     "pragma_page_count, pragma_freelist_count, pragma_page_size");
    rows = kit_ask(k, "store-growth");
    kit_bind(rows, "max-size", "1G");
    for (size_t n = 0; kit_next(rows); n++) {
        double week = 0;

        sum += last[n % 7] = pmapdb_rows_real(rows, 4);
        for (size_t i = 0; i < 7; i++)
            week += last[i] / (n < 7 ? (double)n + 1 : 7);
        assert_true(pmapdb_rows_real(rows, 5) - sum < 8 && sum - pmapdb_rows_real(rows, 5) < 8);
        assert_true(week - pmapdb_rows_real(rows, 6) < 2 && pmapdb_rows_real(rows, 6) - week < 2);
    }
    pmapdb_rows_close(rows);
    assert_true(sum > file - 8 && sum < file + 8);
}

IN_KIT(keys_that_nobody_knows)
{
    for (int64_t i = 0; i < 3; i++) {
        pm_capture *c = capture(k, PM_DIALECT_SMAPS, 1 + (int)i / 2, 60 * i);
        pm_mapping m = {.start = 0x9000, .end = 0xa000, .perms = "r--p", .path = PM_TEXT("/x")};

        pm_set(&m, PM_SIZE, 4);
        pm_set(&m, PM_RSS, 4);
        m.extra = i ? PM_TEXT("Foo: 8 kB\nBar: 0 kB") : PM_TEXT("Foo: 0 kB");
        kit_add(k, c, &m);
        kit_put(k, c);
    }
    rows_are(k, "unknown-fields", NULL, "field dialect processes rows not_zero first_at example",
             "Foo smaps 2 3 2 2023-11-14T22:13:20Z Foo: 8 kB\n"
             "Bar smaps 2 2 0 2023-11-14T22:13:20Z Bar: 0 kB\n");
    rows_are(k, "unknown-fields", GIVEN("process", "two"), "field rows", "Bar 1\nFoo 1\n");
}

IN_KIT(sums_that_differ)
{
    for (int64_t i = 0; i < 4; i++)
        kit_put(k, capture(k, PM_DIALECT_SMAPS, 1, 60 * i));
    /* 32 KiB are resident */
    kit_exec(k, "UPDATE snapshot SET tool_rss_kib = CASE snapshot_id WHEN 1 THEN 32 WHEN 2 THEN 40 "
                "WHEN 3 THEN 16 END");
    rows_are(k, "rss-check", NULL, "snapshot_id rss_kib tool_rss_kib off_kib off_share",
             "3 32 16 16 1.0\n2 32 40 -8 -0.2\n");
    rows_are(k, "rss-check", GIVEN("least", "10K"), "snapshot_id", "3\n");
}

/* A missing limit is shown as unknown, not as -1 KiB. */
IN_KIT(sights_of_a_process)
{
    kit_put(k, capture(k, PM_DIALECT_SMAPS, 1, 0));
    kit_put(k, capture(k, PM_DIALECT_PMAP_SMALL_X, 1, 60));
    beats_sights(k);
    rows_are(k, "sights", NULL,
             "taken_at name threads hwm_kib memory_max_kib address_limit_kib map_limit user",
             "2023-11-14T22:13:20Z one 4 5000 524288 ? 65530 root\n");
}

IN_KIT(refusals_newest_first)
{
    kit_exec(k, "INSERT INTO refused (hash, first_ms, reason) VALUES (-1, 1700000000500, 'b'), (2, "
                "1700000000000, 'a')");
    rows_are(
        k, "refusals", NULL, "first_at reason hash",
        "2023-11-14T22:13:20.500Z b ffffffffffffffff\n2023-11-14T22:13:20Z a 0000000000000002\n");
}

/* The limit is that of the kernel, unless --limit is given. */
IN_KIT(map_count_of_live_captures)
{
    kit_put(k, capture(k, PM_DIALECT_SMAPS, 1, 0));
    beats_sights(k);
    kit_exec(k, "UPDATE live_process SET max_map_count = 4");
    rows_are(k, "map-count", NULL, "mappings limit", "1 65530\n");
    kit_exec(k, "UPDATE process SET boot_id = 'a'");
    rows_are(k, "map-count", NULL, "mappings share limit", "1 0.25 4\n");
    rows_are(k, "map-count", GIVEN("limit", "2"), "mappings share limit", "1 0.5 2\n");
}

RUN_TESTS(NULL, NULL)
