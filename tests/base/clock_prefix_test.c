/* clock_prefix: log lines that begin with a moment, and many lines that only look similar. The
 * expected milliseconds come from Python (datetime.timestamp) and GNU date. */
#include "unit.h"

#include "base/clock_kit.h"
#include <stdio.h>
#include <time.h>

#define MOMENT INT64_C(1795226732000) /* 2026-11-21T02:05:32Z */
typedef struct row {
    const char *line;
    int64_t ms;
    const char *rest;
} row;

static void expect(const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pm_text rest = {0};
        int64_t ms = -1, whole;

        if (!begins_with_moment(pm_text_of(rows[i].line), &ms, &rest))
            fail_msg("'%s' begins with no moment", rows[i].line);
        if (ms != rows[i].ms || !pm_text_equal(rest, pm_text_of(rows[i].rest)))
            fail_msg("'%s': %lld and '%.*s', wanted %lld and '%s'", rows[i].line, (long long)ms,
                     (int)rest.len, rest.data, (long long)rows[i].ms, rows[i].rest);
        if (is_moment(pm_text_of(rows[i].line), &whole))
            fail_msg("'%s' is a moment and nothing else, too", rows[i].line);
    }
}

TEST(as_loops_write_them)
{
    static const row rows[] = {
        {"Sat Nov 21 02:05:32 UTC 2026: checking PID 4711", MOMENT, "checking PID 4711"},
        {"Sat Nov 21 02:05:32 UTC 2026 total kB  1 2 3", MOMENT, "total kB  1 2 3"},
        {"Sat Nov 21 02:05:32 AM UTC 2026  total   1234K", MOMENT, "total   1234K"},
        {"[2026-11-21 02:05:32] total kB 1 2 3", MOMENT, "total kB 1 2 3"},
        {"[2026-11-21 02:05:32] [4711] x", MOMENT, "[4711] x"},
        {"2026-11-21T03:05:32+01:00 pid=4711 rss check", MOMENT, "pid=4711 rss check"},
        {"2026-11-21T02:05:32.123456+00:00 host x: y", MOMENT + 123, "host x: y"},
        {"2026-11-21T02:05:32.987654321Z stdout F x", MOMENT + 987, "stdout F x"},
        {"2026-11-21 02:05:32,123 p=4711 u=root | x", MOMENT + 123, "p=4711 u=root | x"},
        {"2026-11-21_02:05:32 mapped: 1K", MOMENT, "mapped: 1K"},
        {"2026-11-21_02:05:32: mapped: 1K", MOMENT, "mapped: 1K"},
        {"2026-11-21 02:05 - mapped: 1K", INT64_C(1795226700000), "mapped: 1K"},
        {"20261121-020532 total 1K", MOMENT, "total 1K"},
        {"20261121020532: total 1K", MOMENT, "total 1K"},
        {"2026/11/21 02:05:32 [error] 4711#0: x", MOMENT, "[error] 4711#0: x"},
        {"2026-11-21 02:05:32;4711;5", MOMENT, "4711;5"},
        {"2026-11-21 02:05:32,4711,5", MOMENT, "4711,5"},
        {"2026-11-21 02:05:32,471,5", MOMENT, "471,5"},
        {"\"2026-11-21 02:05:32\",\"4711\",\"5\"", MOMENT, "4711\",\"5\""},
        {"2026-11-21\t02:05:32\t4711", MOMENT, "4711"},
        {"1795226732 total kB 1 2 3", MOMENT, "total kB 1 2 3"},
        {"1795226732: total kB 1 2 3", MOMENT, "total kB 1 2 3"},
        {"1795226732.250 total", MOMENT + 250, "total"},
        {"1795226732123  total   1234K", MOMENT + 123, "total   1234K"},
        {"1795226732123456789 total", MOMENT + 123, "total"},
        {"@1795226732 4711 12", MOMENT, "4711 12"},
        {"1795226732,4711,12", MOMENT, "4711,12"},
        {"1795226732 --- total kB 5", MOMENT, "total kB 5"},
        {"# 1795226732 total 5K", MOMENT, "total 5K"},
        {"[1795226732] total 5K", MOMENT, "total 5K"},
        {"timestamp: 1795226732 total 5K", MOMENT, "total 5K"},
        {"ts=1795226732 pid=4711", MOMENT, "pid=4711"},
        {"{\"ts\":1795226732,\"pid\":4711}", MOMENT, "pid\":4711}"},
        {"=== 12 Sat Nov 21 02:05:32 UTC 2026 === pid 4711", MOMENT, "pid 4711"},
        {"### iteration 12: 2026-11-21 02:05:32 pid 4711 ###", MOMENT, "pid 4711 ###"},
        {"--2026-11-21 02:05:32--  http://x", MOMENT, "http://x"},
        {"[Sat Nov 21 02:05:32 2026] Killed process 4711", MOMENT, "Killed process 4711"},
        {"Saturday 21 November 2026  02:05:32 +0000 (0:00:00.1)  x", MOMENT, "(0:00:00.1)  x"},
        {"Sat 2026-11-21 02:05:32 UTC host systemd[1]: x", MOMENT, "host systemd[1]: x"},
        {"Sat Nov 21 2026 03:05:32 GMT+0100 (CET) x", MOMENT, "(CET) x"},
        {"Sat, 21 Nov 2026 02:05:32 GMT; x", MOMENT, "x"},
        {"2026 Nov 21 02:05:32 x", MOMENT, "x"},
        {"2026-11-21T12:05:32+1000 kB total 1", MOMENT, "kB total 1"},
        {"Sat, 21 Nov 2026 02:05:32 +0000 kB total 1", MOMENT, "kB total 1"},
    };

    expect(rows, COUNT(rows));
}

TEST(zones_and_half_days)
{
    static const row rows[] = {
        {"2026-11-21 02:05:32 PM total", INT64_C(1795269932000), "total"},
        {"Sat 21 Nov 2026 02:05:32 PM UTC total", INT64_C(1795269932000), "total"},
        {"2026-11-21 02:05:32 -03 x", INT64_C(1795237532000), "x"},
        {"Sat Nov 21 02:05:32 -03 2026 x", INT64_C(1795237532000), "x"},
        {"2026-11-21 02:05:32 IST x", INT64_C(1795206932000), "x"},
        {"2026-11-21 02:05:32 +12 kB", MOMENT, "+12 kB"},
        {"2026-11-21 02:05:32 +12kB", MOMENT, "+12kB"},
        {"2026-11-21 02:05:32 +12.5 %", MOMENT, "+12.5 %"},
        {"2026-11-21 02:05:32 RSS 4", MOMENT, "RSS 4"},
        {"2026-11-21 02:05:32 am Rhein", MOMENT, "Rhein"},
        {"2026-11-21 02:05:32 UTC am Rhein", MOMENT, "am Rhein"},
        {"21 Nov 2026 02:05:32 so it began", MOMENT, "so it began"},
    };

    expect(rows, COUNT(rows));
}

/* JDK 11 and later: one line. JDK 8 and 9: "time:", "timezone:" and "elapsed time:". */
TEST(hs_err_files)
{
    static const row one[] = {
        {"Time: Mon Jan  4 10:20:30 2021 CET elapsed time: 12.345678 seconds (0d 0h 0m 12s)",
         INT64_C(1609752030000), "elapsed time: 12.345678 seconds (0d 0h 0m 12s)"},
    };
    static const char *const none[] = {"timezone: CET", "elapsed time: 123 seconds (0d 0h 2m 3s)"};
    pm_text rest;
    int64_t ms;

    expect(one, COUNT(one));
    assert_true(is_moment(PM_TEXT("time: Mon Jan  4 10:20:30 2021"), &ms));
    assert_int_equal(ms, INT64_C(1609755630000));
    for (size_t i = 0; i < COUNT(none); i++) {
        assert_false(begins_with_moment(pm_text_of(none[i]), &ms, &rest));
        assert_false(is_moment(pm_text_of(none[i]), &ms));
    }
}

/* A day may stand alone before a text that does not begin with digits. */
TEST(days_alone)
{
    static const row rows[] = {
        {"2026-11-21 total kB 1 2 3", INT64_C(1795219200000), "total kB 1 2 3"},
        {"[2026/11/21]: mapped: 1K", INT64_C(1795219200000), "mapped: 1K"},
    };

    expect(rows, COUNT(rows));
}

static const char *const no_prefix[] = {
    /* rows, headers and footers of memory maps, whole and damaged */
    "7f5c1e400000-7f5c1e422000 r--p 00000000 08:01 64052   /usr/lib/libc.so",
    "20261121-20261122 rw-p 00000000 00:00 0 x",
    "1795226732-1795230000 rw-p 00000000 00:00 0 [heap]",
    "0000000000400000      4K r-x-- x",
    "0000000000400000     132      20       0 r-x-- redis-server",
    "4000801000      4K rw---   [ anon ]",
    "4000801000     132      20       0 r-x-- redis-server",
    "  00400000 r-xp 00000000  08:01   123    4  4 x",
    "4711:   /usr/bin/x 2026-11-21",
    "12:   Sat Nov 21 02:05:32 UTC 2026 x",
    "1795226732:   sleep 9",
    "1795226732:\tsleep 9",
    "                       1073763972 9372 7817 KB ",
    "1073763972 9372 7817 KB",
    "1795226732 4711 12",
    " total kB 1 2 3",
    "total kB 1795226732 2 3",
    " total   1234K",
    "mapped: 1795226732K    writeable/private: 25012K    shared: 0K",
    "1795226732K writable-private, 21052K readonly-private, and 28K shared",
    "Rss:                   4 kB",
    "Size:         1795226732 kB",
    "VmFlags: rd ex mr mw me dw sd",
    "Address           Kbytes     RSS   Dirty Mode  Mapping",
    "---------------- ------- ------- ------- -------",
    /* quantities and numbers of other things */
    "1795226732 kB",
    "1795226732 K total memory",
    "   1795226732 interrupts",
    "1795226732 bytes copied",
    "run 1795226732 times",
    "1795226732\t/var/lib",
    "+1795226732 x",
    "-1795226732 x",
    "/1795226732 x",
    "179522673 total kB 1 2 3",
    "17952267321 total kB",
    "179522673212 total kB",
    "20261121 total kB 1 2 3",
    "2026112102 total kB 1 2 3",
    "20261121 120532 total",
    "4711 2026-11-21 02:05:32 x",
    "2021 Sat Nov 21 02:05:32 2026 /usr/bin/x",
    "  12 Sat Nov 21 02:05:32 2026 /usr/bin/x",
    "2.6.32-21 x",
    "2026.11.21 x",
    "3.10.0-1160.el7.x86_64 #1 SMP Sat Nov 21 02:05:32 UTC 2026 x86_64",
    "192.168.0.1 - - [21/Nov/2026:02:05:32 +0000] x",
    /* moments that are not whole, not the first, or not known */
    "[ 1234.567890] kernel messages",
    "Nov 21 02:05:32 host cron[1]: x",
    "Nov 21 02:05:32 2026x y",
    "21 Nov 02:05:32 x",
    "02:05:32 up 1 day,  2 users",
    "top - 02:05:32 up 1 day",
    "02:05:32 PM  all  1.00",
    "Sat Nov 21 02:05:32 XYZ 2026 x",
    "2026-11-21 02:05:32 XYZ",
    "[2026-11-21 02:05:32 XYZ]",
    "2026-11-21 02:05:32 UTC+1 x",
    "2026-11-21 4711 total",
    "2026-11-21 0205 total",
    "2026-11-21, 47115 total",
    "2026-11-21 at 02:05:32 x",
    "2026-11-21 (Sat) 02:05:32 x",
    "2026-11-21T25:05:32 x",
    "2026-11-21 24:00 x",
    "2026-11-21 02:60 x",
    "2026-11-21 02:05:3 x",
    "2026-11-21 02:05:4711 x",
    "2026-11-31 02:05:32 x",
    "Sat Nov 21 25:05:32 2026 x",
    "Sat Nov 21 13:05:32 PM UTC 2026 x",
    "1989-12-31 23:59:59 x",
    "2100-01-01 00:00:00 x",
    "4102444800 total kB",
    "checked at 2026-11-21 02:05:32 x",
    "x 1795226732 total",
    "at at at x",
    "$(date): total",
    /* listings */
    "-rw-r--r-- 1 root root 4 Nov 21 02:05 x",
    "-rw-r--r-- 1 root root 4 2026-11-21 02:05 x",
    "2026-11-21.log total",
    "2026-11-21-4711.log total",
    "2026-11-21T02:05:32Z-4711.smaps x",
    "2026-11-21_02:05:32.smaps x",
    "snapshot-2026-11-21 x",
    "/backup/2026-11-21 x",
    "root      4711  0.0  0.1 12345 678 ?  Ss 02:05 0:00 /usr/sbin/x",
    " 4711 pts/0    S      0:00 x 2026",
    " 1  0      0 1795226732  25012  8076    0    0 2026 11 21  2  5 32",
    "Mem:     1795226732  2026  21   x",
};

TEST(no_moment_at_the_beginning)
{
    char far[256];
    pm_text none;
    int64_t never;

    snprintf(far, sizeof far, "%0200d 2026-11-21 02:05:32 x", 0);
    memset(far, '=', 200);
    assert_false(begins_with_moment(pm_text_of(far), &never, &none));
    assert_true(begins_with_moment(pm_text_of(far + 100), &never, &none));
    for (size_t i = 0; i < COUNT(no_prefix); i++) {
        pm_text rest = {0};
        int64_t ms = -1;

        if (begins_with_moment(pm_text_of(no_prefix[i]), &ms, &rest))
            fail_msg("'%s' begins with %lld", no_prefix[i], (long long)ms);
        assert_int_equal(ms, -1);
        assert_null(rest.data);
    }
}

/* A line that is cut anywhere is read to its end and no further; once the text after the moment
 * has begun, more of it changes nothing. */
TEST(cut_anywhere)
{
    static const char line[] = "=== 12 at Sat, 21 Nov 2026 02:05:32.123 PM +0000: pid \0\377 x";
    size_t text = (size_t)(strchr(line, 'p') - line);
    pm_text rest;
    int64_t ms;

    assert_false(begins_with_moment((pm_text){NULL, 0}, &ms, &rest));
    for (size_t n = 1; n < sizeof line; n++) {
        char *exact = malloc(n);
        bool found;

        memcpy(exact, line, n);
        found = begins_with_moment((pm_text){exact, n}, &ms, &rest);
        if (n > text) {
            assert_true(found);
            assert_int_equal(ms, INT64_C(1795269932123));
            assert_ptr_equal(rest.data, exact + text);
            assert_int_equal(rest.len, n - text);
        }
        free(exact);
    }
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    return unit_run(NULL, NULL);
}
