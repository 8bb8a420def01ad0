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
    double range = pm_range_of(y, n), least, climbed = 0.0;
    size_t count = 0;

    if (n < (size_t)PM_STAIRCASE_MIN * PM_STAIRCASE_FLAT || !(range > 0.0))
        return 0;
    least = step_above(y, n, range, work);
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
        climbed < PM_STAIRCASE_SHARE * range ||
        longest_pause(t, n, out, count) > PM_STAIRCASE_GAP * (t[n - 1] - t[0]))
        return 0;
    return count;
}
