/* demo: the kernel's values of the process whose captures are in fixtures/parse: its smaps, read
 * with awk. The values of every dialect must be equal to these. */
#ifndef PM_TESTS_PARSE_DEMO_H
#define PM_TESTS_PARSE_DEMO_H

#include "parse/kit.h"

typedef struct demo_row {
    uint64_t start, end;
    const char *perms;
    uint64_t offset, inode, size, rss, dirty;
    const char *flags, *path;
} demo_row;

#define DEMO_ROWS 19
#define DEMO_SIZE 2168
#define DEMO_RSS 752
#define DEMO_LONG 8 /* the row whose path has 443 bytes: a folder of 200 d, a file of e */
#define DEMO_BAD 10 /* a byte that is not UTF-8, and a blank at the end */
#define DEMO_TAB 11

static const demo_row demo_rows[DEMO_ROWS] = {
    {0x400000, 0x401000, "r--p", 0, 1057065, 4, 4, 4, "rd mr mw me", "/srv/demo/demo"},
    {0x401000, 0x47a000, "r-xp", 0x1000, 1057065, 484, 484, 484, "rd ex mr mw me",
     "/srv/demo/demo"},
    {0x47a000, 0x4a2000, "r--p", 0x7a000, 1057065, 160, 152, 152, "rd mr mw me", "/srv/demo/demo"},
    {0x4a2000, 0x4a6000, "r--p", 0xa1000, 1057065, 16, 16, 16, "rd mr mw me ac", "/srv/demo/demo"},
    {0x4a6000, 0x4a9000, "rw-p", 0xa5000, 1057065, 12, 12, 12, "rd wr mr mw me ac",
     "/srv/demo/demo"},
    {0x4a9000, 0x4ae000, "rw-p", 0, 0, 20, 8, 8, "rd wr mr mw me ac", ""},
    {0x29d3a000, 0x29d5c000, "rw-p", 0, 0, 136, 16, 16, "rd wr mr mw me ac", "[heap]"},
    {0x7f3679f7e000, 0x7f367a07e000, "---p", 0, 0, 1024, 0, 0, "mr mw me nr", ""},
    {0x7f367a07e000, 0x7f367a084000, "r--p", 0, 1057072, 24, 0, 0, "rd mr mw me", NULL},
    {0x7f367a084000, 0x7f367a089000, "rw-s", 0, 1057070, 20, 8, 8, "rd wr sh mr mw me ms",
     "/srv/demo/gone.dat (deleted)"},
    {0x7f367a089000, 0x7f367a08c000, "r--p", 0, 1057069, 12, 0, 0, "rd mr mw me",
     "/srv/demo/bad\xff utf8 "},
    {0x7f367a08c000, 0x7f367a08e000, "r--p", 0, 1057068, 8, 0, 0, "rd mr mw me",
     "/srv/demo/tab\there"},
    {0x7f367a08e000, 0x7f367a09e000, "rw-s", 0, 1057067, 64, 32, 32, "rd wr sh mr mw me ms",
     "/srv/demo/with blanks/two  blanks.dat"},
    {0x7f367a09e000, 0x7f367a0a2000, "rw-p", 0, 1057066, 16, 4, 4, "rd wr mr mw me ac",
     "/srv/demo/ab"},
    {0x7f367a0a2000, 0x7f367a0a6000, "r--p", 0, 0, 16, 0, 0, "rd mr pf io de dd", "[vvar]"},
    {0x7f367a0a6000, 0x7f367a0a8000, "r--p", 0, 0, 8, 0, 0, "rd mr pf io de dd", "[vvar_vclock]"},
    {0x7f367a0a8000, 0x7f367a0aa000, "r-xp", 0, 0, 8, 4, 0, "rd ex mr mw me de", "[vdso]"},
    {0x7ffd2d594000, 0x7ffd2d5b5000, "rw-p", 0, 0, 132, 12, 12, "rd wr mr mw me gd ac", "[stack]"},
    {0xffffffffff600000, 0xffffffffff601000, "--xp", 0, 0, 4, 0, 0, "ex", "[vsyscall]"},
};

/* The first `cut` bytes of the path of row i; if `base`, without the folder. */
static inline pm_text demo_path(size_t i, bool base, size_t cut, char buf[512])
{
    const pm_text folder = PM_TEXT("/srv/demo/");
    pm_text path = {buf, 0};

    if (i == DEMO_LONG) {
        path.len = 443;
        memset(buf, 'e', path.len);
        memset(buf, 'd', 210);
        memcpy(buf, folder.data, folder.len);
        buf[210] = '/';
    } else {
        path = pm_text_of(demo_rows[i].path);
    }
    if (path.len > cut)
        path.len = cut;
    return base ? pm_text_basename(path) : path;
}

static inline void demo_same(pm_text got, pm_text expected, size_t row)
{
    if (!pm_text_equal(got, expected))
        fail_msg("row %zu: '%.*s' is not '%.*s'", row, (int)got.len, got.data, (int)expected.len,
                 expected.data);
}

/* Reads a fixture and expects one block with all rows and their true values. */
static inline pm_seen *demo_read(const char *fixture, pm_dialect dialect, pm_checked checked)
{
    pm_buf bytes = kit_fixture(fixture);
    pm_text t = pm_buf_text(&bytes);
    pm_seen *s = kit_read(t);

    assert_int_equal(s->status, PMAPDB_OK);
    assert_int_equal(s->n_blocks, 1);
    assert_string_equal(s->blocks[0].missing.data, "");
    assert_int_equal(s->blocks[0].state, PM_STATE_COMPLETE);
    assert_int_equal(s->blocks[0].dialect, dialect);
    assert_int_equal(s->blocks[0].checked, checked);
    assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_SIZE], DEMO_SIZE);
    assert_int_equal(s->n_rows, DEMO_ROWS);
    for (size_t i = 0; i < DEMO_ROWS; i++) {
        const pm_mapping *m = &s->rows[i];

        assert_int_equal(m->start, demo_rows[i].start);
        assert_int_equal(m->end, demo_rows[i].end);
        assert_string_equal(m->perms, demo_rows[i].perms);
        assert_int_equal(m->value[PM_SIZE], demo_rows[i].size);
        if (pm_has(m, PM_HAS_OFFSET))
            assert_int_equal(m->offset, demo_rows[i].offset);
        if (pm_has(m, PM_HAS_DEVICE))
            assert_int_equal(m->dev_major, demo_rows[i].inode ? 0xfe : 0);
        if (pm_has(m, PM_HAS_INODE))
            assert_int_equal(m->inode, demo_rows[i].inode);
        if (pm_has(m, PM_BIT(PM_RSS)))
            assert_int_equal(m->value[PM_RSS], demo_rows[i].rss);
        if (pm_has(m, PM_BIT(PM_DIRTY)))
            assert_int_equal(m->value[PM_DIRTY], demo_rows[i].dirty);
        if (pm_has(m, PM_BIT(PM_PRIVATE_DIRTY) | PM_BIT(PM_SHARED_DIRTY)))
            assert_int_equal(m->value[PM_PRIVATE_DIRTY] + m->value[PM_SHARED_DIRTY],
                             demo_rows[i].dirty);
        if (pm_has(m, PM_HAS_FLAGS))
            assert_string_equal(m->flags.data, demo_rows[i].flags);
    }
    kit_every_chunk(t, 64);
    pm_buf_free(&bytes);
    return s;
}

#endif
