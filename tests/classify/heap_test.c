/* Tests of the heap that is found by its address, in captures that print it as "[ anon ]". */
#include "classify/rows.h"

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)

/* The rows of a small program, its bss and its heap, in the order of the text. */
#define IMAGE                                            \
    {0x560000000000, 0x560000001000, "r--p", "app"},     \
        {0x560000001000, 0x560000002000, "r-xp", "app"}, \
        {0x560000002000, 0x560000003000, "rw-p", "app"}, \
    {                                                    \
        0x560000003000, 0x560000005000, "rw-p", ""       \
    }
#define LIBRARY                                             \
    {                                                       \
        0x7f0000000000, 0x7f0000001000, "r-xp", "libc.so.6" \
    }

static pm_classify_context context_of(pm_dialect dialect, const test_row *rows, size_t n)
{
    pm_classify_context context;
    test_capture t;

    capture_open(&t, dialect, rows, n);
    pm_classify_prepare(&t.capture, &context);
    capture_close(&t);
    context.program = (pm_text){0};
    return context;
}

static void expect_heap(const test_row *rows, size_t n, uint64_t start, uint64_t end)
{
    pm_classify_context context = context_of(PM_DIALECT_PMAP_SMALL_X, rows, n);

    assert_true(context.heap_inferred);
    assert_int_equal(context.heap_start, start);
    assert_int_equal(context.heap_end, end);
}

static void expect_none(pm_dialect dialect, const test_row *rows, size_t n)
{
    assert_false(context_of(dialect, rows, n).heap_inferred);
}

TEST(test_after_bss)
{
    static const test_row rows[] = {IMAGE, {0x560000100000, 0x560000200000, "rw-p", ""}, LIBRARY};
    static const test_row reversed[] = {
        LIBRARY,
        {0x560000100000, 0x560000200000, "rw-p", ""},
        {0x560000003000, 0x560000005000, "rw-p", ""},
        {0x560000002000, 0x560000003000, "rw-p", "app"},
        {0x560000001000, 0x560000002000, "r-xp", "app"},
        {0x560000000000, 0x560000001000, "r--p", "app"},
    };

    expect_heap(rows, COUNT(rows), 0x560000100000, 0x560000200000);
    expect_heap(reversed, COUNT(reversed), 0x560000100000, 0x560000200000);
}

/* A row with other permissions ends the heap: the kernel shows it as [heap], the text cannot. */
TEST(test_rows_that_touch)
{
    static const test_row rows[] = {
        IMAGE,
        {0x560000300000, 0x560000400000, "rwxp", ""},
        {0x560000100000, 0x560000200000, "rw-p", ""},
        {0x560000200000, 0x560000300000, "rw-p", ""},
        {0x560000400000, 0x560000500000, "r--p", ""},
        {0x560000500000, 0x560000600000, "rw-p", ""},
        LIBRARY,
    };
    static const test_row after_file[] = {
        IMAGE,
        {0x560000100000, 0x560000200000, "rw-p", ""},
        {0x560000200000, 0x560000300000, "rw-p", "data"},
    };

    expect_heap(rows, COUNT(rows), 0x560000100000, 0x560000400000);
    expect_heap(after_file, COUNT(after_file), 0x560000100000, 0x560000200000);
}

TEST(test_other_rows_are_not_heap)
{
    static const test_row only_image[] = {IMAGE, LIBRARY};
    static const test_row touching[] = {IMAGE,
                                        {0x560000005000, 0x560000006000, "---p", ""},
                                        {0x560000006000, 0x560000009000, "rw-p", ""}};
    static const test_row others[] = {
        IMAGE,
        {0x560000100000, 0x560000200000, "---p", ""},
        {0x560000200000, 0x560000300000, "rw-s", ""},
        {0x560000300000, 0x560000400000, "r-xp", ""},
        {0x560000400000, 0x560000500000, "rw-p", "[heap]"},
        {0x560000500000, 0x560000600000, "rw-p", "[stack]"},
        {0x55f000000000, 0x55f000001000, "rw-p", ""},
    };

    expect_none(PM_DIALECT_PMAP_SMALL_X, only_image, COUNT(only_image));
    expect_none(PM_DIALECT_PMAP_SMALL_X, touching, COUNT(touching));
    expect_none(PM_DIALECT_PMAP_SMALL_X, others, COUNT(others));
}

TEST(test_reach)
{
    const uint64_t end = 0x560000005000, reach = GIB + 32 * MIB;
    const test_row last[] = {IMAGE, {end + reach, end + reach + MIB, "rw-p", ""}};
    const test_row too_far[] = {IMAGE, {end + reach + 4096, end + reach + MIB, "rw-p", ""}};
    /* The program has mapped its file again: near enough to be its image, or as data. */
    const test_row image[] = {IMAGE,
                              {end + GIB, end + GIB + MIB, "r--p", "app"},
                              {end + MIB, end + 2 * MIB, "rw-p", ""},
                              {end + GIB + 3 * MIB, end + GIB + 4 * MIB, "rw-p", ""}};
    const test_row data[] = {IMAGE,
                             {end + GIB + 4096, end + GIB + MIB, "r--p", "app"},
                             {end + MIB, end + 2 * MIB, "rw-p", ""}};

    expect_heap(last, COUNT(last), end + reach, end + reach + MIB);
    expect_none(PM_DIALECT_PMAP_SMALL_X, too_far, COUNT(too_far));
    expect_heap(image, COUNT(image), end + GIB + 3 * MIB, end + GIB + 4 * MIB);
    expect_heap(data, COUNT(data), end + MIB, end + 2 * MIB);
}

/* Old linkers also put bss between the rows of the program. */
TEST(test_bss_between)
{
    static const test_row rows[] = {
        {0x400000, 0x500000, "r-xp", "app"}, {0x6ff000, 0x700000, "rw-p", ""},
        {0x700000, 0x710000, "rw-p", "app"}, {0x710000, 0x720000, "rw-p", ""},
        {0x1c3d000, 0x1c5e000, "rw-p", ""},
    };

    expect_heap(rows, COUNT(rows), 0x1c3d000, 0x1c5e000);
}

TEST(test_only_where_hidden)
{
    static const test_row rows[] = {IMAGE, {0x560000100000, 0x560000200000, "rw-p", ""}, LIBRARY};
    /* pmap -k of procps 4.0.6, toybox */
    static const test_row shown[] = {IMAGE,
                                     {0x560000100000, 0x560000200000, "rw-p", ""},
                                     {0x7f0000002000, 0x7f0000003000, "r-xp", "[vdso]"}};
    pm_classify_context context = context_of(PM_DIALECT_PMAP_SMALL_X, shown, COUNT(shown));

    expect_none(PM_DIALECT_SMAPS, rows, COUNT(rows));
    expect_none(PM_DIALECT_PMAP_XX, rows, COUNT(rows));
    expect_none(PM_DIALECT_PMAP_X, rows, COUNT(rows));
    expect_none(PM_DIALECT_MAPS, rows, COUNT(rows));
    assert_true(context_of(PM_DIALECT_PMAP, rows, COUNT(rows)).heap_inferred);
    assert_true(context_of(PM_DIALECT_PMAP_D, rows, COUNT(rows)).heap_inferred);
    assert_false(context.heap_inferred);
    assert_false(context.pseudo_hidden);
}

/* Private rw rows without a name inside the range are heap. */
TEST(test_rows_get_the_category)
{
    const pm_classify_context context = {
        .pseudo_hidden = true, .heap_inferred = true, .heap_start = 0x2000, .heap_end = 0x4000};
    static const struct {
        test_row row;
        pm_category category;
    } rows[] = {
        {{0x2000, 0x3000, "rw-p", ""}, PM_CATEGORY_HEAP},
        {{0x3000, 0x4000, "rwxp", ""}, PM_CATEGORY_HEAP},
        {{0x1000, 0x2000, "rw-p", ""}, PM_CATEGORY_ANONYMOUS},
        {{0x4000, 0x5000, "rw-p", ""}, PM_CATEGORY_ANONYMOUS},
        {{0x2000, 0x3000, "r--p", ""}, PM_CATEGORY_ANONYMOUS},
        {{0x2000, 0x3000, "rw-p", "data"}, PM_CATEGORY_MAPPED_FILE},
        {{0x2000, 0x3000, "rw-s", ""}, PM_CATEGORY_SHARED_MEMORY},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        pm_mapping m = mapping_of(&rows[i].row);

        assert_int_equal(pm_classify_mapping(&context, &m), rows[i].category);
    }
}

RUN_TESTS(NULL, NULL)
