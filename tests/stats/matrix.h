/* matrix: naive linear algebra, the truth for the tests of columns and of fit: the covariance of
 * the noise is written down and solved by elimination, nothing is whitened.
 */
#ifndef TEST_STATS_MATRIX_H
#define TEST_STATS_MATRIX_H

#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "stats/fit.h"

enum { N = 30, BREAK = 18 };

static pm_points points;

static inline double noise(int i)
{
    uint32_t x = (uint32_t)i * 2654435761u + 13u;

    x = (x ^ x >> 15) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return (double)(x ^ x >> 16) / 2147483648.0 - 1.0;
}

/* Uneven places; two lives or one. */
static inline void make(int lives)
{
    points = (pm_points){.n = N, .lives = lives};
    for (int i = 0; i < N; i++) {
        bool second = lives == 2 && i >= BREAK;
        int k = second ? i - BREAK : i;

        points.x[i] = (k + 0.3 * noise(k)) / (lives == 2 ? BREAK : N) + 0.02;
        points.life[i] = second;
        points.y[i] = 4000 + 900 * points.x[i] + 60 * noise(i + 500) + 700 * second;
    }
}

/* Solves a v = b by elimination; `a` and `b` are lost. */
static inline void solve(int n, double a[N][N], double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;

        for (int i = k + 1; i < n; i++)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        for (int j = 0; j < n; j++) {
            double c = a[k][j];

            a[k][j] = a[best][j];
            a[best][j] = c;
        }
        double c = b[k];
        b[k] = b[best];
        b[best] = c;
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : a[i][k] / a[k][k];

            for (int j = k; j < n; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= a[k][k];
}

/* The covariance of an AR(1) process of innovations 1, solved for v; lives know nothing of each
 * other. */
static inline void uncorrelate(double phi, const double *v, double *out)
{
    double a[N][N];

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            a[i][j] = points.life[i] == points.life[j] ? pow(phi, abs(i - j)) / (1 - phi * phi) : 0;
        out[i] = v[i];
    }
    solve(N, a, out);
}

/* The generalised product of u and v, less what an intercept per life explains. */
static inline double product(double phi, const double *u, const double *v)
{
    double sv[N], sum = 0;

    uncorrelate(phi, v, sv);
    for (int i = 0; i < N; i++)
        sum += u[i] * sv[i];
    for (int l = 0; l < points.lives; l++) {
        double one[N], s_one[N], one_one = 0, one_u = 0, one_v = 0;

        for (int i = 0; i < N; i++)
            one[i] = points.life[i] == l;
        uncorrelate(phi, one, s_one);
        for (int i = 0; i < N; i++) {
            one_one += s_one[i] * one[i];
            one_u += s_one[i] * u[i];
            one_v += s_one[i] * v[i];
        }
        sum -= one_u * one_v / one_one;
    }
    return sum;
}

static inline void expect_close(double is, double truth, double scale)
{
    if (!(fabs(is - truth) <= 1e-8 * scale))
        fail_msg("is %.17g, expected %.17g", is, truth);
}

#endif
