/* layout: the fields of the numbers in rows of -X and -XX, on old kernels and in column lists of
 * the user. */
#include "parse/kit.h"

/* -XX -q on kernels before 4.15, which print the page sizes behind the swap. */
static void layouts_of_old_kernels(void **state)
{
    static const struct {
        const char *numbers, *read;
    } cases[] = {
        /* 3.8 */
        {"20 12 6 4 0 0 8 12 8 0 16 4 4 2",
         "Size=20 KernelPageSize=4 MMUPageSize=4 Rss=12 Pss=6 Shared_Clean=4 Shared_Dirty=0 "
         "Private_Clean=0 Private_Dirty=8 Referenced=12 Anonymous=8 AnonHugePages=0 Swap=16 "
         "Locked=2"},
        /* 4.4 */
        {"20 12 6 4 0 0 8 12 8 0 2048 1024 16 9 4 4 2",
         "Size=20 KernelPageSize=4 MMUPageSize=4 Rss=12 Pss=6 Shared_Clean=4 Shared_Dirty=0 "
         "Private_Clean=0 Private_Dirty=8 Referenced=12 Anonymous=8 AnonHugePages=0 "
         "Shared_Hugetlb=2048 Private_Hugetlb=1024 Swap=16 SwapPss=9 Locked=2"},
        /* 4.12 */
        {"20 12 6 4 0 0 8 12 8 3 0 0 2048 1024 16 9 4 4 2",
         "Size=20 KernelPageSize=4 MMUPageSize=4 Rss=12 Pss=6 Shared_Clean=4 Shared_Dirty=0 "
         "Private_Clean=0 Private_Dirty=8 Referenced=12 Anonymous=8 LazyFree=3 AnonHugePages=0 "
         "ShmemPmdMapped=0 Shared_Hugetlb=2048 Private_Hugetlb=1024 Swap=16 SwapPss=9 Locked=2"},
    };
    char text[512], row[512];

    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(text, sizeof text, "1:   init\n00401000 r--p 00000000 fe:00 17 %s rd mr name\n",
                 cases[i].numbers);
        snprintf(row, sizeof row, "401000-406000 r--p +0 fe:0 i17 %s {rd mr} pseudo [name]\n",
                 cases[i].read);
        kit_expect_rows(pm_text_of(text), row);
    }
    /* 2.6.39 has no flags; without them it is what -X leaves of it. */
    kit_expect_rows(PM_TEXT("1:   init\n00401000 r--p 00000000 fe:00 17 20 12 6 12 8 16 2 name\n"),
                    "401000-406000 r--p +0 fe:0 i17 Size=20 Rss=12 Pss=6 Referenced=12 Anonymous=8 "
                    "Swap=16 Locked=2 pseudo [name]\n");
}

/* -c and -C: the columns that the user chose, in his order. */
static void columns_of_the_users(void **state)
{
    static const struct {
        const char *header, *row, *read, *notes;
    } cases[] = {
        {" Address Perm Swap Rss Size Mapping", "00401000 r--p    2   1    8 a b",
         "401000-403000 r--p Size=8 Rss=1 Swap=2 pseudo [a b]\n", ""},
        {" Address Rss Size Mapping", "00401000   1    8 a b",
         "401000-403000  Size=8 Rss=1 pseudo [a b]\n", ""},
        {" Address Offset Size Mapping", "00401000 00001000    8 a b",
         "401000-403000  +1000 Size=8 pseudo [a b]\n", ""},
        {" Address Perm Inode Size Mapping", "00401000 r--p 17    8 a b",
         "401000-403000 r--p i17 Size=8 pseudo [a b]\n", ""},
        {" Address Perm Device Size Mapping", "00401000 r--p fe:00    8 a b",
         "401000-403000 r--p fe:0 Size=8 pseudo [a b]\n", ""},
        {" Address Perm Size Rss ", "00401000 r--p    8   1",
         "401000-403000 r--p Size=8 Rss=1 pseudo []\n",
         "no column Mapping: the names are unknown, and all counts as anonymous\n"},
        {" Address Perm Size NewThing ", "00401000 r--p    8   1",
         "401000-403000 r--p Size=8 <NewThing: 1 kB> pseudo []\n",
         "no column Mapping: the names are unknown, and all counts as anonymous\n"},
        {" Address Perm Size Ánh xạ", "00401000 r--p    8 1 b",
         "401000-403000 r--p Size=8 pseudo [1 b]\n", ""},
        {" Address Perm Size VmFlags", "00401000 r--p    8 rd mr",
         "401000-403000 r--p Size=8 {rd mr} pseudo []\n",
         "no column Mapping: the names are unknown, and all counts as anonymous\n"},
        {" Address Perm Size VmFlagsMapping", "00401000 r--p    8 rd mr  a b",
         "401000-403000 r--p Size=8 {rd mr} pseudo [a b]\n", ""},
    };
    char text[512], notes[256];

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_seen *s;

        snprintf(text, sizeof text, "1:   init\n%s\n%s\n", cases[i].header, cases[i].row);
        kit_expect_rows(pm_text_of(text), cases[i].read);
        s = kit_read(pm_text_of(text));
        snprintf(notes, sizeof notes, "%sno footer: whether rows are missing cannot be told",
                 cases[i].notes);
        assert_string_equal(s->blocks[0].notes.data, notes);
        kit_free(s);
    }
}

RUN_TESTS(TEST(layouts_of_old_kernels), TEST(columns_of_the_users))
