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

/* The series of artanh, but for its first term. */
enum { LOG_TERMS = 10 };
static const double log_part[LOG_TERMS] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                           1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};

#define ONE ((uint64_t)1023 << 52)              /* 1.0, in its bits */
#define LOG_FROM ((uint64_t)0x3fe6a09e667f3bcd) /* sqrt 1/2 */

/* Sums of one value wait for each other; those of some values side by side do not, and compilers
 * make vectors of them. */
enum { LANES = 4 };

/* floor, where a small integer comes out. */
static inline int32_t whole_below(double x)
{
    int32_t i = (int32_t)x;

    return i - (x < i);
}

/* ldexp, where the result is a normal number. */
static inline double times_power(double x, int32_t k)
{
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;

    memcpy(&power, &bits, sizeof power);
    return x * power;
}

__attribute__((always_inline)) static inline void exp_lanes(double *v, int n)
{
    double r[LANES], sum[LANES];
    int32_t k[LANES];
    int i, j;

    /* v = k ln 2 + r, |r| <= 0.35 */
    for (j = 0; j < n; j++) {
        k[j] = whole_below(v[j] / (ln2_high + ln2_low) + 0.5);
        r[j] = (v[j] - k[j] * ln2_high) - k[j] * ln2_low;
        sum[j] = exp_part[EXP_TERMS - 1];
    }
    for (i = EXP_TERMS - 2; i >= 0; i--)
        for (j = 0; j < n; j++)
            sum[j] = exp_part[i] + sum[j] * r[j];
    for (j = 0; j < n; j++)
        v[j] = times_power(sum[j], k[j]);
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

__attribute__((always_inline)) static inline void log_lanes(double *v, int n)
{
    double f[LANES], s[LANES], square[LANES], sum[LANES];
    int32_t k[LANES];
    int i, j;

    /* v = m 2^k; log m = 2 artanh s, |s| <= 0.172 */
    for (j = 0; j < n; j++) {
        f[j] = part_of(v[j], &k[j]) - 1.0;
        s[j] = f[j] / (f[j] + 2.0);
        square[j] = s[j] * s[j];
        sum[j] = 0.0;
    }
    for (i = LOG_TERMS - 1; i >= 0; i--)
        for (j = 0; j < n; j++)
            sum[j] = (sum[j] + log_part[i]) * square[j];
    /* 2s = f - sf: f is exact */
    for (j = 0; j < n; j++)
        v[j] = k[j] * ln2_high + (k[j] * ln2_low + (f[j] - s[j] * (f[j] - 2.0 * sum[j])));
}

double pm_exp(double x)
{
    exp_lanes(&x, 1);
    return x;
}

double pm_log(double x)
{
    log_lanes(&x, 1);
    return x;
}

void pm_exp_all(double *v, int n)
{
    for (; n >= LANES; n -= LANES, v += LANES)
        exp_lanes(v, LANES);
    for (; n > 0; n--, v++)
        exp_lanes(v, 1);
}

void pm_log_all(double *v, int n)
{
    for (; n >= LANES; n -= LANES, v += LANES)
        log_lanes(v, LANES);
    for (; n > 0; n--, v++)
        log_lanes(v, 1);
}
