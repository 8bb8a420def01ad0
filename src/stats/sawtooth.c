/* sawtooth: recognises a sawtooth (collections, releases) and finds its falls. See points.h;
 * pm_leaks_one_tooth (leaks/series.c) judges a single fall. */
#include "stats/order.h"
#include "stats/points.h"

#include <math.h>
#include <string.h>

/* Few large falls and many small rises skew the differences to the left. */
static bool skewed_left(const double *y, size_t n)
{
    double mean = (y[n - 1] - y[0]) / (double)(n - 1), square = 0.0, cube = 0.0, variance;

    for (size_t i = 0; i + 1 < n; i++) {
        double d = y[i + 1] - y[i] - mean;

        square += d * d;
        cube += d * d * d;
    }
    variance = square / (double)(n - 1);
    if (!(variance > 0.0))
        return false;
    return cube / (double)(n - 1) / (variance * sqrt(variance)) <=
           -PM_SAWTOOTH_SKEW - sqrt(6.0 / (double)n);
}

/* The median of each quarter of y, at its middle: a trend that a start-up may bend. */
static double trend_at(const double *level, double quarter, double i)
{
    double place = i / quarter - 0.5;
    int k = place < 1 ? 0 : place < 2 ? 1 : 2;

    return level[k] + (place - k) * (level[k + 1] - level[k]);
}

/* The range of y without its trend, between its 3rd and 97th percentile. */
static double detrended_range(const double *y, size_t n, double *work)
{
    double level[4], quarter = (double)n / 4, low;

    for (size_t i = 0; i < 4; i++) {
        size_t begin = i * n / 4, end = (i + 1) * n / 4;

        memcpy(work, y + begin, (end - begin) * sizeof *work);
        level[i] = pm_median(work, end - begin);
    }
    for (size_t i = 0; i < n; i++)
        work[i] = y[i] - trend_at(level, quarter, (double)i + 0.5);
    low = pm_select(work, n, (size_t)(0.03 * (double)(n - 1)));
    return pm_select(work, n, (size_t)(0.97 * (double)(n - 1))) - low;
}

size_t pm_sawtooth_find(const double *y, size_t n, double *work, size_t *out)
{
    double fall, fell = 0.0;
    size_t count = 0, rises = 0, next;

    if (n < 12 || !skewed_left(y, n))
        return 0;
    fall = PM_SAWTOOTH_FALL * detrended_range(y, n, work);
    if (!(fall > 0.0))
        return 0;
    for (size_t i = 0; i + 1 < n; i = next) {
        next = i + 1;
        /* a fall may take two snapshots */
        if (y[i] - y[i + 1] <= fall && i + 2 < n && y[i + 1] < y[i])
            next = i + 2;
        if (y[i] - y[next] > fall) {
            fell += y[i] - y[next];
            out[count++] = next;
        } else {
            next = i + 1;
        }
    }
    for (size_t i = 0; i + 1 < n; i++)
        rises += (y[i + 1] - y[i]) * (double)count > PM_SAWTOOTH_RISE * fell;
    return count < PM_SAWTOOTH_MIN || (double)rises > PM_SAWTOOTH_RISES * (double)count ? 0 : count;
}
