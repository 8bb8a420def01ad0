/* points: the judged part of a series, and the few points that curves are fitted to. */
#ifndef PM_STATS_POINTS_H
#define PM_STATS_POINTS_H

#include "stats/constants.h"
#include "stats/trend.h"

enum { PM_POINTS_MAX = PM_BUCKETS * PM_LIVES_MAX };

/* One life of the series: a range of its arrays. */
typedef struct pm_life {
    size_t begin, end;
} pm_life;

/* The judged part of a series: known values in time order, without lives that are too short and
 * without the start-ups of several lives; and scratch arrays. */
typedef struct pm_sample {
    size_t n;
    double *t; /* seconds since 1970 */
    double *y; /* as measured, less the daily profile if there is one */
    double *raw;
    double *work, *more; /* n each */
    size_t *edges;       /* n */
    pm_life life[PM_LIVES_MAX];
    int lives;
    double span;   /* seconds, of the longest life */
    bool seasonal; /* a daily profile was subtracted from y */
    double
        daily; /* of one life: share of the variance that the hour of day explains; NaN: unknown */
    size_t snapshots; /* in the lives, with those of their start-ups, which the arrays lack */
    double first;     /* seconds since 1970: of the first of them */
} pm_sample;

typedef struct pm_points {
    int n, lives;
    bool floor;              /* the points are the floors of a sawtooth */
    bool staircase;          /* the points are the lower corners of a staircase */
    double late_step;        /* staircase: the largest step of the last third */
    double x[PM_POINTS_MAX]; /* 0 to 1: time since the life began, in spans */
    double y[PM_POINTS_MAX];
    int life[PM_POINTS_MAX];
} pm_points;

/* Sets `out->lives` to 0 if nothing can be judged. The caller frees the sample in any case. */
pmapdb_status pm_sample_make(const pm_series *series, pm_sample *out, pmapdb_error *err);
void pm_sample_free(pm_sample *sample);

/* At most `most` buckets of equal time per life, or the floors or corners, which are few. */
void pm_points_of(pm_sample *sample, int most, pm_points *out);

/* Of one life: sets daily, and subtracts the hour-of-day profile from y if the profile explains
 * most of the variance. */
void pm_season_remove(pm_sample *sample);

/* Writes the indices just after large falls to `out` (room for n) and returns how many there are;
 * 0: not a sawtooth. `work` has n values. */
size_t pm_sawtooth_find(const double *y, size_t n, double *work, size_t *out);

/* Writes the indices just before steps to `out` (room for n) and returns how many there are; 0: not
 * a staircase. `work` has n values. */
size_t pm_staircase_find(const double *t, const double *y, size_t n, double *work, size_t *out);

/* ---- refine.c ---- */

/* True if growth of `rate` per span ended; `reason` (PM_REASON bytes) receives why. */
bool pm_growth_is_over(const pm_sample *sample, const pm_points *points, double rate, char *reason);

/* Returns the number of new maxima of points of one life, each by `margin` above the one before;
 * the longest pause between two of them; and the time since the last one. */
int pm_records(const pm_points *points, double *margin, double *pause, double *tail);

enum { PM_REASON = 96 };

#endif
