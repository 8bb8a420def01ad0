/* proc_hidden_test: whether a mount of /proc hides processes. */
#include "unit.h"

#include "source/proc.h"

#define SYSTEM "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,hidepid=2\n"
#define PROC "23 22 0:21 / /proc rw,nosuid shared:12 master:3 - proc proc "
#define OTHER "24 22 0:22 / /srv/proc rw - proc proc rw,hidepid=2\n"

static void assert_hides(const char *mountinfo, bool hides)
{
    assert_int_equal(pm_proc_mount_hides(pm_text_of(mountinfo)), hides);
}

static void by_number_and_by_name(void **state)
{
    assert_hides(SYSTEM PROC "rw,hidepid=2\n", true);
    assert_hides(SYSTEM PROC "rw,gid=27,hidepid=invisible\n", true);
    assert_hides(PROC "rw,hidepid=4,gid=27\n", true);
    assert_hides(PROC "rw,hidepid=ptraceable", true);
}

/* 1 lists them, so that they are counted as unreadable. */
static void what_hides_nothing(void **state)
{
    assert_hides("", false);
    assert_hides(SYSTEM, false);
    assert_hides(SYSTEM PROC "rw\n", false);
    assert_hides(PROC "rw,hidepid=0\n", false);
    assert_hides(PROC "rw,hidepid=off\n", false);
    assert_hides(PROC "rw,hidepid=1\n", false);
    assert_hides(PROC "rw,hidepid=noaccess\n", false);
    assert_hides(PROC "rw,nohidepid=2\n", false);
    assert_hides("23 22 0:21 / /proc rw", false);
}

static void only_the_mount_that_is_seen(void **state)
{
    assert_hides(PROC "rw\n" OTHER, false);
    assert_hides(PROC "rw,hidepid=2\n" OTHER PROC "rw\n", false);
    assert_hides(PROC "rw\n" OTHER PROC "rw,hidepid=2\n", true);
}

RUN_TESTS(TEST(by_number_and_by_name), TEST(what_hides_nothing), TEST(only_the_mount_that_is_seen))
