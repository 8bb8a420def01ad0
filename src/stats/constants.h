/* constants: what the verdicts hang on, each with its reason. What they gain and cost is measured
 * by tests/bench/leaks. */
#ifndef PM_STATS_CONSTANTS_H
#define PM_STATS_CONSTANTS_H

/* How much data. */
#define PM_LIFE_MIN 6   /* snapshots; a shorter life says nothing about its curve */
#define PM_LIVES_MAX 8  /* the newest; older ones are another release */
#define PM_POINTS_MIN 5 /* below, no curve with two parameters can be told from another */

/* Points a life is made of, once each: the weights are the mean over these, because where the
 * borders of the buckets fall must not decide. At most 32: more are less independent. */
#define PM_BUCKETS 32
#define PM_BUCKETS_FEWER 23
#define PM_BUCKETS_FEWEST 16
#define PM_BUCKETS_OF_LIVES 128 /* of several lives together */

/* What matters. */
#define PM_MATERIAL_SHARE 0.01 /* of the level, over the window: a page a day is no leak ... */
#define PM_MATERIAL_SIZE 0.003 /* ... of address space, which has no noise */
#define PM_MATERIAL_KIB 32.0   /* ... nor are 8 pages in the whole window */
#define PM_MATERIAL_COUNT 3.0  /* pieces; of counts 32 would be far too many */

/* Weights that make a verdict. */
#define PM_WEIGHT_LEAK 0.50    /* of the unbounded shapes together; the sensitivity */
#define PM_WEIGHT_SUSPECT 0.70 /* of unbounded and slowing ones together */
#define PM_WEIGHT_SHRINK 0.60
#define PM_R2_MIN 0.45 /* share of the variance of the points that the shape must explain */

/* A straight line must be this many standard errors steep, whatever the weights say: what wanders
 * has a slope too. */
#define PM_STEEP 2.3
#define PM_STEEP_ROUGH 3.5 /* ... where the best shape leaves more than PM_R2_SMOOTH over */
#define PM_R2_SMOOTH 0.65
#define PM_STEEP_BENT 6.0 /* ... or the end of the best shape, which was chosen among many */

/* A growth goes on when one more window would bring this share of what the last one brought. */
#define PM_GOES_ON 0.20    /* else slowing: at most suspect */
#define PM_STILL_SLOW 0.08 /* else over */

/* Noise is an AR(1) process in one of these correlations between neighbouring points; the last is
 * nearly a random walk. */
#define PM_PHIS              \
    {                        \
        0.0, 0.35, 0.7, 0.93 \
    }
#define PM_PHIS_COUNT 4
/* What hardly ever falls grows in lumps, and the noise of lumps is a random walk: other noise must
 * explain it better by this (in -2 log likelihood) to count as much. */
#define PM_CLIMBS_FALL 0.03 /* falls, as a share of rises */
#define PM_CLIMBS_POINTS 12
#define PM_CLIMBS_AGAINST 12.0

/* Intervals of rates: those of lumps and of what bends upwards held the truth too rarely. */
#define PM_UNSURE_WIDER 1.4

/* Sawtooth: few large falls, many small rises. */
#define PM_TEETH_MIN 4      /* falls that make a sawtooth */
#define PM_TEETH_SKEW 0.6   /* of the differences, to the left, plus one sd of normal noise */
#define PM_TEETH_FALL 0.35  /* of the range without trend: a collection, a release */
#define PM_TEETH_RISES 0.34 /* rises as large as the falls, per fall; more is noise */

/* Staircase: it only climbs, in few steps. */
#define PM_STAIRS_MIN 5      /* steps */
#define PM_STAIRS_STEP 0.015 /* of the range: what a step must exceed ... */
#define PM_STAIRS_NOISE 6.0  /* ... and in median differences */
#define PM_STAIRS_SHARE 0.75 /* of the range that the steps must make */
#define PM_STAIRS_FLAT 4     /* snapshots per step; fewer is a ramp */
#define PM_STAIRS_GAP 0.5    /* of the time; a longer pause makes it something that happened once */
#define PM_STAIRS_UNSURE 0.5 /* of the largest late step: how far off the end of a rate can be */

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
#define PM_TAIL 0.10 /* rate per window, of the range */
#define PM_JUMP 0.75 /* share of the two largest rises of an up-only series */
#define PM_JUMP_RISES 8
#define PM_DECEL 0.35       /* rate of the last third against that of the first two ... */
#define PM_DECEL_WEIGHT 0.9 /* ... unless the unbounded shapes have this weight */
#define PM_STAIR 0.5        /* rise of the second and last third against the busiest third */

#define PM_Z90 1.6448536269514722 /* half of a 90 % interval, in standard deviations */

#endif
