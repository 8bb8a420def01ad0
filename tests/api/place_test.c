/* place_test: pids, names and siblings that the path of a capture shows. */
#include "unit.h"

#include "api/import/place.h"
#include "pmapdb.h"
#include <stdio.h>

static void pid_is(const char *dir, const char *name, int64_t wanted)
{
    int64_t pid = pm_place_pid(pm_text_of(dir), pm_text_of(name));

    if (pid != wanted)
        print_error("%s %s\n", dir, name);
    assert_int_equal(pid, wanted);
}

TEST(pids)
{
    pid_is("/proc/1234", "smaps", 1234);
    pid_is("1234", "maps", 1234);
    pid_is("a.tar:proc/77", "smaps_rollup", 77);
    pid_is("/proc/self", "smaps", PMAPDB_UNKNOWN);
    pid_is("", "smaps", PMAPDB_UNKNOWN);
    pid_is("/x", "1795229498-12766.smaps", 12766);
    pid_is("/x", "pid1234.txt", 1234);
    pid_is("/x", "pmap_PID-42_host.log", 42);
    pid_is("/x", "app-4711", 4711);
    pid_is("/x", "app_4711.txt", 4711);
    pid_is("/x", "app-7.smaps", 7);
    pid_is("/1234/", "smaps", 1234);
    pid_is("/x", "1234.smaps", 1234);
    pid_is("/x", "4711.txt", 4711);
    pid_is("/x", "4711", 4711);
    pid_is("/x", "app.4711.smaps", 4711);
    pid_is("/x", "my.app-1.2.4711.maps", 4711);
    pid_is("/x", "app_4711.smaps", 4711);
    pid_is("/x", "1795219566.app.4711.smaps", 4711);
    pid_is("/x", "1234.smaps_rollup", 1234);
    pid_is("/x", "1234-smaps.txt", 1234);
    pid_is("/x", "smaps.1234", 1234);
    pid_is("/x", "pmap.1234.txt", 1234);
    pid_is("/x", "app-7.smaps_rollup", 7);
    pid_is("/x", "11488.nmt", 11488);
    pid_is("/x", "71.nmt", 71); /* the ranges in the file decide whether it is a pid */
    pid_is("/x", "nmt.11488.txt", 11488);
    pid_is("/x", "x-11488.nmt", 11488);
    pid_is("/1234", "app.txt", PMAPDB_UNKNOWN); /* a folder is a pid only for the files of /proc */
}

TEST(folders)
{
    assert_int_equal(pm_place_folder_pid(PM_TEXT("/proc/1234/")), 1234);
    assert_int_equal(pm_place_folder_pid(PM_TEXT("7")), 7);
    assert_int_equal(pm_place_folder_pid(PM_TEXT("/x/2026-11-21/")), PMAPDB_UNKNOWN);
    assert_int_equal(pm_place_folder_pid(PM_TEXT("")), PMAPDB_UNKNOWN);
}

/* "1.smaps" may be the first of several captures. */
TEST(numbers_that_are_not_pids)
{
    char names[] = "smaps-20261121-020532.txt|app-0123|app-0|notes-2.txt|dump-x86-64.txt|"
                   "app-12345678|app-4711x|1.smaps|smaps.1|smaps.1.txt|smaps1234|142530.smaps|"
                   "2026-smaps-11.txt|1795229318.smaps|a1234.smaps|11.txt|142530.txt|20261121.txt|"
                   "app.142530.smaps|php8.2.smaps|report.2026.txt|app.1795219566.123.smaps|"
                   "app-2026-11-21T02.05.32.smaps|pid|stupid|";

    for (char *rest = names, *name; (name = strsep(&rest, "|"));)
        pid_is("/x", name, PMAPDB_UNKNOWN);
    pid_is("/x", "smaps-20261121-020532-99.txt", 99);
}

static void name_is(const char *command, const char *wanted)
{
    pm_text name = pm_place_name(pm_text_of(command));

    assert_true(pm_text_equal(name, pm_text_of(wanted)));
}

TEST(names)
{
    name_is("/usr/sbin/nginx -g x", "nginx");
    name_is("nginx: worker process", "nginx");
    name_is("postgres: 16/main: writer", "postgres");
    name_is("/opt/app (deleted)", "app");
    name_is("/opt/app (deleted) -v", "app");
    name_is("-bash", "-bash");
    name_is("redis-server 127.0.0.1:6379", "redis-server");
    name_is("", "");
    name_is(":", "");
}

TEST(stems)
{
    assert_true(pm_text_equal(pm_place_stem(PM_TEXT("a.b.c")), PM_TEXT("a.b")));
    assert_true(pm_text_equal(pm_place_stem(PM_TEXT("a")), PM_TEXT("a")));
    assert_true(pm_text_equal(pm_place_stem(PM_TEXT(".a")), PM_TEXT(".a")));
    assert_true(pm_text_equal(pm_place_stem(PM_TEXT("")), PM_TEXT("")));
}

/* Compares the slot as BEFORE*AFTER. */
static void slot_is(const pm_slot *slot, const char *wanted)
{
    char got[80];

    snprintf(got, sizeof got, "%.*s%.*s*%.*s", (int)slot->before.len, slot->before.data,
             (int)slot->dot.len, slot->dot.data, (int)slot->after.len, slot->after.data);
    assert_string_equal(got, wanted);
}

static void sibling_is(const char *name, const char *kind, const char *wanted, bool only)
{
    pm_slot slot = {{"?", 1}, {"", 0}, {"", 0}};
    bool is_only = !only;
    pm_text found = pm_place_sibling(pm_text_of(name), &slot, &is_only);

    assert_true(pm_text_equal(found, pm_text_of(kind)));
    assert_int_equal(is_only, only);
    slot_is(&slot, wanted);
}

TEST(siblings)
{
    sibling_is("stat", "stat", "*", true);
    sibling_is("status", "status", "*", true);
    sibling_is("comm", "comm", "*", true);
    sibling_is("cmdline", "cmdline", "*", true);
    sibling_is("1795229498-12766.status", "status", "1795229498-12766.*", true);
    sibling_is("a.b.comm", "comm", "a.b.*", true);
    sibling_is("stat.status", "status", "stat.*", true);
    /* these may be captures, too */
    sibling_is("smaps_rollup", "smaps_rollup", "*", false);
    sibling_is("7.smaps_rollup", "smaps_rollup", "7.*", false);
    sibling_is("x-smaps_rollup.txt", "smaps_rollup", "x-*.txt", false);
    sibling_is("status.txt", "status", "*.txt", false);
    sibling_is("app_stat", "stat", "app_*", false);
    sibling_is("smaps", "", "?*", false);
    sibling_is("mystat", "", "?*", false);
    sibling_is("stats", "", "?*", false);
    sibling_is("", "", "?*", false);
}

static void slot_of(const char *name, const char *wanted)
{
    pm_slot slot = pm_place_slot(pm_text_of(name));

    slot_is(&slot, wanted);
}

TEST(slots)
{
    slot_of("smaps", "*");
    slot_of("maps", "*");
    slot_of("smaps_rollup", "*");
    slot_of("7.smaps", "7.*");
    slot_of("7.smaps_rollup", "7.*");
    slot_of("x-smaps.txt", "x-*.txt");
    slot_of("smaps-20261121-020532.txt", "*-20261121-020532.txt");
    slot_of("smaps.1234", "*.1234");
    slot_of("maps-of-app.smaps", "maps-of-app.*");
    slot_of("1795229498-12766.x", "1795229498-12766.*");
    slot_of("app-7", "app-7.*");
    slot_of("mysmaps.log", "mysmaps.*");
}

RUN_TESTS(NULL, NULL)
