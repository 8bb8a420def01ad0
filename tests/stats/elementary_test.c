/* elementary: exp and log compared with the C library's in long double. */
#include "unit.h"

#include <float.h>
#include <math.h>

#include "stats/elementary.h"

/* The error that the header promises, in units of the last place. */
#define MOST 2.0L

static void expect_near(const char *what, double x, double is, long double truth)
{
    double size = fabs(is);
    long double ulp = (long double)nextafter(size, INFINITY) - size;

    if (!(fabsl(is - truth) < MOST * ulp))
        fail_msg("%s(%a) is %a, %.2Lf units in the last place off", what, x, is,
                 fabsl(is - truth) / ulp);
}

static void expect_exp(double x)
{
    expect_near("exp", x, pm_exp(x), expl(x));
}

static void expect_log(double x)
{
    expect_near("log", x, pm_log(x), logl(x));
}

/* Without a longer type than double there is no reference value. */
static void need_long(void)
{
    if (LDBL_MANT_DIG <= DBL_MANT_DIG)
        skip();
}

TEST(exp_of_many)
{
    need_long();
    for (int i = -50000; i <= 50000; i++)
        expect_exp(i * 0.0139912345);
    for (int k = -1000; k <= 6; k++) {
        expect_exp(ldexp(1.37, k));
        expect_exp(ldexp(-1.37, k));
    }
    expect_exp(-700.0);
    expect_exp(700.0);
}

/* The rounding of x / ln 2 changes at odd multiples of ln 2 / 2. */
TEST(exp_at_its_borders)
{
    double half = 0.34657359027997264;

    need_long();
    for (int k = -2019; k <= 2019; k += 2) {
        double x = k * half;

        for (int i = -2; i <= 2; i++)
            expect_exp(x * (1 + i * DBL_EPSILON));
    }
}

TEST(log_of_many)
{
    need_long();
    for (int k = -1020; k <= 1020; k++)
        for (int i = 0; i < 50; i++)
            expect_log(ldexp(1.0 + i * 0.0201234, k));
    for (int i = 1; i < 32000; i++)
        expect_log(i * 0.000123);
    expect_log(DBL_MAX);
}

/* Near 1 the logarithm is small, and a sum of parts would lose its digits; at sqrt 1/2 times a
 * power of 2 the parts change. */
TEST(log_at_its_borders)
{
    need_long();
    for (int k = -50; k <= -1; k++)
        for (int i = 0; i < 20; i++) {
            expect_log(1.0 + ldexp(1.0 + i * 0.0491, k));
            expect_log(1.0 - ldexp(0.5 + i * 0.0246, k));
        }
    for (int k = -1000; k <= 1000; k++)
        for (int i = -2; i <= 2; i++)
            expect_log(ldexp(0.70710678118654752 + i * DBL_EPSILON, k));
}

/* The vectors of the compiler return the same bits as single calls. */
TEST(vectors_equal_single_calls)
{
    double e[67], l[67];

    for (int i = 0; i < 67; i++) {
        e[i] = i * 20.9 - 700.0;
        l[i] = ldexp(1.0 + i / 67.0, i * 30 - 1000);
    }
    pm_exp_all(e, 67);
    pm_log_all(l, 67);
    for (int i = 0; i < 67; i++) {
        assert_true(e[i] == pm_exp(i * 20.9 - 700.0));
        assert_true(l[i] == pm_log(ldexp(1.0 + i / 67.0, i * 30 - 1000)));
    }
}

TEST(exact)
{
    assert_true(pm_exp(0.0) == 1.0);
    assert_true(pm_log(1.0) == 0.0);
    assert_true(pm_log(2.0) == 0x1.62e42fefa39efp-1);
}

RUN_TESTS(NULL, NULL)
