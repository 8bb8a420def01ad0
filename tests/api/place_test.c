/* place_test: what paths say about the captures in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/place.h"
#include "pmapdb.h"

static void pid_is(const char *dir, const char *name, int64_t wanted)
{
    int64_t pid = pm_place_pid(pm_text_of(dir), pm_text_of(name));

    if (pid != wanted)
        print_error("%s %s\n", dir, name);
    assert_int_equal(pid, wanted);
}

static void pids(void **state)
{
    (void)state;
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
    pid_is("/1234", "app.txt", PMAPDB_UNKNOWN); /* a folder is one only for /proc's own files */
}

static void what_is_no_pid(void **state)
{
    (void)state;
    pid_is("/x", "smaps-20261121-020532.txt", PMAPDB_UNKNOWN);
    pid_is("/x", "smaps-20261121-020532-99.txt", 99);
    pid_is("/x", "app-0123", PMAPDB_UNKNOWN);
    pid_is("/x", "app-0", PMAPDB_UNKNOWN);
    pid_is("/x", "notes-2.txt", PMAPDB_UNKNOWN);
    pid_is("/x", "dump-x86-64.txt", PMAPDB_UNKNOWN);
    pid_is("/x", "app-12345678", PMAPDB_UNKNOWN);
    pid_is("/x", "4711.txt", PMAPDB_UNKNOWN);
    pid_is("/x", "app-4711x", PMAPDB_UNKNOWN);
    pid_is("/x", "pid", PMAPDB_UNKNOWN);
    pid_is("/x", "stupid", PMAPDB_UNKNOWN);
    pid_is("/x", "", PMAPDB_UNKNOWN);
}

static void name_is(const char *command, const char *wanted)
{
    pm_text name = pm_place_name(pm_text_of(command));

    assert_true(pm_text_equal(name, pm_text_of(wanted)));
}

static void names(void **state)
{
    (void)state;
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

static void stems(void **state)
{
    (void)state;
    assert_true(pm_text_equal(pm_place_stem(PM_TEXT("a.b.c")), PM_TEXT("a.b")));
    assert_true(pm_text_equal(pm_place_stem(PM_TEXT("a")), PM_TEXT("a")));
    assert_true(pm_text_equal(pm_place_stem(PM_TEXT(".a")), PM_TEXT(".a")));
    assert_true(pm_text_equal(pm_place_stem(PM_TEXT("")), PM_TEXT("")));
}

static void sibling_is(const char *name, const char *kind, const char *stem)
{
    pm_text found = PM_TEXT("?");

    assert_true(pm_text_equal(pm_place_sibling(pm_text_of(name), &found), pm_text_of(kind)));
    if (*kind)
        assert_true(pm_text_equal(found, pm_text_of(stem)));
}

static void siblings(void **state)
{
    (void)state;
    sibling_is("stat", "stat", "");
    sibling_is("status", "status", "");
    sibling_is("comm", "comm", "");
    sibling_is("cmdline", "cmdline", "");
    sibling_is("1795229498-12766.status", "status", "1795229498-12766");
    sibling_is("a.b.comm", "comm", "a.b");
    sibling_is("smaps", "", "");
    sibling_is("status.txt", "", "");
    sibling_is("mystat", "", "");
    sibling_is("", "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pids),  cmocka_unit_test(what_is_no_pid), cmocka_unit_test(names),
        cmocka_unit_test(stems), cmocka_unit_test(siblings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
