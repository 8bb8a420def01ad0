/* walk: names of /proc that are not opened. */
#include "unit.h"

#include "source/walk.h"

static void expect_all(char *paths, bool skipped)
{
    for (char *path; (path = strsep(&paths, " "));)
        if (pm_walk_skips(pm_text_of(path)) != skipped)
            fail_msg("%s", path);
}

TEST(skipped_names)
{
    char paths[] = "environ incident/environ ./proc/7/environ /proc/7/pagemap proc/kpageflags "
                   "proc/kpagecount proc/kpagecgroup proc/kcore proc/kmsg 7/auxv 7/mem self/mem "
                   "thread-self/exe 7//exe 7/task/8/smaps 7/task/8/environ "
                   "host/proc/7/task/7/stat self/task/8/smaps 7/clear_refs 7/timers 7/net/tcp "
                   "7/net/stat/x 7/ns/pid 7/attr/current 7/fd/3 7/map_files/55d0-55d1 "
                   "7/task/8/fd/3";

    expect_all(paths, true);
}

/* Files that are not of /proc, but have a similar name. */
TEST(names_that_are_read)
{
    char paths[] = "smaps 7/smaps 7/smaps_rollup 7/maps mem logs/mem exe app/exe task/7/smaps "
                   "fd/3 7/task 20261121/net/x.smaps timers 7/fd a/task/7.maps task/8/fd.txt "
                   "environ.txt 7x/mem pagemap/7.smaps / 7 x/fd/3";

    expect_all(paths, false);
    assert_false(pm_walk_skips(PM_TEXT("")));
}

RUN_TESTS(NULL, NULL)
