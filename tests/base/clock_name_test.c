/* clock_name: the moment in a file's name, and the numbers there that are none. */
#include "unit.h"

#include "base/clock.h"
#include <stdlib.h>
#include <time.h>

#define MOMENT INT64_C(1795226732000) /* 2026-11-21T02:05:32Z */
static void in_zone(const char *tz)
{
    setenv("TZ", tz, 1);
    tzset();
}

static void same(const char *name, int64_t wanted)
{
    int64_t ms = -1;

    if (!pm_clock_in_name(pm_text_of(name), &ms) || ms != wanted)
        fail_msg("'%s': %lld, wanted %lld", name, (long long)ms, (long long)wanted);
}

static void none(const char *name)
{
    int64_t ms = -1;

    if (pm_clock_in_name(pm_text_of(name), &ms))
        fail_msg("'%s' was read as %lld", name, (long long)ms);
    assert_int_equal(ms, -1);
}

static const struct {
    const char *name, *iso;
} named[] = {
    {"1795226732-15823.smaps", "2026-11-21T02:05:32Z"},
    {"4711-1795226732", "2026-11-21T02:05:32Z"},
    {"smaps.1795226732123", "2026-11-21T02:05:32.123Z"},
    {"core.x.1000.8a.4711.1795226732000000", "2026-11-21T02:05:32Z"},
    {"pmap-2026-11-21T02:05:32Z.txt", "2026-11-21T02:05:32Z"},
    {"pmap-2026-11-21T02:05:32.250Z.txt", "2026-11-21T02:05:32.250Z"},
    {"pmap-2026-11-21T03:05:32+01:00.txt", "2026-11-21T02:05:32Z"},
    {"pmap-2026-11-20T21:05:32-05:00", "2026-11-21T02:05:32Z"},
    {"pmap-20261121T030532+0100", "2026-11-21T02:05:32Z"},
    {"pmap_20261121_020532_4711.log", "2026-11-21T02:05:32Z"},
    {"20261121-020532-4711.log", "2026-11-21T02:05:32Z"},
    {"20261121020532-4711.log", "2026-11-21T02:05:32Z"},
    {"2026-11-21_02-05-32.x", "2026-11-21T02:05:32Z"},
    {"2026-11-21-02-05-32-4711.x", "2026-11-21T02:05:32Z"},
    {"2026-11-21_03:05:32_CET.x", "2026-11-21T02:05:32Z"},
    {"pmap.2026.11.21.020532", "2026-11-21T02:05:32Z"},
    {"20261121T0205", "2026-11-21T02:05Z"},
    {"202611210205.txt", "2026-11-21T02:05Z"},
    {"20261121-0205-4711.smaps", "2026-11-21T02:05Z"},
    {"2026-11-21_02-05-4711.smaps", "2026-11-21T02:05Z"},
    {"4711-20261121.txt", "2026-11-21"},
    {"20261121-4711.smaps", "2026-11-21"},
    {"date20261121.txt", "2026-11-21"},
    {"2026-11-21.log.1", "2026-11-21"},
    {"20261121-1795226732.x", "2026-11-21T02:05:32Z"},
    {"2026-11-21/", "2026-11-21"},
};

static char unnamed[] =
    " smaps 4711.smaps 12345678.smaps 20261321 20260230-x 2025-02-29.txt "
    "4711-11-21.txt 5795226732 17952267321 redis-3f1795226732ab cafe20261121 "
    "179522673 libfoo-1.2.3 2026-11.txt 19891231 21001231 1234567890123456789012345";

static void names(void **state)
{
    in_zone("UTC");
    for (size_t i = 0; i < COUNT(named); i++) {
        int64_t ms;

        assert_true(pm_clock_parse(pm_text_of(named[i].iso), &ms) ||
                    pm_clock_parse_line(pm_text_of(named[i].iso), &ms));
        same(named[i].name, ms);
    }
    for (char *rest = unnamed, *name; (name = strsep(&rest, " "));)
        none(name);
}

static void where_in_name(void **state)
{
    pm_text name = PM_TEXT("pmap_20261121_020532_4711.log"), where;
    int64_t ms;

    assert_true(pm_clock_find_in_name(name, &ms, &where));
    assert_true(pm_text_equal(where, PM_TEXT("20261121_020532")));
    in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    same("4711-20261121.txt", MOMENT - 7532000 - 3600000);
}

RUN_TESTS(TEST(names), TEST(where_in_name))
