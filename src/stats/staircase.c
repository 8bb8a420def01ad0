/* staircase: recognises a series that climbs in steps only (stacks, arenas, tables that double),
 * and finds the steps.
 *
 * Medians of equal times describe such a series badly: how much of a step falls into a bucket is
 * chance. The need is known exactly just before each step.
 */
#include "stats/order.h"
#include "stats/points.h"

#include <math.h>

/* Returns the bound between noise and steps: a larger difference is a step. */
static double step_above(const double *y, size_t n, double range, double *work)
{
    for (size_t i = 0; i + 1 < n; i++)
        work[i] = fabs(y[i + 1] - y[i]);
    return fmax(PM_STAIRCASE_STEP * range, PM_STAIRCASE_NOISE * pm_median(work, n - 1));
}

/* The longest time without a step. */
static double longest_pause(const double *t, size_t n, const size_t *steps, size_t count)
{
    double last = t[0], pause = 0.0;

    for (size_t i = 0; i < count; i++) {
        pause = fmax(pause, t[steps[i]] - last);
        last = t[steps[i]];
    }
    return fmax(pause, t[n - 1] - last);
}

size_t pm_staircase_find(const double *t, const double *y, size_t n, double *work, size_t *out)
{
    double low = y[0], high = y[0], least, climbed = 0.0;
    size_t count = 0;

    for (size_t i = 1; i < n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    if (n < (size_t)PM_STAIRCASE_MIN * PM_STAIRCASE_FLAT || !(high > low))
        return 0;
    least = step_above(y, n, high - low, work);
    for (size_t i = 0; i + 1 < n; i++) {
        double d = y[i + 1] - y[i];

        if (d < -least)
            return 0;
        if (d <= least)
            continue;
        climbed += d;
        if (count == 0 || out[count - 1] + 1 < i) /* a step may take two snapshots */
            out[count++] = i;
    }
    if (count < PM_STAIRCASE_MIN || count > PM_BUCKETS || count * PM_STAIRCASE_FLAT > n ||
        climbed < PM_STAIRCASE_SHARE * (high - low) ||
        longest_pause(t, n, out, count) > PM_STAIRCASE_GAP * (t[n - 1] - t[0]))
        return 0;
    return count;
}
