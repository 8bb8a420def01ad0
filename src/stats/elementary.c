/* elementary: exp and log whose every bit is the same on every machine. */
#include "stats/elementary.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts: the first has so few bits that its product with a small integer is exact. */
static const double ln2_high = 0x1.62e42fee00000p-1;
static const double ln2_low = 0x1.a39ef35793c76p-33;

/* 1 / i!, the series of exp: for |r| <= 0.35 the 13th power is the last that counts. */
enum { EXP_TERMS = 14 };
static const double exp_part[EXP_TERMS] = {1.0,
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

/* The series of artanh without its first term. */
enum { LOG_TERMS = 10 };
static const double log_part[LOG_TERMS] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                           1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};

#define ONE ((uint64_t)1023 << 52)              /* 1.0, in its bits */
#define LOG_FROM ((uint64_t)0x3fe6a09e667f3bcd) /* sqrt 1/2 */

/* A sum with this number is rounded to an integer, which its lowest bits then show. */
#define ROUNDS 0x1.8p52

inline double pm_exp(double x)
{
    /* x = k ln 2 + r, |r| <= 0.35 */
    double rounded = x / (ln2_high + ln2_low) + ROUNDS, k = rounded - ROUNDS;
    double r = (x - k * ln2_high) - k * ln2_low, sum = exp_part[EXP_TERMS - 1], power;
    uint64_t bits;

    for (int i = EXP_TERMS - 2; i >= 0; i--)
        sum = exp_part[i] + sum * r;
    memcpy(&bits, &rounded, sizeof bits);
    bits = (bits + 1023) << 52; /* 2^k */
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

/* x = m 2^k, m from sqrt 1/2 to sqrt 2. */
static inline double part_of(double x, int32_t *k)
{
    uint64_t bits, power;
    double m;

    memcpy(&bits, &x, sizeof bits);
    power = (bits - LOG_FROM + ONE) >> 52;
    bits -= (power << 52) - ONE;
    memcpy(&m, &bits, sizeof m);
    *k = (int32_t)power - 1023;
    return m;
}

inline double pm_log(double x)
{
    /* x = m 2^k; log m = 2 artanh s, |s| <= 0.172 */
    int32_t k;
    double f = part_of(x, &k) - 1.0, s = f / (f + 2.0), square = s * s, sum = 0.0;

    for (int i = LOG_TERMS - 1; i >= 0; i--)
        sum = (sum + log_part[i]) * square;
    /* 2s = f - sf: f is exact */
    return k * ln2_high + (k * ln2_low + (f - s * (f - 2.0 * sum)));
}

void pm_exp_all(double *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = pm_exp(v[i]);
}

void pm_log_all(double *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = pm_log(v[i]);
}
