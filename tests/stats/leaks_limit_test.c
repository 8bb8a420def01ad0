/* leaks_limit: limits of the kernel: which limit counts, the memory that is compared with it, and
 * leaks near a limit. */
#include "stats/leaks_models.h"

static const model growing[] = {
    {"heap", SMAPS(L(1, 0), L(4000, 400), L(4000, 400), L(4000, 400))},
    {"kernel", SMAPS(L(1, 0), L(400, 0), L(400, 0), L(400, 0))},
};

/* 4,400 KiB grow by 39 steps of 400 to 20,000 KiB; the rate is 24,000 KiB an hour. */
static pm_leak_options with(double memory_max)
{
    pm_leak_options options = jointly;

    options.memory_max_kib = memory_max;
    return options;
}

static void expect_limit(size_t row, pm_leak_limit by, double limit, double eta_h)
{
    const pm_leak *r = &rows[row];
    bool same = isnan(eta_h) ? isnan(r->eta_h) : fabs(r->eta_h - eta_h) < 1e-6;

    if (r->limit_by != by || r->limit != limit || !same)
        fail_msg("row %zu: expected %s %g in %g h, is %s %g in %g h", row, pm_leak_limit_names[by],
                 limit, eta_h, pm_leak_limit_names[r->limit_by], r->limit, r->eta_h);
}

static void expect_none(size_t row)
{
    assert_int_equal(rows[row].limit_by, PM_LIMIT_NONE);
    assert_true(isnan(rows[row].limit) && isnan(rows[row].eta_h));
}

TEST(a_cgroup_limits_the_process)
{
    pm_leak_options options = with(44000);

    judge_n(growing, 2, &options, N);
    expect_limit(0, PM_LIMIT_CGROUP, 44000, 1);
    expect_limit(1, PM_LIMIT_CGROUP, 44000, 1);
    expect_limit(2, PM_LIMIT_CGROUP, 44000, NAN);
}

TEST(a_leak_near_a_limit)
{
    pm_leak_options options = with(20600);

    judge_n(growing, 2, &options, N);
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
    expect_limit(1, PM_LIMIT_CGROUP, 20600, 600 / 24000.0);
    options.limit_kib = 20600; /* a cache may have this size */
    judge_n(growing, 2, &options, N);
    expect(1, SUSPECT, RSS, RSS,
           "at 97 % of the limit: whether it stops there cannot be told yet; "
           "rss and size grow together");
    expect(0, SUSPECT, RSS, RSS,
           "at 97 % of the limit: whether it stops there cannot be told yet; what may leak: heap");
    expect_limit(1, PM_LIMIT_GIVEN, 20600, 600 / 24000.0);
}

TEST(a_given_limit_comes_first)
{
    pm_leak_options options = with(32000);

    options.limit_kib = 44000;
    judge_n(growing, 2, &options, N);
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
    expect_limit(0, PM_LIMIT_GIVEN, 44000, 1);
    expect_limit(1, PM_LIMIT_GIVEN, 44000, 1);
    expect_limit(2, PM_LIMIT_GIVEN, 44000, NAN);
    options.limit_kib = 10000; /* passed long ago */
    judge_n(growing, 2, &options, N);
    expect(1, LEAK, RSS, RSS, "rss and size grow together");
    expect_limit(1, PM_LIMIT_GIVEN, 10000, 0);
}

TEST(values_that_are_not_limits)
{
    static const double nothing[] = {NAN, 0, -1, 10000 /* passed long ago */};

    for (size_t i = 0; i < COUNT(nothing); i++) {
        pm_leak_options options = with(nothing[i]);

        judge_n(growing, 2, &options, N);
        expect_none(0);
        expect_none(1);
    }
}

/* A reservation of 60,000 KiB that fills: 17,600 KiB in the end, 24,000 KiB an hour. */
TEST(the_nearer_limit_counts)
{
    static const model fills = {"anonymous", SMAPS(L(1, 0), L(60000, 0), L(2000, 400), NONE)};
    pm_leak_options options = with(NAN);

    judge_n(&fills, 1, &options, N);
    assert_int_equal(rows[1].verdict, SUSPECT);
    expect_limit(1, PM_LIMIT_RESERVATION, 60000, 42400 / 24000.0);
    options.memory_max_kib = 70000;
    judge_n(&fills, 1, &options, N);
    expect_limit(1, PM_LIMIT_RESERVATION, 60000, 42400 / 24000.0);
    expect_limit(0, PM_LIMIT_CGROUP, 70000, 52400 / 24000.0);
    options.memory_max_kib = 50000; /* ends the process before the reservation is full */
    judge_n(&fills, 1, &options, N);
    assert_int_equal(rows[1].verdict, LEAK);
    expect_limit(1, PM_LIMIT_CGROUP, 50000, 32400 / 24000.0);
}

/* 400 and 800 KiB a minute: 72,000 KiB an hour together. */
TEST(two_leaks_have_one_end)
{
    static const model two[] = {
        {"heap", SMAPS(L(1, 0), L(4400, 400), L(4400, 400), L(4400, 400))},
        {"anonymous", SMAPS(L(1, 0), L(8000, 800), L(8000, 800), L(8000, 800))},
    };
    const double last = 4400 + 8000 + 39 * 1200;
    pm_leak_options options = with(last + 36000);

    judge_n(two, 2, &options, N);
    for (size_t row = 0; row < 3; row++)
        expect_limit(row, PM_LIMIT_CGROUP, last + 36000, .5);
    options.address_limit_kib = last + 18000;
    judge_n(two, 2, &options, N);
    for (size_t row = 0; row < 3; row++)
        expect_limit(row, PM_LIMIT_ADDRESS, last + 18000, .25);
}

/* A process is captured from its start. It may still warm up in the first quarter of an hour. */
TEST(a_young_process_may_warm_up)
{
    pm_leak_options options = with(NAN);

    judge_n(growing, 2, &options, 14);
    options.process_ms = (double)times[0];
    assert_int_equal(rows[1].verdict, LEAK);
    judge_n(growing, 2, &options, 14);
    expect(1, SUSPECT, RSS, RSS,
           "the process is 13 minutes old, and may still fill what it needs; rss and size grow "
           "together");
    assert_int_equal(rows[0].verdict, SUSPECT);
    options.memory_max_kib = 4800 + 13 * 400 + 4000; /* reached in 11 minutes */
    judge_n(growing, 2, &options, 14);
    assert_int_equal(rows[1].verdict, LEAK);
    options.memory_max_kib = 4800 + 13 * 400 + 8000;
    judge_n(growing, 2, &options, 14);
    assert_int_equal(rows[1].verdict, SUSPECT);
    options.leak_posterior = 0.35; /* a sensitive setting */
    judge_n(growing, 2, &options, 14);
    assert_int_equal(rows[1].verdict, LEAK);
    options.leak_posterior = 0;
    options.process_ms -= 3600000;
    judge_n(growing, 2, &options, 14);
    assert_int_equal(rows[1].verdict, LEAK);
    options.process_ms += 3600000;
    judge_n(growing, 2, &options, N);
    assert_int_equal(rows[1].verdict, LEAK);
}

/* Threads: 4,000 + 39 * 64 = 6,496 KiB of stacks beside 10,000 of heap; 3,840 KiB an hour. */
TEST(address_space)
{
    static const model threads[] = {
        {"anonymous/thread-stack", SMAPS(L(9, 1), L(4000, 64), L(40, 1), L(40, 1))},
        {"heap", SMAPS(L(1, 0), L(10000, 0), L(10000, 0), L(10000, 0))},
    };
    pm_leak_options options = jointly;

    options.address_limit_kib = 16496 + 3840 * 2;
    judge_n(threads, 2, &options, N);
    assert_int_equal(rows[1].verdict, LEAK);
    assert_int_equal(rows[1].metric, SIZE);
    expect_limit(1, PM_LIMIT_ADDRESS, 24176, 2);
    assert_int_equal(rows[2].limit_by, PM_LIMIT_NONE); /* its metric is rss */
}

/* rss grows by 24,000 KiB an hour, the address space by twice as much: 4,000 + 39 * 800 + 400 =
 * 35,600 KiB in the end. */
TEST(address_space_may_end_first)
{
    static const model sparse[] = {
        {"heap", SMAPS(L(1, 0), L(4000, 800), L(4000, 400), L(4000, 400))},
        {"kernel", SMAPS(L(1, 0), L(400, 0), L(400, 0), L(400, 0))},
    };
    pm_leak_options options = with(20000 + 24000 * 3);

    options.address_limit_kib = 35600 + 48000 * 2;
    judge_n(sparse, 2, &options, N);
    expect_limit(1, PM_LIMIT_ADDRESS, 131600, 2);
    expect_limit(0, PM_LIMIT_ADDRESS, 131600, 2);
    expect_limit(2, PM_LIMIT_CGROUP, 92000, NAN); /* does not grow */
    options.address_limit_kib = 35600 + 48000 * 4;
    judge_n(sparse, 2, &options, N);
    expect_limit(1, PM_LIMIT_CGROUP, 92000, 3);
    options.limit_kib = 44000;
    judge_n(sparse, 2, &options, N);
    expect_limit(1, PM_LIMIT_GIVEN, 44000, 1);
}

/* 132 + 39 * 100 = 4,032 KiB of stack, 6,000 KiB an hour. */
TEST(the_stack_has_its_own_limit)
{
    static const model deep[] = {
        {"stack", SMAPS(L(1, 0), L(132, 100), L(132, 100), L(132, 100))},
        {"heap", SMAPS(L(1, 0), L(4000, 0), L(4000, 0), L(4000, 0))},
    };
    pm_leak_options options = with(1 << 20);

    options.stack_limit_kib = 8192;
    judge_n(deep, 2, &options, N);
    expect_limit(1, PM_LIMIT_STACK, 8192, (8192 - 4032) / 6000.0);
    expect_limit(2, PM_LIMIT_CGROUP, 1 << 20, NAN);
    options.memory_max_kib = 9000; /* 8,032 KiB are resident: the cgroup is nearer */
    judge_n(deep, 2, &options, N);
    expect_limit(1, PM_LIMIT_CGROUP, 9000, 968 / 6000.0);
}

/* 10 + 39 * 2 = 88 mappings of one category and 12 of another; 120 more an hour. */
TEST(mappings_have_a_limit)
{
    static const model pieces[] = {
        {"anonymous", SMAPS(L(10, 2), L(4000, 0), L(400, 0), L(400, 0))},
        {"heap", SMAPS(L(12, 0), L(4000, 0), L(4000, 0), L(4000, 0))},
    };
    pm_leak_options options = with(1 << 20);

    options.max_map_count = 340;
    judge_n(pieces, 2, &options, N);
    assert_int_equal(rows[1].metric, PIECES);
    expect_limit(1, PM_LIMIT_MAP_COUNT, 340, 2);
}

/* 49 small mappings, 60 more an hour: the limit of mappings comes long before that of memory. */
TEST(mappings_may_end_first)
{
    static const model pieces = {"anonymous",
                                 SMAPS(L(10, 1), L(4000, 64), L(4000, 64), L(4000, 64))};
    pm_leak_options options = with(1 << 20);

    options.max_map_count = 229;
    judge_n(&pieces, 1, &options, N);
    expect(1, LEAK, RSS, RSS,
           "+35 mappings of about 64 KiB each; all of vm.max_map_count in about 3 h");
    options.memory_max_kib = 6496 + 3840; /* in an hour */
    judge_n(&pieces, 1, &options, N);
    expect(1, LEAK, RSS, RSS, "+35 mappings of about 64 KiB each");
}

RUN_TESTS(NULL, NULL)
