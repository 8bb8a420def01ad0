/* call_words: parameters of the five calls in words. */
#include "unit.h"

#include "perf/call.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ALL 0x3fu

static void says(pm_call_kind kind, unsigned has, const uint64_t arg[PM_CALL_ARGS],
                 const char *expected)
{
    pm_buf out = {0};

    assert_int_equal(pm_call_words(kind, has, arg, &out, NULL), PMAPDB_OK);
    assert_string_equal(pm_buf_text(&out).data, expected);
    pm_buf_free(&out);
}

/* The words of prot or flags alone: parameter i, the others unknown. */
static void word_is(pm_call_kind kind, int i, uint64_t value, const char *expected)
{
    uint64_t arg[PM_CALL_ARGS] = {0};
    pm_buf out = {0};
    char text[256];

    arg[i] = value;
    assert_int_equal(pm_call_words(kind, 1u << i, arg, &out, NULL), PMAPDB_OK);
    snprintf(text, sizeof text, "%s=%s", pm_call_arg_name(kind, i), expected);
    if (!strstr(out.data, text))
        fail_msg("%s is not in %s", text, out.data);
    assert_true(pm_text_ends(pm_buf_text(&out), PM_TEXT("?")) ||
                pm_text_ends(pm_buf_text(&out), pm_text_of(expected)));
    pm_buf_free(&out);
}

TEST(whole_calls)
{
    says(PM_CALL_MMAP, ALL, (uint64_t[6]){0, 8192, 3, 0x22, 0xffffffff, 0},
         "addr=0, len=8192, prot=PROT_READ|PROT_WRITE, flags=MAP_PRIVATE|MAP_ANONYMOUS, "
         "fd=ffffffff, off=0");
    says(PM_CALL_MMAP, ALL, (uint64_t[6]){0x7f02fcee3000, 1400832, 5, 0x812, 3, 0x26000},
         "addr=7f02fcee3000, len=1400832, prot=PROT_READ|PROT_EXEC, "
         "flags=MAP_PRIVATE|MAP_FIXED|MAP_DENYWRITE, fd=3, off=26000");
    says(PM_CALL_MUNMAP, ALL, (uint64_t[6]){0x1000, 42567}, "addr=1000, len=42567");
    says(PM_CALL_BRK, ALL, (uint64_t[6]){0x5620c4e56000}, "brk=5620c4e56000");
    says(PM_CALL_MREMAP, ALL, (uint64_t[6]){0x1000, 4096, 8192, 1, 0},
         "addr=1000, old_len=4096, new_len=8192, flags=MREMAP_MAYMOVE, new_addr=0");
    says(PM_CALL_MPROTECT, ALL, (uint64_t[6]){0x1000, 16384, 0},
         "start=1000, len=16384, prot=PROT_NONE");
}

/* An unknown value is not 0. */
TEST(unknown)
{
    says(PM_CALL_MMAP, 3, (uint64_t[6]){0, 4096}, "addr=0, len=4096, prot=?, flags=?, fd=?, off=?");
    says(PM_CALL_BRK, 0, (uint64_t[6]){0}, "brk=?");
}

/* As this machine's headers have them; those that they may lack are checked as numbers. */
TEST(flags_of_mmap)
{
    static const struct {
        uint64_t value;
        const char *words;
    } known[] = {
        {MAP_SHARED, "MAP_SHARED"},
        {MAP_PRIVATE, "MAP_PRIVATE"},
        {3, "MAP_SHARED_VALIDATE"},
        {8, "MAP_DROPPABLE"},
        {MAP_PRIVATE | MAP_FIXED, "MAP_PRIVATE|MAP_FIXED"},
        {MAP_PRIVATE | MAP_ANONYMOUS, "MAP_PRIVATE|MAP_ANONYMOUS"},
        {2 | 0x40, "MAP_PRIVATE|MAP_32BIT"},
        {2 | 0x80, "MAP_PRIVATE|MAP_ABOVE4G"},
        {2 | MAP_GROWSDOWN, "MAP_PRIVATE|MAP_GROWSDOWN"},
        {2 | MAP_DENYWRITE, "MAP_PRIVATE|MAP_DENYWRITE"},
        {2 | MAP_EXECUTABLE, "MAP_PRIVATE|MAP_EXECUTABLE"},
        {2 | MAP_LOCKED, "MAP_PRIVATE|MAP_LOCKED"},
        {2 | MAP_NORESERVE, "MAP_PRIVATE|MAP_NORESERVE"},
        {2 | MAP_POPULATE, "MAP_PRIVATE|MAP_POPULATE"},
        {2 | MAP_NONBLOCK, "MAP_PRIVATE|MAP_NONBLOCK"},
        {2 | MAP_STACK, "MAP_PRIVATE|MAP_STACK"},
        {2 | MAP_HUGETLB, "MAP_PRIVATE|MAP_HUGETLB"},
        {3 | 0x80000, "MAP_SHARED_VALIDATE|MAP_SYNC"},
        {2 | 0x100000, "MAP_PRIVATE|MAP_FIXED_NOREPLACE"},
        {2 | 0x4000000, "MAP_PRIVATE|MAP_UNINITIALIZED"},
        {2 | 0x40000 | (uint64_t)21 << 26, "MAP_PRIVATE|MAP_HUGETLB|MAP_HUGE_2MB"},
        {2 | 0x40000 | (uint64_t)30 << 26, "MAP_PRIVATE|MAP_HUGETLB|MAP_HUGE_1GB"},
        {2 | 0x40000 | (uint64_t)34 << 26, "MAP_PRIVATE|MAP_HUGETLB|MAP_HUGE_16GB"},
        {2 | 0x40000 | (uint64_t)14 << 26, "MAP_PRIVATE|MAP_HUGETLB|MAP_HUGE_16KB"},
        {2 | 0x40000 | (uint64_t)3 << 26, "MAP_PRIVATE|MAP_HUGETLB|0xc000000"},
        {2 | 0x200000, "MAP_PRIVATE|0x200000"},
        {(uint64_t)1 << 63 | 0x20, "MAP_ANONYMOUS|0x8000000000000000"},
        {4, "0x4"},
        {0, "0"},
    };

    for (size_t i = 0; i < COUNT(known); i++)
        word_is(PM_CALL_MMAP, 3, known[i].value, known[i].words);
}

TEST(other_flags)
{
    word_is(PM_CALL_MPROTECT, 2, 0, "PROT_NONE");
    word_is(PM_CALL_MPROTECT, 2, PROT_READ | PROT_WRITE | PROT_EXEC,
            "PROT_READ|PROT_WRITE|PROT_EXEC");
    word_is(PM_CALL_MPROTECT, 2, 8, "PROT_SEM");
    word_is(PM_CALL_MPROTECT, 2, 0x01000003, "PROT_READ|PROT_WRITE|PROT_GROWSDOWN");
    word_is(PM_CALL_MPROTECT, 2, 0x02000001, "PROT_READ|PROT_GROWSUP");
    word_is(PM_CALL_MPROTECT, 2, 0x11, "PROT_READ|0x10");
    word_is(PM_CALL_MREMAP, 3, 0, "0");
    word_is(PM_CALL_MREMAP, 3, 3, "MREMAP_MAYMOVE|MREMAP_FIXED");
    word_is(PM_CALL_MREMAP, 3, 0xd, "MREMAP_MAYMOVE|MREMAP_DONTUNMAP|0x8");
}

TEST(names)
{
    static const char *const calls[] = {"mmap", "munmap", "brk", "mremap", "mprotect"};
    static const int parameters[] = {6, 2, 1, 5, 3};

    for (int kind = 0; kind < PM_CALL_COUNT; kind++) {
        assert_string_equal(pm_call_name(kind), calls[kind]);
        for (int i = 0; i < PM_CALL_ARGS; i++)
            assert_int_equal(pm_call_arg_name(kind, i) != NULL, i < parameters[kind]);
    }
}

TEST(errors)
{
    assert_int_equal(pm_call_errno(PM_CALL_MMAP, (uint64_t)-12), 12);
    assert_int_equal(pm_call_errno(PM_CALL_MMAP, (uint64_t)-4095), 4095);
    assert_int_equal(pm_call_errno(PM_CALL_MMAP, (uint64_t)-4096), 0);
    assert_int_equal(pm_call_errno(PM_CALL_MUNMAP, 0), 0);
    assert_int_equal(pm_call_errno(PM_CALL_MMAP, 0x7f02fd0aa000), 0);
    assert_int_equal(pm_call_errno(PM_CALL_BRK, (uint64_t)-12), 0);
    assert_string_equal(pm_errno_name(12), "ENOMEM");
    assert_string_equal(pm_errno_name(22), "EINVAL");
    assert_string_equal(pm_errno_name(17), "EEXIST");
    assert_string_equal(pm_errno_name(512), "ERESTARTSYS");
    assert_null(pm_errno_name(0));
    assert_null(pm_errno_name(4095));
}

/* The words are added to the text in the buffer. */
TEST(adds)
{
    pm_buf out = {0};

    assert_int_equal(pm_buf_add(&out, "brk: ", 5, NULL), PMAPDB_OK);
    assert_int_equal(pm_call_words(PM_CALL_BRK, 1, (uint64_t[6]){0x10}, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, "brk: brk=10");
    pm_buf_free(&out);
}

RUN_TESTS(NULL, NULL)
