/* lineage_test: pairing of two captures, table by table. */
#include "unit.h"

#include "store/write/lineage.h"

#include <stdlib.h>
#include <time.h>

#define NEW PM_REASON_NEW
#define SAME PM_REASON_SAME
#define SAME_START PM_REASON_SAME_START
#define SAME_END PM_REASON_SAME_END
#define OVERLAP PM_REASON_OVERLAP
#define FILE_OFFSET PM_REASON_FILE_OFFSET

#define KIB 1024U
#define ROWS 8

static const pm_object anon = {.who = 1, .perms = "rw-p", .has_inode = true, .path = {"", 0}};
static const pm_object guard = {.who = 2, .perms = "---p", .has_inode = true, .path = {"", 0}};
static const pm_object heap = {.who = 3, .perms = "rw-p", .has_inode = true, .path = {"[heap]", 6}};
static const pm_object lib = {
    .who = 4, .perms = "r--p", .has_inode = true, .inode = 7, .path = {"/usr/lib/libx.so", 16}};
static const pm_object lib_exec = {
    .who = 5, .perms = "r-xp", .has_inode = true, .inode = 7, .path = {"/usr/lib/libx.so", 16}};
static const pm_object other_lib = {
    .who = 6, .perms = "r--p", .has_inode = true, .inode = 8, .path = {"/usr/lib/liby.so", 16}};
/* objects as pmap -x prints them */
static const pm_object x_anon = {.who = 7, .perms = "rw-p", .path = {"", 0}};
static const pm_object x_lib = {.who = 8, .perms = "r--p", .path = {"libx.so", 7}};
static const pm_object x_other = {.who = 9, .perms = "r--p", .path = {"liby.so", 7}};
static const pm_object x_stack = {.who = 10, .perms = "rw-p", .path = {"[stack]", 7}};

typedef struct row {
    uint64_t start, kib;
    const pm_object *object;
    uint64_t offset;
    int64_t lineage; /* of an old row; expected of a new row */
    pm_reason reason;
} row;

static pm_row row_of(const row *r)
{
    return (pm_row){.at = {.start = r->start,
                           .length = r->kib * KIB,
                           .offset = r->offset,
                           .has_offset = r->object->has_inode,
                           .object = r->object,
                           .lineage = r->lineage}};
}

/* Checks the pairing of two tables; a row with kib 0 ends each table. */
static void check(const row *old, const row *new)
{
    pm_row a_row[ROWS] = {0}, b_row[ROWS] = {0};
    pm_rows a = {.row = a_row}, b = {.row = b_row};
    pm_descent *out = NULL;

    for (; old[a.n].kib; a.n++)
        a_row[a.n] = row_of(&old[a.n]);
    for (; new[b.n].kib; b.n++)
        b_row[b.n] = row_of(&new[b.n]);
    assert_int_equal(pm_rows_descent(&a, &b, &out, NULL), PMAPDB_OK);
    for (size_t i = 0; i < b.n; i++) {
        if (out[i].lineage != new[i].lineage || out[i].reason != new[i].reason)
            fail_msg("row %zu: lineage %lld, reason %d", i, (long long)out[i].lineage,
                     (int)out[i].reason);
    }
    free(out);
}

#define TABLE(...) ((const row[]){__VA_ARGS__, {0}})
#define EMPTY ((const row[]){{0}})

TEST(one_piece)
{
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}), TABLE({0x10000, 64, &anon, 0, 1, SAME}));
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}), TABLE({0x10000, 96, &anon, 0, 1, SAME_START}));
    /* A leaking mapping grows downwards: its start does not identify the mapping. */
    check(TABLE({0x20000, 64, &anon, 0, 1, 0}), TABLE({0x10000, 128, &anon, 0, 1, SAME_END}));
    check(TABLE({0x20000, 64, &anon, 0, 1, 0}), TABLE({0x1f000, 128, &anon, 0, 1, OVERLAP}));
    check(TABLE({0x20000, 64, &anon, 0, 1, 0}), TABLE({0x21000, 32, &anon, 0, 1, OVERLAP}));
    /* The mappings touch, but do not overlap. */
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}), TABLE({0x20000, 64, &anon, 0, 0, NEW}));
    check(TABLE({0x20000, 64, &anon, 0, 1, 0}), TABLE({0x10000, 64, &anon, 0, 0, NEW}));
    check(EMPTY, TABLE({0x10000, 64, &anon, 0, 0, NEW}));
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}), EMPTY);
}

TEST(every_piece_of_a_split_continues)
{
    check(TABLE({0x10000, 256, &anon, 0, 5, 0}),
          TABLE({0x10000, 64, &anon, 0, 5, SAME_START}, {0x28000, 32, &anon, 0, 5, OVERLAP},
                {0x40000, 64, &anon, 0, 5, SAME_END}));
    /* mprotect of the middle */
    check(TABLE({0x10000, 256, &anon, 0, 5, 0}),
          TABLE({0x10000, 64, &anon, 0, 5, SAME_START}, {0x20000, 64, &guard, 0, 0, NEW},
                {0x30000, 128, &anon, 0, 5, SAME_END}));
}

TEST(merge_continues_what_has_most_bytes)
{
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}, {0x20000, 128, &anon, 0, 2, 0}),
          TABLE({0x10000, 192, &anon, 0, 2, SAME_END}));
    /* a tie: the lower start */
    check(TABLE({0x10000, 64, &anon, 0, 9, 0}, {0x20000, 64, &anon, 0, 2, 0}),
          TABLE({0x10000, 128, &anon, 0, 9, SAME_START}));
    /* Two pieces of lineage 1 outweigh the largest piece, which is of lineage 2. */
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}, {0x20000, 96, &anon, 0, 2, 0},
                {0x38000, 64, &anon, 0, 1, 0}),
          TABLE({0x10000, 224, &anon, 0, 1, SAME_START}));
    /* Only the bytes inside the result count. */
    check(TABLE({0x10000, 256, &anon, 0, 1, 0}, {0x50000, 64, &anon, 0, 2, 0}),
          TABLE({0x48000, 96, &anon, 0, 2, SAME_END}));
    /* both ends move; the result ends with the old piece */
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}, {0x30000, 32, &anon, 0, 2, 0}),
          TABLE({0xf000, 164, &anon, 0, 1, OVERLAP}));
}

TEST(reused_place_is_new)
{
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}), TABLE({0x10000, 64, &other_lib, 0, 0, NEW}));
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}), TABLE({0x10000, 64, &anon, 0, 0, NEW}));
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}), TABLE({0x10000, 64, &lib, 0x4000, 0, NEW}));
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}), TABLE({0x10000, 64, &guard, 0, 0, NEW}));
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}), TABLE({0x10000, 64, &lib_exec, 0, 0, NEW}));
    check(TABLE({0x10000, 64, &anon, 0, 1, 0}), TABLE({0x10000, 64, &heap, 0, 0, NEW}));
    /* Another file was there before: only equal objects count. */
    check(TABLE({0x10000, 64, &other_lib, 0, 1, 0}, {0x20000, 16, &anon, 0, 2, 0}),
          TABLE({0x10000, 80, &anon, 0, 2, SAME_END}));
}

/* Linux before 2.6.25 shows the address as the offset of anonymous memory. */
TEST(offset_of_anonymous_memory_means_nothing)
{
    check(TABLE({0x20000, 64, &anon, 0x20, 1, 0}), TABLE({0x10000, 128, &anon, 0x10, 1, SAME_END}));
    check(TABLE({0x10000, 64, &anon, 0x10, 1, 0}), TABLE({0x90000, 64, &anon, 0x10, 0, NEW}));
}

TEST(file_offset_follows_the_start)
{
    check(TABLE({0x20000, 64, &lib, 0x8000, 1, 0}),
          TABLE({0x1c000, 80, &lib, 0x4000, 1, SAME_END}));
    check(TABLE({0x20000, 64, &lib, 0x8000, 1, 0}),
          TABLE({0x28000, 32, &lib, 0x10000, 1, SAME_END}));
}

TEST(file_moves)
{
    check(TABLE({0x10000, 64, &lib, 0x4000, 1, 0}),
          TABLE({0x90000, 96, &lib, 0x4000, 1, FILE_OFFSET}));
    check(TABLE({0x10000, 64, &lib, 0x4000, 1, 0}), TABLE({0x90000, 64, &lib, 0x5000, 0, NEW}));
    /* The file is still mapped: the second mapping is new. */
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}),
          TABLE({0x10000, 64, &lib, 0, 1, SAME}, {0x90000, 64, &lib, 0, 0, NEW}));
    /* Two mappings of equal offset: equal lengths are paired first. */
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}, {0x30000, 128, &lib, 0, 2, 0}),
          TABLE({0x90000, 128, &lib, 0, 2, FILE_OFFSET}, {0xc0000, 64, &lib, 0, 1, FILE_OFFSET}));
    /* equal lengths: in the order of the addresses */
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}, {0x30000, 64, &lib, 0, 2, 0}),
          TABLE({0x90000, 64, &lib, 0, 1, FILE_OFFSET}, {0xc0000, 64, &lib, 0, 2, FILE_OFFSET}));
    /* No length is equal: the first free mapping is taken. */
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}, {0x30000, 128, &lib, 0, 2, 0}),
          TABLE({0x90000, 32, &lib, 0, 1, FILE_OFFSET}, {0xc0000, 48, &lib, 0, 2, FILE_OFFSET},
                {0xe0000, 48, &lib, 0, 0, NEW}));
}

TEST(end_of_the_address_space)
{
    check(TABLE({0xfffffffffffff000U, 4, &anon, 0, 1, 0}),
          TABLE({0xfffffffffffff000U, 4, &anon, 0, 1, SAME}));
    check(TABLE({0x1000, 4, &anon, 0, 2, 0}, {0xfffffffffffff000U, 4, &anon, 0, 1, 0}),
          TABLE({0x1000, 4, &anon, 0, 2, SAME}, {0xffffffffffffe000U, 8, &anon, 0, 1, SAME_END}));
}

TEST(dialects_mix)
{
    check(TABLE({0x10000, 64, &lib, 0x1000, 1, 0}, {0x20000, 64, &heap, 0, 2, 0},
                {0x40000, 64, &anon, 0, 3, 0}),
          TABLE({0x10000, 64, &x_lib, 0, 1, SAME}, {0x20000, 96, &x_anon, 0, 2, SAME_START},
                {0x40000, 64, &x_anon, 0, 3, SAME}));
    check(TABLE({0x10000, 64, &x_lib, 0, 1, 0}, {0x20000, 64, &x_anon, 0, 2, 0}),
          TABLE({0x10000, 64, &lib, 0x1000, 1, SAME}, {0x20000, 64, &heap, 0, 2, SAME}));
    check(TABLE({0x10000, 64, &lib, 0, 1, 0}), TABLE({0x10000, 64, &x_other, 0, 0, NEW}));
    /* Without an offset, a move cannot be recognised. */
    check(TABLE({0x10000, 64, &x_lib, 0, 1, 0}), TABLE({0x90000, 64, &lib, 0, 0, NEW}));
    /* pmap does print the stack's name */
    check(TABLE({0x10000, 64, &heap, 0, 1, 0}), TABLE({0x10000, 64, &x_stack, 0, 0, NEW}));
}

TEST(order_of_places)
{
    pm_place low = {.start = 1, .length = 8}, longer = {.start = 1, .length = 9};
    pm_place high = {.start = 0xffffffffff600000U, .length = 1};

    assert_true(pm_place_compare(&low, &longer) < 0);
    assert_true(pm_place_compare(&longer, &high) < 0);
    assert_true(pm_place_compare(&high, &low) > 0);
    assert_int_equal(pm_place_compare(&low, &low), 0);
}

/* Rows of one file that neither stay nor move: the search for moves must not compare every pair. */
TEST(many_unrelated_rows)
{
    const size_t n = 4000;
    pm_rows a = {.row = calloc(n, sizeof *a.row), .n = n};
    pm_rows b = {.row = calloc(n, sizeof *b.row), .n = n};
    pm_descent *out = NULL;
    clock_t begun = clock();

    if (!a.row || !b.row)
        abort();
    for (size_t i = 0; i < n; i++) {
        a.row[i].at = (pm_place){.start = i * 0x20000,
                                 .length = 0x1000,
                                 .offset = 2 * i,
                                 .has_offset = true,
                                 .object = &lib,
                                 .lineage = (int64_t)i + 1};
        b.row[i].at = (pm_place){.start = i * 0x20000 + 0x10000,
                                 .length = 0x1000,
                                 .offset = 2 * i + 1,
                                 .has_offset = true,
                                 .object = &lib};
    }
    assert_int_equal(pm_rows_descent(&a, &b, &out, NULL), PMAPDB_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(out[i].reason, NEW);
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 1);
    free(a.row);
    free(b.row);
    free(out);
}

RUN_TESTS(NULL, NULL)
