/* constants: what the verdicts hang on, each with its reason. */
#ifndef PM_STATS_CONSTANTS_H
#define PM_STATS_CONSTANTS_H

/* How much data. */
#define PM_LIFE_MIN 6   /* snapshots; a shorter life says nothing about its curve */
#define PM_LIVES_MAX 8  /* the newest; older ones are another release */
#define PM_BUCKETS 32   /* per life: medians kill spikes, and all pairs are 496 */
#define PM_POINTS_MIN 5 /* below, no curve with two parameters can be told from another */

/* What matters. */
#define PM_MATERIAL_SHARE 0.01 /* of the level, over the window: a page a day is no leak ... */
#define PM_MATERIAL_KIB 32.0   /* ... nor are 8 pages in the whole window */
#define PM_MATERIAL_COUNT 3.0  /* pieces; of counts 32 would be far too many */

/* Weights: what is believed before the data are seen. */
#define PM_WEIGHT_LEAK 0.50    /* of the unbounded shapes together; the sensitivity */
#define PM_WEIGHT_SUSPECT 0.50 /* of unbounded and slowing ones together */
#define PM_WEIGHT_SHRINK 0.60
#define PM_R2_MIN 0.45 /* share of the variance of the points that the shape must explain */

/* A growth goes on when one more window would bring this share of what the last one brought. */
#define PM_GOES_ON 0.20    /* else slowing: at most suspect */
#define PM_STILL_SLOW 0.08 /* else over */

/* Exponential saturation 1 - exp(-kx) with k above this has reached 93 % of its end. */
#define PM_SATURATED 2.6

/* Correlation of neighbouring residuals. */
#define PM_PHI_MIN 0.15 /* above, the fits are repeated on whitened points */
#define PM_PHI_MAX 0.95 /* near 1 nothing is left to fit */

/* Sawtooth: few large falls, many small rises. */
#define PM_TEETH_MIN 4      /* falls that make a sawtooth */
#define PM_TEETH_SKEW 0.6   /* of the differences, to the left, plus one sd of normal noise */
#define PM_TEETH_FALL 0.35  /* of the range without trend: a collection, a release */
#define PM_TEETH_RISES 0.34 /* rises as large as the falls, per fall; more is noise */

/* Hour-of-day profile. */
#define PM_DAYS_MIN 1.9 /* below, a day cannot be told from a step */
#define PM_DAYS_SURE 2.9
#define PM_SNAPSHOTS_PER_DAY 8.0
#define PM_PROFILE_SHARE 0.5   /* of the variance around the daily mean that it must explain ... */
#define PM_PROFILE_UNSURE 0.15 /* ... and so much more below PM_DAYS_SURE */

/* Refutations (refine.c). */
#define PM_RECORD 0.03 /* of the range: what a new maximum must exceed the old one by */
#define PM_STALL_TIMES \
    2.0 /* a tail without a new maximum, against the longest pause before it ... */
#define PM_STALL_SHARE 0.20 /* ... and against the whole time, is an end */
#define PM_FEW 16           /* snapshots; below, growth must reach into the last 40 % */
#define PM_FEW_UNTIL 0.6
#define PM_TAIL 0.10 /* robust rate per window, of the range */
#define PM_JUMP 0.75 /* share of the two largest rises of an up-only series */
#define PM_JUMP_RISES 8
#define PM_DECEL 0.35 /* rate of the last third against that of the first two */
#define PM_STAIR 0.5  /* rise of the second and last third against the busiest third */

#define PM_Z90 1.6448536269514722 /* half of a 90 % interval, in standard deviations */

#endif
