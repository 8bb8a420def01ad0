/* vmflags_test: permissions and VmFlags in words. */
#include "unit.h"

#include "store/func/functions.h"

static void says(const char *flags, const char *expected)
{
    pm_buf out = {0};

    assert_int_equal(pm_vmflags_text(pm_text_of(flags), &out, NULL), PMAPDB_OK);
    assert_string_equal(pm_buf_text(&out).data, expected);
    pm_buf_free(&out);
}

/* All flags of fs/proc/task_mmu.c, by their first release; the last three were removed: dw in 5.15,
 * mp in 5.6, nl in 4.0. */
static const char *const eras[] = {
    "rd wr ex sh mr mw me ms gd pf lo io sr rr dc de ac nr ht ar dd mm hg nh mg", /* 3.8 */
    "sd",                                                                         /* 3.13 */
    "um uw",                                                                      /* 4.3 */
    "wf",                                                                         /* 4.14 */
    "sf",                                                                         /* 4.15 */
    "bt",                                                                         /* 5.8 */
    "mt",                                                                         /* 5.10 */
    "ui",                                                                         /* 5.13 */
    "lf",                                                                         /* 6.2 */
    "ss",                                                                         /* 6.6 */
    "sl",                                                                         /* 6.10 */
    "dp",                                                                         /* 6.11 */
    "gu",                                                                         /* 6.19 */
    "dw mp nl",
};

TEST(every_flag)
{
    pm_text seen[64], letters;
    size_t n = 0;

    for (size_t i = 0; i < COUNT(eras); i++)
        for (const char *p = eras[i]; *p; p += p[2] ? 3 : 2) {
            letters = (pm_text){p, 2};
            seen[n] = pm_vmflags_word(letters);
            if (!seen[n].data)
                fail_msg("%.2s has no words", p);
            assert_true(seen[n].len > 2);
            for (size_t k = 0; k < n; k++) /* no two flags have the same words */
                assert_string_not_equal(seen[k].data, seen[n].data);
            n++;
        }
    assert_int_equal(n, 41);
}

TEST(meanings)
{
    says("rd ex mr", "readable, executable, may read");
    says("wr mw me ac", "writable, may write, may execute, accounted");
    says("nr", "no swap reserved");
    says("dc", "not copied on fork");
    says("dd", "not in core dumps");
    says("lo lf", "locked, locked on fault");
    says("hg nh", "huge pages advised, no huge pages");
    says("sd sf", "soft-dirty, synchronous faults");
    says("sh ms", "shared, may share");
}

TEST(what_is_not_known_stays)
{
    says("rd zz ?? lonely", "readable, zz, ??, lonely");
    says("RD", "RD");
    says("r", "r");
    says("rdwr", "rdwr");
    says("", "");
    says(" \t ", "");
    says("  sl\tdp  \n", "sealed, droppable");
    assert_null(pm_vmflags_word(PM_TEXT("zz")).data);
    assert_null(pm_vmflags_word(PM_TEXT("")).data);
    assert_null(pm_vmflags_word(PM_TEXT("rd ")).data);
}

/* The words are appended to the buffer. */
TEST(adds)
{
    pm_buf out = {0};

    assert_int_equal(pm_buf_add(&out, "flags: ", 7, NULL), PMAPDB_OK);
    assert_int_equal(pm_vmflags_text(PM_TEXT("rd wr"), &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, "flags: readable, writable");
    pm_buf_free(&out);
}

TEST(perms)
{
    static const char *const cases[][2] = {
        {"rw-p", "read, write, private"}, {"r-xs", "read, execute, shared"},
        {"---p", "no access, private"},   {"---s", "no access, shared"},
        {"--xp", "execute, private"},     {"rwxs", "read, write, execute, shared"},
        {"-w-p", "write, private"},       {"rw--", "read, write, private"},
    };
    char words[PM_PERMS_TEXT];

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_perms_text(cases[i][0], words);
        assert_string_equal(words, cases[i][1]);
    }
}

RUN_TESTS(NULL, NULL)
