/* smaps: rows of maps, key lines of smaps, and where their blocks begin and are cut. */
#include "parse/kit.h"

#define ROW1 \
    "00400000-00402000 r-xp 00001000 fe:00 1057065                            /srv/demo/demo\n"
#define ROW2 "7ffd2d594000-7ffd2d5b5000 rw-p 00000000 00:00 0                          [stack]\n"
#define KEYS(size, rss)             \
    "Size:           " size " kB\n" \
    "Rss:            " rss " kB\n"  \
    "Swap:                  0 kB\n"

static void a_row_with_its_keys(void **state)
{
    kit_expect_rows(PM_TEXT(ROW1 KEYS("       8", "       4") "THPeligible:    1\n"
                                                              "ProtectionKey:         3\n"
                                                              "VmFlags: rd ex mr ?? \n"),
                    "400000-402000 r-xp +1000 fe:0 i1057065 Size=8 Rss=4 Swap=0 THPeligible=1 "
                    "ProtectionKey=3 {rd ex mr ??} pseudo [/srv/demo/demo]\n");
}

static void maps_have_the_size_of_their_range(void **state)
{
    kit_expect_rows(
        PM_TEXT("08048000-08049000 r-xp 00000000 03:0c 18446744073709551615 /a  b (deleted)\n"
                "7f0000000000-7f0000003000 rw-s 1000000000 fd:fffff 7          /x\ty\\012z \n"
                "7f0000003000-7f0000004000 ---p 00000000 00:00 0 \n"
                "7f0000004000-7f0000005000 ---p 00000000 00:00 0\n"
                "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0      [vsyscall]\r\n"),
        "8048000-8049000 r-xp +0 3:c i18446744073709551615 Size=4 pseudo [/a  b (deleted)]\n"
        "7f0000000000-7f0000003000 rw-s +1000000000 fd:fffff i7 Size=12 pseudo [/x\ty\\012z ]\n"
        "7f0000003000-7f0000004000 ---p +0 0:0 i0 Size=4 pseudo []\n"
        "7f0000004000-7f0000005000 ---p +0 0:0 i0 Size=4 pseudo []\n"
        "ffffffffff600000-ffffffffff601000 --xp +0 0:0 i0 Size=4 pseudo [[vsyscall]]\n");
}

static void names_are_bytes(void **state)
{
    kit_expect_rows(PM_TEXT("00400000-00401000 r--p 00000000 fe:00 1 /bad\xff\xfe utf8\n"),
                    "400000-401000 r--p +0 fe:0 i1 Size=4 pseudo [/bad\xff\xfe utf8]\n");
}

static void unknown_keys_are_kept(void **state)
{
    kit_expect_rows(PM_TEXT(ROW1 "Size:                  8 kB\nFoo_Bar:              12 kB\n"
                                 "Baz:\t\t7\nNot a key\n"),
                    "400000-402000 r-xp +1000 fe:0 i1057065 Size=8 <Foo_Bar: 12 kB\nBaz: 7> "
                    "pseudo [/srv/demo/demo]\n");
}

/* `echo "Taken: $(date +%s)"` in the loop that copies smaps. */
static void a_moment_is_no_key(void **state)
{
    kit_expect_rows(PM_TEXT(ROW1 "Size:                  8 kB\nBaz: 7\nTaken: 1700000000\n"),
                    "400000-402000 r-xp +1000 fe:0 i1057065 Size=8 <Baz: 7> "
                    "pseudo [/srv/demo/demo]\n");
}

/* Documents of the kernel show page sizes twice in one row; nothing else comes twice. */
static void the_last_of_repeated_keys_counts(void **state)
{
    kit_expect_rows(PM_TEXT(ROW1 "\n" KEYS("       8", "       4") "KernelPageSize:        4 kB\n"
                                                                   "KernelPageSize:       64 kB\n"),
                    "400000-402000 r-xp +1000 fe:0 i1057065 Size=8 KernelPageSize=64 Rss=4 Swap=0 "
                    "pseudo [/srv/demo/demo]\n");
}

/* The line between two rows is lost: whose numbers these are nobody knows. */
static void keys_of_two_rows_are_damage(void **state)
{
    kit_expect_rows(PM_TEXT(ROW1 "\n" KEYS("       8", "       4") KEYS("       8", "       0")),
                    "");
}

static void android_names_stand_on_a_line_of_their_own(void **state)
{
    kit_expect_rows(PM_TEXT("12c00000-12c01000 rw-p 00000000 00:00 0 \n"
                            "Name:           [anon:dalvik-main: space]\n"
                            "Size:                  4 kB\n"
                            "12c01000-12c02000 r--p 00000000 fe:00 17        /data/a\n"
                            "Name:           b\n"
                            "Size:                  4 kB\n"),
                    "12c00000-12c01000 rw-p +0 0:0 i0 Size=4 pseudo [[anon:dalvik-main: space]]\n"
                    "12c01000-12c02000 r--p +0 fe:0 i17 Size=4 pseudo [/data/a]\n");
}

static void wide_numbers_and_other_orders(void **state)
{
    kit_expect_rows(
        PM_TEXT("7e4870000000-7f4870000000 ---p 00000000 00:00 0 \n" KEYS(
            "1073741824", "       0") "7f4870000000-7f4870001000 ---p 00000000 00:00 0 \n"
                                      "Rss:                   0 kB\n"
                                      "Swap:                  0 kB\n"
                                      "Size:                  4 kB\n"),
        "7e4870000000-7f4870000000 ---p +0 0:0 i0 Size=1073741824 Rss=0 Swap=0 "
        "pseudo []\n"
        "7f4870000000-7f4870001000 ---p +0 0:0 i0 Size=4 Rss=0 Swap=0 pseudo []\n");
}

/* A number of more than eight digits in a line as long as the kernel's. */
static void a_long_number_is_no_part_of_the_label(void **state)
{
    kit_expect_rows(PM_TEXT(ROW1 "Size:                  8 kB\nRss:          1234567890 kB\n" ROW2
                                 "Size:                132 kB\nRss:          1234567891 kB\n"),
                    "400000-402000 r-xp +1000 fe:0 i1057065 Size=8 Rss=1234567890 pseudo "
                    "[/srv/demo/demo]\n"
                    "7ffd2d594000-7ffd2d5b5000 rw-p +0 0:0 i0 Size=132 Rss=1234567891 pseudo "
                    "[[stack]]\n");
}

/* Linux 2.6.36 to 4.12: the guard page is in Size and not in the range. */
static void a_stack_guard_is_no_damage(void **state)
{
    kit_expect_block(PM_TEXT(ROW2 KEYS("     136", "      12")), PM_STATE_COMPLETE, PM_CHECKED_NONE,
                     "");
    kit_expect_block(PM_TEXT(ROW1 KEYS("       8", "       4") ROW2 KEYS("     140", "      12")),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "line 5 is damaged: its size is not that of its addresses");
    kit_expect_block(
        PM_TEXT(ROW1 KEYS("       8", "       4") "00402000-00403000 r-xp 00000000 00:00 "
                                                  "0\nSize:                  4 kB\n" ROW2 KEYS(
                                                      "     132", "      12")),
        PM_STATE_PARTIAL, PM_CHECKED_NONE,
        "line 5 is damaged: it lacks keys that the rows before have");
}

static void overlap_is_damage(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("00400000-00402000 r--p 00000000 00:00 0 \n"
                                  "00401000-00403000 r--p 00000000 00:00 0 \n"
                                  "00403000-00403000 r--p 00000000 00:00 0 \n"
                                  "00404000-00405000 r--p 00000000 00:00 0 \n"));

    assert_int_equal(s->n_rows, 2);
    assert_string_equal(s->blocks[0].missing.data,
                        "2 damaged rows, the first is line 2: it overlaps the row before it");
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_SIZE], 12);
    kit_free(s);
}

static void an_address_that_goes_back_begins_a_block(void **state)
{
    pm_seen *s = kit_read(PM_TEXT(ROW1 KEYS("       8", "       4") ROW2 KEYS(
        "     132", "      12") ROW1 KEYS("       8", "       8") ROW1 ROW2));

    assert_int_equal(s->n_blocks, 3);
    assert_int_equal(s->blocks[0].dialect, PM_DIALECT_SMAPS);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_RSS], 16);
    assert_int_equal(s->blocks[1].totals.v[PM_TOTAL_RSS], 8);
    assert_int_equal(s->blocks[1].first_line, 9);
    assert_int_equal(s->blocks[2].dialect, PM_DIALECT_MAPS);
    assert_int_equal(s->blocks[2].totals.v[PM_TOTAL_SIZE], 140);
    assert_int_equal(s->blocks[2].totals.v[PM_TOTAL_RSS], -1);
    kit_free(s);
}

/* What grew while it was read comes once more: not one more block, and counted once. */
static void what_grew_is_counted_once(void **state)
{
    static const char *const text = "00001000-00002000 r--p 00000000 00:00 0 \n"
                                    "00004000-00005000 rw-p 00000000 00:00 0 \n"
                                    "00004000-00007000 rw-p 00000000 00:00 0 \n"
                                    "00008000-00009000 rw-p 00000000 00:00 0 \n";
    pm_seen *s = kit_read(pm_text_of(text));

    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->n_rows, 3);
    assert_int_equal(s->rows[1].end, 0x7000);
    assert_int_equal(s->blocks[0].state, PM_STATE_COMPLETE);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_SIZE], 4 + 12 + 4);
    assert_non_null(strstr(s->blocks[0].notes.data, "1 mappings are printed twice"));
    kit_free(s);
    s = kit_read(PM_TEXT(
        "00004000-00005000 rw-p 00000000 00:00 0 \n00004000-00007000 rw-p 00000000 00:00 0 \n"));
    assert_int_equal(s->n_blocks, 2); /* of who greps for one mapping, again and again */
    kit_free(s);
}

/* Keys below a first line that cannot be read are not those of the row before. */
static void a_damaged_first_line_spoils_its_row_only(void **state)
{
    static const struct {
        const char *text, *missing;
    } cases[] = {
        {ROW1 KEYS("       8", "       4") "7ffd2d5z4000-7ffd2d5b5000 rw-p 00000000 00:00 0\n" KEYS(
             "     132", "      12") ROW2 KEYS("     132", "      12"),
         "line 5 is damaged: it begins like a row and is not one"},
        {ROW1 KEYS("       8", "       4") "7ffd00000000-7ffd00021000 rw-p 0000\n" KEYS(
             "     132", "      99") ROW2 KEYS("     132", "      12"),
         "line 5 is damaged: it begins like a row and is not one"},
        {ROW1 KEYS("       8", "       4") "8ffd00000000-7ffd00021000 rw-p 00000000 00:00 0\n" KEYS(
             "     132", "      99") ROW2 KEYS("     132", "      12"),
         "line 5 is damaged: it begins like a row and is not one"},
        {ROW1 KEYS("       8", "       4") "ffd00000000-7ffd00021000 rw-p 00000000 00:00 0\n" KEYS(
             "     132", "      99") ROW2 KEYS("     132", "      12"),
         "line 5 is damaged: its size is not that of its addresses"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_seen *s = kit_read(pm_text_of(cases[i].text));

        assert_int_equal(s->n_blocks, 1);
        assert_non_null(strstr(s->blocks[0].missing.data, cases[i].missing));
        assert_int_equal(s->rows[s->n_rows - 1].value[PM_RSS], 12);
        assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_RSS], 16);
        kit_free(s);
        kit_every_chunk(pm_text_of(cases[i].text), 512);
    }
}

static void sums_alone_are_totals(void **state)
{
    pm_text t = PM_TEXT("00400000-7ffd2d5b5000 ---p 00000000 00:00 0    [rollup]\n"
                        "Rss:                4640 kB\nPss:                2500 kB\n"
                        "Private_Clean:        16 kB\nPrivate_Dirty:      1068 kB\n" ROW1);
    pm_seen *s = kit_read(t);
    const pm_block *b = &s->blocks[0];

    assert_int_equal(s->n_blocks, 2);
    assert_int_equal(s->n_rows, 1);
    assert_int_equal(b->state, PM_STATE_TOTALS);
    assert_int_equal(b->dialect, PM_DIALECT_ROLLUP);
    assert_int_equal(b->totals.v[PM_TOTAL_MAPPINGS], -1);
    assert_int_equal(b->totals.v[PM_TOTAL_SIZE], -1);
    assert_int_equal(b->totals.v[PM_TOTAL_RSS], 4640);
    assert_int_equal(b->totals.v[PM_TOTAL_PSS], 2500);
    assert_int_equal(b->totals.v[PM_TOTAL_PRIVATE], 1084);
    assert_int_equal(b->totals.v[PM_TOTAL_PRIVATE_DIRTY], 1068);
    assert_int_equal(b->totals.v[PM_TOTAL_SWAP], -1);
    assert_int_equal(s->blocks[1].state, PM_STATE_COMPLETE);
    kit_free(s);
    kit_every_chunk(t, 512);
}

/* The sums are not taken for a mapping, as large as all of them together. */
static void a_damaged_row_ends_the_sums(void **state)
{
    pm_text t = PM_TEXT("00400000-7ffd2d5b5000 ---p 00000000 00:00 0    [rollup]\n"
                        "Rss:                4640 kB\n004a6000 and no row\n"
                        "Pss:                2500 kB\n");
    pm_seen *s = kit_read(t);

    assert_int_equal(s->n_rows, 0);
    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->blocks[0].state, PM_STATE_TOTALS);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_RSS], 4640);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_PSS], -1);
    kit_free(s);
    kit_every_chunk(t, 512);
}

static void a_line_between_rows_that_is_none_is_said(void **state)
{
    kit_expect_block(
        PM_TEXT(ROW1 KEYS("       8", "       4") "[...]\n" ROW2 KEYS("     132", "      12")),
        PM_STATE_PARTIAL, PM_CHECKED_NONE, "line 5 stands for rows that were left out");
    kit_expect_block(PM_TEXT(ROW1 "7ffd2d594000-7ffd2d5b5000 rw-p 0000\n"), PM_STATE_PARTIAL,
                     PM_CHECKED_NONE, "line 2 is damaged: it begins like a row and is not one");
}

/* The first n bytes end in a VmFlags line, the last of a row: its newline may be lost, and where
 * the cut lies behind a blank of the list nobody can tell it from the end. */
static bool ends_row(pm_text all, size_t n)
{
    size_t end = all.data[n - 1] == '\n' ? n - 1 : n;
    const char *newline = memrchr(all.data, '\n', end);

    return newline && all.data[end - 1] == ' ' && memcmp(newline + 1, "VmFlags: ", 9) == 0;
}

/* Wherever a capture is cut: the rows that are whole, no others; complete only where nothing of a
 * row is lost. */
static void a_cut_at_any_byte_is_noticed(void **state)
{
    pm_buf bytes = kit_fixture("demo-smaps.txt");
    pm_text all = pm_buf_text(&bytes);
    size_t rows = 0;

    for (size_t n = 1; n < all.len; n++) {
        pm_seen *s = kit_read((pm_text){all.data, n});
        bool end = ends_row(all, n);

        /* Of one row alone nobody knows which keys it should have. */
        if (rows > 0 &&
            (s->n_rows != rows + end || (s->blocks[0].state == PM_STATE_COMPLETE) != end))
            fail_msg("cut at byte %zu: %zu rows behind %zu, %s", n, s->n_rows, rows,
                     s->blocks[0].missing.data);
        rows += end && all.data[n - 1] == '\n';
        kit_free(s);
    }
    assert_int_equal(rows, 9);
    pm_buf_free(&bytes);
}

/* Keys in the order of the row before are taken at once: not so one that the row has already. */
static void a_key_that_comes_twice(void **state)
{
    kit_expect_block(PM_TEXT("00400000-00401000 r--p 00000000 fe:00 17 /a\n"
                             "Size:                  4 kB\nRss:                   4 kB\n"
                             "00401000-00402000 r--p 00000000 fe:00 17 /a\n"
                             "Rss:                   4 kB\nRss:                   0 kB\n"
                             "00402000-00403000 r--p 00000000 fe:00 17 /a\n"
                             "Size:                  4 kB\nRss:                   4 kB\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "line 4 is damaged: keys of two rows follow it");
}

/* Behind a line that is none of ours, a key that the row has already is that of another row. */
static void keys_behind_a_gap(void **state)
{
    static const char row[] = "00400000-00401000 r--p 00000000 fe:00 17 /a\n"
                              "Pss:                   4 kB\n";
    char text[256];

    snprintf(text, sizeof text, "%s?\nSwap:                  4 kB\n", row);
    kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "line 3 in the middle is not a row: rows may be missing");
    snprintf(text, sizeof text,
             "%s?\nPss:                   8 kB\n"
             "00401000-00402000 r--p 00000000 fe:00 17 /a\nPss:                   4 kB\n",
             row);
    kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "line 1 is damaged: keys of two rows follow it; line 3 in the middle is not a "
                     "row: rows may be missing");
}

/* Pasted without its first character a row would be one of 127 TiB. */
static void an_address_without_its_first_digit(void **state)
{
    kit_expect_block(PM_TEXT("00400000-00401000 r--p 00000000 fe:00 17 /a\n"
                             "f82f6bf0000-7f82f6bfb000 r--p 00000000 fe:00 17 /a\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "line 2 is damaged: its address has lost its first digit");
    kit_expect_block(PM_TEXT("f82f6bf0000-782f6bfb0000 r--p 00000000 fe:00 17 /a\n"),
                     PM_STATE_COMPLETE, PM_CHECKED_NONE, "");
    /* reservations of a browser and of AddressSanitizer: the kernel prints 8 digits at least, and
     * what is not impossible stays */
    kit_expect_block(PM_TEXT("d00000000-1d40000000 rw-p 00000000 00:00 0\n"), PM_STATE_COMPLETE,
                     PM_CHECKED_NONE, "");
    kit_expect_block(PM_TEXT("00010000-100100000 ---p 00000000 00:00 0\n"
                             "2008fff7000-10007fff8000 rw-p 00000000 00:00 0\n"),
                     PM_STATE_COMPLETE, PM_CHECKED_NONE, "");
}

RUN_TESTS(TEST(a_row_with_its_keys), TEST(maps_have_the_size_of_their_range), TEST(names_are_bytes),
          TEST(unknown_keys_are_kept), TEST(a_moment_is_no_key),
          TEST(the_last_of_repeated_keys_counts), TEST(keys_of_two_rows_are_damage),
          TEST(android_names_stand_on_a_line_of_their_own), TEST(wide_numbers_and_other_orders),
          TEST(a_long_number_is_no_part_of_the_label), TEST(a_stack_guard_is_no_damage),
          TEST(overlap_is_damage), TEST(an_address_that_goes_back_begins_a_block),
          TEST(what_grew_is_counted_once), TEST(a_damaged_first_line_spoils_its_row_only),
          TEST(sums_alone_are_totals), TEST(a_damaged_row_ends_the_sums),
          TEST(a_line_between_rows_that_is_none_is_said), TEST(a_cut_at_any_byte_is_noticed),
          TEST(a_key_that_comes_twice), TEST(keys_behind_a_gap),
          TEST(an_address_without_its_first_digit))
