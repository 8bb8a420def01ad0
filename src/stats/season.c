/* season: subtracts the hour-of-day profile from a series.
 *
 * Classical decomposition: the trend is the mean of the 24 hours around each snapshot, the profile
 * is the median of the remainder per time of day.
 */
#include "stats/order.h"
#include "stats/points.h"

#include <math.h>

enum { BINS = 24 };

#define DAY 86400.0

static int bins_for(double per_day)
{
    return per_day >= 36 ? BINS : per_day >= 18 ? BINS / 2 : BINS / 3;
}

/* 0 to 1, also for times before 1970. */
static double part_of_day(double t)
{
    double days = t / DAY;

    return days - floor(days);
}

static int bin_of(double t, int bins)
{
    int bin = (int)(part_of_day(t) * bins);

    return bin < bins ? bin : bins - 1;
}

/* The centred daily mean at every snapshot with half a day of data on both sides; returns the first
 * and last such index, or false if there are too few. */
static bool daily_mean(const double *t, const double *y, size_t n, double *mean, size_t *first,
                       size_t *last)
{
    size_t a = 0, b = 0, known = 0;
    double sum = 0.0;

    for (size_t i = 0; i < n; i++) {
        for (; b < n && t[b] < t[i] + DAY / 2; b++)
            sum += y[b];
        for (; t[a] < t[i] - DAY / 2; a++)
            sum -= y[a];
        if (t[i] - DAY / 2 < t[0] || t[i] + DAY / 2 > t[n - 1])
            continue;
        mean[i] = sum / (double)(b - a);
        if (known++ == 0)
            *first = i;
        *last = i;
    }
    return known >= 12;
}

/* Extends the mean to the ends with the slope of the outermost quarter. */
static void extend_ends(const double *t, double *mean, size_t n, size_t first, size_t last)
{
    size_t quarter = (last - first + 1) / 4;
    double slope;

    if (quarter == 0)
        quarter = 1;
    slope = (mean[first + quarter] - mean[first]) / (t[first + quarter] - t[first]);
    for (size_t i = 0; i < first; i++)
        mean[i] = mean[first] + slope * (t[i] - t[first]);
    slope = (mean[last] - mean[last - quarter]) / (t[last] - t[last - quarter]);
    for (size_t i = last + 1; i < n; i++)
        mean[i] = mean[last] + slope * (t[i] - t[last]);
}

/* Median of y - mean per time of day; false if a time of day has fewer than two values. */
static bool profile_of(const pm_sample *s, const double *mean, int bins, double *profile)
{
    size_t begin[BINS + 1] = {0}, end[BINS], i;

    for (i = 0; i < s->n; i++) {
        s->edges[i] = (size_t)bin_of(s->t[i], bins);
        begin[s->edges[i] + 1]++;
    }
    for (int b = 0; b < bins; b++) {
        begin[b + 1] += begin[b];
        end[b] = begin[b];
    }
    for (i = 0; i < s->n; i++)
        s->more[end[s->edges[i]]++] = s->y[i] - mean[i];
    for (int b = 0; b < bins; b++) {
        if (end[b] < begin[b] + 2)
            return false;
        profile[b] = pm_median(s->more + begin[b], end[b] - begin[b]);
    }
    return true;
}

/* The profile at time t, interpolated between the middles of the bins. */
static double profile_at(const double *profile, int bins, double t)
{
    double place = part_of_day(t) * bins - 0.5;
    int below = place < 0.0 ? -1 : (int)place;
    double w = place - below;

    return profile[(below + bins) % bins] * (1 - w) + profile[(below + 1) % bins] * w;
}

/* Leaves the profile at each snapshot in s->more. Returns the share of the variance around the
 * daily mean that the profile explains; NaN if too few snapshots tell. */
static double share_of(pm_sample *s, double days)
{
    double profile[BINS], centre = 0.0, all = 0.0, rest = 0.0;
    double *mean = s->work;
    size_t first = 0, last = 0;
    int bins = bins_for((double)s->n / days);

    if (!daily_mean(s->t, s->y, s->n, mean, &first, &last))
        return NAN;
    extend_ends(s->t, mean, s->n, first, last);
    if (!profile_of(s, mean, bins, profile))
        return NAN;
    for (int b = 0; b < bins; b++)
        centre += profile[b] / bins;
    for (size_t i = 0; i < s->n; i++) {
        double d = s->y[i] - mean[i] - centre;
        double p = profile_at(profile, bins, s->t[i]) - centre;

        all += d * d;
        rest += (d - p) * (d - p);
        s->more[i] = p;
    }
    return all > 0.0 ? 1 - rest / all : 0.0;
}

void pm_season_remove(pm_sample *s)
{
    double days = (s->t[s->n - 1] - s->t[0]) / DAY;
    double least = PM_PROFILE_SHARE + (days < PM_DAYS_SURE ? PM_PROFILE_SHORT : 0.0);

    s->daily = NAN;
    if (days < PM_DAYS_MIN || (double)s->n / days < PM_SNAPSHOTS_PER_DAY)
        return;
    s->daily = share_of(s, days);
    s->seasonal = s->daily >= least;
    for (size_t i = 0; i < s->n && s->seasonal; i++)
        s->y[i] -= s->more[i];
}
