/* smaps_fast: the shortcut for lines in the layout of the kernel takes no line that smaps.c would
 * refuse, and reads the same values from the other lines. If the text is fed byte by byte, no key
 * line takes the shortcut. */
#include "parse/kit.h"

#define ROWS 10
#define DAMAGED 8 /* by then the reader knows the keys, and that all of them stay as they are */

static const char *const keys[] = {
    "Size:",       "KernelPageSize:", "MMUPageSize:",   "Rss:",  "Pss:",   "Shared_Clean:",
    "Referenced:", "Anonymous:",      "AnonHugePages:", "Swap:", "Locked:"};

typedef struct damage {
    const char *key;  /* whose line is replaced in one row */
    const char *line; /* with its newline, unless there is none */
    const char *missing;
} damage;

/* Rss and Pss change from row to row, the others do not. */
static unsigned value_of(size_t key, size_t row)
{
    static const unsigned rss[ROWS] = {4, 0, 4, 8, 8, 8, 8, 8, 8, 0};

    return key == 0 ? 8 : key < 3 ? 4 : key == 3 || key == 4 ? rss[row] : key == 10 ? 12345678 : 0;
}

/* The only block of a text, whole and in chunks that cut every line. */
static void expect_block(pm_text t, pm_state state, const char *missing)
{
    pm_seen *s = kit_read(t);

    assert_int_equal(s->status, PMAPDB_OK);
    assert_int_equal(s->n_blocks, 1);
    assert_string_equal(s->blocks[0].missing.data, missing);
    assert_int_equal(s->blocks[0].state, state);
    kit_free(s);
    kit_every_chunk(t, 32);
}

static void add_line(pm_buf *out, const damage *d, const char *key, const char *line)
{
    pm_buf_addf(out, NULL, "%s", d && strcmp(d->key, key) == 0 ? d->line : line);
}

static pm_buf text_with(const damage *d)
{
    pm_buf out = {0};
    char line[64];

    for (size_t row = 0; row < ROWS; row++) {
        const damage *here = row == DAMAGED ? d : NULL;

        snprintf(line, sizeof line, "7f00000%zu0000-7f00000%zu2000 rw-p 00000000 00:00 0 \n", row,
                 row);
        add_line(&out, here, "row", line);
        for (size_t key = 0; key < COUNT(keys); key++) {
            snprintf(line, sizeof line, "%-16s%8u kB\n", keys[key], value_of(key, row));
            add_line(&out, here, keys[key], line);
        }
        add_line(&out, here, "THPeligible:", "THPeligible:           0\n");
        add_line(&out, here, "ProtectionKey:", "ProtectionKey:         0\n");
        add_line(&out, here,
                 "VmFlags:", row % 2 ? "VmFlags: rd wr mr mw me ac \n" : "VmFlags: mr mw me \n");
    }
    return out;
}

static void what_is_no_key_line_is_refused(void **state)
{
    static const char number[] = "a key has no proper number", two[] = "keys of two rows follow it",
                      lacks[] = "it lacks keys that the rows before have",
                      flags[] = "its VmFlags are no list of flags";
    static const damage cases[] = {
        {"Rss:", "Rss:                   8 kB\nRss:                   8 kB\n", two},
        {"Pss:", "Rss:                   8 kB\nPss:                   8 kB\n", two},
        {"KernelPageSize:", "Rss:\t8 kB\nKernelPageSize:        4 kB\n", two},
        {"Size:", "Rss:\t8 kB\nSize:                  8 kB\nKernelPageSize:       64 kB\n", two},
        {"Rss:", "Rss:                   8kB\n", number},
        {"Rss:", "Rss:                   8  kB\n", number},
        {"Rss:", "Rss:                  8  kB\n", number},
        {"Rss:", "Rss:            8        kB\n", number},
        {"Rss:", "Rss:                 1 8 kB\n", number},
        {"Rss:", "Rss:                     kB\n", number},
        {"Rss:", "Rss:                  -8 kB\n", number},
        {"Rss:", "Rss:                  +8 kB\n", number},
        {"Rss:", "Rss:                  x8 kB\n", number},
        {"Rss:", "Rss:                  8: kB\n", number},
        {"Rss:", "Rss:                   / kB\n", number},
        {"Rss:", "Rss:                   8 MB\n", number},
        {"Rss:", "Rss:                   8 kb\n", number},
        {"Rss:", "Rss:                   8\n", number},
        {"Rss:", "Rss:                   8 kB \n", number},
        {"Rss:", "", lacks},
        {"Locked:", "", lacks},
        {"Locked:", "Swap:           12345678 kB\n", lacks},
        {"THPeligible:", "THPeligible:           0 kB\n", number},
        {"THPeligible:", "THPeligible:            \n", number},
        {"ProtectionKey:", "", lacks},
        {"VmFlags:", "VmFlags: mr mw mex \n", flags},
        {"VmFlags:", "VmFlags: mr m me \n", flags},
        {"VmFlags:", "VmFlags: mr m  me \n", flags},
        {"VmFlags:", "VmFlags: mr mwxme \n", flags},
        {"VmFlags:", "VmFlags: mr mw m\n", flags},
        {"VmFlags:", "", lacks},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_buf t = text_with(&cases[i]), say = {0};

        pm_buf_addf(&say, NULL, "line %d is damaged: %s", DAMAGED * 15 + 1, cases[i].missing);
        expect_block(pm_buf_text(&t), PM_STATE_PARTIAL, say.data);
        pm_buf_free(&t);
        pm_buf_free(&say);
    }
}

/* All rows are whole, and the one with the other line says `value` of the field. */
static void expect_field(const damage *d, enum pm_field field, uint64_t value)
{
    pm_buf t = text_with(d);
    pm_seen *s = kit_read(pm_buf_text(&t));

    assert_int_equal(s->status, PMAPDB_OK);
    assert_int_equal(s->n_rows, ROWS);
    assert_string_equal(s->blocks[0].missing.data, "");
    assert_int_equal(s->rows[DAMAGED].value[field], value);
    for (size_t row = 0; row < ROWS; row++) {
        const pm_mapping *m = &s->rows[row];

        assert_int_equal(m->value[PM_RSS],
                         row == DAMAGED && field == PM_RSS ? value : value_of(3, row));
        assert_int_equal(m->value[PM_LOCKED],
                         row == DAMAGED && field == PM_LOCKED ? value : 12345678);
        assert_string_equal(m->flags.data, row % 2 ? "rd wr mr mw me ac" : "mr mw me");
    }
    kit_free(s);
    kit_every_chunk(pm_buf_text(&t), 32);
    pm_buf_free(&t);
}

static void what_is_laid_out_otherwise_is_read_all_the_same(void **state)
{
    static const damage none = {"none", "", NULL};
    static const struct {
        damage d;
        enum pm_field field;
        uint64_t value;
    } cases[] = {
        {{"Rss:", "Rss:                   7 kB\n", NULL}, PM_RSS, 7},
        {{"Rss:", "Rss:            00000007 kB\n", NULL}, PM_RSS, 7},
        {{"Rss:", "Rss:           123456789 kB\n", NULL}, PM_RSS, 123456789},
        {{"Rss:", "Rss:            123456789 kB\n", NULL}, PM_RSS, 123456789},
        {{"Rss:", "Rss:           12345678 kB\n", NULL}, PM_RSS, 12345678},
        {{"Rss:", "Rss:\t7 kB\n", NULL}, PM_RSS, 7},
        {{"Rss:", "Rss:                   8 kB\r\n", NULL}, PM_RSS, 8},
        {{"Rss:", "  Rss:                   8 kB\n", NULL}, PM_RSS, 8},
        {{"Rss:", "> Rss:                   8 kB\n", NULL}, PM_RSS, 8},
        {{"Locked:", "Locked:         99999999 kB\n", NULL}, PM_LOCKED, 99999999},
        {{"Locked:", "Locked:                0 kB\n", NULL}, PM_LOCKED, 0},
        {{"Pss:", "Pss:                   8 kB\nFoo:                  12 kB\n", NULL}, PM_PSS, 8},
        {{"MMUPageSize:", "KernelPageSize:       64 kB\nMMUPageSize:           4 kB\n", NULL},
         PM_KERNEL_PAGE,
         64},
        {{"THPeligible:", "THPeligible:           1\n", NULL}, PM_THP_ELIGIBLE, 1},
        {{"THPeligible:", "THPeligible:    1\n", NULL}, PM_THP_ELIGIBLE, 1},
        {{"THPeligible:", "THPeligible:\t\t1\n", NULL}, PM_THP_ELIGIBLE, 1},
        {{"ProtectionKey:", "ProtectionKey:        15\n", NULL}, PM_PROTECTION_KEY, 15},
        {{"VmFlags:", "VmFlags: mr mw me\n", NULL}, PM_PSS, 8},
        {{"VmFlags:", "VmFlags: mr  mw me \n", NULL}, PM_PSS, 8},
        {{"VmFlags:", "VmFlags:\tmr mw me \r\n", NULL}, PM_PSS, 8},
        {{"VmFlags:", "VmFlags: rd wr \nVmFlags: mr mw me \n", NULL}, PM_PSS, 8},
        {{"row", "7f0000040000-7f0000042000 rw-p 00000000 00:00 0\n", NULL}, PM_PSS, 8},
        {{"row", "7f0000040000-7f0000042000 rw-p 00000000 00:00 0 \r\n", NULL}, PM_PSS, 8},
    };

    expect_field(&none, PM_PSS, 8);
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_field(&cases[i].d, cases[i].field, cases[i].value);
}

/* Its lines are those of the row before; nothing of that row is left in it. */
static void a_row_of_fewer_keys_has_no_values_of_another(void **state)
{
    static const char text[] = "7f0000000000-7f0000002000 rw-p 00000000 00:00 0 \n"
                               "Size:                  8 kB\nRss:                   4 kB\n"
                               "7f0000010000-7f0000012000 rw-p 00000000 00:00 0 \n"
                               "Size:                  8 kB\nRss:                   4 kB\n"
                               "Swap:                  4 kB\nVmFlags: rd wr \n"
                               "7f0000020000-7f0000022000 rw-p 00000000 00:00 0 \n"
                               "Size:                  8 kB\nRss:                   4 kB\n"
                               "Swap:                  4 kB\nVmFlags: rd ex \n\n"
                               "7f0000000000-7f0000002000 rw-p 00000000 00:00 0 \n"
                               "Size:                  8 kB\nRss:                   4 kB\n";
    pm_seen *s = kit_read(PM_TEXT(text));

    assert_int_equal(s->n_rows, 4);
    assert_int_equal(s->rows[3].flags.len, 0);
    assert_int_equal(s->rows[3].value[PM_SWAP], 0);
    kit_free(s);
    kit_expect_rows(PM_TEXT(text),
                    "7f0000000000-7f0000002000 rw-p +0 0:0 i0 Size=8 Rss=4 pseudo []\n"
                    "7f0000010000-7f0000012000 rw-p +0 0:0 i0 Size=8 Rss=4 Swap=4 {rd wr} "
                    "pseudo []\n"
                    "7f0000020000-7f0000022000 rw-p +0 0:0 i0 Size=8 Rss=4 Swap=4 {rd ex} "
                    "pseudo []\n"
                    "7f0000000000-7f0000002000 rw-p +0 0:0 i0 Size=8 Rss=4 pseudo []\n");
}

/* What the reader remembers of the first row's Rss is no part of what the third one says. */
static void a_short_line_is_not_filled_up_from_memory(void **state)
{
    expect_block(PM_TEXT("7f0000000000-7f0000002000 rw-p 00000000 00:00 0 \n"
                         "Size:                  8 kB\nRss:                   8 kB\n"
                         "7f0000010000-7f0000012000 rw-p 00000000 00:00 0 \n"
                         "Size:                  8 kB\nRss:\t8 kB\n"
                         "7f0000020000-7f0000022000 rw-p 00000000 00:00 0 \n"
                         "Size:                  8 kB\nRss:\t8 kB\n             8 kB\n"
                         "7f0000030000-7f0000032000 rw-p 00000000 00:00 0 \n"
                         "Size:                  8 kB\nRss:                   8 kB\n"),
                 PM_STATE_PARTIAL, "line 10 in the middle is not a row: rows may be missing");
}

/* A line that is none of ours stands between the keys: they may be those of a row that is lost. */
static void behind_a_strange_line_no_key_may_come_again(void **state)
{
    static const damage strange = {"Pss:", "here is a gap\nKernelPageSize:        4 kB\n", NULL};
    pm_buf t = text_with(&strange);

    expect_block(pm_buf_text(&t), PM_STATE_PARTIAL,
                 "line 121 is damaged: keys of two rows follow it; line 126 in the middle is not a "
                 "row: rows may be missing");
    pm_buf_free(&t);
}

/* What only looks like a row of the kernel, or has something around it. */
static void rows_of_other_makes(void **state)
{
    static const char keys_of[] = "7f0000010000-7f0000012000 rw-p 00000000 00:00 0 \n";
    static const struct {
        const char *line, *rows;
    } cases[] = {
        {"7f0000000000-7f0000002000 r--p 00000000 00:00 01 /a\n",
         "7f0000000000-7f0000002000 r--p +0 0:0 i1 Size=8 pseudo [/a]\n"},
        {"7f0000000000-7f0000002000 r--p 00000000 00:00 0 /a\n",
         "7f0000000000-7f0000002000 r--p +0 0:0 i0 Size=8 pseudo [/a]\n"},
        {"7f0000000000-7f0000002000 r--p 00000000 fe:01 17    /l\033[01;31m\033[Kib\033[m\n",
         "7f0000000000-7f0000002000 r--p +0 fe:1 i17 Size=8 pseudo [/lib]\n"},
        {"7f0000000000-7f0000002000 r\xe2\x80\x93p 00000000 fe:01 17    /a\n", ""},
        {"7f0000000000-7f0000002000 r--p 00000000 fe:01 17    /\xc3\xa4\n",
         "7f0000000000-7f0000002000 r--p +0 fe:1 i17 Size=8 pseudo [/\xc3\xa4]\n"},
        {"7f0000000000-7f0000002000 r--p 00000000 fe:01 17    /a\0b\n", ""},
        {"7f00000-7f0000002000 r--p 00000000 fe:01 17    /a\n", ""},
        {"00000000000000001-7f0000002000 r--p 00000000 fe:01 17    /a\n", ""},
        {"7f0000000000-7f0000000000 r--p 00000000 fe:01 17    /a\n", ""},
        {"7f0000000000-7f0000002000 r--p 00000000 00:00 x\n", ""},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_buf t = {0}, rows = {0};
        size_t n = strlen(cases[i].line);

        n = cases[i].line[n - 1] == '\n' ? n : n + 3; /* the one with a NUL */
        pm_buf_add(&t, cases[i].line, n, NULL);
        pm_buf_addf(&t, NULL, "%s", keys_of);
        pm_buf_addf(&rows, NULL, "%s", cases[i].rows);
        pm_buf_addf(&rows, NULL, "7f0000010000-7f0000012000 rw-p +0 0:0 i0 Size=8 pseudo []\n");
        kit_expect_rows(pm_buf_text(&t), rows.data);
        pm_buf_free(&t);
        pm_buf_free(&rows);
    }
}

/* Nor does it wear what the row above did, or count where other dialects are asked for. */
static void a_plain_row_is_judged_by_itself(void **state)
{
    static const char text[] = "> 7f0000010000-7f0000012000 rw-p 00000000 00:00 0 \n"
                               "7f0000000000-7f0000002000 rw-p 00000000 00:00 0 \n";
    pm_seen *s = kit_read(PM_TEXT(text));

    assert_int_equal(s->n_blocks, 2);
    assert_string_not_equal(s->blocks[0].notes.data, "");
    assert_string_equal(s->blocks[1].notes.data, "");
    kit_free(s);
    s = kit_read_as(PM_DIALECT_PMAP_SMALL_X, PM_TEXT(text), sizeof text);
    assert_int_equal(s->n_rows, 0);
    assert_int_equal(s->foreign, 2);
    kit_free(s);
}

/* Every key at once and once more, in an order that no kernel has: nothing is written beside the
 * table. */
static void as_many_keys_as_there_are(void **state)
{
    pm_buf t = {0};

    for (int row = 0; row < 4; row++) {
        pm_buf_addf(&t, NULL, "7f00000%d0000-7f00000%d2000 rw-p 00000000 00:00 0 \n", row, row);
        for (int i = 0; i < 2 * PM_FIELD_COUNT; i++) {
            int field = row % 2 ? i % PM_FIELD_COUNT : PM_FIELD_COUNT - 1 - i % PM_FIELD_COUNT;
            bool bare = field == PM_THP_ELIGIBLE || field == PM_PROTECTION_KEY;

            if (i >= PM_FIELD_COUNT && field == PM_RSS)
                continue;
            pm_buf_addf(&t, NULL, "%s:%*s%8d%s\n", pm_fields[field].key,
                        15 - (int)strlen(pm_fields[field].key), "", field == PM_SIZE ? 8 : 1,
                        bare ? "" : " kB");
        }
    }
    expect_block(pm_buf_text(&t), PM_STATE_COMPLETE, "");
    pm_buf_free(&t);
}

RUN_TESTS(TEST(what_is_no_key_line_is_refused),
          TEST(what_is_laid_out_otherwise_is_read_all_the_same),
          TEST(a_row_of_fewer_keys_has_no_values_of_another),
          TEST(a_short_line_is_not_filled_up_from_memory),
          TEST(behind_a_strange_line_no_key_may_come_again), TEST(rows_of_other_makes),
          TEST(a_plain_row_is_judged_by_itself), TEST(as_many_keys_as_there_are))
