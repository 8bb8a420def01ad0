/* words: informative lines that are not rows: moments, marks of omission, refusals by the system,
 * process names, headers of other tools. */
#include "parse/kit.h"

#define T1 1795226732000 /* 2026-11-21 02:05:32 UTC */
#define S1 "[2026-11-21 02:05:32] "
#define S2 "2026-11-21T02:05:32Z "
#define ROW "0000000000400000      12       8       4 r-x-- demo\n"
#define ROW2 "0000000000403000       4       4       4 rw--- demo\n"
#define MAP "00400000-00401000 r--p 00000000 fe:00 17 /a\n"
#define MAP2 "00401000-00402000 rw-p 00001000 fe:00 17 /a\n"

static void moments_with_text_and_a_pid(void **state)
{
    static const struct {
        const char *line;
        int64_t time, pid;
    } cases[] = {
        {"2026-11-21 02:05:32\n", T1, PMAPDB_UNKNOWN},
        {"2026-11-21 02:05:32 PID 4711\n", T1, 4711},
        {"=== 2026-11-21T02:05:32Z capture of pid=4711 ===\n", T1, 4711},
        {"[2026-11-21 02:05:32] before the restart\n", T1, PMAPDB_UNKNOWN},
        {"2026-11-21 02:05:32 12: failed\n", T1, PMAPDB_UNKNOWN},
        /* A number in a column. */
        {"      1795226732 12 files\n", PMAPDB_UNKNOWN, PMAPDB_UNKNOWN},
        {"1795226732 12 files\n", T1, PMAPDB_UNKNOWN},
        {"the restart of 2026-11-21 02:05:32\n", PMAPDB_UNKNOWN, PMAPDB_UNKNOWN},
    };
    char text[256];

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_seen *s;

        snprintf(text, sizeof text, "%s" ROW, cases[i].line);
        s = kit_read(pm_text_of(text));
        assert_int_equal(s->n_blocks, 1);
        assert_int_equal(s->blocks[0].time_ms, cases[i].time);
        assert_int_equal(s->blocks[0].pid, cases[i].pid);
        kit_free(s);
    }
}

/* A process that is named counts for the next block, not for the one after. */
static void a_pid_is_for_one_block(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("2026-11-21 02:05:32 pid 4711\n" ROW "total kB 12 8 4\n" ROW
                                  "2026-11-21 02:06:32\n" ROW));

    assert_int_equal(s->n_blocks, 3);
    assert_int_equal(s->blocks[0].pid, 4711);
    assert_int_equal(s->blocks[1].pid, PMAPDB_UNKNOWN);
    assert_int_equal(s->blocks[1].time_ms, T1);
    assert_int_equal(s->blocks[2].time_ms, T1 + 60000);
    kit_free(s);
}

/* A log with a moment before each line (`pmap ... | ts`), in every form that pmap has. */
static void every_line_stamped(void **state)
{
    static const struct {
        const char *lines[9];
        pm_dialect dialect;
        pm_checked checked;
        size_t rows;
    } cases[] = {
        {{"4711:   a", "Address           Kbytes     RSS   Dirty Mode  Mapping",
          "0000000000400000      12       8       4 r-x-- demo",
          "0000000000403000       4       4       4 rw---   [ anon ]",
          "---------------- ------- ------- ------- ", "total kB              16      12       8"},
         PM_DIALECT_PMAP_SMALL_X,
         PM_CHECKED_FOOTER,
         2},
        {{"4711:   a", "0000000000400000     12K r-x-- demo", " total               12K"},
         PM_DIALECT_PMAP,
         PM_CHECKED_FOOTER,
         1},
        {{"4711:   a", "Address           Kbytes Mode  Offset           Device    Mapping",
          "0000000000400000      12 r-x-- 0000000000000000 0fe:00000 demo",
          "mapped: 12K    writeable/private: 0K    shared: 0K"},
         PM_DIALECT_PMAP_D,
         PM_CHECKED_FOOTER,
         1},
        {{"4711:   a", "     Address Perm Size KernelPageSize  Rss        VmFlags Mapping",
          "    00401000 r--p    4              4    4    rd mr mw me ab",
          "    00402000 r--p    4              4    4    rd mr mw me ",
          "    00403000 r--p    4              4    4    rd mr mw me c",
          "                  ==== ============== ==== ",
          "                    12             12   12 KB "},
         PM_DIALECT_PMAP_XX,
         PM_CHECKED_FOOTER,
         3},
        {{"4711: a", "Address           Kbytes     PSS   Dirty    Swap Mode  Mapping",
          "0000000000400000      12       8       4       0 r-x-- demo",
          "----------------  ------  ------  ------  ------",
          "total                 12       8       4       0"},
         PM_DIALECT_TOYBOX_X,
         PM_CHECKED_FOOTER,
         1},
        {{"00400000-00401000 r--p 00000000 fe:00 17   /a",
          "00401000-00402000 rw-p 00001000 fe:00 17   /a"},
         PM_DIALECT_MAPS,
         PM_CHECKED_NONE,
         2},
        {{"00400000-00401000 r--p 00000000 fe:00 17   /a", "Rss:                   4 kB",
          "THPeligible:           0", "VmFlags: rd mr mw me ",
          "00401000-00402000 rw-p 00001000 fe:00 17   /a", "Rss:                   0 kB",
          "THPeligible:           1", "VmFlags: rd wr mr mw me "},
         PM_DIALECT_SMAPS,
         PM_CHECKED_NONE,
         2},
    };
    static const char *const stamps[] = {S1, S2, "Nov 21 2026 02:05:32 UTC: ", "1795226732 "};

    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < COUNT(stamps); k++) {
            pm_buf text = {0};
            pm_seen *s;

            /* Seconds before the sums of -XX would be one sum more. */
            if (cases[i].dialect == PM_DIALECT_PMAP_XX && stamps[k][0] == '1')
                continue;
            for (size_t n = 0; n < 9 && cases[i].lines[n]; n++)
                pm_buf_addf(&text, NULL, "%s%s\n", stamps[k], cases[i].lines[n]);
            s = kit_read(pm_buf_text(&text));
            if (s->n_blocks != 1 || s->n_rows != cases[i].rows || s->foreign)
                fail_msg("%s: %zu blocks, %zu rows, %zu lines passed over", text.data, s->n_blocks,
                         s->n_rows, (size_t)s->foreign);
            assert_int_equal(s->blocks[0].dialect, cases[i].dialect);
            assert_int_equal(s->blocks[0].checked, cases[i].checked);
            assert_int_equal(s->blocks[0].time_ms, T1);
            /* toybox's "4711: a" behind a moment could be any remark. */
            if (strcmp(cases[i].lines[0], "4711:   a") == 0)
                assert_int_equal(s->blocks[0].pid, 4711);
            kit_free(s);
            kit_every_chunk(pm_buf_text(&text), 64);
            pm_buf_free(&text);
        }
}

static void stamped_twice(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("[2026-11-21 03:05:32] " S2 ROW));

    assert_int_equal(s->n_rows, 1);
    assert_int_equal(s->blocks[0].time_ms, T1);
    kit_free(s);
}

/* A loop that prints cmdline between captures: its NUL bytes are no damage, a hole is. */
static void nul_bytes(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("cat\0/a\0\n" MAP MAP2 "cat\0/a\0\n" MAP MAP2
                                  "\0\0\0\0\0\0\n4711:   a\n" ROW "\0\0\0\0\0\0"));

    assert_int_equal(s->n_blocks, 3);
    assert_int_equal(s->blocks[0].state, PM_STATE_COMPLETE);
    assert_string_equal(s->blocks[1].missing.data, "line 7 is damaged: it contains NUL bytes");
    assert_string_equal(s->blocks[2].missing.data, "line 10 is damaged: it contains NUL bytes");
    kit_free(s);
}

/* The clocks go back from 3:00 to 2:00: the order of the lines tells which 2:00 is meant. */
static void a_log_through_the_doubled_hour(void **state)
{
    static const struct {
        const char *line;
        int64_t utc_minute; /* since midnight */
        bool said;
    } beats[] = {{"2026-10-25 01:30:00", -30, false}, {"2026-10-25 02:00:00", 0, false},
                 {"2026-10-25 02:00:00", 0, false},   {"2026-10-25 02:30:00", 30, false},
                 {"2026-10-25 02:00:00", 60, true},   {"2026-10-25 02:30:00", 90, true},
                 {"2026-10-25 03:00:00", 120, false}, {"2026-10-25 01:30:00", -30, false}};
    const char *tz = getenv("TZ");
    pm_buf text = {0};
    pm_seen *s;

    for (size_t i = 0; i < COUNT(beats); i++)
        assert_int_equal(pm_buf_addf(&text, NULL, "%s\n4711:   a\n" ROW ROW2, beats[i].line),
                         PMAPDB_OK);
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    s = kit_read(pm_buf_text(&text));
    setenv("TZ", tz ? tz : "UTC", 1);
    assert_int_equal(s->n_blocks, COUNT(beats));
    for (size_t i = 0; i < COUNT(beats); i++) {
        assert_int_equal(s->blocks[i].time_ms, 1792886400000 + beats[i].utc_minute * 60000);
        assert_int_equal(strstr(s->blocks[i].notes.data, "show twice") != NULL, beats[i].said);
    }
    kit_free(s);
    pm_buf_free(&text);
}

/* A date that cannot be is no moment, nor has the capture that of the one before. */
static void a_date_that_is_none(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("2026-11-21 02:05:32\n" ROW "2026-02-30 10:00:00\n" ROW
                                  "Sat Nov 21 25:05:32 UTC 2026\n4711:   a\n" ROW
                                  "2026-11-21 02:05:32\n" ROW));

    assert_int_equal(s->n_blocks, 4);
    for (size_t i = 0; i < 4; i++) {
        bool bad = i == 1 || i == 2;

        assert_int_equal(s->blocks[i].time_ms, bad ? PMAPDB_UNKNOWN : 1795226732000);
        assert_int_equal(strstr(s->blocks[i].notes.data, "does not exist") != NULL, bad);
        assert_int_equal(s->blocks[i].state, PM_STATE_COMPLETE);
    }
    kit_free(s);
}

static void marks_of_omission(void **state)
{
    static const char *const marks[] = {"...",
                                        "... ...",
                                        "......",
                                        "..... ",
                                        "[...]",
                                        "(...)",
                                        "<truncated>",
                                        "[snip]",
                                        "(omitted)",
                                        "-- skipped --",
                                        "…",
                                        "[…]",
                                        ".....省略100行",
                                        "... 12 lines truncated"};
    char text[512];

    for (size_t i = 0; i < COUNT(marks); i++) {
        snprintf(text, sizeof text, ROW "%s\n" ROW2, marks[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                         "line 2 stands for rows that were left out");
        snprintf(text, sizeof text, ROW ROW2 "%s\n", marks[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                         "line 3 stands for rows that were left out");
        snprintf(text, sizeof text, "4711:   a\n%s\n" ROW ROW2, marks[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                         "line 2 stands for rows that were left out");
        snprintf(text, sizeof text, "%s\n" ROW ROW2, marks[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                         "line 1 stands for rows that were left out");
        /* Before a header it says nothing of the capture. */
        snprintf(text, sizeof text, "%s\n4711:   a\n" ROW ROW2, marks[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_COMPLETE, PM_CHECKED_NONE, "");
        /* The sum proves that the mark lies. */
        snprintf(text, sizeof text, ROW "%s\n" ROW2 "total kB              16      12       8\n",
                 marks[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_COMPLETE, PM_CHECKED_FOOTER, "");
    }
}

static void what_marks_no_omission(void **state)
{
    static const char *const lines[] = {".", "$ ls", "truncated", "the log was truncated today",
                                        "done."};
    char text[512];

    for (size_t i = 0; i < COUNT(lines); i++) {
        snprintf(text, sizeof text, ROW ROW2 "%s\n", lines[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_COMPLETE, PM_CHECKED_NONE, "");
        snprintf(text, sizeof text, ROW "%s\n" ROW2, lines[i]);
        kit_expect_block(pm_text_of(text), PM_STATE_PARTIAL, PM_CHECKED_NONE,
                         "line 2 in the middle is not a row: rows may be missing");
    }
}

static void pmap_that_gives_up(void **state)
{
    kit_expect_block(PM_TEXT(ROW ROW2 "pmap: Unknown format in smaps file!\n"), PM_STATE_PARTIAL,
                     PM_CHECKED_NONE, "line 3: pmap gave up in the middle");
    kit_expect_block(PM_TEXT(ROW "ERROR: inconsistent detail field in smaps file, line:\n"),
                     PM_STATE_PARTIAL, PM_CHECKED_NONE, "line 2: pmap gave up in the middle");
    kit_expect_block(PM_TEXT("pmap: not of this one\n" ROW), PM_STATE_COMPLETE, PM_CHECKED_NONE,
                     "");
}

static void processes_named_in_passing(void **state)
{
    static const char *const lines[] = {"==> /proc/77/smaps <==\n", "# cat /proc/77/maps\n",
                                        "$ sudo cat /proc/77/smaps_rollup\n",
                                        "#  SIGSEGV (0xb) at pc=0x00007f01, pid=77, tid=78\n"};
    char text[512];

    for (size_t i = 0; i < COUNT(lines); i++) {
        pm_seen *s;

        snprintf(text, sizeof text, MAP MAP2 "%s" MAP2, lines[i]);
        s = kit_read(pm_text_of(text));
        assert_int_equal(s->n_blocks, 2);
        assert_int_equal(s->blocks[0].pid, PMAPDB_UNKNOWN);
        assert_int_equal(s->blocks[0].missing.len, 0);
        assert_int_equal(s->blocks[1].pid, 77);
        assert_int_equal(s->foreign, 1);
        kit_free(s);
        kit_every_chunk(pm_text_of(text), 64);
    }
}

/* The pid that stands in the header counts more than one that was named before. */
static void a_header_outweighs_the_words(void **state)
{
    pm_seen *s = kit_read(PM_TEXT("$ cat /proc/77/maps\n4711:   a\n" ROW));

    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->blocks[0].pid, 4711);
    kit_free(s);
    s = kit_read(PM_TEXT("$ pmap -x pid=77\nPROCESS:   a\n" ROW));
    assert_int_equal(s->blocks[0].pid, 77);
    assert_string_equal(s->blocks[0].command.data, "a");
    kit_free(s);
    /* No process of Linux has such a number. */
    s = kit_read(PM_TEXT("4194304:   a\n" ROW "4194305:   a\n"));
    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->blocks[0].pid, 4194304);
    assert_int_equal(s->foreign, 1);
    kit_free(s);
}

static void refusals_of_the_system(void **state)
{
    static const struct {
        const char *line, *why;
        int64_t pid;
    } cases[] = {
        {"cat: /proc/9/smaps: Permission denied\n", "permission denied", 9},
        {"bash: /proc/9/maps: Permission denied\n", "permission denied", 9},
        {"> cat: /proc/9/smaps_rollup: Operation not permitted\r\n", "permission denied", 9},
        {"head: cannot open '/proc/9/smaps' for reading: No such file or directory\n",
         "the process is gone", 9},
        {"cat: /proc/9/task/10/smaps: No such process\n", "the process is gone", 9},
        {"cat: '/proc/*/smaps': Permission denied\n", "permission denied", PMAPDB_UNKNOWN},
    };
    char text[512];

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_seen *s;

        snprintf(text, sizeof text, MAP "%s" MAP, cases[i].line);
        s = kit_read(pm_text_of(text));
        assert_int_equal(s->n_blocks, 3);
        assert_string_equal(s->blocks[1].empty.data, cases[i].why);
        assert_int_equal(s->blocks[1].pid, cases[i].pid);
        assert_false(s->blocks[1].foreign);
        assert_int_equal(s->blocks[2].pid, PMAPDB_UNKNOWN);
        kit_free(s);
    }
}

static void other_refusals_say_nothing_of_a_map(void **state)
{
    static const char *const lines[] = {
        "cat: /proc/9/status: Permission denied\n", "cat: /etc/maps: Permission denied\n",
        "cat: /proc/9/smaps: Is a directory\n", "Permission denied (publickey).\n"};

    for (size_t i = 0; i < COUNT(lines); i++) {
        pm_seen *s = kit_read(pm_text_of(lines[i]));

        if (s->n_blocks)
            fail_msg("a block in: %s", lines[i]);
        kit_free(s);
    }
}

/* Another tool's output: its name once, whatever else stands in the stream. */
static void other_tools_are_named_once(void **state)
{
    pm_seen *s =
        kit_read(PM_TEXT("COMMAND   PID USER   FD   TYPE DEVICE SIZE/OFF    NODE NAME\n"
                         "a 1 root cwd DIR 254,0 4096 2 /\n" MAP "Native Memory Tracking:\n" MAP2
                         "COMMAND   PID USER   FD   TYPE DEVICE SIZE/OFF    NODE NAME\n"));

    assert_int_equal(s->n_blocks, 2);
    assert_string_equal(s->blocks[0].empty.data, "lsof: open files, no memory map");
    assert_int_equal(s->blocks[0].first_line, 1);
    assert_int_equal(s->blocks[0].last_line, 1);
    assert_int_equal(s->blocks[1].empty.len, 0);
    assert_int_equal(s->blocks[1].state, PM_STATE_PARTIAL);
    kit_free(s);
}

/* What a loop says of the process stands before its sums, on the line or above it. */
static void a_loop_names_its_process(void **state)
{
    static const struct {
        const char *text;
        int64_t pid[2];
    } cases[] = {
        {"Sat Nov 21 01:00:00 UTC 2026 redis pid 4711 total kB 232 88 8\n"
         "Sat Nov 21 02:00:00 UTC 2026 redis pid 4712 total kB 232 96 8\n",
         {4711, 4712}},
        {"Sat Nov 21 01:00:00 UTC 2026\nPID 4711\ntotal kB 232 88 8\n"
         "Sat Nov 21 02:00:00 UTC 2026\nthe next one\ntotal kB 232 96 8\n",
         {4711, PMAPDB_UNKNOWN}},
        {"Sat Nov 21 01:00:00 UTC 2026\nPID 4711\na\nb\nc\ntotal kB 232 88 8\n"
         "Sat Nov 21 02:00:00 UTC 2026: checking 4711\nmapped: 232K\n",
         {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_seen *s = kit_read(pm_text_of(cases[i].text));

        assert_int_equal(s->n_blocks, 2);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(s->blocks[k].state, PM_STATE_TOTALS);
            assert_int_equal(s->blocks[k].pid, cases[i].pid[k]);
            assert_int_equal(s->blocks[k].totals.v[PM_TOTAL_SIZE], 232);
        }
        kit_free(s);
        kit_every_chunk(pm_text_of(cases[i].text), 256);
    }
}

RUN_TESTS(TEST(moments_with_text_and_a_pid), TEST(a_pid_is_for_one_block), TEST(every_line_stamped),
          TEST(stamped_twice), TEST(a_log_through_the_doubled_hour), TEST(a_date_that_is_none),
          TEST(nul_bytes), TEST(marks_of_omission), TEST(what_marks_no_omission),
          TEST(pmap_that_gives_up), TEST(processes_named_in_passing),
          TEST(a_header_outweighs_the_words), TEST(refusals_of_the_system),
          TEST(other_refusals_say_nothing_of_a_map), TEST(other_tools_are_named_once),
          TEST(a_loop_names_its_process))
