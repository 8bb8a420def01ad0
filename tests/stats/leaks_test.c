/* leaks: each rule that makes one verdict for a key from several metrics. */
#include "stats/leaks_models.h"

TEST(names)
{
    assert_string_equal(pm_metric_names[PM_METRIC_MAPPINGS], "mappings");
    assert_string_equal(pm_metric_names[PM_METRIC_SIZE], "size");
    assert_string_equal(pm_metric_names[PM_METRIC_RSS], "rss");
    assert_string_equal(pm_metric_names[PM_METRIC_PSS], "pss");
    assert_string_equal(pm_metric_names[PM_METRIC_PRIVATE], "private");
    assert_string_equal(pm_metric_names[PM_METRIC_PRIVATE_DIRTY], "private_dirty");
    assert_string_equal(pm_metric_names[PM_METRIC_SWAP], "swap");
}

TEST(private_memory)
{
    JUDGE({"heap", SMAPS(L(1, 0), L(4000, 400), L(3000, 400), L(3000, 400))});
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
    expect_rate(1, 400);
    assert_true(isnan(rows[1].limit) && isnan(rows[1].eta_h));
    assert_true(rows[1].first == 3000 && rows[1].last == 18600);
    assert_true(rows[1].mappings_rate == 0);
    JUDGE({"anonymous/glibc-arena", SMAPS(L(5, 2), L(4000, 400), L(3000, 400), L(3000, 400))});
    expect(1, LEAK, RSS, RSS, "+70 mappings of about 200 KiB each");
    assert_true(fabs(rows[1].mappings_rate - 120) < 1e-6);
    JUDGE({"anonymous", SMAPS(L(1, 0), L(409600, 0), L(2000, 400), NONE)});
    expect(1, SUSPECT, RSS, RSS, "fills a reservation of fixed size, 17 MiB of 400 MiB");
    assert_true(rows[1].limit == 409600);
    assert_true(fabs(rows[1].eta_h - (409600 - 17600) / 24000.0) < 1e-6);
    JUDGE({"anonymous", SMAPS(L(1, 0), L(18000, 0), L(2000, 400), NONE)});
    expect(1, SUSPECT, RSS, RSS,
           "fills a reservation of fixed size, 17 MiB of 18 MiB; full: from here on rss shows "
           "nothing");
    /* brk can enlarge the heap */
    JUDGE({"heap", SMAPS(L(1, 0), L(409600, 0), L(2000, 400), NONE)});
    expect(1, LEAK, RSS, RSS, "fills a reservation, 17 MiB of 400 MiB");
    assert_int_equal(rows[1].limit_by, PM_LIMIT_NONE);
    /* the reservation grew, too, by 39 KiB */
    JUDGE({"anonymous", SMAPS(L(1, 0), L(409600, 1), L(2000, 400), NONE)});
    expect(1, LEAK, RSS, RSS, "fills a reservation, 17 MiB of 400 MiB");
    JUDGE({"heap", SMAPS(L(1, 0), L(4000, 400), L(3000, 0), L(3000, 0))});
    expect(1, SUSPECT, SIZE, SIZE,
           "address space grows (size +14 MiB, no new mappings), rss does not");
    JUDGE({"heap", SMAPS(L(1, 1), L(4000, 400), L(3000, 0), L(3000, 0))});
    expect(1, SUSPECT, SIZE, SIZE,
           "address space grows (size +14 MiB, +35 mappings), rss does not");
    expect_rate(1, 400);
    expect(0, SUSPECT, SIZE, SIZE, "what may leak: heap");
}

TEST(thread_stacks)
{
    JUDGE({"anonymous/thread-stack", SMAPS(L(3, 1), L(24576, 8192), L(30, 8), L(30, 8))});
    expect(1, LEAK, SIZE, PIECES, "+35 stacks of 8 MiB; 280 KiB of it resident");
    expect_rate(1, 8192);
    expect(0, LEAK, RSS, PIECES, "what leaks: anonymous/thread-stack");
    expect_rate(0, 8);
    JUDGE({"anonymous/thread-stack", SMAPS(L(3, 0), L(24576, 0), L(300, 40), L(300, 40))});
    expect(1, PLATEAU, SIZE, RSS,
           "stacks get deeper (+1.4 MiB), their number is flat: bounded by 24 MiB");
    JUDGE({"anonymous/thread-stack", PMAP(L(3, 1), L(24576, 8192))});
    expect(1, LEAK, SIZE, PIECES, "+35 stacks of 8 MiB");
    expect(0, LEAK, SIZE, PIECES, "what leaks: anonymous/thread-stack");
    expect_rate(0, 8192);
    JUDGE({"anonymous/thread-stack", PMAP(L(3, 0), L(24576, 0))});
    expect(1, STEADY, SIZE, PIECES, "");
    JUDGE({"anonymous/thread-stack", SMAPS(L(3, 1), L(24576, 8192), L(30, 0), L(30, 0))});
    expect(0, LEAK, SIZE, PIECES, "what leaks: anonymous/thread-stack");
    expect_rate(0, 8192);
}

TEST(shared_memory)
{
    JUDGE({"shared-memory", SMAPS(L(1, 0), L(146432, 0), L(2000, 400), L(8, 0))});
    expect(1, PLATEAU, RSS, RSS,
           "touches shared pages that exist: private flat, size flat; ends at 143 MiB");
    expect(0, PLATEAU, RSS, RSS, "100 % of the growth is in shared-memory, which is bounded");
    JUDGE({"memfd", SMAPS(L(1, 0), L(146432, 0), L(2000, 400), L(2000, 400))});
    expect(1, PLATEAU, RSS, RSS,
           "fills a shared mapping that exists: private +14 MiB, ends at 143 MiB");
    expect(0, PLATEAU, RSS, RSS, "100 % of the growth is in memfd, which is bounded");
    JUDGE({"memfd", SMAPS(L(1, 2), L(4000, 400), L(2000, 400), L(8, 0))});
    expect(1, LEAK, RSS, SIZE, "shared memory is created: size +14 MiB, +70 mappings");
    JUDGE({"shared-memory", SMAPS(L(1, 1), L(4000, 400), L(2000, 0), L(8, 0))});
    expect(1, SUSPECT, SIZE, SIZE,
           "shared memory is mapped and not touched: size +14 MiB, +35 mappings");
    JUDGE({"shared-memory", PMAP_X(L(1, 0), L(146432, 0), L(2000, 400))});
    expect(1, PLATEAU, RSS, RSS,
           "touches shared pages that exist: private unknown, size flat; ends at 143 MiB");
}

TEST(files)
{
    JUDGE({"mapped-file", SMAPS(L(9, 1), L(4000, 256), L(3000, 256), L(8, 0))});
    expect(1, LEAK, RSS, PIECES, "+35 mappings of files that are never unmapped: size +8.8 MiB");
    JUDGE({"shared-library", SMAPS(L(9, 0), L(90000, 0), L(3000, 400), L(8, 0))});
    expect(1, PLATEAU, RSS, RSS, "touches pages of mapped files: private dirty flat, size flat");
    JUDGE({"program", SMAPS(L(9, 0), L(90000, 0), L(3000, 400), L(8, 400))});
    expect(1, PLATEAU, RSS, RSS, "private copies of pages of files: +14 MiB; ends at 88 MiB");
    JUDGE({"deleted-file", SMAPS(L(9, 0), L(4000, 400), L(3000, 400), L(8, 0))});
    expect(1, SUSPECT, RSS, SIZE, "mapped files grow: size +14 MiB; cache, the kernel can drop it");
    JUDGE({"mapped-file", PMAP_X(L(9, 0), L(90000, 0), L(3000, 400))});
    expect(1, PLATEAU, RSS, RSS, "touches pages of mapped files: private dirty unknown, size flat");
}

TEST(no_resident_memory)
{
    JUDGE({"heap", PMAP(L(1, 0), L(4000, 400))});
    expect(1, SUSPECT, SIZE, SIZE,
           "address space grows (size +14 MiB, no new mappings); resident memory is unknown");
    expect(0, SUSPECT, SIZE, SIZE, "what may leak: heap");
    expect_rate(0, 400);
    JUDGE({"heap", PMAP(L(1, 0), L(4000, 0))});
    expect(1, STEADY, SIZE, SIZE, "judged by size: resident memory is unknown");
}

/* The rss is flat, because all growth goes to swap. */
TEST(swap_counts)
{
    static const model out = {"heap",  L(1, 0), L(90000, 400), L(20000, 0),
                              UNKNOWN, UNKNOWN, UNKNOWN,       L(100, 400)};
    pm_leak_options rss = {.metric = PM_METRIC_RSS, .limit_kib = NAN};

    judge(&out, 1);
    expect(1, LEAK, RSS, RSS, "rss and size grow together; rss + swap");
    expect_rate(1, 400);
    assert_true(rows[1].first == 20100);
    judge_n(&out, 1, &rss, N);
    expect(1, STEADY, RSS, RSS, "");
}

TEST(one_metric_alone)
{
    static const model two[] = {
        {"shared-memory", L(1, 1), L(146432, 0), L(2000, 400), L(900, 100), L(8, 0), L(8, 0), NONE},
        {"heap", L(1, 0), L(4000, 0), L(4000, 0), L(4000, 50), L(4000, 0), L(4000, 0), NONE},
    };
    pm_leak_options options = {.metric = PM_METRIC_PSS, .limit_kib = NAN};

    judge_n(two, 2, &options, N);
    expect(1, LEAK, PM_METRIC_PSS, PM_METRIC_PSS, "");
    expect_rate(1, 100);
    expect_rate(2, 50);
    expect(0, LEAK, PM_METRIC_PSS, PM_METRIC_PSS, "");
    expect_rate(0, 150);
    assert_true(fabs(rows[1].mappings_rate - 60) < 0.06);
    options.metric = PM_METRIC_MAPPINGS;
    judge_n(two, 2, &options, N);
    expect(1, LEAK, PIECES, PIECES, "");
    expect_rate(0, 1);
}

TEST(only_the_number_of_mappings_grows)
{
    JUDGE({"anonymous", SMAPS(L(1, 1), L(4000, 0), L(3000, 0), L(3000, 0))});
    expect(1, SUSPECT, PIECES, PIECES,
           "address space grows (size flat, +35 mappings), rss does not");
    expect_rate(1, 1);
    expect(0, SUSPECT, PIECES, PIECES, "what may leak: anonymous");
    expect_rate(0, 1);
    assert_true(fabs(rows[0].mappings_rate - 60) < 0.06);
    assert_true(rows[0].first == 1 && rows[0].last == 40);
    assert_true(rows[1].confidence > 0.9 && rows[0].confidence > 0.9);
}

/* If few snapshots have rss, there is no verdict, whatever the size does. */
TEST(rss_of_a_few)
{
    JUDGE({"heap", SMAPS(L(1, 0), L(4000, 400), L(3000, 400), L(3000, 400))});
    for (int i = 5; i < N; i++)
        runs[0][i].value[PM_METRIC_RSS] = NAN;
    judge_key((pm_leak_key){"heap", "heap", runs[0], N});
    expect(1, TOO_FEW, RSS, RSS, "rss is known of 5 snapshots: 8 are needed");
    judge_key((pm_leak_key){"heap", "reserve", runs[0], N});
    assert_int_equal(rows[1].verdict, TOO_FEW);
}

/* The key grew until the whole reservation was resident. */
TEST(full_reservation)
{
    JUDGE({"anonymous", SMAPS(L(1, 0), L(18000, 0), L(2000, 800), NONE)});
    for (int i = 20; i < N; i++)
        runs[0][i].value[PM_METRIC_RSS] = 18000;
    judge_key((pm_leak_key){"anonymous", "anonymous", runs[0], N});
    expect(1, PLATEAU, RSS, RSS,
           "a reservation of fixed size is full: a leak in it would not show in rss");
}

/* A shared room does not change an answer, whichever process used it before. */
TEST(one_room)
{
    static const model grows[] = {
        {"heap", SMAPS(L(1, 0), L(4000, 400), L(3000, 400), L(3000, 400))}};
    static const model falls[] = {
        {"heap", SMAPS(L(1, 0), L(40000, -400), L(30000, -400), L(30000, -400))}};
    pm_leak_options options = jointly;
    pm_leak alone[2][2];

    for (int i = 0; i < 2; i++) {
        judge_n(i ? falls : grows, 1, &jointly, N - 9 * (size_t)i);
        memcpy(alone[i], rows, sizeof alone[i]);
    }
    assert_int_equal(alone[0][1].verdict, LEAK);
    assert_int_equal(alone[1][1].verdict, PM_VERDICT_SHRINKING);
    assert_int_equal(pm_trend_room_open(&options.room, NULL), PMAPDB_OK);
    for (int i = 0; i < 6; i++) {
        const pm_leak *a = alone[i % 2];

        judge_n(i % 2 ? falls : grows, 1, &options, N - 9 * (size_t)(i % 2));
        for (int k = 0; k < 2; k++) {
            assert_int_equal(rows[k].verdict, a[k].verdict);
            assert_memory_equal(&rows[k].trend.rate, &a[k].trend.rate, sizeof(double));
            assert_memory_equal(&rows[k].trend.high, &a[k].trend.high, sizeof(double));
            assert_memory_equal(&rows[k].confidence, &a[k].confidence, sizeof(double));
        }
    }
    pm_trend_room_close(options.room);
}

TEST(too_few)
{
    static const model heap = {"heap", SMAPS(L(1, 0), L(4000, 400), L(3000, 400), L(3000, 400))};
    static const model pmap = {"heap", PMAP(L(1, 0), L(4000, 400))};
    pm_leak_options pss = {.metric = PM_METRIC_PSS, .limit_kib = NAN};

    judge_n(&heap, 1, &jointly, 7);
    expect(1, TOO_FEW, RSS, RSS, "7 snapshots: 8 are needed");
    expect(0, TOO_FEW, RSS, RSS, "7 snapshots: 8 are needed");
    judge_n(&heap, 1, &jointly, 8);
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
    judge_n(&pmap, 1, &pss, N);
    expect(1, TOO_FEW, PM_METRIC_PSS, PM_METRIC_PSS, "pss is unknown");
    assert_true(isnan(rows[1].first) && isnan(rows[1].last));
    judge_n(&heap, 0, &jointly, 0);
    assert_int_equal(rows[0].verdict, TOO_FEW);
}

RUN_TESTS(NULL, NULL)
