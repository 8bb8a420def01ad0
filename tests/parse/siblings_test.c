/* siblings: the small files beside a capture. */
#include "parse/files/siblings.h"
#include "parse/kit.h"

static bool take(pm_siblings *s, const char *kind, pm_text bytes)
{
    return pm_siblings_read(s, pm_text_of(kind), bytes);
}

TEST(nothing_is_known_at_first)
{
    pm_siblings s = PM_SIBLINGS_NONE;

    assert_int_equal(s.pid, PMAPDB_UNKNOWN);
    assert_int_equal(s.start_time, PMAPDB_UNKNOWN);
    assert_int_equal(s.rss_kib, PMAPDB_UNKNOWN);
    assert_int_equal(s.rollup.rss_kib, PMAPDB_UNKNOWN);
    assert_int_equal(s.rollup.private_dirty_kib, PMAPDB_UNKNOWN);
    assert_int_equal(s.rollup.swap_kib, PMAPDB_UNKNOWN);
    assert_string_equal(s.comm, "");
    assert_false(take(&s, "smaps", PM_TEXT("Name:\tx\n")));
}

TEST(stat_has_the_start_after_any_name)
{
    pm_siblings s = PM_SIBLINGS_NONE;

    assert_true(take(&s, "stat",
                     PM_TEXT("4711 (a) (b c) S 1 4711 4711 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 5 0 "
                             "88123 62283776 3059 18446744073709551615 1 1\n")));
    assert_int_equal(s.pid, 4711);
    assert_int_equal(s.start_time, 88123);
    assert_string_equal(s.comm, "a) (b c");
    assert_false(take(&s, "stat", PM_TEXT("4711 (a) S 1 2 3\n")));
    assert_false(take(&s, "stat", PM_TEXT("")));
    assert_false(take(&s, "stat", PM_TEXT(")(")));
    assert_int_equal(s.start_time, 88123);
}

TEST(status_has_sizes)
{
    pm_siblings s = PM_SIBLINGS_NONE;

    assert_true(take(&s, "status",
                     PM_TEXT("Name:\tredis-server\nTgid:\t15841\nPid:\t15841\nPPid:\t1\n"
                             "VmSize:\t   60824 kB\nVmRSS:\t   12236 kB\nThreads:\t5\n")));
    assert_int_equal(s.pid, 15841);
    assert_int_equal(s.size_kib, 60824);
    assert_int_equal(s.rss_kib, 12236);
    assert_string_equal(s.comm, "redis-server");
    /* A kernel thread has no sizes, and a cut file has no unit. */
    s = PM_SIBLINGS_NONE;
    assert_true(take(&s, "status", PM_TEXT("Name:\tkthreadd\nPid:\t2\nVmRSS:\t   122")));
    assert_int_equal(s.rss_kib, PMAPDB_UNKNOWN);
    assert_true(take(&s, "status", PM_TEXT("Pid:\t2\nVmSize:\t-4 kB\n")));
    assert_int_equal(s.size_kib, PMAPDB_UNKNOWN);
    assert_false(take(&s, "status", PM_TEXT("Rss: 12 kB\n")));
}

TEST(comm_and_cmdline_name_the_process)
{
    static const struct {
        pm_text cmdline;
        const char *argv0;
    } cases[] = {{PM_TEXT("/usr/sbin/sshd\0-D\0"), "sshd"},
                 {PM_TEXT("nginx: worker process\0"), "nginx"},
                 {PM_TEXT("-zsh\0"), "-zsh"},
                 {PM_TEXT("/opt/a/b"), "b"}};
    pm_siblings s = PM_SIBLINGS_NONE;
    char longer[400];

    assert_true(take(&s, "comm", PM_TEXT("kworker/0:1\n")));
    assert_string_equal(s.comm, "kworker/0:1");
    assert_false(take(&s, "comm", PM_TEXT("two\nlines\n")));
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(take(&s, "cmdline", cases[i].cmdline));
        assert_string_equal(s.argv0, cases[i].argv0);
    }
    assert_false(take(&s, "cmdline", PM_TEXT("")));
    memset(longer, 'x', sizeof longer);
    assert_true(take(&s, "cmdline", (pm_text){longer, sizeof longer}));
    assert_int_equal(strlen(s.argv0), sizeof s.argv0 - 1);
}

#define ROLLUP_HEAD "55d0-7ffd ---p 00000000 00:00 0          [rollup]\n"

TEST(rollup_has_sums)
{
    static const char rollup[] = ROLLUP_HEAD "Rss:                1476 kB\n"
                                             "Pss:                 201 kB\n"
                                             "Pss_Dirty:            96 kB\n"
                                             "Shared_Dirty:          3 kB\n"
                                             "Private_Dirty:        96 kB\n"
                                             "Swap:                  7 kB\n"
                                             "SwapPss:               5 kB\n";
    char two[2 * sizeof rollup];
    pm_siblings s = PM_SIBLINGS_NONE;

    assert_true(take(&s, "smaps_rollup", pm_text_of(rollup)));
    assert_int_equal(s.rollup.rss_kib, 1476);
    assert_int_equal(s.rollup.private_dirty_kib, 96);
    assert_int_equal(s.rollup.swap_kib, 7);
    /* cut */
    s = PM_SIBLINGS_NONE;
    assert_true(take(&s, "smaps_rollup", PM_TEXT(ROLLUP_HEAD "Rss: 12 kB\nPss: ")));
    assert_int_equal(s.rollup.rss_kib, 12);
    assert_int_equal(s.rollup.swap_kib, PMAPDB_UNKNOWN);
    /* two rollups, and texts that are not a rollup */
    s = PM_SIBLINGS_NONE;
    snprintf(two, sizeof two, "%s%s", rollup, rollup);
    assert_false(take(&s, "smaps_rollup", pm_text_of(two)));
    assert_false(take(&s, "smaps_rollup", PM_TEXT(ROLLUP_HEAD)));
    assert_false(take(&s, "smaps_rollup", PM_TEXT("Rss: 12 kB\n")));
    assert_int_equal(s.rollup.rss_kib, PMAPDB_UNKNOWN);
}

RUN_TESTS(NULL, NULL)
