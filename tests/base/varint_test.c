/* varint: every length of number comes back, and bytes that are none are noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/varint.h"
#include <stdlib.h>
#include <string.h>

static const uint64_t all_bits = UINT64_MAX;

/* Alone on the heap: the sanitizer sees a read past their end. */
static unsigned char *alone(const unsigned char *bytes, size_t n)
{
    unsigned char *copy = malloc(n ? n : 1);

    if (!copy)
        abort();
    if (n)
        memcpy(copy, bytes, n);
    return copy;
}

/* Also cut anywhere, and with another number behind. */
static void comes_back(uint64_t v, size_t wanted)
{
    unsigned char bytes[PM_VARINT_MAX + 1], *copy;
    size_t n = (size_t)(pm_varint_put(bytes, v) - bytes);
    pm_varints in;

    assert_int_equal(n, wanted);
    bytes[n] = 42;
    copy = alone(bytes, n + 1);
    in = (pm_varints){.p = copy, .end = copy + n + 1};
    assert_true(pm_varint_next(&in) == v);
    assert_ptr_equal(in.p, copy + n);
    assert_int_equal(pm_varint_next(&in), 42);
    assert_false(in.bad);
    free(copy);
    for (size_t cut = 0; cut < n; cut++) {
        copy = alone(bytes, cut);
        in = (pm_varints){.p = copy, .end = copy + cut};
        assert_int_equal(pm_varint_next(&in), 0);
        assert_true(in.bad);
        assert_ptr_equal(in.p, in.end);
        free(copy);
    }
}

static void unsigned_ones(void **state)
{
    (void)state;
    comes_back(0, 1);
    for (unsigned bits = 1; bits <= 64; bits++) {
        uint64_t largest = all_bits >> (64 - bits);
        size_t n = (bits + 6) / 7;

        comes_back(largest, n);
        comes_back(largest / 2 + 1, n);
        comes_back((largest / 2 + 1) | 1, n);
    }
    comes_back(127, 1);
    comes_back(128, 2);
    comes_back(UINT64_C(1) << 63, PM_VARINT_MAX);
    comes_back(all_bits, PM_VARINT_MAX);
}

static void signed_one(int64_t v, size_t wanted)
{
    unsigned char bytes[PM_VARINT_MAX];
    size_t n = (size_t)(pm_varint_put_signed(bytes, v) - bytes);
    pm_varints in = {.p = bytes, .end = bytes + n};

    assert_int_equal(n, wanted);
    assert_true(pm_varint_next_signed(&in) == v);
    assert_false(in.bad);
    assert_ptr_equal(in.p, in.end);
}

static void signed_ones(void **state)
{
    (void)state;
    signed_one(0, 1);
    signed_one(-1, 1);
    signed_one(63, 1);
    signed_one(-64, 1);
    signed_one(64, 2);
    signed_one(-65, 2);
    for (unsigned bits = 1; bits < 64; bits++) {
        int64_t largest = (int64_t)(all_bits >> (64 - bits));

        signed_one(largest, bits / 7 + 1);
        signed_one(-largest, bits / 7 + 1);
        signed_one(-largest - 1, bits / 7 + 1);
    }
    signed_one(INT64_MAX, PM_VARINT_MAX);
    signed_one(INT64_MIN, PM_VARINT_MAX);
}

/* Nothing is read any more behind what is bad. */
static void more_than_64_bits(void **state)
{
    static const struct {
        unsigned char bytes[PM_VARINT_MAX + 2];
        size_t n;
    } wrong[] = {
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 7}, 11},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x03, 7}, 11},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f, 7}, 11},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 7}, 12},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0, 7}, 12},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        unsigned char *copy = alone(wrong[i].bytes, wrong[i].n);
        pm_varints in = {.p = copy, .end = copy + wrong[i].n};

        assert_int_equal(pm_varint_next(&in), 0);
        for (int k = 0; k < 3; k++) {
            assert_true(in.bad);
            assert_int_equal(pm_varint_next(&in), 0);
            assert_int_equal(pm_varint_next_signed(&in), 0);
        }
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_ones),
        cmocka_unit_test(signed_ones),
        cmocka_unit_test(more_than_64_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
