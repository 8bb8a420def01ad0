/* elementary: exp and log whose every bit is the same on every machine. */
#include "stats/elementary.h"

#include <math.h>

/* ln 2 in two parts: the first has so few bits that its product with a small integer is exact. */
static const double ln2_high = 0x1.62e42fee00000p-1;
static const double ln2_low = 0x1.a39ef35793c76p-33;

/* 1 / i!, the series of exp: for |r| <= 0.35 the 13th power is the last that counts. */
enum { TERMS = 14 };
static const double part[TERMS] = {1.0,
                                   1.0,
                                   1.0 / 2,
                                   1.0 / 6,
                                   1.0 / 24,
                                   1.0 / 120,
                                   1.0 / 720,
                                   1.0 / 5040,
                                   1.0 / 40320,
                                   1.0 / 362880,
                                   1.0 / 3628800,
                                   1.0 / 39916800,
                                   1.0 / 479001600,
                                   1.0 / 6227020800};

double pm_exp(double x)
{
    /* x = k ln 2 + r, |r| <= 0.35 */
    double k = floor(x / (ln2_high + ln2_low) + 0.5);
    double r = (x - k * ln2_high) - k * ln2_low;
    double sum = part[TERMS - 1];
    int i;

    for (i = TERMS - 2; i >= 0; i--)
        sum = part[i] + sum * r;
    return ldexp(sum, (int)k);
}

double pm_log(double x)
{
    /* x = m 2^k, m in [sqrt 1/2, sqrt 2); log m = 2 artanh s, |s| <= 0.172 */
    int k, i;
    double m = frexp(x, &k), f, s, square, sum = 0.0;

    if (m < 0.70710678118654752) {
        m *= 2.0;
        k--;
    }
    f = m - 1.0;
    s = f / (m + 1.0);
    square = s * s;
    for (i = 21; i >= 3; i -= 2)
        sum = (sum + 1.0 / i) * square;
    /* 2s = f - sf: f is exact */
    return k * ln2_high + (k * ln2_low + (f - s * (f - 2.0 * sum)));
}
