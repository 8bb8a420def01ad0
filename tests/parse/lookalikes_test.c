/* lookalikes: rows of other tools and of patched or old procps: their dialects, and the fields of
 * their numbers. */
#include "parse/kit.h"

/* The only block of the text: its dialect, how it was checked; and its rows. */
static void expect(const char *text, pm_dialect dialect, pm_checked checked, const char *rows)
{
    pm_seen *s = kit_read(pm_text_of(text));

    if (s->n_blocks != 1 || s->blocks[0].empty.len)
        fail_msg("%zu blocks in: %s", s->n_blocks, text);
    assert_int_equal(s->blocks[0].dialect, dialect);
    assert_string_equal(s->blocks[0].missing.data, "");
    assert_int_equal(s->blocks[0].checked, checked);
    kit_free(s);
    kit_expect_rows(pm_text_of(text), rows);
}

static void expect_refused(const char *text, const char *why)
{
    pm_seen *s = kit_read(pm_text_of(text));

    assert_int_equal(s->n_rows, 0);
    assert_true(s->n_blocks >= 1);
    if (!strstr(s->blocks[0].empty.data, why))
        fail_msg("'%s' is not '%s'", s->blocks[0].empty.data, why);
    for (size_t i = 0; i < s->n_blocks; i++)
        assert_true(s->blocks[i].empty.len > 0);
    kit_free(s);
    kit_every_chunk(pm_text_of(text), 512);
}

#define BUSYBOX "16098: /srv/awk/awk ward\n"
#define BUSYBOX_ROWS                               \
    "0000000000400000       4K r--p  /srv/a\n"     \
    "0000000000401000       8K rw-p    [ anon ]\n" \
    "0000000000403000       4K rw-p  [heap]\n"

static void busybox(void **state)
{
    pm_seen *s;

    expect(BUSYBOX BUSYBOX_ROWS "mapped: 16K\n", PM_DIALECT_BUSYBOX, PM_CHECKED_FOOTER,
           "400000-401000 r--p Size=4 pseudo [/srv/a]\n"
           "401000-403000 rw-p Size=8 pseudo []\n"
           "403000-404000 rw-p Size=4 pseudo [[heap]]\n");
    s = kit_read(PM_TEXT(BUSYBOX BUSYBOX_ROWS "mapped: 20K\n"));
    assert_int_equal(s->blocks[0].pid, 16098);
    assert_string_equal(s->blocks[0].command.data, "/srv/awk/awk ward");
    assert_string_equal(s->blocks[0].missing.data,
                        "rows add up to 16 KiB, footer says 20 KiB: 4 KiB are missing");
    kit_free(s);
}

static void busybox_x(void **state)
{
    expect(BUSYBOX "Address\t\t  Kbytes     PSS   Dirty    Swap  Mode  Mapping\n"
                   "0000000000400000      12       8       4       1  r-xp  /srv/a\n"
                   "0000000000403000       4       1       2       3  rw-s    [ anon ]\n"
                   "----------------  ------  ------  ------  ------\n"
                   "total\t\t       16       9       6       4\n",
           PM_DIALECT_BUSYBOX_X, PM_CHECKED_FOOTER,
           "400000-403000 r-xp Size=12 Pss=8 Private_Dirty=4 Swap=1 pseudo [/srv/a]\n"
           "403000-404000 rw-s Size=4 Pss=1 Private_Dirty=2 Swap=3 pseudo []\n");
}

/* Every one of the four sums has to agree. */
static void sums_of_busybox_x_and_toybox_x(void **state)
{
    static const struct {
        const char *sums, *missing;
    } cases[] = {
        {"total 12 8 4 1\n", ""},
        {"total  12 8 4 1\n", ""},
        {"total  13 8 4 1\n", "rows add up to 12 KiB, footer says 13 KiB: 1 KiB are missing"},
        {"total  12 9 4 1\n", "rows add up to PSS 8 KiB, footer says 9 KiB: 1 KiB are missing"},
        {"total  12 8 3 1\n", "rows add up to Private_Dirty 4 KiB, footer says 3 KiB: 1 KiB "
                              "are too many"},
        {"total  12 8 4 5\n", "rows add up to Swap 1 KiB, footer says 5 KiB: 4 KiB are missing"}};
    static const char *const modes[] = {" r-xp ", "r-x--"};
    char text[512];

    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < 2; k++) {
            bool collapsed = i == 0;

            snprintf(text, sizeof text, BUSYBOX "0000000000400000 12 8 4 1 %s /srv/a\n%s", modes[k],
                     cases[i].sums);
            kit_expect_block(pm_text_of(text),
                             *cases[i].missing ? PM_STATE_PARTIAL : PM_STATE_COMPLETE,
                             *cases[i].missing || collapsed ? PM_CHECKED_NONE : PM_CHECKED_FOOTER,
                             cases[i].missing);
        }
}

/* `busybox pmap -q 1 2`: nothing but "PID: command" between them, which any remark looks like. */
static void several_pids_of_busybox(void **state)
{
    pm_seen *s = kit_read(
        PM_TEXT("1: init\n" BUSYBOX_ROWS "2: b\n" BUSYBOX_ROWS "999999: [?]\n3: c\n" BUSYBOX_ROWS));

    assert_int_equal(s->n_blocks, 4);
    assert_int_equal(s->blocks[0].pid, 1);
    assert_int_equal(s->blocks[1].pid, 2);
    assert_string_equal(s->blocks[1].command.data, "b");
    assert_string_equal(s->blocks[2].empty.data, "the process is gone");
    assert_int_equal(s->blocks[2].pid, 999999);
    assert_int_equal(s->blocks[3].pid, 3);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(s->blocks[i].missing.len, 0);
    assert_int_equal(s->n_rows, 9);
    kit_free(s);
    /* Among rows whose header is laid out as procps does, it is a remark. */
    s = kit_read(PM_TEXT("1:   init\n" BUSYBOX_ROWS "2: b\n" BUSYBOX_ROWS));
    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->blocks[0].pid, 1);
    assert_int_equal(s->blocks[0].state, PM_STATE_PARTIAL);
    kit_free(s);
}

static void toybox(void **state)
{
    expect("16098: /srv/awk\n"
           "0000000000400000      4K r---- awk ward\n"
           "0000000000401000      4K rw---   [anon]\n"
           "0000000000402000      4K rw---   [heap]\n"
           "0000000000403000      4K rw---   [anon:dalvik-main space]\n"
           "0000000000404000      4K r----   [vvar_vclock]\n"
           "total                20K\n",
           PM_DIALECT_TOYBOX, PM_CHECKED_FOOTER,
           "400000-401000 r--p Size=4 [awk ward]\n"
           "401000-402000 rw-p Size=4 []\n"
           "402000-403000 rw-p Size=4 pseudo [[heap]]\n"
           "403000-404000 rw-p Size=4 pseudo [[anon:dalvik-main space]]\n"
           "404000-405000 r--p Size=4 pseudo [[vvar_vclock]]\n");
}

/* Its rows are those of procps but for the names: asked for by name, they are let through. */
static void toybox_alone(void **state)
{
    pm_seen *s;

    expect("0000000000400000      4K rw---   [anon]\n", PM_DIALECT_TOYBOX, PM_CHECKED_NONE,
           "400000-401000 rw-p Size=4 []\n");
    s = kit_read_as(PM_DIALECT_TOYBOX,
                    PM_TEXT("0000000000400000      4K rw---   [anon]\n"
                            "0000000000401000      12       8       4 r-x-- demo\n"),
                    1000);
    assert_int_equal(s->n_rows, 1);
    assert_int_equal(s->blocks[0].dialect, PM_DIALECT_TOYBOX);
    kit_free(s);
}

static void toybox_x(void **state)
{
    expect("16098: /srv/awk\nAddress           Kbytes     PSS   Dirty    Swap Mode  Mapping\n"
           "0000000012c00000  524288   11884   11880       4 rw---  [anon:dalvik-main space]\n"
           "000000006f04a000    2620    1278    1256       0 r-x--  boot.art]\n"
           "----------------  ------  ------  ------  ------\n"
           "total             526908   13162   13136       4\n",
           PM_DIALECT_TOYBOX_X, PM_CHECKED_FOOTER,
           "12c00000-32c00000 rw-p Size=524288 Pss=11884 Private_Dirty=11880 Swap=4 pseudo "
           "[[anon:dalvik-main space]]\n"
           "6f04a000-6f2d9000 r-xp Size=2620 Pss=1278 Private_Dirty=1256 Swap=0 pseudo "
           "[boot.art]]\n");
}

/* A file of that name, as procps prints it, is no name of toybox. */
static void a_file_called_heap(void **state)
{
    expect("1:   a\n0000000000400000      4K rw--- [heap]\n0000000000401000      4K rw---   [ anon "
           "]\n",
           PM_DIALECT_PMAP, PM_CHECKED_NONE,
           "400000-401000 rw-p Size=4 [[heap]]\n401000-402000 rw-p Size=4 []\n");
}

#define OPENSUSE                                                                       \
    "1:   a\nAddress           Kbytes     RSS     PSS   Dirty    Swap Mode  Mapping\n" \
    "0000000000400000      12      11      10       9       8 r-xp- /usr/bin/a\n"      \
    "0000000000403000       4       4       3       2       1 rw-s-   [ anon ]\n"      \
    "---------------- ------- ------- ------- ------- ------- \n"

static void opensuse(void **state)
{
    expect(OPENSUSE "total kB              16      15      13      11       9\n", PM_DIALECT_SUSE,
           PM_CHECKED_FOOTER,
           "400000-403000 r-xp Size=12 Rss=11 Pss=10 Swap=8 Dirty=9 [/usr/bin/a]\n"
           "403000-404000 rw-s Size=4 Rss=4 Pss=3 Swap=1 Dirty=2 []\n");
    /* Of all five, the one that differs is said. */
    kit_expect_block(PM_TEXT(OPENSUSE "total kB              16      15      13      12       9\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to Dirty 11 KiB, footer says 12 KiB: 1 KiB are missing");
    kit_expect_block(PM_TEXT(OPENSUSE "total kB              16      15      13      11      10\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to Swap 9 KiB, footer says 10 KiB: 1 KiB are missing");
    /* With -x it prints what others print without. */
    expect("1:   a\n0000000000400000     12K r-xp- /usr/bin/a\n total               12K\n",
           PM_DIALECT_PMAP, PM_CHECKED_FOOTER, "400000-403000 r-xp Size=12 [/usr/bin/a]\n");
    expect("1:   a\nAddress           Kbytes Mode  Offset           Device    Mapping\n"
           "0000000000400000      12 r-xp- 0000000000001000 008:00001 /usr/bin/a\n"
           "mapped: 12K    writeable/private: 0K    shared: 0K\n",
           PM_DIALECT_PMAP_D, PM_CHECKED_FOOTER,
           "400000-403000 r-xp +1000 8:1 Size=12 [/usr/bin/a]\n");
}

#define SLES                                                                     \
    "00400000             12K     11K     10K      9K      8K r-xp /usr/bin/a\n" \
    "7ffc833cb000          4K      4K      3K      2K      1K r-xp [vdso]\n"
#define SLES_READ                                                            \
    "400000-403000 r-xp Size=12 Rss=11 Pss=10 Swap=8 Dirty=9 [/usr/bin/a]\n" \
    "7ffc833cb000-7ffc833cc000 r-xp Size=4 Rss=4 Pss=3 Swap=1 Dirty=2 [[vdso]]\n"

/* Sums in two lines: the second, of kinds of memory, adds nothing. */
static void sles(void **state)
{
    static const char parts[] = "336K writable-private, 10224K readonly-private, 0K shared, and "
                                "636K referenced\n";
    char text[1024];

    snprintf(text, sizeof text, SLES "Total:               16K     15K     13K     11K      9K\n");
    expect(text, PM_DIALECT_SUSE, PM_CHECKED_FOOTER, SLES_READ);
    expect(
        "00400000             12K     11K     10K      9K      8K r-xp 00001000 08:01 /usr/bin/a\n",
        PM_DIALECT_SUSE, PM_CHECKED_NONE,
        "400000-403000 r-xp +1000 8:1 Size=12 Rss=11 Pss=10 Swap=8 Dirty=9 [/usr/bin/a]\n");
    snprintf(text, sizeof text,
             SLES "Total:               16K     15K     13K     11K      9K\n\n%s",
             "4K writable-private, 12K readonly-private, 0K shared, and 6K referenced\n");
    expect(text, PM_DIALECT_SUSE, PM_CHECKED_FOOTER, SLES_READ);
    snprintf(text, sizeof text, SLES "%s", parts);
    kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 16 KiB, footer says 10560 KiB: 10544 KiB are missing");
}

/* RSS, Anon and Locked are three dashes: unknown, and not 0. */
static void procps_3_2(void **state)
{
    expect("1:   a\nAddress           Kbytes     RSS    Anon  Locked Mode   Mapping\n"
           "0000000000400000      12       -       -       - r-x--  awk ward\n"
           "0000000000403000       4       -       -       - rw---    [ anon ]\n"
           "----------------  ------  ------  ------  ------\n"
           "total kB              16       -       -       -\n",
           PM_DIALECT_PMAP_SMALL_X, PM_CHECKED_FOOTER,
           "400000-403000 r-xp Size=12 [awk ward]\n403000-404000 rw-p Size=4 []\n");
    kit_expect_block(PM_TEXT("0000000000400000      12       -       -       - r-x--  a\n"
                             "total kB              16       -       -       -\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 12 KiB, footer says 16 KiB: 4 KiB are missing");
}

#define RHEL "1:   a\nAddress           Kbytes     RSS   Dirty Mode   Mapping\n"

static void blanks_of_rhel(void **state)
{
    expect(RHEL "0000000000400000      12       8       4 r-x--  my  file\n"
                "0000000000403000       4       4       4 rw---    [ anon ]\n"
                "0000000000404000       4       4       4 rw---    [ stack ]\n"
                "0000000000405000       4       0       0 rw-s-    [ shmid=0x7 ]\n"
                "----------------  ------  ------  ------\n"
                "total kB              24      16      12\n",
           PM_DIALECT_PMAP_SMALL_X, PM_CHECKED_FOOTER,
           "400000-403000 r-xp Size=12 Rss=8 Dirty=4 [my  file]\n"
           "403000-404000 rw-p Size=4 Rss=4 Dirty=4 []\n"
           "404000-405000 rw-p Size=4 Rss=4 Dirty=4 [[stack]]\n"
           "405000-406000 rw-s Size=4 Rss=0 Dirty=0 [[ shmid=0x7 ]]\n");
}

/* The first name decides how many blanks stand before all; a page that keeps one of each run has
 * only those inside the brackets left. */
static void blanks_before_the_first_name(void **state)
{
    expect("0000000000400000     12K rw---    [ anon ]\n0000000000403000      4K r-x--  file\n",
           PM_DIALECT_PMAP, PM_CHECKED_NONE,
           "400000-403000 rw-p Size=12 []\n403000-404000 r-xp Size=4 [file]\n");
    expect("0000000000400000 12K rw--- [ anon ]\n0000000000403000 4K rw--- [ stack ]\n",
           PM_DIALECT_PMAP, PM_CHECKED_NONE,
           "400000-403000 rw-p Size=12 []\n403000-404000 rw-p Size=4 [[stack]]\n");
}

/* Second rows of another mode or with numbers are no fault of the tool, but damage. */
static void rows_that_only_look_doubled(void **state)
{
    static const char *const seconds[] = {"       0       4       0 r-x--  a",
                                          "       0       0       4 r-x--  a",
                                          "       0       0       0 r----  a"};
    char text[512];

    for (size_t i = 0; i < COUNT(seconds); i++) {
        snprintf(text, sizeof text,
                 "0000000000400000      12       8       4 r-x--  a\n0000000000400000%s\n",
                 seconds[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                         "line 2 is damaged: it has no extent");
    }
}

static void modes_that_are_none(void **state)
{
    static const char *const rows[] = {
        "0000000000403000      4K r--pfile\n", "0000000000403000      4K r--- file\n",
        "0000000000403000      4K rx-- file\n", "0000000000403000      4K r-x file\n",
        "0000000000403000      4K r-x--\tfile\n"};
    char text[512];

    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(text, sizeof text, "0000000000400000     12K r-x-- a\n%s", rows[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                         "line 2 is damaged: it begins like a row and is not one");
    }
}

/* -x -A of procps 3.3.2 to 3.3.14: what lies outside of the range has size 0 and four letters. */
static void rows_outside_of_a_range(void **state)
{
    pm_seen *s = kit_read(PM_TEXT(RHEL "0000000000400000       0       8       4  r--p (null)\n"
                                       "0000000000403000       4       4       4 rw---  a\n"
                                       "0000000000403000       0       0       0 rw---  a\n"
                                       "----------------  ------  ------  ------\n"
                                       "total kB               4      12       8\n"));

    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->n_rows, 1);
    assert_int_equal(s->blocks[0].checked, PM_CHECKED_FOOTER);
    assert_string_equal(s->blocks[0].missing.data, "");
    assert_non_null(strstr(s->blocks[0].notes.data, "1 rows of size 0 lie outside"));
    assert_non_null(strstr(s->blocks[0].notes.data, "counts 8 KiB of RSS outside"));
    kit_free(s);
    /* With a size such a row is of no tool. */
    kit_expect_block(PM_TEXT(RHEL "0000000000400000       4       8       4  r--p (null)\n"
                                  "0000000000403000       4       4       4 rw---  a\n"
                                  "total kB               8      12       8\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE,
                     "rows add up to 4 KiB, footer says 8 KiB: 4 KiB are missing; line 3 is "
                     "damaged: it begins like a row and is not one");
}

static void refused(void **state)
{
    expect_refused(
        "         Address     Kbytes        RSS       Anon     Locked Mode   Mapped File\n"
        "0000000000400000         12          8          -          - r-x--  a\n",
        "Solaris");
    expect_refused("08050000      12       8       4       - r-x--  a\n", "Solaris");
    expect_refused("08050000      12       8       -       - r-x--  a\n", "Solaris");
    /* Its addresses are in capitals. */
    expect_refused("1:   a\nFE8C0000     12K r-x--  /lib/libc.so.1\n", "Solaris");
    expect_refused("pid=32402, name=hg\nAddress                 RSS  Mode    Mapping\n"
                   "0000000000400000      1200K  r-xp    /usr/bin/python2.7\n",
                   "psutil");
    expect_refused("0000000000400000      1200K  r-xp    /usr/bin/python2.7\n", "psutil");
}

RUN_TESTS(TEST(busybox), TEST(busybox_x), TEST(sums_of_busybox_x_and_toybox_x),
          TEST(several_pids_of_busybox), TEST(toybox), TEST(toybox_alone), TEST(toybox_x),
          TEST(a_file_called_heap), TEST(opensuse), TEST(sles), TEST(procps_3_2),
          TEST(blanks_of_rhel), TEST(blanks_before_the_first_name),
          TEST(rows_that_only_look_doubled), TEST(modes_that_are_none),
          TEST(rows_outside_of_a_range), TEST(refused))
