/* sorted: output of pmap -x after `sort`, `head` and `tail`: the lines of one capture in any order.
 */
#include "parse/kit.h"
#include <time.h>

#define PID "1234:   ./demo\n"
#define COLUMNS "Address           Kbytes     RSS   Dirty Mode  Mapping\n"
#define RULE "---------------- ------- ------- -------\n"
#define NONE1 "0000000000402000       4       0       0 ----- demo\n"
#define NONE2 "00007f0000000000       8       0       0 r-x-- libc.so.6\n"
#define FOUR "0000000000401000       4       4       0 r-x-- demo\n"
#define EIGHT "0000000000400000       4       8       4 r---- demo\n"
#define BIG "00007ffd2d594000     132      12      12 rw---   [ stack ]\n"
#define TOTAL "total kB             152      24      16\n"

static void expect(const char *text, uint64_t rows, int64_t pid, pm_state state,
                   const char *missing)
{
    pm_seen *s = kit_read(pm_text_of(text));

    assert_int_equal(s->n_blocks, 1);
    assert_int_equal(s->n_rows, rows);
    assert_int_equal(s->blocks[0].pid, pid);
    assert_int_equal(s->blocks[0].state, state);
    assert_string_equal(s->blocks[0].missing.data, missing);
    assert_int_equal(s->blocks[0].checked,
                     state == PM_STATE_COMPLETE ? PM_CHECKED_FOOTER : PM_CHECKED_NONE);
    kit_free(s);
    kit_every_chunk(pm_text_of(text), 1024);
}

/* Lines without a number in that column count as 0 and are ordered by their bytes. */
static void by_rss(void **state)
{
    expect(RULE NONE1 NONE2 PID COLUMNS FOUR EIGHT BIG TOTAL, 5, 1234, PM_STATE_COMPLETE, "");
}

/* The third word of "sleep 10" is a number: the header lands among the rows. */
static void by_rss_with_a_header_among_the_rows(void **state)
{
    expect(RULE NONE1 NONE2 COLUMNS FOUR EIGHT "1234:   sleep 10\n" BIG TOTAL, 5, 1234,
           PM_STATE_COMPLETE, "");
    expect(TOTAL BIG "1234:   sleep 10\n" EIGHT FOUR COLUMNS NONE2 NONE1 RULE, 5, 1234,
           PM_STATE_COMPLETE, "");
}

/* Plain `sort`: by the bytes of the lines. */
static void by_line(void **state)
{
    expect(RULE EIGHT FOUR NONE1 NONE2 BIG PID COLUMNS
           "ffffffffff600000       4       0       0 --x--   [ anon ]\n"
           "total kB             156      24      16\n",
           6, 1234, PM_STATE_COMPLETE, "");
}

static void by_rss_the_largest_first(void **state)
{
    expect(TOTAL BIG EIGHT FOUR COLUMNS PID NONE2 NONE1 RULE, 5, 1234, PM_STATE_COMPLETE, "");
}

static void by_size(void **state)
{
    expect(RULE PID COLUMNS TOTAL EIGHT NONE1 FOUR NONE2 BIG, 5, 1234, PM_STATE_COMPLETE, "");
}

static void the_largest_alone(void **state)
{
    expect(TOTAL BIG EIGHT, 2, PMAPDB_UNKNOWN, PM_STATE_PARTIAL,
           "rows add up to 136 KiB, footer says 152 KiB: 16 KiB are missing");
    expect(FOUR EIGHT BIG TOTAL, 3, PMAPDB_UNKNOWN, PM_STATE_PARTIAL,
           "rows add up to 140 KiB, footer says 152 KiB: 12 KiB are missing");
}

/* The sums of one capture and, not at once, the rows of another. */
static void sums_with_something_between(void **state)
{
    pm_text t = PM_TEXT(TOTAL "then\n" BIG EIGHT);
    pm_seen *s = kit_read(t);

    assert_int_equal(s->n_blocks, 2);
    assert_int_equal(s->blocks[0].state, PM_STATE_TOTALS);
    assert_int_equal(s->blocks[1].totals.v[PM_TOTAL_MAPPINGS], 2);
    kit_free(s);
    s = kit_read(PM_TEXT(TOTAL TOTAL));
    assert_int_equal(s->n_blocks, 2);
    kit_free(s);
}

/* `pmap -x PID | grep demo >> log`: an address that was there begins the next capture. */
static void a_log_of_rows_alone(void **state)
{
    pm_seen *s = kit_read(PM_TEXT(EIGHT FOUR NONE1 EIGHT FOUR NONE1 EIGHT FOUR));

    assert_int_equal(s->n_blocks, 3);
    assert_int_equal(s->first_row[1], 3);
    assert_int_equal(s->first_row[2], 6);
    kit_free(s);
}

/* Each row goes back, and is looked up among all before it: 200,000 of them take a moment and not
 * minutes. */
static void very_many_that_go_back(void **state)
{
    pm_buf text = {0};
    clock_t began = clock();
    pm_seen *s;

    for (unsigned i = 200000; i; i--)
        assert_int_equal(pm_buf_addf(&text, NULL, "%016x       4       4       4 rw--- x\n",
                                     0x1000000 + i * 8192),
                         PMAPDB_OK);
    s = kit_read(pm_buf_text(&text));
    assert_int_equal(s->n_rows, 200000);
    assert_int_equal(s->n_blocks, 1);
    kit_free(s);
    assert_true((clock() - began) / CLOCKS_PER_SEC < 20);
    pm_buf_free(&text);
}

RUN_TESTS(TEST(by_rss), TEST(by_rss_with_a_header_among_the_rows), TEST(by_line),
          TEST(by_rss_the_largest_first), TEST(by_size), TEST(the_largest_alone),
          TEST(sums_with_something_between), TEST(a_log_of_rows_alone),
          TEST(very_many_that_go_back))
