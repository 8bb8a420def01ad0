/* leaks_whole: keys that explain other keys or the whole process, and runs that add up. */
#include "stats/leaks_models.h"

TEST(reserves_and_guards)
{
    JUDGE({"anonymous", SMAPS(L(9, 1), L(4000, 64), L(4000, 64), L(4000, 64))},
          {"reserve/guard", SMAPS(L(2, 1), L(8, 4), NONE, NONE)},
          {"reserve", SMAPS(L(2, 0), L(65000, 0), NONE, NONE)});
    expect(1, LEAK, RSS, RSS, "+35 mappings of about 64 KiB each");
    expect(2, STEADY, SIZE, SIZE, "guard pages of the growing anonymous mappings");
    expect(3, STEADY, SIZE, SIZE, "");
    expect(0, LEAK, RSS, RSS, "what leaks: anonymous");
    JUDGE({"anonymous", SMAPS(L(9, 0), L(4000, 64), L(4000, 64), L(4000, 64))},
          {"reserve/guard", SMAPS(L(2, 1), L(8, 4), NONE, NONE)});
    expect(2, SUSPECT, SIZE, SIZE,
           "address space only: size +140 KiB, +35 mappings; nothing of it is resident");
    JUDGE({"anonymous", SMAPS(L(9, 1), L(4000, 64), L(4000, 64), L(4000, 64))},
          {"reserve", SMAPS(L(2, 1), L(8, 65536), NONE, NONE)});
    expect(2, SUSPECT, SIZE, SIZE,
           "address space only: size +2.2 GiB, +35 mappings; nothing of it is resident");
}

TEST(whole_is_the_sum_of_the_leaks)
{
    JUDGE({"heap", SMAPS(L(1, 0), L(4000, 400), L(4000, 400), L(4000, 400))},
          {"anonymous", SMAPS(L(1, 0), L(4000, 100), L(4000, 100), L(4000, 100))},
          {"kernel", SMAPS(L(1, 0), L(400, 20), L(400, 20), L(400, 20))},
          {"shared-memory", SMAPS(L(1, 0), L(146432, 0), L(2000, 900), L(8, 0))});
    expect(0, LEAK, RSS, RSS, "what leaks: heap, anonymous and 1 more");
    expect_rate(0, 520);
    expect(2, LEAK, RSS, RSS, "rss and size grow together");
    expect(3, LEAK, RSS, RSS, "minor (4 % of the growth); rss and size grow together");
    expect(4, PLATEAU, RSS, RSS,
           "touches shared pages that exist: private flat, size flat; ends at 143 MiB");
}

/* The snapshots from place `from` to `end` - 1 have the sums of a model and no keys; the others
 * show the first key of the last judgement. */
static void judge_sums_with(const model *of, size_t from, size_t end,
                            const pm_leak_options *options)
{
    pm_leak_sums sums[N];
    pm_leak_run kept[N];
    pm_leak_key key = {"heap", "heap", kept, 0};
    pm_leak_process process = {times, NULL, N, &key, end - from < N, sums};

    for (size_t i = 0; i < N; i++) {
        pm_leak_run run;

        run_of(of, i, &run);
        memcpy(sums[i].value, run.value, sizeof run.value);
        sums[i].vm_rss = false;
        sums[i].hides_keys = i >= from && i < end;
        if (!sums[i].hides_keys)
            kept[key.n_runs++] = runs[0][i];
        times[i] = INT64_C(1800000000000) + (int64_t)i * 60000;
    }
    assert_int_equal(pm_leaks_judge(&process, options, rows, NULL), PMAPDB_OK);
}

static void judge_sums(const model *of, size_t from, size_t end)
{
    judge_sums_with(of, from, end, &jointly);
}

TEST(only_sums_are_known)
{
    static const model resident = {"", SMAPS(L(90, 0), L(146432, 0), L(2000, 900), UNKNOWN)};
    static const model size = {"", PMAP(L(90, 0), L(146432, 900))};

    judge_sums(&resident, 0, N);
    expect(0, LEAK, RSS, RSS, "");
    assert_int_equal(rows[0].rss_from, PM_RSS_MAPPINGS);
    judge_sums(&size, 0, N);
    expect(0, SUSPECT, SIZE, SIZE,
           "address space grows (size +31 MiB); resident memory is unknown");
}

/* A reserve belongs to a key only if both get the same number of mappings and the key leaks. */
TEST(guards_of_nothing)
{
    JUDGE({"shared-memory", SMAPS(L(1, 1), L(146432, 0), L(2000, 400), L(8, 0))},
          {"reserve/guard", SMAPS(L(2, 1), L(8, 4), NONE, NONE)});
    expect(1, PLATEAU, RSS, RSS,
           "touches shared pages that exist: private flat, size flat; ends at 143 MiB");
    assert_int_equal(rows[2].verdict, SUSPECT);
    JUDGE({"anonymous", SMAPS(L(9, 2), L(4000, 64), L(4000, 64), L(4000, 64))},
          {"reserve/guard", SMAPS(L(2, 1), L(8, 4), NONE, NONE)});
    assert_int_equal(rows[2].verdict, SUSPECT);
    JUDGE({"anonymous", SMAPS(L(9, 0), L(4000, 64), L(4000, 64), L(4000, 64))},
          {"reserve", SMAPS(L(2, 0), L(8, 400), NONE, NONE)});
    assert_int_equal(rows[2].verdict, SUSPECT);
}

/* The total grows, and no key is a leak. */
TEST(total_without_a_leak)
{
    JUDGE({"shared-memory", SMAPS(L(1, 0), L(146432, 0), L(2000, 900), L(8, 0))},
          {"deleted-file", SMAPS(L(9, 0), L(4000, 100), L(3000, 100), L(8, 0))});
    expect(0, PLATEAU, RSS, RSS, "90 % of the growth is in shared-memory, which is bounded");
    JUDGE({"shared-memory", SMAPS(L(1, 0), L(146432, 0), L(2000, 100), L(8, 0))},
          {"deleted-file", SMAPS(L(9, 0), L(4000, 900), L(3000, 900), L(8, 0))});
    expect(0, SUSPECT, RSS, RSS, "what may leak: deleted-file");
    expect_rate(0, 1000);
    JUDGE({"shared-memory", SMAPS(L(1, 0), L(146432, 0), L(2000, 100), L(8, 0))},
          {"memfd", SMAPS(L(1, 0), L(146432, 0), L(2000, 100), L(8, 0))},
          {"mapped-file", SMAPS(L(1, 0), L(146432, 0), L(2000, 100), L(8, 0))});
    expect(0, SUSPECT, RSS, RSS, "the growth is spread, nothing leaks by itself");
}

/* A snapshot with sums only does not mean that the heap is gone. */
TEST(sums_among_others)
{
    static const model heap = {"heap", SMAPS(L(1, 0), L(9000, 0), L(4000, 0), L(4000, 0))};

    judge(&heap, 1);
    judge_sums(&heap, 10, 20);
    expect(0, STEADY, RSS, RSS, "");
    expect(1, STEADY, RSS, RSS, "");
    assert_int_equal(rows[1].trend.snapshots, 30);
    assert_int_equal(rows[0].trend.snapshots, N);
}

/* Overlapping runs of a key add up; a snapshot without a run does not have the key. */
TEST(runs_add_up)
{
    JUDGE({"heap", SMAPS(L(1, 0), L(9000, 0), L(4000, 0), L(4000, 0))});
    runs[0][0].first = 1;
    runs[0][0].last = N - 1;
    runs[0][1].first = 30;
    runs[0][1].last = N - 1;
    judge_key((pm_leak_key){"heap", "heap", runs[0], 2});
    assert_true(rows[1].first == 0 && rows[1].last == 8000);
    assert_true(rows[0].first == 0 && rows[0].last == 8000);
}

/* The size that explains the growth of rss is of the last life: it differs in the life before. */
TEST(growth_is_of_the_last_life)
{
    for (int i = 0; i < N; i++)
        lives[i] = i >= 20;
    JUDGE({"anonymous", SMAPS(L(1, 0), L(90000, 0), L(2000, 400), NONE)});
    for (int i = 0; i < 20; i++)
        runs[0][i].value[PM_METRIC_SIZE] = 20000;
    judge_key((pm_leak_key){"anonymous", "anonymous", runs[0], N});
    memset(lives, 0, sizeof lives);
    expect(1, LEAK, RSS, RSS, "fills a reservation, 17 MiB of 88 MiB");
    assert_int_equal(rows[1].trend.lives, 2);
    judge_key((pm_leak_key){"anonymous", "anonymous", runs[0], N});
    expect(1, LEAK, RSS, RSS, "");
}

/* A name of a file has any length and language; a reason has the beginning of the name. */
TEST(long_names)
{
    char path[400] = "/a";

    JUDGE({"heap", SMAPS(L(1, 0), L(4000, 400), L(3000, 400), L(3000, 400))});
    for (size_t i = 2; i + 3 < sizeof path; i += 3)
        memcpy(path + i, "\xe2\x82\xac", 4);
    judge_key((pm_leak_key){path, "heap", runs[0], N});
    assert_string_equal(rows[0].reason,
                        "what leaks: /a\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                        "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                        "\xe2\x82\xac\xe2\x82\xac");
}

/* The distance to the limit is counted from the newest sum of any kind. */
TEST(limit_after_sums)
{
    static const model sums = {"", SMAPS(L(1, 0), L(90000, 0), L(14400, 400), L(4000, 0))};
    pm_leak_options options = {.metric = -1, .limit_kib = 54000};

    JUDGE({"heap", SMAPS(L(1, 0), L(4000, 400), L(4000, 400), L(4000, 400))});
    judge_sums_with(&sums, 30, N, &options);
    assert_int_equal(rows[1].verdict, LEAK);
    assert_true(fabs(rows[1].eta_h - 1) < 1e-6);
}

/* Some of thousands of lineages grow by chance, by less than 1 % of the process. */
TEST(less_than_matters)
{
    static const model two[] = {
        {"anonymous", SMAPS(L(1, 0), L(9000000, 0), L(9000000, 0), L(9000000, 0))},
        {"heap", SMAPS(L(1, 0), L(400, 40), L(400, 40), L(400, 40))},
    };

    judge(two, 2);
    expect(2, STEADY, RSS, RSS, "grows by less than 1 % of the process");
    assert_int_not_equal(rows[0].verdict, LEAK);
    judge(two + 1, 1);
    assert_int_equal(rows[1].verdict, LEAK);
}

RUN_TESTS(NULL, NULL)
