/* text: runs of bytes, including empty runs and runs with a NUL. */
#include "unit.h"

#include "base/text.h"

TEST(equality)
{
    assert_true(pm_text_equal(PM_TEXT("a\0b"), PM_TEXT("a\0b")));
    assert_false(pm_text_equal(PM_TEXT("a\0b"), PM_TEXT("a\0c")));
    assert_false(pm_text_equal(PM_TEXT("a"), PM_TEXT("a\0")));
    assert_true(pm_text_equal((pm_text){NULL, 0}, PM_TEXT("")));
    assert_int_equal(pm_text_of(NULL).len, 0);
    assert_int_equal(pm_text_of("abc").len, 3);
}

TEST(starts_and_ends)
{
    assert_true(pm_text_starts(PM_TEXT("libc.so.6"), PM_TEXT("lib")));
    assert_false(pm_text_starts(PM_TEXT("li"), PM_TEXT("lib")));
    assert_true(pm_text_ends(PM_TEXT("/x (deleted)"), PM_TEXT(" (deleted)")));
    assert_false(pm_text_ends(PM_TEXT("deleted)"), PM_TEXT(" (deleted)")));
    assert_true(pm_text_ends(PM_TEXT("x"), PM_TEXT("")));
    assert_true(pm_text_starts(PM_TEXT(""), PM_TEXT("")));
    assert_null(pm_text_from((pm_text){NULL, 0}, 0).data);
}

static void basename_of(const char *path, const char *wanted)
{
    assert_true(pm_text_equal(pm_text_basename(pm_text_of(path)), pm_text_of(wanted)));
}

TEST(basenames)
{
    basename_of("/usr/bin/redis", "redis");
    basename_of("redis", "redis");
    basename_of("/redis", "redis");
    basename_of("dir/", "");
    basename_of("", "");
    assert_int_equal(pm_text_basename((pm_text){NULL, 0}).len, 0);
}

RUN_TESTS(NULL, NULL)
