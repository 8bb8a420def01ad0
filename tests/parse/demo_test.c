/* demo: every dialect has the kernel's values of one process (demo.h); a mapping that grew while it
 * was read; captures that are cut at any byte. */
#include "parse/demo.h"

#define TO_NARROW (PM_BIT(PM_SIZE) | PM_BIT(PM_RSS) | PM_BIT(PM_DIRTY))
#define PLACE (PM_HAS_OFFSET | PM_HAS_DEVICE | PM_HAS_INODE | PM_HAS_PSEUDO)
#define LINUX (PM_NUMBERS & ~PM_BIT(PM_DIRTY) & ~PM_BIT(PM_PRIVATE) & ~PM_BIT(PM_PROTECTION_KEY))
#define ONLY_XX                                                                      \
    (PM_BIT(PM_KERNEL_PAGE) | PM_BIT(PM_MMU_PAGE) | PM_BIT(PM_SHARED_CLEAN) |        \
     PM_BIT(PM_SHARED_DIRTY) | PM_BIT(PM_PRIVATE_CLEAN) | PM_BIT(PM_PRIVATE_DIRTY) | \
     PM_BIT(PM_ANON_HUGE) | PM_HAS_FLAGS)

/* `base`: names without their folder. Without a header, 23 numbers are from Linux 6.8, or from 6.0
 * with ProtectionKey. These rows do not exclude Linux 6.0, and KSM stays unknown. */
static const struct demo {
    const char *file;
    pm_dialect dialect;
    pm_checked checked;
    bool base;
    uint64_t fields;
} demos[] = {
    {"demo-x.txt", PM_DIALECT_PMAP_SMALL_X, PM_CHECKED_FOOTER, true, TO_NARROW},
    {"demo-xp.txt", PM_DIALECT_PMAP_SMALL_X, PM_CHECKED_FOOTER, false, TO_NARROW},
    {"demo-d.txt", PM_DIALECT_PMAP_D, PM_CHECKED_FOOTER, true,
     PM_BIT(PM_SIZE) | PM_HAS_OFFSET | PM_HAS_DEVICE},
    {"demo-default.txt", PM_DIALECT_PMAP, PM_CHECKED_FOOTER, true, PM_BIT(PM_SIZE)},
    {"demo-XX.txt", PM_DIALECT_PMAP_XX, PM_CHECKED_FOOTER, true, LINUX | PLACE | PM_HAS_FLAGS},
    {"demo-XXp.txt", PM_DIALECT_PMAP_XX, PM_CHECKED_FOOTER, false, LINUX | PLACE | PM_HAS_FLAGS},
    {"demo-XXpq.txt", PM_DIALECT_PMAP_XX, PM_CHECKED_NONE, false,
     (LINUX & ~PM_BIT(PM_KSM)) | PLACE | PM_HAS_FLAGS},
    {"demo-X.txt", PM_DIALECT_PMAP_X, PM_CHECKED_FOOTER, true, (LINUX & ~ONLY_XX) | PLACE},
    {"demo-Xpq.txt", PM_DIALECT_PMAP_X, PM_CHECKED_NONE, false,
     (LINUX & ~ONLY_XX & ~PM_BIT(PM_KSM)) | PLACE},
};

/* The narrow dialects hide names that are not files, and print '?' for unprintable bytes (4.0.2).
 * The wide dialects print the kernel's names, cut to 127 bytes before the folder is removed. */
static void expect_names(const struct demo *d, const pm_seen *s)
{
    bool wide = d->fields & PM_HAS_PSEUDO;
    char buf[512];

    for (size_t i = 0; i < DEMO_ROWS; i++) {
        pm_text path = demo_path(i, d->base, wide ? 127 : SIZE_MAX, buf), got = s->rows[i].path;

        if (!wide && pm_text_starts(path, PM_TEXT("[")) && !pm_text_equal(path, PM_TEXT("[stack]")))
            path = PM_TEXT("");
        assert_int_equal(pm_has(&s->rows[i], PM_HAS_PSEUDO), wide);
        assert_int_equal(s->rows[i].name_cut, wide && i == DEMO_LONG && !d->base);
        if (!wide && i == DEMO_BAD)
            assert_true(pm_text_ends(got, PM_TEXT("bad? utf8 ")));
        else if (!wide && i == DEMO_TAB)
            assert_true(pm_text_ends(got, PM_TEXT("tab?here")));
        else
            demo_same(got, path, i);
    }
}

TEST(every_dialect)
{
    for (size_t i = 0; i < COUNT(demos); i++) {
        const struct demo *d = &demos[i];
        pm_seen *s = demo_read(d->file, d->dialect, d->checked);
        const pm_block *b = &s->blocks[0];
        bool rss = d->fields & PM_BIT(PM_RSS), proved = d->checked == PM_CHECKED_FOOTER;

        expect_names(d, s);
        if (b->fields != d->fields)
            fail_msg("%s: other fields: %llx", d->file,
                     (unsigned long long)(b->fields ^ d->fields));
        assert_int_equal(b->totals.v[PM_TOTAL_RSS], rss ? DEMO_RSS : PMAPDB_UNKNOWN);
        assert_int_equal(b->totals.v[PM_TOTAL_PRIVATE_DIRTY],
                         d->fields & PM_BIT(PM_PRIVATE_DIRTY) ? 748 : PMAPDB_UNKNOWN);
        assert_int_equal(b->tool_size_kib, proved ? DEMO_SIZE : PMAPDB_UNKNOWN);
        assert_int_equal(b->tool_rss_kib, proved && rss ? DEMO_RSS : PMAPDB_UNKNOWN);
        kit_free(s);
    }
}

/* Captures of a heap that grew meanwhile. The sums of -x include both rows of the heap; the sums of
 * -XX are of an earlier reading. */
TEST(a_row_that_is_printed_again)
{
    static const char again[] = "1 mappings are printed twice, as they grew while they were read: "
                                "the later row counts";
    static const struct {
        const char *file;
        int64_t size, heap_rss;
        pm_checked checked;
        const char *more;
    } grown[] = {
        {"grown-x.txt", 77668 - 34480, 40836, PM_CHECKED_FOOTER, ""},
        {"grown-XX.txt", 97484 - 43968, 51168, PM_CHECKED_NONE,
         "\nrows and footer differ by 7200 KiB, as in a running process: pmap -X reads the "
         "map twice"}};

    for (size_t i = 0; i < COUNT(grown); i++) {
        pm_buf bytes = kit_fixture(grown[i].file);
        pm_seen *s = kit_read(pm_buf_text(&bytes));
        pm_text notes = s->blocks[0].notes;

        assert_int_equal(s->n_blocks, 1);
        assert_int_equal(s->n_rows, 24);
        assert_int_equal(s->rows[5].value[PM_RSS], grown[i].heap_rss);
        assert_int_equal(s->blocks[0].totals.v[PM_TOTAL_SIZE], grown[i].size);
        assert_int_equal(s->blocks[0].checked, grown[i].checked);
        assert_string_equal(s->blocks[0].missing.data, "");
        assert_true(pm_text_starts(notes, PM_TEXT(again)));
        assert_string_equal(notes.data + strlen(again), grown[i].more);
        kit_free(s);
        kit_every_chunk(pm_buf_text(&bytes), 64);
        pm_buf_free(&bytes);
    }
}

/* ---- cuts ---- */

/* True if the first n bytes end in a VmFlags line, the last line of a row. The newline may be lost:
 * a cut after a blank of the list looks like the end. */
static bool ends_row(pm_text all, size_t n)
{
    size_t end = all.data[n - 1] == '\n' ? n - 1 : n;
    const char *newline = memrchr(all.data, '\n', end);

    return newline && all.data[end - 1] == ' ' && memcmp(newline + 1, "VmFlags: ", 9) == 0;
}

/* Wherever smaps is cut, exactly the whole rows are read. The capture is complete only if no part
 * of a row is lost. */
TEST(a_cut_of_smaps)
{
    pm_buf bytes = kit_fixture("demo-smaps.txt");
    pm_text all = pm_buf_text(&bytes);
    size_t rows = 0;

    for (size_t n = 1; n < all.len; n++) {
        pm_seen *s = kit_read((pm_text){all.data, n});
        bool end = ends_row(all, n);

        /* The keys that a single row should have are unknown. */
        if (rows > 0 &&
            (s->n_rows != rows + end || (s->blocks[0].state == PM_STATE_COMPLETE) != end))
            fail_msg("cut at byte %zu: %zu rows after %zu, %s", n, s->n_rows, rows,
                     s->blocks[0].missing.data);
        rows += end && all.data[n - 1] == '\n';
        kit_free(s);
    }
    assert_int_equal(rows, 9);
    pm_buf_free(&bytes);
}

/* A cut of -x is always noticed, because the footer is missing. A cut after a whole row of -XX
 * cannot be noticed, and a note says so. */
TEST(a_cut_of_pmap)
{
    static const char *const files[] = {"demo-x.txt", "demo-XX.txt"};

    for (size_t i = 0; i < COUNT(files); i++) {
        pm_buf bytes = kit_fixture(files[i]);
        pm_text all = pm_buf_text(&bytes);

        for (size_t n = 1; n + 3 < all.len; n++) {
            pm_seen *s = kit_read((pm_text){all.data, n});

            if (s->n_rows && s->blocks[0].state == PM_STATE_COMPLETE &&
                (i == 0 || all.data[n - 1] != '\n' ||
                 !strstr(s->blocks[0].notes.data, "rows may be missing")))
                fail_msg("%s: cut at byte %zu: complete", files[i], n);
            assert_true(s->n_blocks == 0 || s->n_rows > 0 || s->blocks[0].empty.len > 0);
            kit_free(s);
        }
        pm_buf_free(&bytes);
    }
}

RUN_TESTS(NULL, NULL)
