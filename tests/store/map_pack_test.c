/* map_pack_test: rows of every shape come back as they were put, and of damaged bytes comes nothing
 * that a map cannot be. */
#include "kit.h"

#include "store/map_pack.h"
#include <xxhash.h>

#define ROWS 60
#define SEEDS 100
#define HASH_BYTES 8
#define WHOSE 4711

typedef struct world {
    pm_object object[ROWS];
    pm_row row[ROWS];
    pm_again_mark mark[ROWS];
    size_t n, versions, first_rows;
    uint64_t context;
} world;

/* ---- rows by chance ---- */

/* Of any length in bits, so that every length of number is met. */
static uint64_t any(uint64_t *seed)
{
    return kit_random(seed) >> kit_below(seed, 64);
}

/* 0, small, long, of either sign, and not known. */
static int64_t any_number(uint64_t *seed)
{
    int64_t v = (int64_t)(any(seed) >> 1);

    switch (kit_below(seed, 5)) {
    case 0:
        return PMAPDB_UNKNOWN;
    case 1:
        return 0;
    case 2:
        return -v;
    default:
        return v;
    }
}

/* Goes up in small steps for the most part, as those of a store do, and down. */
static int64_t any_id(int64_t before, uint64_t *seed)
{
    switch (kit_below(seed, 6)) {
    case 0:
        return 1 + (int64_t)(any(seed) >> 2);
    case 1:
        return before > 1 ? 1 + (int64_t)kit_below(seed, (uint64_t)before) : 1;
    default:
        return before / 2 + (int64_t)kit_below(seed, 3);
    }
}

static void any_place(pm_place *at, uint64_t *end, uint64_t *seed)
{
    static const uint64_t units[] = {4096, 4096, 4096, 1, 512};
    uint64_t unit = units[kit_below(seed, 5)], gap = kit_below(seed, 3) ? 0 : any(seed) >> 20;

    at->start = (*end + gap + unit - 1) / unit * unit;
    at->length = unit * (1 + (any(seed) >> 24) % (UINT64_C(1) << 34));
    at->has_offset = kit_below(seed, 2);
    at->offset = at->has_offset ? any(seed) / unit * unit : 0;
    *end = at->start + at->length;
}

static void any_world(world *w, uint64_t seed)
{
    uint64_t end = 0;

    *w = (world){.n = kit_below(&seed, ROWS + 1),
                 .versions = any(&seed),
                 .first_rows = any(&seed),
                 .context = kit_below(&seed, 2) ? any(&seed) : 0};
    for (size_t i = 0; i < w->n; i++) {
        static const pm_row none = {.region_id = 0};
        const pm_row *before = i ? &w->row[i - 1] : &none;
        pm_row *row = &w->row[i];

        any_place(&row->at, &end, &seed);
        if (i && i == w->n - 1) { /* as [vsyscall] does */
            row->at.start = UINT64_C(0xffffffffff600000);
            row->at.length = 4096;
        }
        w->object[i].id = any_id(i ? w->object[i - 1].id : 0, &seed);
        row->at.object = &w->object[i];
        row->at.lineage = any_id(before->at.lineage, &seed);
        row->region_id = any_id(before->region_id, &seed);
        row->at.kept = kit_below(&seed, 3) ? 0 : 1 + (int64_t)kit_below(&seed, 40);
        row->size_kib = any_number(&seed);
        row->reason = (pm_reason)kit_below(&seed, PM_REASON_FILE_OFFSET + 1);
        row->first = (int32_t)(any(&seed) & INT32_MAX);
        for (int k = 0; k < PM_VER_READ; k++)
            row->m.v[k] = any_number(&seed);
        if (kit_below(&seed, 4))
            w->mark[i] = w->context
                             ? (pm_again_mark){kit_random(&seed) >> 16, 1}
                             : (pm_again_mark){kit_random(&seed), 1 + (uint32_t)(any(&seed) >> 33)};
    }
}

static pm_buf pack(const world *w)
{
    pm_packer p = {.context = w->context};
    pmapdb_error err = {0};

    kit_ok(pm_pack_begin(&p, w->versions, w->first_rows, w->n, &err), &err);
    for (size_t i = 0; i < w->n; i++)
        kit_ok(pm_pack_row(&p, &w->row[i], w->mark[i], &err), &err);
    kit_ok(pm_pack_end(&p, WHOSE, &err), &err);
    return p.bytes;
}

/* ---- they come back ---- */

static void expect_row(const pm_row *got, const pm_row *want)
{
    assert_true(got->at.start == want->at.start);
    assert_true(got->at.length == want->at.length);
    assert_int_equal(got->at.has_offset, want->at.has_offset);
    assert_true(got->at.offset == want->at.offset);
    assert_null(got->at.object);
    assert_int_equal(got->at.lineage, want->at.lineage);
    assert_int_equal(got->at.kept, want->at.kept);
    assert_int_equal(got->size_kib, want->size_kib);
    assert_int_equal(got->region_id, want->region_id);
    assert_int_equal(got->reason, want->reason);
    assert_int_equal(got->first, want->first);
    assert_true(pm_metrics_equal(&got->m, &want->m));
}

static void expect_world(const world *w, pm_text bytes)
{
    pm_unpacker u;
    pm_row row;
    pm_again_mark mark;
    int64_t id;

    assert_true(pm_unpack_begin(&u, bytes, WHOSE));
    assert_true(u.versions == w->versions && u.first_rows == w->first_rows);
    assert_int_equal(u.n, w->n);
    assert_true(u.context == w->context);
    for (size_t i = 0; i < w->n; i++) {
        memset(&row, 0xa5, sizeof row);
        memset(&mark, 0xa5, sizeof mark);
        assert_true(pm_unpack_row(&u, &row, &id, &mark));
        expect_row(&row, &w->row[i]);
        assert_int_equal(id, w->object[i].id);
        assert_true(mark.hash == w->mark[i].hash);
        assert_int_equal(mark.len, w->mark[i].len);
    }
    assert_ptr_equal(u.in.p, u.in.end);
    assert_false(pm_unpack_row(&u, &row, &id, &mark)); /* no more than there are */
}

static void whatever_comes_back(void **state)
{
    static world w;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        pm_buf bytes;

        any_world(&w, seed);
        bytes = pack(&w);
        expect_world(&w, pm_buf_text(&bytes));
        assert_false(pm_unpack_begin(&(pm_unpacker){.n = 0}, pm_buf_text(&bytes), WHOSE + 1));
        pm_buf_free(&bytes);
    }
}

/* Every number as long as it can be. */
static void the_longest_row(void **state)
{
    static world w;
    pm_row *row = &w.row[1];
    pm_buf bytes;

    (void)state;
    w = (world){.n = 2, .versions = SIZE_MAX, .first_rows = SIZE_MAX};
    w.object[0].id = w.row[0].at.lineage = w.row[0].region_id = -INT64_MAX;
    w.row[0].at.object = &w.object[0];
    w.row[0].at.length = 1;
    w.object[1].id = row->at.lineage = row->region_id = INT64_MAX;
    row->at = (pm_place){.start = UINT64_C(1) << 63 | 1,
                         .length = UINT64_MAX / 2 - 1,
                         .offset = UINT64_MAX,
                         .has_offset = true,
                         .object = &w.object[1],
                         .lineage = INT64_MAX,
                         .kept = INT64_MAX};
    row->size_kib = INT64_MAX;
    row->first = INT32_MAX;
    row->reason = PM_REASON_FILE_OFFSET;
    for (int k = 0; k < PM_VER_READ; k++)
        row->m.v[k] = k % 2 ? INT64_MAX : INT64_MIN + 1;
    w.mark[1] = (pm_again_mark){UINT64_MAX, UINT32_MAX};
    bytes = pack(&w);
    expect_world(&w, pm_buf_text(&bytes));
    pm_buf_free(&bytes);
}

/* What it is for: an ordinary mapping in about 25 bytes. */
static void it_is_short(void **state)
{
    static world w;
    pm_buf bytes;

    (void)state;
    w = (world){.n = ROWS, .versions = 900, .first_rows = ROWS};
    for (size_t i = 0; i < ROWS; i++) {
        pm_row *row = &w.row[i];

        w.object[i].id = 1 + (int64_t)i % 9;
        *row = (pm_row){.at = {.start = 0x7f0000000000 + i * 0x21000,
                               .length = 0x20000,
                               .has_offset = true,
                               .object = &w.object[i],
                               .lineage = 1000 + (int64_t)i},
                        .size_kib = PMAPDB_UNKNOWN,
                        .region_id = 2000 + (int64_t)i,
                        .first = (int32_t)i};
        for (int k = 0; k < PM_VER_READ; k++)
            row->m.v[k] = k < PM_VER_PSS ? (int64_t)i % 2 * 128 : PMAPDB_UNKNOWN;
        w.mark[i] = (pm_again_mark){UINT64_MAX - i, 700};
    }
    bytes = pack(&w);
    assert_in_range(bytes.len / ROWS, 20, 32);
    pm_buf_free(&bytes);
}

/* ---- damage ---- */

static pm_text alone(const pm_buf *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);

    if (!copy)
        abort();
    if (len)
        memcpy(copy, bytes->data, len);
    return (pm_text){copy, len};
}

static void refused(pm_text bytes)
{
    pm_unpacker u;

    assert_false(pm_unpack_begin(&u, bytes, WHOSE));
    free((char *)bytes.data);
}

static void no_byte_may_differ(void **state)
{
    static world w;

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        pm_buf bytes;

        any_world(&w, seed);
        bytes = pack(&w);
        for (size_t i = 0; i < bytes.len; i++) {
            bytes.data[i] = (char)(bytes.data[i] ^ (1 << kit_below(&seed, 8)));
            refused(alone(&bytes, bytes.len));
            bytes.data[i] = (char)~bytes.data[i];
            refused(alone(&bytes, bytes.len));
        }
        for (size_t len = 0; len < bytes.len; len++)
            refused(alone(&bytes, len));
        pm_buf_free(&bytes);
    }
}

static void sign(pm_text bytes)
{
    char *data = (char *)bytes.data;
    uint64_t hash = XXH3_64bits_withSeed(data, bytes.len - HASH_BYTES, WHOSE);

    for (int i = 0; i < HASH_BYTES; i++)
        data[bytes.len - HASH_BYTES + (size_t)i] = (char)(hash >> 8 * i);
}

/* What is taken of them is a map, if not the one that was put. */
static size_t rows_that_can_be(pm_text bytes)
{
    pm_unpacker u;
    pm_row row;
    pm_again_mark mark;
    int64_t id;
    uint64_t end = 0;
    size_t n = 0;

    if (!pm_unpack_begin(&u, bytes, WHOSE))
        return 0;
    assert_true(u.n <= bytes.len);
    for (; n < u.n && pm_unpack_row(&u, &row, &id, &mark); n++) {
        assert_true(row.at.start >= end && row.at.length > 0);
        end = row.at.start + row.at.length;
        assert_true(end > row.at.start);
        assert_true(row.first >= 0);
        assert_in_range(row.reason, 0, PM_REASON_FILE_OFFSET);
    }
    return n;
}

/* As if somebody had signed the damage. */
static void nothing_that_cannot_be(void **state)
{
    static world w;
    size_t taken = 0, whole = 0, tried = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t chance = seed;
        pm_buf bytes;

        any_world(&w, seed);
        bytes = pack(&w);
        for (size_t i = 0; i < bytes.len - HASH_BYTES; i++)
            for (int k = 0; k < 4; k++) {
                size_t len = k == 3 ? i + HASH_BYTES : bytes.len;
                pm_text copy = alone(&bytes, len);
                char *data = (char *)copy.data;

                if (k < 3)
                    data[i] =
                        (char)(k ? kit_random(&chance) : (unsigned char)bytes.data[i] ^ 0x80U);
                if (k == 2)
                    data[kit_below(&chance, len - HASH_BYTES)] = (char)kit_random(&chance);
                sign(copy);
                taken += rows_that_can_be(copy);
                whole += w.n > 0 && rows_that_can_be(copy) == w.n;
                tried++;
                free(data);
            }
        pm_buf_free(&bytes);
    }
    assert_in_range(taken, tried, SIZE_MAX); /* it does get past the hash */
    assert_in_range(whole, 1, tried - 1);
}

/* Each of these is signed, and refused for what it says. */
static void what_it_refuses(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        bool begins;
        const char *why;
    } wrong[] = {
        {"", 0, false, "no format"},
        {"\1", 1, false, "ends there"},
        {"\2\1\1\0", 4, false, "of another program"},
        {"\0\1\1\0", 4, false, "of none"},
        {"\1\1\1\x9\0", 5, false, "more rows than bytes"},
        {"\1\1\1\1\0", 5, true, "a row that is not there"},
        {"\1\1\1\1\0\0\1\0\2\2\2\0\0", 13, true, "of no length"},
        {"\1\1\1\1\0\0\1\1\2\2\2\0\x80\x80\4", 15, true, "a field more"},
        {"\1\1\1\1\0\xc0\1\1\2\2\2\0\0", 13, true, "for no reason"},
        {"\1\1\1\1\0\0\1\1\2\2\2\x80\x80\x80\x80\x8\0", 17, true, "of a late capture"},
        {"\1\1\1\1\0\x8\1\1\2\2\2\0\0\x9\1\2\3\4\5\6\7", 21, true, "half a mark"},
        {"\1\1\1\2\0\x10\5\5\2\2\2\0\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1\0\0\0\0\0", 30,
         true, "below the one before"},
        {"\1\1\1\1\0\x10\5\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\2\2\2\0\0", 22, true,
         "behind all addresses"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pm_buf bytes = {0};
        pm_unpacker u;
        pm_row row;
        pm_again_mark mark;
        int64_t id;

        pm_buf_add(&bytes, wrong[i].bytes, wrong[i].n, NULL);
        pm_buf_add(&bytes, "12345678", HASH_BYTES, NULL);
        sign(pm_buf_text(&bytes));
        if (pm_unpack_begin(&u, pm_buf_text(&bytes), WHOSE) != wrong[i].begins)
            fail_msg("%s", wrong[i].why);
        while (wrong[i].begins && u.n-- && pm_unpack_row(&u, &row, &id, &mark))
            if (u.n == 0)
                fail_msg("%s", wrong[i].why);
        pm_buf_free(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_comes_back),
        cmocka_unit_test(the_longest_row),
        cmocka_unit_test(it_is_short),
        cmocka_unit_test(no_byte_may_differ),
        cmocka_unit_test(nothing_that_cannot_be),
        cmocka_unit_test(what_it_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
