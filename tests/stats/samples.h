/* samples: a series made by hand, and the sample that is judged. */
#ifndef TESTS_STATS_SAMPLES_H
#define TESTS_STATS_SAMPLES_H

#include "unit.h"

#include <math.h>

#include "stats/points.h"

enum { MOST = 1200 };

#define HOUR 3600000
#define PI 3.14159265358979323846

static int64_t ms[MOST];
static double value[MOST];
static int32_t life[MOST];
static pm_sample sample;

/* Returns a number from -1 to 1, always the same for the same i. */
static inline double noise(size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u + 31u;

    x = (x ^ x >> 15) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return (double)(x ^ x >> 16) / 2147483648.0 - 1.0;
}

static inline void every(int64_t step, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ms[i] = INT64_C(1700006400000) + (int64_t)i * step; /* midnight */
        life[i] = 0;
    }
}

/* Fills `sample`, which let_go frees after the last test. */
static inline void take(size_t n)
{
    const pm_series series = {n, ms, value, life};

    pm_sample_free(&sample);
    assert_int_equal(pm_sample_make(&series, &sample, NULL), PMAPDB_OK);
}

static inline int let_go(void **state)
{
    pm_sample_free(&sample);
    return 0;
}

#endif
