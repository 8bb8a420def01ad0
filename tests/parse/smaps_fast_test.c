/* smaps_fast: the fast path takes no row that smaps.c would refuse, and reads the same values as
 * smaps.c. If a text is fed byte by byte, no row takes the fast path. */
#include "parse/kit.h"

#define ROWS 4
#define DAMAGED 2

static const char *const keys[] = {
    "Size:", "KernelPageSize:", "MMUPageSize:", "Rss:", "Pss:", "Locked:"};

typedef struct damage {
    const char *key;  /* the line of this key is replaced in one row */
    const char *line; /* the new line with its newline; "" removes the line */
    const char *missing;
} damage;

static unsigned value_of(size_t key, size_t row)
{
    static const unsigned rss[ROWS] = {4, 0, 8, 0};

    return key == 0 ? 8 : key < 3 ? 4 : key < 5 ? rss[row] : 12345678;
}

/* Expects a single block, from the whole text and from chunks that cut every line. */
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

TEST(lines_that_are_not_keys_are_refused)
{
    static const char number[] = "the value of a key is not a valid number",
                      two[] = "keys of two rows follow it",
                      lacks[] = "it lacks keys that the earlier rows have",
                      flags[] = "its VmFlags are not a list of flags";
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

        pm_buf_addf(&say, NULL, "line %d is damaged: %s", DAMAGED * 10 + 1, cases[i].missing);
        expect_block(pm_buf_text(&t), PM_STATE_PARTIAL, say.data);
        pm_buf_free(&t);
        pm_buf_free(&say);
    }
}

/* All rows are whole, and the row with the changed line has this value of the field. */
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

TEST(other_layouts_are_read_by_the_slow_path)
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

RUN_TESTS(NULL, NULL)
