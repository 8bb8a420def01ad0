/* range: the kinds of pages of mappings, and bits of entries. */
#include "unit.h"

#include "pages/entry.h"
#include "pages/range.h"

static pm_map mounts;

static pm_page_range range_of(const char *perms, unsigned minor, uint64_t inode, const char *path,
                              pm_sets *sets)
{
    pm_mapping m = {.start = 0x7f0000000000,
                    .end = 0x7f0000100000,
                    .offset = 0x3000,
                    .inode = inode,
                    .dev_minor = minor,
                    .path = pm_text_of(path)};

    memcpy(m.perms, perms, 5);
    return pm_page_range_of(&m, &mounts, 4096, sets);
}

static int read_mounts(void **state)
{
    return pm_mounts_read(PM_TEXT("21 28 0:20 / /proc rw - proc proc rw\n"
                                  "25 28 0:24 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw\n"
                                  "damaged\n\n99 1 0:x / / rw - tmpfs x\n"
                                  "40 28 0:35 / /huge rw - hugetlbfs none rw,pagesize=2M\n"),
                          &mounts, NULL);
}

static int free_mounts(void **state)
{
    pm_map_free(&mounts);
    return 0;
}

TEST(kinds_of_mappings)
{
    assert_int_equal(mounts.used, 2);
    assert_int_equal(range_of("rw-s", 24, 7, "/dev/shm/a", NULL).of_file, PM_PAGE_SHMEM);
    assert_int_equal(range_of("rw-s", 1, 7, "/SYSV00000001 (deleted)", NULL).of_file,
                     PM_PAGE_SHMEM);
    assert_int_equal(range_of("rw-s", 1, 7, "/memfd:x (deleted)", NULL).of_file, PM_PAGE_SHMEM);
    assert_int_equal(range_of("rw-s", 1, 7, "/dev/zero (deleted)", NULL).of_file, PM_PAGE_SHMEM);
    assert_int_equal(range_of("r--p", 9, 7, "/lib/libc.so.6", NULL).of_file, PM_PAGE_FILE);
    assert_true(range_of("rw-s", 35, 7, "/huge/x", NULL).is_hugetlb);
    assert_true(range_of("rw-s", 14, 7, "/SYSV00000001 (deleted)", NULL).is_hugetlb);
    assert_true(range_of("rw-p", 14, 7, "/anon_hugepage (deleted)", NULL).is_hugetlb);
    assert_false(range_of("rw-s", 1, 7, "/SYSV00000001 (deleted)", NULL).is_hugetlb);
    assert_true(range_of("r--p", 0, 0, "[vvar]", NULL).is_kernel);
    assert_true(range_of("r--p", 0, 0, "[vvar_vclock]", NULL).is_kernel);
    assert_false(range_of("r-xp", 0, 0, "[vdso]", NULL).is_kernel);
    assert_true(range_of("r-xp", 0, 0, "[vdso]", NULL).has_file);
    assert_false(range_of("rw-p", 0, 0, "[heap]", NULL).has_file);
    assert_false(range_of("rw-p", 0, 0, "[anon:glibc: malloc]", NULL).is_kernel);
}

TEST(files_have_an_identity)
{
    pm_sets sets = {0};
    uint64_t a;

    pm_sets_begin(&sets, 1 << 20);
    a = range_of("r--p", 9, 7, "/lib/a", &sets).file;
    assert_int_equal(a % PM_SPACE_SLOTS, 3);
    assert_int_equal(range_of("r--s", 9, 7, "/other/name", &sets).file, a);
    assert_int_not_equal(range_of("r--p", 9, 8, "/lib/a", &sets).file, a);
    assert_int_not_equal(range_of("r--p", 8, 7, "/lib/a", &sets).file, a);
    pm_sets_free(&sets);
}

/* Entries of Linux 6.18. */
TEST(bits_of_entries)
{
    static const struct {
        uint64_t entry;
        bool present, swapped, exclusive, file;
    } cases[] = {{0x8100000000434ac7, true, false, true, false},
                 {0x8000000000003b34, true, false, false, false},  /* the page of zeroes */
                 {0x440000000000009f, false, false, false, false}, /* a guard region */
                 {0xa1000000004a5d69, true, false, true, true},
                 {0x4000000000000020, false, true, false, false},
                 {0x400000000000003f, false, false, false, false}, /* no swap area */
                 {0, false, false, false, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t e = cases[i].entry;

        assert_int_equal((e & PM_ENTRY_PRESENT) != 0, cases[i].present);
        assert_int_equal(pm_entry_is_swap(e), cases[i].swapped);
        assert_int_equal((e & PM_ENTRY_EXCLUSIVE) != 0, cases[i].exclusive);
        assert_int_equal((e & PM_ENTRY_FILE) != 0, cases[i].file);
    }
    assert_int_equal(pm_entry_slot(0x4000000000000020), 1);
}

RUN_TESTS(read_mounts, free_mounts)
