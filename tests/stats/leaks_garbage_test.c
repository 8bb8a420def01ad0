/* leaks_garbage: heaps that a collector empties. Growth since the last collection may be garbage,
 * and is not a leak yet. */
#include "stats/leaks_models.h"

/* Rss of Oilpan's heap in a renderer of Chromium 120 that did little, every 30 seconds: it
 * collected after 30 seconds and after three minutes, and then not for a quarter of an hour. */
static const double oilpan[] = {7820,  8048,  5716,  5912,  6156,  6368,  6556, 5688, 5892,  6128,
                                6340,  6532,  6740,  6928,  7096,  7296,  7412, 7588, 7776,  7972,
                                8216,  8444,  8696,  8948,  9168,  9428,  9644, 9888, 10112, 10332,
                                10584, 10812, 11064, 11284, 11516, 11800, 12016};

/* A run of snapshot i alone; the other metrics are unknown. */
static pm_leak_run run_at(size_t i, double rss, double size)
{
    return (pm_leak_run){
        .first = (uint32_t)i, .last = (uint32_t)i, .value = {NAN, size, rss, NAN, NAN, NAN, NAN}};
}

static void judge_since(double started, const char *category, const double *rss, size_t n)
{
    pm_leak_options options = jointly;
    static pm_leak_run of[2][N];
    pm_leak_key keys[] = {{category, category, of[0], n}, {"heap", "heap", of[1], n}};
    pm_leak_process process = {times, NULL, n, keys, 2, NULL};

    assert_true(n <= N);
    for (size_t i = 0; i < n; i++) {
        times[i] = INT64_C(1800000000000) + (int64_t)i * 30000;
        of[0][i] = run_at(i, rss[i], 1.2 * rss[i]);
        of[1][i] = run_at(i, 60000, 60000);
    }
    options.process_ms = started;
    assert_int_equal(pm_leaks_judge(&process, &options, rows, NULL), PMAPDB_OK);
}

TEST(one_tooth_is_not_a_leak)
{
    static const char why[] = "may be garbage since the last collection, which the next one frees; "
                              "rss and size grow together";

    for (size_t n = 33; n <= COUNT(oilpan); n++) {
        judge_since(NAN, "anonymous/blink-gc", oilpan, n);
        assert_int_not_equal(rows[1].verdict, LEAK);
        assert_int_not_equal(rows[0].verdict, LEAK);
    }
    expect(1, SUSPECT, RSS, RSS, why);
    judge_since(NAN, "anonymous", oilpan, COUNT(oilpan));
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
}

/* A heap that is three times as large as after its last known collection was collected since then.
 * Rising floors are a leak, too. */
TEST(more_than_a_tooth_is_a_leak)
{
    double rss[N];

    for (size_t i = 0; i < N; i++)
        rss[i] = i < 6 ? 4000 + 20.0 * (double)i : 3000 + 400.0 * (double)(i - 6);
    judge_since(NAN, "anonymous/v8-heap", rss, N);
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
    for (size_t i = 0; i < N; i++)
        rss[i] = 5000 + 200.0 * (double)i + 400.0 * (double)(i % 5);
    judge_since(NAN, "anonymous/v8-heap", rss, N);
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
}

/* Eight minutes of growth after twelve flat ones, in a process that started an hour before. */
TEST(late_growth_is_young)
{
    double rss[N];

    for (size_t i = 0; i < N; i++)
        rss[i] = 20000 + (i > 24 ? 800.0 * (double)(i - 24) : (double)(i % 3 * 4));
    judge_since((double)times[0] - 3600000, "anonymous", rss, N);
    expect(1, SUSPECT, RSS, RSS,
           "the growth is 7 minutes old, and may still fill what the process needs; rss and size "
           "grow together");
    judge_since(NAN, "anonymous", rss, N);
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
}

/* Lives of twelve snapshots, one each second, in which the heap grows from 32 to 98 KiB. */
static void judge_lives(int64_t every_s)
{
    static pm_leak_run of[3 * 12];
    const pm_leak_key key = {"heap", "heap", of, COUNT(of)};
    const pm_leak_process process = {times, lives, COUNT(of), &key, 1, NULL};

    for (size_t i = 0; i < COUNT(of); i++) {
        lives[i] = (int32_t)(i / 12);
        times[i] = INT64_C(1800000000000) + 1000 * ((int64_t)(i / 12) * every_s + (int64_t)i % 12);
        of[i] = run_at(i, 32 + 6 * (double)(i % 12), NAN);
    }
    assert_int_equal(pm_leaks_judge(&process, &jointly, rows, NULL), PMAPDB_OK);
}

/* A command that runs for seconds now and then, and a server that is restarted immediately. */
TEST(runs_are_not_restarts)
{
    judge_lives(600);
    assert_int_equal(rows[1].verdict, SUSPECT);
    assert_string_equal(rows[1].reason,
                        "runs of at most 11 seconds with pauses: each run may only be starting up");
    judge_lives(13);
    assert_int_equal(rows[1].verdict, LEAK);
}

/* Tables of a collector fill 11,000 KiB in a process of 800,000 KiB. */
TEST(small_reservations_never_matter)
{
    JUDGE({"anonymous/jvm-gc", SMAPS(L(1, 0), L(11000, 0), L(1000, 240), NONE)},
          {"heap", SMAPS(L(1, 0), L(800000, 0), L(800000, 0), NONE)});
    expect(1, STEADY, RSS, RSS,
           "fills a reservation of 11 MiB, which is less than 5 % of the process");
    JUDGE({"anonymous/jvm-gc", SMAPS(L(1, 0), L(50000, 0), L(1000, 240), NONE)},
          {"heap", SMAPS(L(1, 0), L(800000, 0), L(800000, 0), NONE)});
    assert_int_equal(rows[1].verdict, SUSPECT);
}

RUN_TESTS(NULL, NULL)
