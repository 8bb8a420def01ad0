/* points: a series as the few points that curves are fitted to. */
#ifndef PM_STATS_POINTS_H
#define PM_STATS_POINTS_H

#include "stats/constants.h"
#include "stats/trend.h"

enum { PM_POINTS_MAX = PM_BUCKETS * PM_LIVES_MAX };

/* One life of the series, as a part of its arrays. */
typedef struct pm_life {
    size_t begin, end;
} pm_life;

/* What is judged: known values, in time order, without what is too short; and room to work in. */
typedef struct pm_sample {
    size_t n;
    double *t; /* seconds since 1970 */
    double *y; /* as measured, less the daily profile where there is one */
    double *raw;
    double *work, *more; /* n each */
    size_t *edges;       /* n */
    pm_life life[PM_LIVES_MAX];
    int lives;
    double span; /* seconds, of the longest life */
} pm_sample;

typedef struct pm_points {
    int n, lives;
    bool floor;              /* the floors of a sawtooth */
    bool stairs;             /* the lower corners of a staircase */
    double late_step;        /* stairs: the largest step of the last third */
    double x[PM_POINTS_MAX]; /* 0 to 1: time since the life began, in spans */
    double y[PM_POINTS_MAX];
    int life[PM_POINTS_MAX];
} pm_points;

/* At most `most` buckets of equal times per life, or the floors or corners, which are few. */
void pm_points_of(pm_sample *sample, int most, pm_points *out);

/* The hour-of-day profile is taken out of y where it explains most of it. */
void pm_season_remove(pm_sample *sample);

/* Places just behind large falls, into `out` (room for n); 0: no sawtooth. `work`: n. */
size_t pm_teeth_find(const double *y, size_t n, double *work, size_t *out);

/* Places just before steps, into `out` (room for n); 0: no staircase. `work`: n. */
size_t pm_stairs_find(const double *t, const double *y, size_t n, double *work, size_t *out);

#endif
