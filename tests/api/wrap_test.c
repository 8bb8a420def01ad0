/* wrap_test: the first bytes of a file show whether it is an archive or another encoding. */
#include "api/blocks.h"
#include "unit.h"

TEST(told_by_the_first_bytes)
{
    static const char smaps[] = "00400000-00401000 r--p 00000000 fe:00 1 /srv/demo\n";
    char tar[512] = "4711/smaps";

    memcpy(tar + 257, "ustar", 5);
    assert_non_null(pm_wrap_of((pm_text){tar, sizeof tar}, true).what);
    assert_true(pm_wrap_of((pm_text){tar, sizeof tar}, true).likely);
    assert_null(pm_wrap_of((pm_text){tar, sizeof tar}, false).what);
    assert_null(pm_wrap_of((pm_text){tar, 260}, true).what);
    assert_true(pm_wrap_of(PM_TEXT("\xff\xfe"
                                   "0\0004\0"),
                           false)
                    .likely);
    assert_false(pm_wrap_of(PM_TEXT("PK\3\4...."), false).likely);
    assert_non_null(pm_wrap_of(PM_TEXT("PK\3\4...."), false).what);
    assert_non_null(pm_wrap_of(PM_TEXT("7z\xbc\xaf\x27\x1c"), true).what);
    assert_null(pm_wrap_of(pm_text_of(smaps), true).what);
    assert_null(pm_wrap_of(PM_TEXT(""), true).what);
    assert_null(pm_wrap_of(PM_TEXT("PK"), true).what);
}

RUN_TESTS(NULL, NULL)
