/* pmap_wide: pmap -X and -XX: columns with and without a header, flags, names, running sums. */
#include "parse/demo.h"

#define XX_BITS (PM_BIT(PM_KERNEL_PAGE) | PM_BIT(PM_PRIVATE_DIRTY) | PM_HAS_FLAGS)
#define PLACE (PM_HAS_OFFSET | PM_HAS_DEVICE | PM_HAS_INODE | PM_HAS_PSEUDO)

/* The kernel's names, cut at 127 bytes before the folder is taken off. */
static void expect_wide_names(const pm_seen *s, bool base)
{
    char buf[512];

    for (size_t i = 0; i < DEMO_ROWS; i++) {
        demo_same(s->rows[i].path, demo_path(i, base, 127, buf), i);
        assert_int_equal(s->rows[i].name_cut, i == DEMO_LONG && !base);
    }
    assert_int_equal(s->blocks[0].notes.len > 0, !base);
}

static void pmap_xx(void **state)
{
    pm_seen *s = demo_read("demo-XX.txt", PM_DIALECT_PMAP_XX, PM_CHECKED_FOOTER);

    expect_wide_names(s, true);
    assert_int_equal(s->blocks[0].fields, (PM_NUMBERS & ~PM_BIT(PM_DIRTY) & ~PM_BIT(PM_PRIVATE) &
                                           ~PM_BIT(PM_PROTECTION_KEY)) |
                                              PLACE | PM_HAS_FLAGS);
    assert_int_equal(s->blocks[0].tool_size_kib, DEMO_SIZE);
    assert_int_equal(s->blocks[0].tool_rss_kib, DEMO_RSS);
    kit_free(s);
    s = demo_read("demo-XXp.txt", PM_DIALECT_PMAP_XX, PM_CHECKED_FOOTER);
    expect_wide_names(s, false);
    kit_free(s);
}

/* 23 numbers are those of Linux 6.8, or of 6.0 with ProtectionKey; nothing in these rows refutes
 * the second, so KSM stays unknown, and all that both give alike is taken. */
static void pmap_xx_without_header(void **state)
{
    pm_seen *s = demo_read("demo-XXpq.txt", PM_DIALECT_PMAP_XX, PM_CHECKED_NONE);

    expect_wide_names(s, false);
    assert_int_equal(s->blocks[0].fields, (PM_NUMBERS & ~PM_BIT(PM_DIRTY) & ~PM_BIT(PM_PRIVATE) &
                                           ~PM_BIT(PM_KSM) & ~PM_BIT(PM_PROTECTION_KEY)) |
                                              PLACE | PM_HAS_FLAGS);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_PRIVATE_DIRTY], 748);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_SWAP], 0);
    kit_free(s);
}

static void pmap_big_x(void **state)
{
    pm_seen *s = demo_read("demo-X.txt", PM_DIALECT_PMAP_X, PM_CHECKED_FOOTER);

    expect_wide_names(s, true);
    assert_int_equal(s->blocks[0].fields & XX_BITS, 0);
    assert_true((s->blocks[0].fields & PM_BIT(PM_KSM)) != 0);
    kit_free(s);
    s = demo_read("demo-Xpq.txt", PM_DIALECT_PMAP_X, PM_CHECKED_NONE);
    expect_wide_names(s, false);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_RSS], DEMO_RSS);
    kit_free(s);
}

/* A name that could be a flag: the column decides. */
static void a_file_called_ab(void **state)
{
    kit_expect_rows(PM_TEXT("     Address Perm Size Rss        VmFlags Mapping\n"
                            "    00401000 r--p    4   4    rd mr mw me ab\n"
                            "    00402000 rw-p    4   4 rd wr mr mw me xy ab\n"
                            "    00403000 r--p    4   0       rd mr ?? \n"
                            "    00404000 r--p    4   0    rd mr mw me\n"
                            "                  ==== === \n                    16   8 KB \n"),
                    "401000-402000 r--p Size=4 Rss=4 {rd mr mw me} pseudo [ab]\n"
                    "402000-403000 rw-p Size=4 Rss=4 {rd wr mr mw me} pseudo [xy ab]\n"
                    "403000-404000 r--p Size=4 Rss=0 {rd mr ??} pseudo []\n"
                    "404000-405000 r--p Size=4 Rss=0 {rd mr mw me} pseudo []\n");
}

static void columns_that_we_do_not_know(void **state)
{
    kit_expect_rows(PM_TEXT("1:   init\n"
                            " Adresse Zugr  Versatz Gerät Inode Size NewThing Rss Other Zuordnung\n"
                            "00401000 r--p 00001000 fe:00 17    8        3   4     9 1 2 3\n"
                            "                                ==== ======== === ===== \n"
                            "                                   8        3   4     9 KB \n"),
                    "401000-403000 r--p +1000 fe:0 i17 Size=8 Rss=4 <NewThing: 3 kB\nOther: 9 kB> "
                    "pseudo [1 2 3]\n");
    kit_expect_rows(PM_TEXT("1:   init\n Address Perm Size Rss \n00401000 r--p    4   4\n"
                            "              ==== === \n                 4   4 KB \n"),
                    "401000-402000 r--p Size=4 Rss=4 pseudo []\n");
}

static void columns_that_cannot_be_read(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"1:   init\n Address Perm  Rss Pss Mapping\n00401000 r--p    4   4 x\n",
         "pmap -X of procps 3.3.4 to 3.3.6 prints no sizes: use -x"},
        {"1:   init\n00401000 r--p    4   4 x\n", "columns without names"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_seen *s = kit_read(pm_text_of(cases[i].text));

        assert_int_equal(s->n_blocks, 1);
        assert_int_equal(s->n_rows, 0);
        assert_string_equal(s->blocks[0].empty.data, cases[i].why);
        kit_free(s);
    }
}

/* 19 numbers of an unknown order: only the first, Size, is sure. */
static void an_unknown_layout_gives_sizes(void **state)
{
    kit_expect_rows(PM_TEXT("1:   init\n00401000 r--p 00000000 fe:00 17 8 7 6 5 4 3 2 1 0 0 0 0 0 "
                            "0 0 0 4 4 0 rd mr name\n"),
                    "401000-403000 r--p +0 fe:0 i17 Size=8 {rd mr} pseudo [name]\n");
}

/* Of Linux 4.15 to 4.20 are 19 numbers too; but there Rss is the sum of its four parts. */
static void a_layout_has_to_fit_every_row(void **state)
{
    kit_expect_rows(
        PM_TEXT("1:   init\n00401000 r--p 00000000 fe:00 17 8 4 4 4 4 0 0 0 4 4 4 0 0 0 "
                "0 0 0 0 0 rd mr name\n"),
        "401000-403000 r--p +0 fe:0 i17 Size=8 KernelPageSize=4 MMUPageSize=4 Rss=4 "
        "Pss=4 Shared_Clean=0 Shared_Dirty=0 Private_Clean=0 Private_Dirty=4 "
        "Referenced=4 Anonymous=4 LazyFree=0 AnonHugePages=0 ShmemPmdMapped=0 "
        "Shared_Hugetlb=0 Private_Hugetlb=0 Swap=0 SwapPss=0 Locked=0 {rd mr} pseudo "
        "[name]\n");
    kit_expect_rows(
        PM_TEXT("1:   init\n00401000 r--p 00000000 fe:00 17 8 4 4 4 4 0 0 0 4 4 4 0 0 0 "
                "0 0 0 0 0 rd mr name\n"
                "00403000 r--p 00000000 fe:00 17 8 4 4 4 4 0 0 0 0 4 4 0 0 0 "
                "0 0 0 0 0 rd mr name\n"),
        "401000-403000 r--p +0 fe:0 i17 Size=8 {rd mr} pseudo [name]\n"
        "403000-405000 r--p +0 fe:0 i17 Size=8 {rd mr} pseudo [name]\n");
}

/* 23 numbers with a 4 in the 13th: KSM of Linux 6.8, or LazyFree of 6.0 with ProtectionKey. */
static void where_layouts_differ_a_field_is_unknown(void **state)
{
    pm_seen *s =
        kit_read(PM_TEXT("1:   init\n00401000 r--p 00000000 fe:00 17 8 4 4 4 4 0 0 0 0 4 4 "
                         "4 4 0 0 0 0 0 0 0 0 0 0 rd mr name\n"));
    const uint64_t unknown = PM_BIT(PM_KSM) | PM_BIT(PM_LAZY_FREE) | PM_BIT(PM_PROTECTION_KEY);

    assert_int_equal(s->n_rows, 1);
    assert_int_equal(s->blocks[0].fields & PM_NUMBERS,
                     PM_NUMBERS & ~PM_BIT(PM_DIRTY) & ~PM_BIT(PM_PRIVATE) & ~unknown);
    kit_free(s);
}

static void a_file_called_ab_without_header(void **state)
{
    kit_expect_rows(PM_TEXT("1:   init\n"
                            "00401000 r--p 00000000 fe:00 17 8 4    rd mr mw me ab\n"
                            "00403000 r--p 00000000 fe:00 17 8 4 rd wr mr mw me a file\n"
                            "00405000 r--p 00000000 fe:00 17 8 4    rd mr mw me \n"
                            "00407000 r--p 00000000 fe:00 17 8 4    rd mr mw me x\n"
                            "00409000 r--p 00000000 fe:00 17 8 4    rd mr mw me cd ef\n"),
                    "401000-403000 r--p +0 fe:0 i17 Size=8 {rd mr mw me} pseudo [ab]\n"
                    "403000-405000 r--p +0 fe:0 i17 Size=8 {rd wr mr mw me} pseudo [a file]\n"
                    "405000-407000 r--p +0 fe:0 i17 Size=8 {rd mr mw me} pseudo []\n"
                    "407000-409000 r--p +0 fe:0 i17 Size=8 {rd mr mw me} pseudo [x]\n"
                    "409000-40b000 r--p +0 fe:0 i17 Size=8 {rd mr mw me} pseudo [cd ef]\n");
}

#define HEADER "     Address Perm Size Rss        VmFlags Mapping\n"
#define ROW "    00401000 r--p    4   4    rd mr mw me ab\n"
#define RULE "                  ==== === \n"

/* A capture of a heap that grew meanwhile: the sums are of an earlier reading. */
static void a_row_that_is_printed_again(void **state)
{
    pm_buf bytes = kit_fixture("grown-XX.txt");
    pm_seen *s = kit_read(pm_buf_text(&bytes));

    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->n_rows, 24);
    assert_int_equal(s->rows[5].value[PM_RSS], 51168);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_SIZE], 97484 - 43968);
    assert_int_equal(s->blocks[0].checked, PM_CHECKED_NONE);
    assert_string_equal(s->blocks[0].missing.data, "");
    assert_string_equal(s->blocks[0].notes.data,
                        "1 mappings are printed twice, as they grew while they were read: the "
                        "later row counts\nrows and footer differ by 7200 KiB, as in a running "
                        "process: pmap -X reads the map twice");
    kit_free(s);
    pm_buf_free(&bytes);
}

/* Before procps 4.0.4 the sums run on over the processes of one call. */
static void sums_that_run_on(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("1:   a\n" HEADER ROW RULE "                     4   4 KB \n"
                                  "2:   b\n" HEADER ROW RULE "                     8   8 KB \n"
                                  "3:   c\n" HEADER ROW RULE "                    12  13 KB \n"
                                  "1:   a\n" HEADER ROW RULE "                     4   4 KB \n"
                                  "2:   b\n" HEADER ROW RULE "                    16   8 KB \n"));

    assert_int_equal(s->n_blocks, 5);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(s->blocks[i].checked, PM_CHECKED_FOOTER);
        assert_int_equal(s->blocks[i].tool_size_kib, 4);
        /* pmap reads smaps twice: a sum of Rss may differ. */
        assert_int_equal(s->blocks[i].tool_rss_kib, i == 2 ? 5 : 4);
    }
    assert_int_equal(s->blocks[4].state, PM_STATE_PARTIAL);
    assert_string_equal(s->blocks[4].missing.data,
                        "rows add up to 4 KiB, footer says 16 KiB: 12 KiB are missing");
    kit_free(s);
}

/* Sums of other columns are not those that run on. */
static void other_columns_do_not_run_on(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("1:   a\n" HEADER ROW RULE "                     4   4 KB \n"
                                  "2:   b\n     Address Perm Size Rss Pss Mapping\n"
                                  "    00401000 r--p    4   4   4 ab\n"
                                  "                  ==== === ===\n"
                                  "                     8   8   8 KB \n"));

    assert_int_equal(s->n_blocks, 2);
    assert_string_equal(s->blocks[1].missing.data,
                        "rows add up to 4 KiB, footer says 8 KiB: 4 KiB are missing");
    kit_free(s);
}

#define TWO_ROWS_HEADER "1:   a\n     Address Perm Size KernelPageSize  Rss Mapping\n"
#define TWO_ROWS                                     \
    TWO_ROWS_HEADER                                  \
    "    00401000 r--p    4              4    4 a\n" \
    "    00402000 r--p   12              4    4 a\n" \
    "                  ==== ============== ==== \n"

/* pmap reads smaps twice: what grew or came in between is no damage, what is not there is. */
static void sums_of_another_moment(void **state)
{
    static const struct {
        const char *footer;
        pm_checked checked;
        const char *missing;
    } cases[] = {
        {"                    16              8    8 KB \n", PM_CHECKED_FOOTER, ""},
        {"                    12              8    8 KB \n", PM_CHECKED_NONE, ""},
        {"                    20              8    8 KB \n", PM_CHECKED_NONE, ""},
        {"                    20             12    8 KB \n", PM_CHECKED_NONE,
         "rows add up to 16 KiB, footer says 20 KiB: 4 KiB are missing"},
        {"                    16              8 KB \n", PM_CHECKED_NONE,
         "the footer has 2 sums for 3 columns"},
    };
    char text[1024];
    pm_seen *s;

    /* A footer of its own, larger than the one before it. */
    s = kit_read(PM_TEXT(TWO_ROWS "                    16              8    8 KB \n" TWO_ROWS
                                  "                    36             20    8 KB \n" TWO_ROWS
                                  "                    56             28   16 KB \n"));
    assert_int_equal(s->n_blocks, 3);
    assert_int_equal(s->blocks[1].state, PM_STATE_PARTIAL);
    assert_int_equal(s->blocks[2].state, PM_STATE_COMPLETE);
    assert_int_equal(s->blocks[2].tool_size_kib, 20);
    kit_free(s);
    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(text, sizeof text, "%s%s", TWO_ROWS, cases[i].footer);
        kit_expect_block(pm_text_of(text), *cases[i].missing ? PM_STATE_PARTIAL : PM_STATE_COMPLETE,
                         cases[i].checked, cases[i].missing);
    }
}

/* Linux prints rows in order: where a copied one goes back, a sum that is too small is no other
 * moment. */
static void rows_that_are_too_many(void **state)
{
    kit_expect_block(PM_TEXT(TWO_ROWS_HEADER "    00401000 r--p    4              4    4 a\n"
                                             "    00402000 r--p   12              4    4 a\n"
                                             "    00401000 r--p    4              4    4 a\n"
                                             "                  ==== ============== ==== \n"
                                             "                    16              8    8 KB \n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 20 KiB, footer says 16 KiB: 4 KiB are too many");
    /* In another order they are still all. */
    kit_expect_block(PM_TEXT(TWO_ROWS_HEADER "    00402000 r--p   12              4    4 a\n"
                                             "    00401000 r--p    4              4    4 a\n"
                                             "                  ==== ============== ==== \n"
                                             "                    16              8    8 KB \n"),
                     PM_STATE_COMPLETE, PM_CHECKED_FOOTER, "");
}

static void damage(void **state)
{
    kit_expect_block(PM_TEXT("1:   a\n" HEADER ROW "    00402000 r--p    4 x\n" RULE
                             "                     8   4 KB \n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 4 KiB, footer says 8 KiB: 4 KiB are missing; line 4 is "
                     "damaged: it has not the columns of the others");
    kit_expect_block(PM_TEXT("1:   a\n" HEADER ROW RULE), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "no footer: the end is missing");
    kit_expect_block(PM_TEXT("1:   a\n" HEADER ROW "    00402000 r--p    4"), PM_STATE_PARTIAL,
                     PM_CHECKED_NONE, "line 4 ends in the middle; no footer: the end is missing");
}

static void a_cut_at_any_byte_is_noticed(void **state)
{
    pm_buf bytes = kit_fixture("demo-XX.txt");
    pm_text all = pm_buf_text(&bytes);

    for (size_t n = 1; n + 3 < all.len; n++) {
        pm_seen *s = kit_read((pm_text){all.data, n});

        /* Behind a whole row nobody can tell; then that is said. */
        if (s->n_rows && s->blocks[0].state == PM_STATE_COMPLETE &&
            (all.data[n - 1] != '\n' || !strstr(s->blocks[0].notes.data, "cannot be told")))
            fail_msg("cut at byte %zu: complete", n);
        kit_free(s);
    }
    pm_buf_free(&bytes);
}

RUN_TESTS(TEST(pmap_xx), TEST(pmap_xx_without_header), TEST(pmap_big_x), TEST(a_file_called_ab),
          TEST(columns_that_we_do_not_know), TEST(columns_that_cannot_be_read),
          TEST(an_unknown_layout_gives_sizes), TEST(a_layout_has_to_fit_every_row),
          TEST(where_layouts_differ_a_field_is_unknown), TEST(a_file_called_ab_without_header),
          TEST(a_row_that_is_printed_again), TEST(sums_that_run_on),
          TEST(other_columns_do_not_run_on), TEST(sums_of_another_moment),
          TEST(rows_that_are_too_many), TEST(damage), TEST(a_cut_at_any_byte_is_noticed))
