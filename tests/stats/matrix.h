/* matrix: naive linear algebra, the truth for the tests of design and of fit: the covariance of the
 * noise is written down and solved by elimination, without whitening.
 */
#ifndef TEST_STATS_MATRIX_H
#define TEST_STATS_MATRIX_H

#include "unit.h"

#include <math.h>

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

/* Makes points at uneven places, in one or two lives. */
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

/* Solves the covariance of an AR(1) process with innovations of variance 1 for v. Lives are
 * independent. */
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

static inline double naive_dot(const double *u, const double *v)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        sum += u[i] * v[i];
    return sum;
}

/* The inverse of the covariance, without the part that an intercept per life explains. */
static inline void fill_metric(double phi, double metric[N][N])
{
    for (int i = 0; i < N; i++) {
        double unit[N] = {0};

        unit[i] = 1;
        uncorrelate(phi, unit, metric[i]);
    }
    for (int l = 0; l < points.lives; l++) {
        double one[N], s_one[N], one_one;

        for (int i = 0; i < N; i++)
            one[i] = points.life[i] == l;
        uncorrelate(phi, one, s_one);
        one_one = naive_dot(s_one, one);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                metric[i][j] -= s_one[i] * s_one[j] / one_one;
    }
}

/* The generalised product of u and v. The matrix is kept while phi and the number of lives stay the
 * same. */
static inline double product(double phi, const double *u, const double *v)
{
    static double metric[N][N], of_phi = NAN;
    static int of_lives;
    double of_v[N];

    if (phi != of_phi || points.lives != of_lives)
        fill_metric(phi, metric);
    of_phi = phi;
    of_lives = points.lives;
    for (int i = 0; i < N; i++)
        of_v[i] = naive_dot(metric[i], v);
    return naive_dot(u, of_v);
}

static inline void expect_close(double is, double truth, double scale)
{
    if (!(fabs(is - truth) <= 1e-8 * scale))
        fail_msg("is %.17g, expected %.17g", is, truth);
}

#endif
