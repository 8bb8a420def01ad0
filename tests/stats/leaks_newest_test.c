/* leaks_newest: snapshots that do not show the keys, or not their resident memory. */
#include "stats/leaks_models.h"

static const model blind = {"anonymous", PMAP(L(9, 0), L(400000, 0))};
static const model seen = {"heap", SMAPS(L(1, 0), L(9000, 0), L(4000, 0), L(4000, 0))};

static double rss[2 * N], swap[2 * N];
static int64_t all_times[2 * N];

/* Fills n values of VmRSS, a minute apart, which grow by `step` from place `bend` on. */
static void fill_vm_rss(size_t n, double from, size_t bend, double step)
{
    for (size_t i = 0; i < n; i++) {
        all_times[i] = INT64_C(1800000000000) + (int64_t)i * 60000;
        rss[i] = from + step * (i > bend ? (double)(i - bend) : 0);
        swap[i] = 0;
    }
}

/* The first `n` of `all` snapshots show one key, and every snapshot has VmRSS. */
static void judge_with(const model *m, size_t n, size_t all, const pm_leak_options *options)
{
    pm_leak_key key = {m->category, m->category, runs[0], n};
    pm_leak_sums sums[2 * N];
    pm_leak_process process = {all_times, NULL, all, &key, 1, sums};

    for (size_t i = 0; i < all; i++) {
        sums[i] = (pm_leak_sums){.hides_keys = i >= n,
                                 .vm_rss = true,
                                 .value = {NAN, NAN, rss[i], NAN, NAN, NAN, swap[i]}};
        if (i < n)
            run_of(m, i, &runs[0][i]);
    }
    assert_int_equal(pm_leaks_judge(&process, options, rows, NULL), PMAPDB_OK);
}

#define FROM "from VmRSS: the maps were read without sizes in memory"

TEST(only_vm_rss_is_known)
{
    fill_vm_rss(N, 5000, 0, 400);
    judge_with(&blind, N, N, &jointly);
    expect(0, LEAK, RSS, RSS, FROM);
    expect_rate(0, 400);
    assert_true(rows[0].first == 5000 && rows[0].last == 20600);
    assert_int_equal(rows[0].rss_from, PM_RSS_STATUS);
    expect(1, STEADY, SIZE, SIZE, "judged by size: resident memory is unknown");
    fill_vm_rss(N, 5000, 0, 0);
    judge_with(&blind, N, N, &jointly);
    expect(0, STEADY, RSS, RSS, FROM);
    judge(&blind, 1);
    expect(0, STEADY, SIZE, SIZE, "resident memory is unknown");
    assert_int_equal(rows[0].rss_from, PM_RSS_UNKNOWN);
}

TEST(one_metric)
{
    pm_leak_options one = {.metric = PM_METRIC_RSS, .limit_kib = NAN};

    fill_vm_rss(N, 5000, 0, 400);
    for (size_t i = 0; i < N; i++)
        swap[i] = 100.0 * (double)i;
    judge_with(&blind, N, N, &one);
    expect(0, LEAK, RSS, RSS, FROM);
    expect_rate(0, 400); /* without swap */
    judge_with(&blind, N, N, &jointly);
    expect_rate(0, 500);
    swap[3] = NAN; /* then swap is not added to any snapshot */
    judge_with(&blind, N, N, &jointly);
    expect_rate(0, 400);
    one.metric = PM_METRIC_SIZE;
    judge_with(&blind, N, N, &one);
    expect(0, STEADY, SIZE, SIZE, "");
    assert_int_equal(rows[0].rss_from, PM_RSS_NOT_ASKED);
}

/* Seven known values are too few; values between known values may be unknown. */
TEST(too_few_are_known)
{
    fill_vm_rss(N, 5000, 0, 400);
    for (size_t i = 0; i < N; i++)
        rss[i] = i % 5 == 0 && i < 35 ? rss[i] : NAN;
    judge_with(&blind, N, N, &jointly);
    expect(0, STEADY, SIZE, SIZE, "resident memory is known of 7 snapshots: 8 are needed");
    assert_int_equal(rows[0].rss_from, PM_RSS_UNKNOWN);
    rss[35] = 5000 + 35 * 400;
    judge_with(&blind, N, N, &jointly);
    expect(0, LEAK, RSS, RSS, FROM);
    expect_rate(0, 400);
    fill_vm_rss(N, 4000, 0, 0);
    judge_with(&seen, 4, N, &jointly);
    expect(0, STEADY, RSS, RSS, FROM);
    expect(1, TOO_FEW, RSS, RSS, "rss is known of 4 snapshots: 8 are needed");
    fill_vm_rss(N, 5000, 0, 400);
    judge_with(&seen, 4, N, &jointly); /* four snapshots are too few, but VmRSS is known */
    assert_int_equal(rows[0].verdict, LEAK);
    assert_int_equal(rows[0].trend.snapshots, N);
}

/* Address space that grows is a suspect, whatever VmRSS says. */
TEST(space_grows)
{
    static const model grows = {"anonymous", PMAP(L(9, 0), L(400000, 900))};

    fill_vm_rss(N, 5000, 0, 0);
    judge_with(&grows, N, N, &jointly);
    assert_int_equal(rows[0].verdict, SUSPECT);
    assert_non_null(strstr(rows[0].reason, "VmRSS: steady"));
    fill_vm_rss(N, 5000, 0, 400);
    judge_with(&grows, N, N, &jointly);
    assert_int_equal(rows[0].verdict, LEAK);
    assert_int_equal(rows[0].metric, RSS);
    assert_non_null(strstr(rows[0].reason, FROM));
}

/* The first 40 snapshots show the keys, the next 40 do not. */
TEST(after_the_keys)
{
    fill_vm_rss(2 * N, 4000, 0, 0);
    judge_with(&seen, N, 2 * N, &jointly);
    expect(0, STEADY, RSS, RSS, FROM);
    assert_int_equal(rows[0].rss_from, PM_RSS_STATUS);
    assert_true(rows[0].newest_ms == all_times[2 * N - 1] && rows[1].newest_ms == all_times[N - 1]);
    fill_vm_rss(2 * N, 4000, N - 1, 400);
    judge_with(&seen, N, 2 * N, &jointly);
    assert_int_equal(rows[0].verdict, LEAK);
    assert_int_equal(rows[0].trend.snapshots, 2 * N);
    judge_with(&seen, N, N, &jointly); /* no snapshot after the keys */
    expect(0, STEADY, RSS, RSS, "");
    assert_int_equal(rows[0].rss_from, PM_RSS_MAPPINGS);
    for (size_t i = N; i < 2 * N; i++)
        rss[i] = 4000 + 400 * fmin((double)(i - N + 1), 8);
    judge_with(&seen, N, 2 * N, &jointly); /* it grew and stopped */
    assert_int_equal(rows[0].verdict, PLATEAU);
    for (size_t i = N; i < 2 * N; i++)
        rss[i] = NAN;
    judge_with(&seen, N, 2 * N, &jointly);
    expect(0, STEADY, RSS, RSS, "resident memory is unknown in the last 40 snapshots");
    assert_int_equal(rows[0].rss_from, PM_RSS_UNKNOWN);
    judge_with(&seen, N, N + 1, &jointly); /* a single one may belong to the snapshot before it */
    expect(0, STEADY, RSS, RSS, "");
    assert_int_equal(rows[0].rss_from, PM_RSS_MAPPINGS);
}

static const model grows = {"heap", SMAPS(L(1, 0), L(9000, 400), L(4000, 400), L(4000, 400))};

/* A leak is over if many later snapshots of the process show no growth; a few are not enough. */
TEST(the_newest_decide)
{
    fill_vm_rss(2 * N, 4000, 0, 400);
    for (size_t i = N; i < 2 * N; i++)
        rss[i] = rss[N - 1];
    judge_with(&grows, N, N + 7, &jointly);
    expect(1, LEAK, RSS, RSS,
           "its rows end 7 minutes before the newest snapshot; rss and size grow together");
    judge_with(&grows, N, N + 1, &jointly);
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
    judge_with(&grows, N, 2 * N, &jointly);
    expect(1, PLATEAU, RSS, RSS,
           "its rows end 40 minutes before the newest snapshot; the rss of the process does not "
           "grow since then");
    assert_true(isnan(rows[1].trend.rate) && isnan(rows[1].eta_h));
    expect(0, PLATEAU, RSS, RSS, FROM);
    assert_true(rows[0].first == 4000 && rows[0].last == rss[N - 1]);
    for (size_t i = N; i < 2 * N; i++)
        rss[i] = NAN; /* unknown: the growth may go on */
    judge_with(&grows, N, 2 * N, &jointly);
    expect(1, LEAK, RSS, RSS,
           "its rows end 40 minutes before the newest snapshot; rss and size grow together");
}

/* The slow rest of the growth does not continue the leak of the key. */
TEST(hardly_any_growth)
{
    fill_vm_rss(2 * N, 4000, 0, 400);
    for (size_t i = N; i < 2 * N; i++)
        rss[i] = rss[N - 1] + 12 * (double)(i - N);
    judge_with(&grows, N, 2 * N, &jointly);
    assert_int_not_equal(rows[0].verdict, LEAK);
    assert_int_not_equal(rows[1].verdict, LEAK);
    assert_non_null(strstr(rows[1].reason, "the rss of the process hardly grows since then"));
    for (size_t i = N; i < 2 * N; i++)
        rss[i] = rss[N - 1] + 300 * (double)(i - N);
    judge_with(&grows, N, 2 * N, &jointly); /* slower, but the growth goes on */
    assert_int_equal(rows[1].verdict, LEAK);
}

/* The process goes on growing, at the same rate or in steps. */
TEST(growth_goes_on)
{
    fill_vm_rss(2 * N, 4000, 0, 400);
    judge_with(&grows, N, 2 * N, &jointly);
    assert_int_equal(rows[1].verdict, LEAK);
    assert_int_equal(rows[0].verdict, LEAK);
    expect_rate(0, 400);
    assert_int_equal(rows[0].trend.snapshots, 2 * N);
    for (size_t i = 0; i < 2 * N; i++)
        rss[i] = 4000 + 6400 * (double)(i / 16);
    judge_with(&grows, N, N + 12, &jointly);
    assert_int_not_equal(rows[1].verdict, PLATEAU);
}

/* Every second snapshot hides the keys, and its VmRSS is slightly wrong, as the counters of the
 * kernel are. */
TEST(now_and_then)
{
    static const model *const models[] = {&grows, &seen};
    pm_leak_sums sums[2 * N];
    pm_leak_run few[N];
    pm_leak_key key = {"heap", "heap", few, N};
    pm_leak_process process = {all_times, NULL, 0, &key, 1, sums};

    fill_vm_rss(2 * N, 0, 0, 0);
    for (size_t m = 0; m < 2; m++)
        for (process.n = 2 * N - 8; process.n <= 2 * N; process.n++) {
            for (size_t i = 0; i < process.n; i++) {
                pm_leak_run run;

                run_of(models[m], i, &run);
                sums[i] = (pm_leak_sums){.hides_keys = i % 2, .vm_rss = true};
                memcpy(sums[i].value, run.value, sizeof run.value);
                sums[i].value[RSS] += i * 7 % 5 * 32;
                if (i % 2 == 0)
                    few[i / 2] = run;
            }
            key.n_runs = (process.n + 1) / 2;
            assert_int_equal(pm_leaks_judge(&process, &jointly, rows, NULL), PMAPDB_OK);
            assert_int_equal(rows[0].verdict, m == 0 ? LEAK : STEADY);
            assert_int_equal(rows[1].verdict, m == 0 ? LEAK : STEADY);
        }
}

/* A flat rss of the later snapshots says nothing about the growth of address space. */
TEST(each_metric_for_itself)
{
    static const model stacks = {"anonymous/thread-stack",
                                 SMAPS(L(9, 1), L(80000, 8192), L(400, 4), L(400, 4))};

    fill_vm_rss(2 * N, 400, 0, 0);
    judge_with(&stacks, N, 2 * N, &jointly);
    assert_int_equal(rows[1].verdict, LEAK); /* the sums do not know its size */
}

/* Touching shared pages ends, and may go on after the last snapshot with mappings. Faster growth
 * has another cause. */
TEST(explained_growth_goes_on)
{
    static const model touches = {"shared-memory",
                                  SMAPS(L(1, 0), L(146432, 0), L(2000, 400), L(8, 0))};

    fill_vm_rss(N + 6, 2000, 0, 400);
    judge_with(&touches, N, N + 6, &jointly);
    assert_int_equal(rows[0].verdict, PLATEAU);
    for (size_t i = N; i < N + 12; i++) {
        all_times[i] = INT64_C(1800000000000) + (int64_t)i * 60000;
        rss[i] = 2000 + 400 * (N - 1) + 4000 * (double)(i - N + 1);
        swap[i] = 0;
    }
    judge_with(&touches, N, N + 12, &jointly);
    assert_int_equal(rows[0].verdict, LEAK);
    assert_int_equal(rows[0].rss_from, PM_RSS_STATUS);
}

/* The distance to a limit is counted from the newest VmRSS. */
TEST(limits)
{
    pm_leak_options options = {.metric = -1, .limit_kib = NAN, .memory_max_kib = 44600};

    fill_vm_rss(N, 5000, 0, 400);
    judge_with(&blind, N, N, &options);
    assert_int_equal(rows[0].limit_by, PM_LIMIT_CGROUP);
    assert_true(fabs(rows[0].eta_h - 1) < 1e-6); /* 24,000 KiB at 24,000 an hour */
    options = (pm_leak_options){.metric = -1, .limit_kib = 32600};
    judge_with(&blind, N, N, &options);
    assert_int_equal(rows[0].limit_by, PM_LIMIT_GIVEN);
    assert_true(fabs(rows[0].eta_h - .5) < 1e-6);
    options.limit_kib = 21000; /* so near the limit, a cache is possible */
    judge_with(&blind, N, N, &options);
    assert_int_equal(rows[0].verdict, SUSPECT);
}

TEST(names)
{
    assert_string_equal(pm_leak_rss_names[PM_RSS_NOT_ASKED], "");
    assert_string_equal(pm_leak_rss_names[PM_RSS_UNKNOWN], "unknown");
    assert_string_equal(pm_leak_rss_names[PM_RSS_MAPPINGS], "mappings");
    assert_string_equal(pm_leak_rss_names[PM_RSS_STATUS], "VmRSS");
}

RUN_TESTS(NULL, NULL)
