/* narrow_test: pmap, pmap -x, pmap -d: rows, names, and the sums below them. */
#include "parse/demo.h"

#define PID "4711:   /srv/demo/demo --fast\n"
#define COLUMNS "Address           Kbytes     RSS   Dirty Mode  Mapping\n"
#define RULE "---------------- ------- ------- ------- \n"
#define X1 "0000000000400000      12       8       4 r-x-- demo\n"
#define X2 "00007ffd2d594000     132      12      12 rw---   [ stack ]\n"

/* The narrow dialects hide what is no file, and print '?' for what is not printable (4.0.2). */
static void expect_narrow_names(const pm_seen *s, bool base)
{
    char buf[512];

    for (size_t i = 0; i < DEMO_ROWS; i++) {
        pm_text path = demo_path(i, base, SIZE_MAX, buf), got = s->rows[i].path;

        if (pm_text_starts(path, PM_TEXT("[")) && !pm_text_equal(path, PM_TEXT("[stack]")))
            path = PM_TEXT("");
        assert_false(pm_has(&s->rows[i], PM_HAS_PSEUDO));
        if (i == DEMO_BAD)
            assert_true(pm_text_ends(got, PM_TEXT("bad? utf8 ")));
        else if (i == DEMO_TAB)
            assert_true(pm_text_ends(got, PM_TEXT("tab?here")));
        else
            demo_same(got, path, i);
    }
}

static void pmap_x(void **state)
{
    pm_seen *s = demo_read("demo-x.txt", PM_DIALECT_PMAP_SMALL_X, PM_CHECKED_FOOTER);

    expect_narrow_names(s, true);
    assert_int_equal(s->blocks[0].fields, PM_BIT(PM_SIZE) | PM_BIT(PM_RSS) | PM_BIT(PM_DIRTY));
    assert_int_equal(s->blocks[0].pid, 30639);
    assert_string_equal(s->blocks[0].command.data, "/srv/demo/demo");
    assert_int_equal(s->blocks[0].tool_size_kib, DEMO_SIZE);
    assert_int_equal(s->blocks[0].tool_rss_kib, DEMO_RSS);
    kit_free(s);
    s = demo_read("demo-xp.txt", PM_DIALECT_PMAP_SMALL_X, PM_CHECKED_FOOTER);
    expect_narrow_names(s, false);
    kit_free(s);
}

static void pmap_d(void **state)
{
    pm_seen *s = demo_read("demo-d.txt", PM_DIALECT_PMAP_D, PM_CHECKED_FOOTER);

    expect_narrow_names(s, true);
    assert_int_equal(s->blocks[0].fields, PM_BIT(PM_SIZE) | PM_HAS_OFFSET | PM_HAS_DEVICE);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_RSS], -1);
    kit_free(s);
}

static void pmap_alone(void **state)
{
    pm_seen *s = demo_read("demo-default.txt", PM_DIALECT_PMAP, PM_CHECKED_FOOTER);

    expect_narrow_names(s, true);
    assert_int_equal(s->blocks[0].fields, PM_BIT(PM_SIZE));
    assert_int_equal(s->blocks[0].tool_rss_kib, PMAPDB_UNKNOWN);
    kit_free(s);
}

static void pseudo_names(void **state)
{
    kit_expect_rows(PM_TEXT("0000000000001000      4K rw--- file\n"
                            "0000000000002000      4K rw---   [ anon ]\n"
                            "0000000000003000      4K rw---   [ анон ]\n"
                            "0000000000004000      4K rw---   [ pile  ]\n"
                            "0000000000005000      4K rw-s-   [ shmid=0xaa801a ]\n"
                            "0000000000006000      4K rw--- [heap]\n"
                            "0000000000007000      4K rw---  two\n"
                            "0000000000008000      4K rw---\n"
                            "0000000000009000      4K r---R zero (deleted)\n"),
                    "1000-2000 rw-p Size=4 [file]\n"
                    "2000-3000 rw-p Size=4 []\n"
                    "3000-4000 rw-p Size=4 []\n"
                    "4000-5000 rw-p Size=4 [[stack]]\n"
                    "5000-6000 rw-s Size=4 [[ shmid=0xaa801a ]]\n"
                    "6000-7000 rw-p Size=4 [[heap]]\n"
                    "7000-8000 rw-p Size=4 [ two]\n"
                    "8000-9000 rw-p Size=4 []\n"
                    "9000-a000 r--p Size=4 [zero (deleted)]\n");
}

/* procps before 3.3.7 puts one blank more before the name. */
static void two_blanks_before_the_name(void **state)
{
    kit_expect_rows(PM_TEXT("08048000     36K r-x--  /sbin/init\n"
                            "08051000      4K rw---    [ anon ]\n"
                            "08052000      4K rw---  /my  file\n"),
                    "8048000-8051000 r-xp Size=36 [/sbin/init]\n"
                    "8051000-8052000 rw-p Size=4 []\n"
                    "8052000-8053000 rw-p Size=4 [/my  file]\n");
}

/* procps 3.3.2 to 3.3.12 on Linux 4.3 and later; its sum counts shared rows twice up to 3.3.11. */
static void rows_printed_twice(void **state)
{
    kit_expect_block(PM_TEXT(PID COLUMNS X1
                             "0000000000400000       0       0       0 r-x-- demo\n"
                             "0000000000500000      64       0       0 rw-s- zero (deleted)\n"
                             "0000000000500000       0       0       0 rw-s- zero (deleted)\n" RULE
                             "total kB             140       8       4\n"),
                     PM_STATE_COMPLETE, PM_CHECKED_FOOTER, "");
}

static void sums_that_differ_are_said_in_numbers(void **state)
{
    kit_expect_block(PM_TEXT(PID COLUMNS X1 X2 RULE "total kB             400      20      16\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 144 KiB, footer says 400 KiB: 256 KiB are missing");
    kit_expect_block(PM_TEXT(PID COLUMNS X1 X2 RULE "total kB             144      19      16\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to RSS 20 KiB, footer says 19 KiB: 1 KiB are too many");
    kit_expect_block(PM_TEXT(PID COLUMNS X1 X2 RULE "total kB             144      20      15\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to Dirty 16 KiB, footer says 15 KiB: 1 KiB are too many");
    /* -A: RSS and Dirty of what lies below the range are in the sums. */
    kit_expect_block(PM_TEXT(PID COLUMNS X1 X2 RULE "total kB             144      99      77\n"),
                     PM_STATE_COMPLETE, PM_CHECKED_FOOTER, "");
    kit_expect_block(PM_TEXT(PID "0000000000400000     12K r-x-- demo\n total               16K\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 12 KiB, footer says 16 KiB: 4 KiB are missing");
}

/* A capture of a heap that grew meanwhile: the sums are of both its rows. */
static void a_row_that_is_printed_again(void **state)
{
    pm_buf bytes = kit_fixture("grown-x.txt");
    pm_seen *s = kit_read(pm_buf_text(&bytes));

    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->n_rows, 24);
    assert_int_equal(s->rows[5].value[PM_RSS], 40836);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_SIZE], 77668 - 34480);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_RSS], 76492 - 34480);
    assert_int_equal(s->blocks[0].checked, PM_CHECKED_FOOTER);
    assert_string_equal(s->blocks[0].missing.data, "");
    assert_string_equal(s->blocks[0].notes.data,
                        "1 mappings are printed twice, as they grew while they were read: the "
                        "later row counts");
    kit_free(s);
    kit_every_chunk(pm_buf_text(&bytes), 64);
    pm_buf_free(&bytes);
    /* If the sums are of the later row alone, the first is another mapping. */
    kit_expect_block(PM_TEXT(PID
                             "0000000000400000      8K rw--- a\n0000000000400000     12K rw--- a\n"
                             " total               12K\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 20 KiB, footer says 12 KiB: 8 KiB are too many");
}

static void sums_in_other_languages(void **state)
{
    static const char *const footers[] = {"кБ загалом           144      20      16\n",
                                          "kB gesamt            144      20      16\n",
                                          "totalt kB            144      20      16\n"};
    static const char *const totals[] = {" totalt            12 k\n", " загалом       12 К\n",
                                         " gesamt              12K\n",
                                         "mappat: 12 k    skrivbart/privat: 0 k    delat: 0 k\n"};
    char text[1024];

    for (size_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 PID "Адреса     кбайтів     RSS Брудно Режим Відповідність\n" X1 X2 RULE "%s",
                 footers[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_COMPLETE, PM_CHECKED_FOOTER, "");
    }
    for (size_t i = 0; i < 4; i++) {
        snprintf(text, sizeof text, PID "0000000000400000     12K r-x-- demo\n%s", totals[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_COMPLETE, PM_CHECKED_FOOTER, "");
    }
}

static void no_footer_below_a_header_is_a_cut(void **state)
{
    kit_expect_block(PM_TEXT(PID COLUMNS X1 X2), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "no footer: the end is missing");
    kit_expect_block(PM_TEXT(PID X1 X2), PM_STATE_COMPLETE, PM_CHECKED_NONE, "");
    /* The sum below another program's listing is not ours. */
    kit_expect_block(PM_TEXT(PID X1 X2 "total 48K\n"), PM_STATE_COMPLETE, PM_CHECKED_NONE, "");
}

static void broken_rows_are_counted(void **state)
{
    kit_expect_block(PM_TEXT(PID COLUMNS X1
                             "0000000000500000       4       4 rw--- demo\n"
                             "0000000000501000       4       4       4       4 rw--- d\n"
                             "000000000050 rw\n" X2 RULE
                             "total kB             144      20      16\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_FOOTER,
                     "3 damaged rows, the first is line 4: it begins like a row and is not one");
    kit_expect_block(PM_TEXT(PID X1 "0000000000500000      99999999999999999999       0       0 "
                                    "rw--- demo\n" X2),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "line 3 is damaged: it begins like a row and is not one");
    kit_expect_block(
        PM_TEXT(PID X1 "0000000000500000 9223372036854775807       0       0 rw--- x\n"),
        PM_STATE_PARTIAL, PM_CHECKED_NONE, "line 3 is damaged: it has no extent");
    kit_expect_block(PM_TEXT(PID X1 "0000000000402000       8       0       0 rw--- x\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "line 3 is damaged: it overlaps the row before it");
}

static void pss_never_lands_in_rss(void **state)
{
    static const struct {
        const char *text;
        pm_dialect dialect;
    } others[] = {
        {"1234: demo\nAddress\t\t  Kbytes     PSS   Dirty    Swap  Mode  Mapping\n"
         "0000000000400000      12       8       4       0  r-xp  /srv/demo/demo\n",
         PM_DIALECT_BUSYBOX_X},
        {"0000000000400000      12       8       4       0 r-x-- demo\n", PM_DIALECT_TOYBOX_X},
        {"0000000000400000      12       8       4       0  r-xp  /srv/demo/demo\n",
         PM_DIALECT_BUSYBOX_X}};

    for (size_t i = 0; i < COUNT(others); i++) {
        pm_seen *s = kit_read(pm_text_of(others[i].text));

        assert_int_equal(s->n_rows, 1);
        assert_int_equal(s->blocks[0].dialect, others[i].dialect);
        assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_RSS], -1);
        assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_PSS], 8);
        assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_PRIVATE_DIRTY], 4);
        assert_false(pm_has(&s->rows[0], PM_BIT(PM_RSS)) || pm_has(&s->rows[0], PM_BIT(PM_DIRTY)));
        kit_free(s);
        kit_every_chunk(pm_text_of(others[i].text), 512);
    }
}

static void three_numbers_below_a_header_with_pss(void **state)
{
    pm_text t = PM_TEXT("Address           Kbytes     PSS   Dirty Mode  Mapping\n" X1);
    pm_seen *s = kit_read(t);

    assert_int_equal(s->n_rows, 0);
    assert_int_equal(s->n_blocks, 1);
    assert_true(s->blocks[0].foreign);
    assert_non_null(strstr(s->blocks[0].empty.data, "PSS"));
    kit_free(s);
}

/* Sorted rows of a block with a header stay one block; without a header an address that goes back
 * begins the next. */
static void rows_in_another_order(void **state)
{
    pm_seen *s = kit_read(PM_TEXT(PID X2 X1));

    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->blocks[0].state, PM_STATE_COMPLETE);
    assert_int_equal(s->n_rows, 2);
    kit_free(s);
    s = kit_read(PM_TEXT(X1 X2 X1));
    assert_int_equal(s->n_blocks, 2);
    assert_int_equal(s->first_row[1], 2);
    kit_free(s);
}

/* Any part of a pmap -x that lacks its end is partial, or has no row yet. */
static void a_cut_at_any_byte_is_noticed(void **state)
{
    pm_buf bytes = kit_fixture("demo-x.txt");
    pm_text all = pm_buf_text(&bytes);

    for (size_t n = 1; n + 1 < all.len; n++) {
        pm_seen *s = kit_read((pm_text){all.data, n});

        if (s->n_rows && s->blocks[0].state == PM_STATE_COMPLETE)
            fail_msg("cut at byte %zu: complete", n);
        assert_true(s->n_blocks == 0 || s->n_rows > 0 || s->blocks[0].empty.len > 0);
        kit_free(s);
    }
    pm_buf_free(&bytes);
}

RUN_TESTS(TEST(pmap_x), TEST(pmap_d), TEST(pmap_alone), TEST(pseudo_names),
          TEST(two_blanks_before_the_name), TEST(rows_printed_twice),
          TEST(sums_that_differ_are_said_in_numbers), TEST(a_row_that_is_printed_again),
          TEST(sums_in_other_languages), TEST(no_footer_below_a_header_is_a_cut),
          TEST(broken_rows_are_counted), TEST(pss_never_lands_in_rss),
          TEST(three_numbers_below_a_header_with_pss), TEST(rows_in_another_order),
          TEST(a_cut_at_any_byte_is_noticed))
