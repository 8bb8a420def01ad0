/* days: services that are restarted every few days, with a load that follows days and weeks. */
#include "unit.h"

#include <math.h>

#include "stats/constants.h"
#include "stats/trend.h"

enum { DAYS = 42, HOURS = 24 * DAYS, LIFE = 24 * 8 };

#define LEVEL 400000.0
#define FROM 29 /* the day from which on the service leaks */

/* A service that is deployed every eight days, with a level per release, a slowing start-up, a load
 * that rises by 40 % from night to noon and less at weekends, and a leak per day. */
static pm_trend judge_service(double leak, int days)
{
    static int64_t ms[HOURS];
    static double value[HOURS];
    static int32_t life[HOURS];
    const pm_trend_options options = {.quantum = 4};
    uint32_t random = 7;
    pm_trend out;

    for (int i = 0; i < 24 * days; i++) {
        double age = (i % LIFE) / 24.0, hour = i % 24, leaks = fmin(age, i / 24.0 - FROM);
        double load = (i / 24 % 7 >= 5 ? 0.3 : 1.0) * (1 - cos(hour / 24 * 6.283185307)) / 2;

        random = random * 1664525 + 1013904223;
        ms[i] = INT64_C(1700006400000) + (int64_t)i * 3600000;
        life[i] = i / LIFE;
        value[i] = LEVEL * (1 + 0.01 * (life[i] * 7 % 5) + 0.03 * log(0.3 + age) + 0.4 * load +
                            0.004 * ((double)(random >> 16) / 65536 - 0.5) + leak * fmax(0, leaks));
    }
    assert_int_equal(
        pm_trend_judge(&(pm_series){(size_t)(24 * days), ms, value, life}, &options, &out, NULL),
        PMAPDB_OK);
    return out;
}

TEST(load_and_releases_are_not_leaks)
{
    for (int days = 3; days <= DAYS; days++) {
        pm_trend t = judge_service(0, days);

        if (t.verdict == PM_VERDICT_LEAK)
            fail_msg("after %d days: a leak of %g [%g, %g], %s", days, t.rate, t.low, t.high,
                     t.reason);
    }
}

TEST(a_leak_of_a_percent_a_day)
{
    pm_trend t = judge_service(0.01, FROM + 12);
    const double rate = 0.01 * LEVEL / 24;

    assert_int_equal(t.verdict, PM_VERDICT_LEAK);
    assert_string_equal(t.reason, "the daily means grow by more than load and start-up explain");
    if (t.low > rate || t.high < rate)
        fail_msg("%g [%g, %g], expected %g", t.rate, t.low, t.high, rate);
    if (llabs(t.since_ms - INT64_C(1700006400000) - INT64_C(86400000) * FROM) > 3 * 86400000LL)
        fail_msg("since %lld", (long long)t.since_ms);
}

/* The new release leaks: its days are compared with the days of earlier releases. */
TEST(a_leak_of_a_release_is_found_within_days)
{
    pm_trend t = judge_service(0.01, FROM + 5);

    assert_int_equal(t.verdict, PM_VERDICT_LEAK);
}

RUN_TESTS(NULL, NULL)
