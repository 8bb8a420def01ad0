/* clock: texts, lines and file names that are moments, and especially those that are not. */
#include "unit.h"

#include "base/clock_kit.h"
#include "pmapdb.h"
#include <stdio.h>
#include <time.h>

#define MOMENT INT64_C(1795226732000) /* 2026-11-21T02:05:32Z */
typedef bool (*read_fn)(pm_text t, int64_t *ms);

static void in_zone(const char *tz)
{
    setenv("TZ", tz, 1);
    tzset();
}

static void same(read_fn fn, const char *text, int64_t wanted)
{
    int64_t ms = -1;

    if (!fn(pm_text_of(text), &ms) || ms != wanted)
        fail_msg("'%s': %lld, wanted %lld", text, (long long)ms, (long long)wanted);
}

static void none(read_fn fn, const char *text)
{
    int64_t ms = -1;

    if (fn(pm_text_of(text), &ms))
        fail_msg("'%s' was read as %lld", text, (long long)ms);
    assert_int_equal(ms, -1);
}

/* A line is a moment alone, or begins with a moment; never both. */
static void begins(const char *line, int64_t wanted)
{
    char longer[256];
    pm_text rest = {0};
    int64_t ms = -1;

    assert_false(begins_with_moment(pm_text_of(line), &ms, &rest));
    assert_int_equal(ms, -1);
    assert_null(rest.data);
    snprintf(longer, sizeof longer, "%s total kB 4 3 2", line);
    if (!begins_with_moment(pm_text_of(longer), &ms, &rest) || ms != wanted)
        fail_msg("'%s': %lld, wanted %lld", longer, (long long)ms, (long long)wanted);
    assert_true(pm_text_equal(rest, PM_TEXT("total kB 4 3 2")));
    assert_false(is_moment(pm_text_of(longer), &ms));
}

TEST(iso_and_unix)
{
    char texts[] =
        "2026-11-21T02:05:32Z|2026-11-21t02:05:32Z|2026-11-21 02:05:32|2026-11-21 02:05:32 UTC|"
        "2026-11-20 21:05:32 EST|2026-11-21 03:05:32 CET|2026-11-21T03:05:32+01:00|"
        "2026-11-21T03:05:32+0100|2026-11-21T03:05:32+01|2026-11-21 07:35:32+05:30|"
        "2026/11/21 02:05:32|20261121T020532Z|20261121-020532|20261121020532|@1795226732|"
        "1795226732|1795226732000|1795226732000000000";

    in_zone("UTC");
    for (char *rest = texts, *text; (text = strsep(&rest, "|"));)
        same(pm_clock_parse, text, MOMENT);
    same(pm_clock_parse, "2026-11-21T02:05:32.123456789Z", MOMENT + 123);
    same(pm_clock_parse, "1795226732.25", MOMENT + 250);
    same(pm_clock_parse, "2026-11-21 02:05", MOMENT - 32000);
    same(pm_clock_parse, "2026-11-21", MOMENT - 7532000);
    same(pm_clock_parse, "20261121", MOMENT - 7532000);
    same(pm_clock_parse, "@0", 0);
    same(pm_clock_parse, "999999999", INT64_C(999999999000));
}

/* On 25 October 2026 clocks in Berlin go from 3:00 back to 2:00. */
TEST(the_hour_that_comes_twice)
{
    static const char *const once[] = {"2026-10-25 01:59:59",   "2026-10-25 03:00:00",
                                       "2026-10-25 02:30 CEST", "2026-10-25 02:30+01:00",
                                       "2026-03-29 02:30:00",   "1795226732"};
    int64_t ms;

    in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    same(pm_clock_parse, "2026-10-25 02:00:00", INT64_C(1792886400000));
    same(pm_clock_parse, "2026-10-25 02:59:59", INT64_C(1792889999000));
    same(pm_clock_parse, "2026-10-25 02:30 CET", INT64_C(1792891800000));
    assert_true(is_second(PM_TEXT("=== 2026-10-25 02:00:00.5 ==="), &ms));
    assert_int_equal(ms, INT64_C(1792890000500));
    assert_true(is_second(PM_TEXT("Sun Oct 25 02:59:59 2026"), &ms));
    assert_int_equal(ms, INT64_C(1792893599000));
    for (size_t i = 0; i < COUNT(once); i++)
        assert_false(is_second(pm_text_of(once[i]), &ms));
    in_zone("IST-1GMT0,M10.5.0,M3.5.0/1"); /* Dublin, whose summer time is in winter */
    same(pm_clock_parse, "2026-10-25 01:30:00", INT64_C(1792888200000));
    assert_true(is_second(PM_TEXT("2026-10-25 01:30:00"), &ms));
    assert_int_equal(ms, INT64_C(1792891800000));
    in_zone("UTC");
    assert_false(is_second(PM_TEXT("2026-10-25 02:30:00"), &ms));
}

TEST(dates_that_do_not_exist)
{
    char none[] =
        "2026-02-30 10:00:00|=== 2026-11-21 25:61 ===|# 2026-13-01T10:00:00Z|"
        "Mon Feb 30 10:00:00 CET 2026|Sat 2026-02-30 10:00:00|Sat Nov 21 24:05:32 UTC 2026|"
        "2026-11-21 02:05:32 XYZ";
    char others[] =
        "2026-11-21 02:05:32|Sat Nov 21 02:05:32 UTC 2026|2026-02-30|Mon Feb|Mon ago: 10:00|"
        "took 25:61|2026||1795226732|see 2026-02-30 10:00";

    for (char *rest = none, *line; (line = strsep(&rest, "|"));)
        if (!is_no_date(pm_text_of(line)))
            fail_msg("no fault found in: %s", line);
    for (char *rest = others, *line; (line = strsep(&rest, "|"));)
        if (is_no_date(pm_text_of(line)))
            fail_msg("taken for a bad date: %s", line);
}

TEST(no_moments)
{
    char texts[] =
        "|x|@|12345678|12345678901|-1795226732|1795226732x|2026-11-21x|2026-13-01|2026-00-10|"
        "2026-11-31|2026-11-00|2025-02-29|1900-02-29|2100-02-29|2026-11-21 24:00|"
        "2026-11-21 12:60|2026-11-21 1:00|2026-11-21T02|2026-11-21 02:05:|"
        "2026-11-21 02:05:32 XYZ|2026-11-21 02:05:32.|2026-11-21 |2026-1121|"
        "2026-11-21 02:05:32 +1|2026-11-21 02:05:32 +01000|1969-12-31";

    in_zone("UTC");
    for (char *rest = texts, *text; (text = strsep(&rest, "|"));)
        none(pm_clock_parse, text);
}

TEST(calendar)
{
    char text[PM_CLOCK_TEXT], date[64];
    struct tm tm = {0};

    in_zone("UTC");
    same(pm_clock_parse, "2000-02-29T00:00:00Z", INT64_C(951782400000));
    same(pm_clock_parse, "2000-03-01T00:00:00Z", INT64_C(951868800000));
    same(pm_clock_parse, "2024-02-29T23:59:59Z", INT64_C(1709251199000));
    same(pm_clock_parse, "2016-12-31T23:59:60Z", INT64_C(1483228800000));
    /* a day of every month from 1970 to 2110, against the C library */
    for (int month = 0; month < 140 * 12; month++) {
        time_t seconds;
        int64_t ms;

        tm = (struct tm){.tm_year = 70, .tm_mon = month, .tm_mday = 1 + month % 31};
        seconds = timegm(&tm);
        pm_clock_format((int64_t)seconds * 1000 + month % 2, text);
        assert_true(pm_clock_parse(pm_text_of(text), &ms));
        assert_int_equal(ms, (int64_t)seconds * 1000 + month % 2);
        gmtime_r(&seconds, &tm);
        snprintf(date, sizeof date, "%04d-%02d-%02d 00:00 UTC", tm.tm_year + 1900, tm.tm_mon + 1,
                 tm.tm_mday);
        same(pm_clock_parse, date, (int64_t)seconds * 1000);
    }
}

TEST(formats)
{
    char text[PM_CLOCK_TEXT];

    pm_clock_format(MOMENT, text);
    assert_string_equal(text, "2026-11-21T02:05:32Z");
    pm_clock_format(MOMENT + 7, text);
    assert_string_equal(text, "2026-11-21T02:05:32.007Z");
    pm_clock_format(-1, text);
    assert_string_equal(text, "1969-12-31T23:59:59.999Z");
    pm_clock_format(INT64_MIN + 1, text);
    assert_string_equal(text, "-292275055-05-16T16:47:04.193Z");
    pm_clock_format(INT64_MAX, text);
    assert_string_equal(text, "292278994-08-17T07:12:55.807Z");
    assert_true(pm_clock_now() > INT64_C(1700000000000));
}

TEST(local_time)
{
    in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    same(pm_clock_parse, "2026-11-21 03:05:32", MOMENT);
    same(pm_clock_parse, "2026-07-01 12:00", INT64_C(1782900000000));
    /* the clock shows 02:30 twice that night */
    same(is_moment, "Sun Oct 25 02:30:00 CEST 2026", INT64_C(1792888200000));
    same(is_moment, "Sun Oct 25 02:30:00 CET 2026", INT64_C(1792891800000));
    in_zone("CST-8");
    same(is_moment, "Sat Nov 21 10:05:32 CST 2026", MOMENT);
    in_zone("CST6CDT,M3.2.0,M11.1.0");
    same(is_moment, "Fri Nov 20 20:05:32 CST 2026", MOMENT);
    in_zone("UTC");
    same(is_moment, "Fri Nov 20 20:05:32 CST 2026", MOMENT);
    same(is_moment, "Sat Nov 21 07:35:32 IST 2026", MOMENT);
}

/* The year decides what an abbreviation means: before 1901, Shanghai had another name for its zone.
 */
TEST(zone_of_the_year)
{
    time_t now = MOMENT / 1000;
    struct tm tm;

    in_zone("Asia/Shanghai");
    if (!localtime_r(&now, &tm) || strcmp(tm.tm_zone, "CST") != 0)
        skip(); /* without a database of zones */
    same(is_moment, "Sat Nov 21 10:05:32 CST 2026", MOMENT);
    same(is_moment, "Sat, 21 Nov 2026 10:05:32 CST", MOMENT);
    in_zone("UTC");
}

TEST(date_lines)
{
    static const char *const lines[] = {
        "Sat Nov 21 02:05:32 UTC 2026",
        "Sat Nov 21 02:05:32 2026",
        "Sat 21 Nov 2026 02:05:32 AM UTC",
        "Sat Nov 21 02:05:32 AM UTC 2026",
        "Saturday, November 21, 2026 02:05:32 AM",
        "Sat, 21 Nov 2026 02:05:32 +0000",
        "Fri Nov 20 23:05:32 -03 2026",
        "2026-11-21T02:05:32+00:00",
        "2026-11-21 02:05:32+00:00",
        "2026-11-21_02:05:32",
        "2026-11-21T02:05:32,000000000+00:00",
        "1795226732",
        "@1795226732",
        "1795226732.000000001",
        "1795226732000000000",
        "==== Sat Nov 21 02:05:32 UTC 2026 ====",
        "Sat Nov 21 02:05:32 UTC 2026: ",
        "Sat Nov 21 02:05:32 UTC 2026:",
        "Sat Nov 21 02:05:32 UTC 2026\r",
        "--- 2026-11-21 02:05:32 ---",
        "[2026-11-21 02:05:32]",
        "# 1795226732",
        "1795226732:",
        "timestamp: 1795226732",
        "Date: Sat Nov 21 02:05:32 UTC 2026",
        "=== 12 Sat Nov 21 02:05:32 UTC 2026",
        "### iteration 12: Sat Nov 21 02:05:32 UTC 2026 ###",
        "snapshot 3 at 2026-11-21 02:05:32",
        "Sat 2026-11-21 02:05:32 UTC",
        "2026-11-21\t02:05:32",
        "Sat Nov 21 2026 03:05:32 GMT+0100",
        "time: Sat Nov 21 02:05:32 2026",
    };

    in_zone("UTC");
    for (size_t i = 0; i < COUNT(lines); i++) {
        same(is_moment, lines[i], MOMENT);
        begins(lines[i], MOMENT);
    }
    same(is_moment, "2026-11-21", MOMENT - 7532000);
    same(is_moment, "Sat Nov 21 12:05:32 AM UTC 2026", MOMENT - 7200000);
    same(is_moment, "Sat Nov 21 12:05:32 PM UTC 2026", MOMENT + 36000000);
}

static const char *const no_times[] = {
    "",
    " \t",
    "------",
    "---------------- ------- ------- ------- -------",
    "================ ======= ======= =======",
    "$(date): ",
    "1795226732:   sleep 9",
    "1795226732:   ",
    "1795226732:   [kthreadd]",
    "1795226732:   -",
    "4711:   date 2026-11-21",
    "4711:   2026-11-21 02:05:32",
    "12:   Sat Nov 21 02:05:32 UTC 2026",
    "total kB         1795226732    8076    6368",
    " total         1795226732K",
    "total 1795226732",
    "mapped: 1795226732K    writeable/private: 25012K    shared: 0K",
    "1795226732K",
    "1795226732 kB",
    "20261121",
    "15823",
    "0000000000400000     132      20       0 r-x-- redis-server",
    "00400000-0040b000 r-xp 00000000 08:01 1795226732                         /bin/cat",
    "20261121-20261122 rw-p 00000000 00:00 0 ",
    "1795226732-1795230000 rw-p 00000000 00:00 0 ",
    "0000000000400000",
    "1795226732000000",
    "Size:               1795226732 kB",
    "Rss:                1795226732",
    "VmFlags: rd ex mr mw me dw sd",
    "Address           Kbytes     RSS   Dirty Mode  Mapping",
    "Sat Nov 21 02:05:32 XYZ 2026",
    "Sat Nov 31 02:05:32 UTC 2026",
    "Sat Nov 21 25:05:32 UTC 2026",
    "Sat Nov 21 13:05:32 PM UTC 2026",
    "Sat Nov 21 UTC 2026",
    "Sat Nov 21 02:05:32 UTC",
    "Sat Nov 21 02:05:32 UTC UTC 2026",
    "Nov 21 02:05:32 host CRON[4711]: (root) CMD (pmap -x 4711)",
    "1989-12-31 23:59:59",
    "2100-01-01 00:00:00",
    "at at at",
    "timestamp: 99",
};

TEST(lines_that_are_not_moments)
{
    static const char *const more_behind[] = {
        "1795226732: 2026-11-21 02:05:32",
        "Sat Nov 21 02:05:32 UTC 2026 2026",
        "2026-11-21 02:05:32 started pmap",
        "21 Nov 2026 02:05:32 so it began",
    };
    pm_text rest;
    char *many;
    int64_t ms;

    in_zone("UTC");
    for (size_t i = 0; i < COUNT(no_times); i++) {
        none(is_moment, no_times[i]);
        if (begins_with_moment(pm_text_of(no_times[i]), &ms, &rest))
            fail_msg("'%s' begins with %lld", no_times[i], (long long)ms);
    }
    for (size_t i = 0; i < COUNT(more_behind); i++) {
        none(is_moment, more_behind[i]);
        assert_true(begins_with_moment(pm_text_of(more_behind[i]), &ms, &rest));
        assert_int_equal(ms, MOMENT);
    }
    assert_false(is_moment((pm_text){NULL, 0}, &ms));
    assert_false(is_moment((pm_text){"2026-11-21\0x", 12}, &ms));
    /* the time grows with the length and not with its square */
    many = malloc(3000000);
    for (size_t i = 0; i < 1000000; i++)
        for (size_t k = 0; k < 3; k++)
            many[3 * i + k] = (i < 500000 ? "at " : "== ")[k];
    assert_false(is_moment((pm_text){many, 3000000}, &ms));
    assert_false(begins_with_moment((pm_text){many, 3000000}, &ms, &rest));
    free(many);
}

/* ---- in names of files ---- */

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

static bool in_name(pm_text name, int64_t *ms)
{
    pm_text where;

    return pm_clock_in_name(name, ms, &where);
}

TEST(names)
{
    in_zone("UTC");
    for (size_t i = 0; i < COUNT(named); i++) {
        int64_t ms;

        assert_true(pm_clock_parse(pm_text_of(named[i].iso), &ms) ||
                    is_moment(pm_text_of(named[i].iso), &ms));
        same(in_name, named[i].name, ms);
    }
    for (char *rest = unnamed, *name; (name = strsep(&rest, " "));)
        none(in_name, name);
}

TEST(where_in_name)
{
    pm_text name = PM_TEXT("pmap_20261121_020532_4711.log"), where;
    int64_t ms;

    assert_true(pm_clock_in_name(name, &ms, &where));
    assert_true(pm_text_equal(where, PM_TEXT("20261121_020532")));
    in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    same(in_name, "4711-20261121.txt", MOMENT - 7532000 - 3600000);
}

TEST(words)
{
    static const struct {
        const char *text, *iso;
    } said[] = {
        {"now", "2026-11-21T02:05:32Z"},
        {"now-2h", "2026-11-21T00:05:32Z"},
        {"1 hour ago", "2026-11-21T01:05:32Z"},
        {"90 minutes ago", "2026-11-21T00:35:32Z"},
        {"2d ago", "2026-11-19T02:05:32Z"},
        {"1 day 2 hours ago", "2026-11-20T00:05:32Z"},
        {"02:00", "2026-11-21T01:00:00Z"}, /* 03:05:32 in Berlin */
        {"3:05:32", "2026-11-21T02:05:32Z"},
        {"03:06", "2026-11-20T02:06:00Z"}, /* still to come today */
        {"23:59", "2026-11-20T22:59:00Z"},
        {"today", "2026-11-20T23:00:00Z"},
        {"yesterday", "2026-11-19T23:00:00Z"},
        {"yesterday 14:00", "2026-11-20T13:00:00Z"},
        {"today 23:00", "2026-11-21T22:00:00Z"},
        {"2026-11-21 03:05:32", "2026-11-21T02:05:32Z"},
        {"1795226732", "2026-11-21T02:05:32Z"},
    };
    char none[] =
        "|ago|1 hour|-1 hour ago|hour ago|24:01|12:60|tomorrow|todayish|today 25|now+2h|now-|"
        "now2h|yesterday ago|1 hour 30 ago and a very long tail of words";
    int64_t ms = 4711, wanted;

    in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
    for (size_t i = 0; i < COUNT(said); i++) {
        assert_true(pm_clock_parse(pm_text_of(said[i].iso), &wanted));
        if (!pm_clock_parse_words(pm_text_of(said[i].text), MOMENT, &ms) || ms != wanted)
            fail_msg("'%s': %lld, wanted %s", said[i].text, (long long)ms, said[i].iso);
    }
    for (char *rest = none, *text; (text = strsep(&rest, "|"));)
        if (pm_clock_parse_words(pm_text_of(text), MOMENT, &ms))
            fail_msg("'%s' was read as %lld", text, (long long)ms);
    /* 2026-03-29 has 23 hours there: midnight is still midnight */
    assert_true(pm_clock_parse(PM_TEXT("2026-03-29T12:00:00Z"), &wanted));
    assert_true(pm_clock_parse_words(PM_TEXT("today"), wanted, &ms));
    assert_int_equal(ms, wanted - INT64_C(13) * 3600000);
    assert_true(pm_clock_parse_words(PM_TEXT("yesterday"), wanted, &ms));
    assert_int_equal(ms, wanted - INT64_C(37) * 3600000);
}

RUN_TESTS(NULL, NULL)
