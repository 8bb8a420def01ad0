/* order: medians and quantiles compared with a sorted copy.
 *
 * All values are small integers: every sum is exact, whatever its order.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "stats/order.h"

enum { MOST = 40, LARGE = 20000, KINDS = 8, ROUNDS = 4 };

static double input[LARGE], sorted[LARGE], work[LARGE];

static uint32_t chance(void)
{
    static uint32_t x = 12345;

    x = x * 1664525u + 1013904223u;
    return x >> 8;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Ties, many values, sorted, reversed, constant, two values, an organ pipe, an outlier. */
static double value_of(int kind, size_t n, size_t i)
{
    switch (kind) {
    case 0:
        return chance() % 5;
    case 1:
        return (double)(chance() % 100000) - 50000.0;
    case 2:
        return (double)i;
    case 3:
        return (double)(n - i);
    case 4:
        return 7.0;
    case 5:
        return chance() % 2;
    case 6:
        return (double)(i < n / 2 ? i : n - i);
    default:
        return i == n / 3 ? 1e9 : 0.0;
    }
}

static void make(int kind, size_t n)
{
    for (size_t i = 0; i < n; i++)
        input[i] = value_of(kind, n, i);
    memcpy(sorted, input, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
}

static double *copy(size_t n)
{
    memcpy(work, input, n * sizeof *work);
    return work;
}

/* The values are reordered, not changed. */
static void expect_same_values(size_t n)
{
    qsort(work, n, sizeof *work, by_value);
    assert_memory_equal(work, sorted, n * sizeof *work);
}

static void expect_select(size_t n, size_t k)
{
    assert_true(pm_select(copy(n), n, k) == sorted[k]);
    assert_true(work[k] == sorted[k]);
    for (size_t i = 0; i < n; i++)
        assert_true(i < k ? work[i] <= work[k] : work[i] >= work[k]);
    expect_same_values(n);
}

static void expect_median(size_t n)
{
    double truth = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;

    assert_true(pm_median(copy(n), n) == truth);
    expect_same_values(n);
}

/* A quarter is cut off at each end, rounded down. */
static void expect_midmean(size_t n)
{
    size_t cut = n / 4;
    double sum = 0.0, truth;

    for (size_t i = cut; i < n - cut; i++)
        sum += sorted[i];
    truth = n < 4 ? pm_median(copy(n), n) : sum / (double)(n - 2 * cut);
    assert_true(pm_midmean(copy(n), n) == truth);
    expect_same_values(n);
}

TEST(few)
{
    for (int round = 0; round < ROUNDS * KINDS; round++)
        for (size_t n = 1; n <= MOST; n++) {
            make(round % KINDS, n);
            for (size_t k = 0; k < n; k++)
                expect_select(n, k);
            expect_median(n);
            expect_midmean(n);
        }
}

/* With many values, a kind of quadratic cost would take minutes. */
TEST(many)
{
    for (int kind = 0; kind < KINDS; kind++) {
        make(kind, LARGE);
        expect_select(LARGE, LARGE / 7);
        expect_median(LARGE);
        expect_midmean(LARGE);
    }
}

TEST(by_hand)
{
    double four[] = {4, 1, 3, 2}, eight[] = {100, 1, 2, 3, 4, 5, 6, -100}, three[] = {3, 1, 8};

    assert_true(pm_median(four, 4) == 2.5);
    assert_true(pm_midmean(eight, 8) == 3.5);
    assert_true(pm_midmean(three, 3) == 3.0);
}

RUN_TESTS(NULL, NULL)
