/* trend: one series of a memory size or a count -> a verdict with rate, interval and confidence.
 *
 * Pure arithmetic on arrays: no clock, no locale, no libm whose last digit differs between
 * machines; the same input gives the same output everywhere.
 */
#ifndef PM_STATS_TREND_H
#define PM_STATS_TREND_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pm_verdict {
    PM_VERDICT_TOO_FEW, /* fewer than PM_TREND_MIN snapshots in lives that are long enough, or too
                           few points for a curve */
    PM_VERDICT_STEADY,  /* no material growth */
    PM_VERDICT_SHRINKING,
    PM_VERDICT_PLATEAU, /* grew, and stopped */
    PM_VERDICT_SUSPECT, /* grows, and may or may not stop */
    PM_VERDICT_LEAK     /* grows without an end in sight */
} pm_verdict;

extern const char *const pm_verdict_names[]; /* "too-few", "steady", ... */

/* The curve that explains the series best. */
typedef enum pm_shape {
    PM_SHAPE_NONE, /* nothing was fitted */
    PM_SHAPE_CONST,
    PM_SHAPE_LINEAR,
    PM_SHAPE_STEP,
    PM_SHAPE_TWO_STEP,
    PM_SHAPE_SATURATING,
    PM_SHAPE_RAMP_THEN_FLAT,
    PM_SHAPE_LATE_RAMP,
    PM_SHAPE_POWER,
    PM_SHAPE_LOG,
    PM_SHAPE_WARMUP_LINEAR,
    PM_SHAPE_TWO_TAU,
    PM_SHAPE_STEP_LINEAR,
    PM_SHAPE_ACCELERATING,
    PM_SHAPE_KNEE /* a ramp, then a slower one */
} pm_shape;

extern const char *const pm_shape_names[]; /* "linear", "warmup+linear", ... */

enum { PM_TREND_MIN = 8 }; /* snapshots needed for a verdict */

/* Points in time order. Equal times: the last one counts. */
typedef struct pm_series {
    size_t n;
    const int64_t *ms;
    const double *value; /* KiB, or pieces; NaN: unknown, the point is left out */
    const int32_t *life; /* a change is a restart; NULL: one life */
} pm_series;

/* The designs that series of the same times share: saves time, changes no answer. Serves one series
 * at a time. */
typedef struct pm_trend_room pm_trend_room;

pmapdb_status pm_trend_room_open(pm_trend_room **out, pmapdb_error *err);
void pm_trend_room_close(pm_trend_room *room); /* NULL is allowed */

typedef struct pm_trend_options {
    bool count;            /* the unit is pieces, not KiB */
    bool size;             /* address space, not memory: another growth is material */
    double quantum;        /* the values are multiples of this (page size in KiB, 1 for pieces) */
    double leak_posterior; /* sensitivity: below 0.5 the probability that makes a leak, above 0.5
                              more sure than usual; 0: as usual */
    pm_trend_room *room;   /* or NULL */
} pm_trend_options;

typedef struct pm_trend {
    pm_verdict verdict;
    pm_shape shape;
    size_t snapshots; /* number judged */
    int lives;
    int64_t first_ms, last_ms; /* of the judged snapshots */
    double rate, low, high;    /* per hour at the end of the window, with the 90 % interval */
    double confidence; /* 0 to 1: of a leak the probability that its growth goes on, else the
                          posterior of the outcomes that the verdict stands for */
    int64_t since_ms;  /* when the growth began; INT64_MIN: with the series */
    double detectable; /* per hour: the least steady growth that these data would show; no leak is
                          slower */
    char reason[96];   /* why the verdict differs from that of the posteriors; or empty */
} pm_trend;

/* Fails only when memory runs out. */
pmapdb_status pm_trend_judge(const pm_series *series, const pm_trend_options *options,
                             pm_trend *out, pmapdb_error *err);

#endif
