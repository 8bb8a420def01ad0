/* budget_test: when smaps may be read, by numbers alone. */
#include "unit.h"

#include "api/capture/budget.h"

#define GIB ((int64_t)1024 * 1024) /* in KiB */
#define MIB ((int64_t)1024)
#define HOUR ((int64_t)3600 * 1000)
#define NOW (INT64_C(1800000000) * 1000)
#define BUDGET 50000 /* us */
#define U PMAPDB_UNKNOWN

static const pm_budget nothing;

/* All of it in `largest` KiB, `ns` a page. */
static pm_budget_reading reading(int64_t largest_kib, double ns, int64_t age_ms)
{
    int64_t us = (int64_t)((double)largest_kib / 4 * ns / 1000);

    return (pm_budget_reading){.kept = {NOW - age_ms, largest_kib, 0, 1, us, us},
                               .largest_kib = largest_kib,
                               .longest_cpu_us = us};
}

static pm_budget known(pm_budget_reading r)
{
    pm_budget own = {0};

    pm_budget_learn(&own, NULL, &r);
    return own;
}

static pm_proc_extent extent(int64_t resident_kib, int64_t largest_kib)
{
    return (pm_proc_extent){.size_kib = resident_kib * 2,
                            .resident_kib = resident_kib,
                            .swap_kib = 0,
                            .largest_kib = largest_kib,
                            .small_kib = U};
}

static int64_t predict(const pm_budget *own, const pm_budget_host *host, pm_proc_extent e)
{
    return pm_budget_predict(own, host, NOW, &e, BUDGET, NULL);
}

static void assert_words(const pm_budget *own, pm_proc_extent e, int64_t max_us, const char *wanted)
{
    char why[200];

    pm_budget_predict(own, NULL, NOW, &e, max_us, why);
    assert_string_equal(why, wanted);
}

static void assert_near(double found, double wanted)
{
    if (found < wanted * 0.999 || found > wanted * 1.001)
        fail_msg("%f is not %f", found, wanted);
}

/* ---- pages ---- */

static void first_sight(void **state)
{
    /* 262,144 pages of 100 ns */
    assert_int_equal(predict(&nothing, NULL, extent(1 * GIB, U)), 26215);
    assert_int_equal(predict(&nothing, NULL, extent(4 * GIB, U)), 104858);
    /* the same in many mappings: one by one they are short enough */
    assert_int_equal(predict(&nothing, NULL, extent(4 * GIB, 64 * MIB)), 1639);
    assert_int_equal(predict(&nothing, NULL, extent(50 * GIB, 44 * GIB)), 1153434);
    assert_words(&nothing, extent(50 * GIB, 44 * GIB), BUDGET,
                 "smaps would keep its memory map busy for about 1.2 s (44 GiB in one mapping, "
                 "100 ns a page), more than 50 ms");
}

static void rounding(void **state)
{
    /* 500,000 pages are 50 ms */
    assert_int_equal(predict(&nothing, NULL, extent(2000000, 2000000)), 50000);
    assert_int_equal(predict(&nothing, NULL, extent(2000004, 2000004)), 50001);
}

/* Below 1 GiB three mappings are walked through at a time. */
static void three_at_a_time(void **state)
{
    pm_proc_extent e = extent(900 * MIB, 100 * MIB);

    assert_int_equal(predict(&nothing, NULL, e), 7680); /* 300 MiB */
    assert_words(&nothing, e, 7679,
                 "smaps would keep its memory map busy for about 7.7 ms (300 MiB at a time, 100 ns "
                 "a page), more than 7.7 ms");
    e.largest_kib = 400 * MIB;
    assert_int_equal(predict(&nothing, NULL, e), 23040); /* not more than there is */
    assert_int_equal(predict(&nothing, NULL, extent(1 * GIB, 100 * MIB)), 2560);
}

static void swapped(void **state)
{
    pm_proc_extent e = extent(1 * GIB, U);

    e.swap_kib = 4 * GIB;
    assert_true(predict(&nothing, NULL, e) > BUDGET);
    e.largest_kib = 5 * GIB;
    assert_int_equal(predict(&nothing, NULL, e), 131072);
    e.swap_kib = U;
    assert_true(predict(&nothing, NULL, e) <= BUDGET);
}

/* The last smaps had 1 GiB in one mapping, of 8: since then at most what came can be in it. */
static void what_came_since(void **state)
{
    pm_budget_reading r = reading(8 * GIB, 100, 0);
    pm_budget own;

    r.largest_kib = 1 * GIB;
    r.longest_cpu_us = 26214;
    own = known(r);
    assert_int_equal(predict(&own, NULL, extent(8 * GIB, U)), 26214);
    assert_int_equal(predict(&own, NULL, extent(8 * GIB + 512 * MIB, U)), 39321);
    assert_true(predict(&own, NULL, extent(9 * GIB, U)) > BUDGET);
    assert_true(predict(&own, NULL, extent(9 * GIB, 1 * GIB)) <= BUDGET);
    assert_int_equal(predict(&own, NULL, extent(9 * GIB, 5 * GIB)), 52428);
    /* what went may have gone from elsewhere */
    assert_int_equal(predict(&own, NULL, extent(7 * GIB, U)), 26214);
    assert_int_equal(predict(&own, NULL, extent(512 * MIB, U)), 13107);
    /* by now it may have moved into one mapping */
    own.last.kept.taken_ms = NOW - 2 * HOUR;
    assert_true(predict(&own, NULL, extent(8 * GIB, U)) <= BUDGET);
    own.last.kept.taken_ms--;
    assert_true(predict(&own, NULL, extent(8 * GIB, U)) > BUDGET);
}

static void huge_pages_of_the_host(void **state)
{
    pm_proc_extent e = extent(64 * GIB, 60 * GIB);

    /* 131,072 small pages of 100 ns, the rest of 60 GiB at 1 ns */
    e.small_kib = 512 * MIB;
    assert_int_equal(predict(&nothing, NULL, e), 28705);
    assert_true(predict(&nothing, NULL, e) <= BUDGET);
    e.small_kib = 0;
    assert_int_equal(predict(&nothing, NULL, e), 15729);
    e.small_kib = 2 * GIB;
    assert_int_equal(predict(&nothing, NULL, e), 67634);
    assert_words(&nothing, e, BUDGET,
                 "smaps would keep its memory map busy for about 68 ms (60 GiB in one "
                 "mapping, at most 2.0 GiB of it in small pages, 100 ns a page), more than "
                 "50 ms");
    e.small_kib = 80 * GIB;
    assert_int_equal(predict(&nothing, NULL, e), 1572864);
}

/* ---- cost ---- */

static void own_cost(void **state)
{
    pm_budget own = known(reading(4 * GIB, 28, 0));

    assert_near(pm_budget_cost(&own, NULL, NOW), 28);
    assert_true(predict(&own, NULL, extent(4 * GIB, U)) <= BUDGET);
    /* huge pages, and what is too low to be trusted */
    own = known(reading(4 * GIB, 3, 0));
    assert_near(pm_budget_cost(&own, NULL, NOW), 3);
    own = known(reading(4 * GIB, 0.4, 0));
    assert_near(pm_budget_cost(&own, NULL, NOW), PM_BUDGET_NS_LEAST);
    assert_int_equal(predict(&own, NULL, extent(100 * GIB, U)), 26215);
}

/* A wait for the processor is in the wall clock's time only; all of the reading took less CPU. */
static void longest(void **state)
{
    pm_budget_reading r = reading(4 * GIB, 28, 0);
    pm_budget own;

    r.longest_cpu_us = U;
    r.kept.longest_us *= 10;
    own = known(r);
    assert_near(pm_budget_cost(&own, NULL, NOW), 28);
    r.kept.longest_us = 10486; /* 10 ns: other mappings took the rest */
    own = known(r);
    assert_near(pm_budget_cost(&own, NULL, NOW), 10);
    r.longest_cpu_us = 20971;
    own = known(r);
    assert_near(pm_budget_cost(&own, NULL, NOW), 20);
}

/* Where it is not known which mapping had most: all pages, less what mappings cost by themselves.
 */
static void average(void **state)
{
    pm_budget_reading r = {.kept = {NOW, 3 * GIB, 1 * GIB, 4000, 10000 + 31457, 9000},
                           .largest_kib = U,
                           .longest_cpu_us = U};
    pm_budget own = known(r);

    assert_near(pm_budget_cost(&own, NULL, NOW), 30);
    r.kept.cpu_us = 9000;
    own = known(r);
    assert_near(pm_budget_cost(&own, NULL, NOW), PM_BUDGET_NS_LEAST);
    r.kept.cpu_us = U;
    own = known(r);
    assert_near(pm_budget_cost(&own, NULL, NOW), PM_BUDGET_NS_ASSUMED);
}

/* 300 mappings and little in them say nothing about pages. */
static void too_little(void **state)
{
    pm_budget_host host = {0};
    pm_budget_reading r = reading(63 * MIB, 400, 0);
    pm_budget own = {0};

    for (int i = 0; i < 5; i++)
        pm_budget_learn(&own, &host, &r);
    assert_int_equal(host.n, 0);
    assert_near(pm_budget_cost(&own, &host, NOW), PM_BUDGET_NS_ASSUMED);
    assert_true(predict(&own, &host, extent(64 * MIB, U)) <= BUDGET);
}

static void host_cost(void **state)
{
    static const double ns[] = {90, 30, 40};
    pm_budget_host host = {0};
    pm_budget own = {0};

    for (size_t i = 0; i < 3; i++) {
        pm_budget_reading r = reading(4 * GIB, ns[i], 0);

        assert_near(pm_budget_cost(&nothing, &host, NOW), PM_BUDGET_NS_ASSUMED);
        pm_budget_learn(&own, &host, &r);
    }
    assert_near(pm_budget_cost(&nothing, &host, NOW), 40);
    /* the others' huge pages are not this process's; the oldest are forgotten */
    for (int i = 0; i < PM_BUDGET_READINGS; i++) {
        pm_budget_reading r = reading(4 * GIB, 2, 0);

        pm_budget_learn(&own, &host, &r);
    }
    assert_int_equal(host.n, PM_BUDGET_READINGS);
    assert_near(pm_budget_cost(&nothing, &host, NOW), PM_BUDGET_NS_HOST_LEAST);
    assert_near(pm_budget_cost(&own, &host, NOW), 2);
}

/* ---- age ---- */

/* 4 GiB at 200 ns are 210 ms; as the others (100 ns), 105; the budget is 150. */
static void comes_back(void **state)
{
    static const struct {
        int64_t age_ms;
        double ns;
        bool fits;
    } steps[] = {{0, 200, false},          {2 * HOUR, 179.37, false}, {6 * HOUR, 150, false},
                 {8 * HOUR, 139.69, true}, {12 * HOUR, 125, true},    {-3 * HOUR, 200, false},
                 {240 * HOUR, 100, true},  {100000 * HOUR, 100, true}};
    pm_proc_extent e = extent(4 * GIB, 4 * GIB);

    for (size_t i = 0; i < COUNT(steps); i++) {
        pm_budget own = known(reading(4 * GIB, 200, steps[i].age_ms));

        assert_near(pm_budget_cost(&own, NULL, NOW), steps[i].ns);
        assert_int_equal(predict(&own, NULL, e) <= 150000, steps[i].fits);
    }
}

/* Huge pages may be split one day. */
static void low_cost_ages(void **state)
{
    pm_budget week = known(reading(4 * GIB, 2, 168 * HOUR));
    pm_budget older = known(reading(4 * GIB, 2, 168 * HOUR + 1));

    assert_near(pm_budget_cost(&week, NULL, NOW), 2);
    assert_near(pm_budget_cost(&older, NULL, NOW), PM_BUDGET_NS_ASSUMED);
}

static void expect_words(int64_t kib, double ns, int64_t max_stall_us, const char *wanted)
{
    pm_budget own = known(reading(kib, ns, 0));

    assert_words(&own, extent(kib, kib), max_stall_us, wanted);
}

static void words(void **state)
{
    expect_words(210 * GIB, 81.7, 50000,
                 "smaps would keep its memory map busy for about 4.5 s (210 GiB in one mapping, 82 "
                 "ns a page), more than 50 ms");
    expect_words(4 * GIB, 28, 5000,
                 "smaps would keep its memory map busy for about 29 ms (4.0 GiB in one mapping, 28 "
                 "ns a page), more than 5.0 ms");
    expect_words(800 * MIB, 2.5, 100,
                 "smaps would keep its memory map busy for about 0.5 ms (800 MiB at a time, 2.5 ns "
                 "a page), more than 0.1 ms");
    expect_words(1000000 * GIB, 100000, INT64_C(3600000000),
                 "smaps would keep its memory map busy for about 26214400.0 s (1000000 GiB in one "
                 "mapping, 100000 ns a page), more than 3600.0 s");
}

RUN_TESTS(TEST(first_sight), TEST(rounding), TEST(swapped), TEST(what_came_since),
          TEST(three_at_a_time), TEST(own_cost), TEST(huge_pages_of_the_host), TEST(longest),
          TEST(average), TEST(too_little), TEST(host_cost), TEST(comes_back), TEST(low_cost_ages),
          TEST(words))
