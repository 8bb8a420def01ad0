/* slopes: the rate of a series by the slopes between all pairs of its points (Theil, Sen). */
#include "stats/slopes.h"

#include "stats/order.h"

#include <math.h>

size_t pm_slopes(const pm_points *p, double from, double to, double *out, int *n_points)
{
    size_t n = 0;
    int i, j, used = 0;

    for (i = 0; i < p->n; i++) {
        if (p->x[i] < from || p->x[i] > to)
            continue;
        used++;
        for (j = i + 1; j < p->n && p->life[j] == p->life[i]; j++)
            if (p->x[j] <= to && p->x[j] > p->x[i])
                out[n++] = (p->y[j] - p->y[i]) / (p->x[j] - p->x[i]);
    }
    if (n_points)
        *n_points = used;
    return n;
}

/* The slope at a place that may lie outside. */
static double slope_at(double *slopes, size_t n, double place)
{
    if (place < 0.0)
        place = 0.0;
    return pm_select(slopes, n, place < (double)n ? (size_t)place : n - 1);
}

pm_rate pm_rate_of(double *slopes, size_t n, int n_points, double phi)
{
    double points = n_points, pairs = points * (points - 1) / 2, variance = 1.0, half;
    pm_rate r = {0};

    if (n == 0)
        return r;
    /* Kendall's variance; only pairs inside lives were taken */
    if (n_points > 2)
        variance =
            points * (points - 1) * (2 * points + 5) / 18.0 * fmin(points, (1 + phi) / (1 - phi));
    half = PM_Z90 * sqrt(variance) * (double)n / pairs;
    r.rate = pm_median(slopes, n);
    r.low = slope_at(slopes, n, ((double)n - half) / 2);
    r.high = slope_at(slopes, n, floor(((double)n + half) / 2) + 1);
    return r;
}
