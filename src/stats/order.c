/* order: medians and quantiles, by partitioning; ranges. */
#include "stats/order.h"

#include <math.h>

static void swap(double *a, double *b)
{
    double c = *a;

    *a = *b;
    *b = c;
}

/* The middle one of the first, the middle and the last: sorted input stays linear. */
static double pivot_of(const double *v, size_t low, size_t high)
{
    double a = v[low], b = v[low + (high - low) / 2], c = v[high];

    if (a < b)
        return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

double pm_select(double *v, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;

    while (low < high) {
        double pivot = pivot_of(v, low, high);
        size_t i = low, j = high;

        for (;;) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&v[i++], &v[j--]);
        }
        /* low..j <= pivot <= j+1..high; where i stopped on the pivot itself, j did too */
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return v[k];
}

double pm_median(double *v, size_t n)
{
    double upper = pm_select(v, n, n / 2), lower;

    if (n % 2)
        return upper;
    lower = v[0];
    for (size_t i = 1; i < n / 2; i++)
        if (v[i] > lower)
            lower = v[i];
    return 0.5 * (lower + upper);
}

double pm_midmean(double *v, size_t n)
{
    size_t cut = n / 4;
    double sum = 0.0;

    if (n < 4)
        return pm_median(v, n);
    if (cut > 0) {
        pm_select(v, n, cut);
        pm_select(v + cut, n - cut, n - 2 * cut - 1);
    }
    for (size_t i = cut; i < n - cut; i++)
        sum += v[i];
    return sum / (double)(n - 2 * cut);
}

double pm_range_of(const double *v, size_t n)
{
    double low = v[0], high = v[0];

    for (size_t i = 1; i < n; i++) {
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    return high - low;
}
