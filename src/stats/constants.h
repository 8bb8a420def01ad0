/* constants: the numbers that decide verdicts, each with its reason. tests/bench/leaks measures
 * their effect. */
#ifndef PM_STATS_CONSTANTS_H
#define PM_STATS_CONSTANTS_H

/* How much data. */
#define PM_START_UP 0.25  /* of the longest life: where the start of several lives is over */
#define PM_LIFE_MIN 6     /* snapshots; a shorter life shows no curve */
#define PM_LIVES_MAX 8    /* the newest; older ones are another release */
#define PM_LIVES_SURE 3   /* lives that can be compared with each other */
#define PM_LIFE_GROWS 0.1 /* of the growth of all lives: the second half of a life that grows */
#define PM_LIVES_GROW 0.5 /* of the lives must grow so: a leak is in every life */
#define PM_POINTS_MIN 5   /* fewer cannot tell two curves of two parameters apart */

/* The three resolutions: buckets per life. Posteriors are the mean over them, so that the borders
 * of the buckets do not decide. More than 32 buckets would depend on each other. */
#define PM_BUCKETS 32
#define PM_BUCKETS_FEWER 23
#define PM_BUCKETS_FEWEST 16
#define PM_BUCKETS_OF_LIVES 128 /* of several lives together */

/* Material growth: the larger of a share of the level and an absolute floor, over the window. */
#define PM_MATERIAL_SHARE 0.01 /* of the level: a page a day is not a leak */
#define PM_MATERIAL_SIZE 0.003 /* of address space, which has no noise */
#define PM_MATERIAL_KIB 32.0   /* 8 pages in the whole window are not a leak either */
#define PM_MATERIAL_COUNT 3.0  /* pieces; of counts 32 would be far too many */

/* Confidence: the probability that growth goes on, and that the growth is steady, by logistic
 * regressions on labelled series (docs/verdicts.md), one for each kind of series: the same evidence
 * says more of a staircase than of a sawtooth. The kinds: address space or a number, staircase,
 * sawtooth, several lives, with a daily profile, hardly ever falls, other; a series is of the first
 * that fits. The evidence: 1; log(L/B), where L, B and W are the posteriors of leak, of bounded or
 * shrink, and of watch; that times log(L/W); log of the slope of the straight line in standard
 * errors; log of the material growth over the growth; the product of these two; time since the last
 * maximum in longest pauses before; R squared; log(1 - R squared); log of the growth over the
 * detectable growth. */
#define PM_WEIGHTS_GROWS                                                         \
    {                                                                            \
        {-1.98, 0.86, 0.05, 4.38, -0.47, 0.53, -0.79, 3.37, 2.47, 1.73},         \
            {-6.46, 0.41, 0.10, 0.51, -1.59, 0.04, -2.62, 0.60, -0.60, -0.76},   \
            {-6.58, 0.57, -0.12, -0.14, -0.16, -1.49, 0.16, 1.16, -0.49, 0.19},  \
            {-6.17, 1.35, 0.06, -0.84, -1.52, -0.36, -1.15, 1.78, -1.12, -0.61}, \
            {-4.48, 1.10, -0.13, 0.74, -0.18, -0.37, -0.47, 0.92, -1.19, -0.16}, \
            {-5.72, 1.16, -0.09, 3.38, -0.69, 0.54, -3.55, 0.65, -0.53, 1.18},   \
        {                                                                        \
            -4.35, 0.91, -0.04, 3.26, -0.44, 0.37, -0.87, -0.10, 0.17, 1.11      \
        }                                                                        \
    }
#define PM_WEIGHTS_STEADY                                                       \
    {                                                                           \
        {-4.42, 1.12, 0.02, 2.49, 0.03, 0.20, -0.35, 11.08, 3.39, 1.84},        \
            {-8.95, 0.31, 0.15, -0.08, -1.09, -0.07, -2.45, 8.19, 0.56, -0.36}, \
            {-8.04, 0.59, -0.07, -1.39, -0.08, -1.60, 0.20, 8.16, 1.05, 0.29},  \
            {-7.33, 1.44, 0.12, -2.00, -1.55, -0.45, -0.85, 8.99, 0.24, -0.59}, \
            {-6.31, 1.02, -0.06, -0.24, 0.23, -0.78, -0.41, 7.89, 0.32, -0.14}, \
            {-5.81, 0.65, 0.33, 0.49, -0.52, 0.18, -1.60, 10.78, 2.45, 0.13},   \
        {                                                                       \
            -5.51, 0.53, 0.25, 0.80, -0.14, -0.27, -0.69, 6.84, 1.77, -0.03     \
        }                                                                       \
    }
#define PM_ODDS_TRACE                                                                             \
    0.02                    /* added to every posterior: one of 1 is right as often as one of .98 \
                             */
#define PM_PAUSE_LEAST 0.05 /* of the time, added to the longest pause between two maxima */
#define PM_SURE 0.90        /* probability that the growth of a leak goes on */
#define PM_STEADY 0.50      /* probability that it is steady: more probable than not */
#define PM_SURE_LOW 0.98    /* both, for a judge of low sensitivity: PM_SURE and PM_STEADY */
#define PM_STEADY_LOW 0.90

/* Posteriors that make a verdict. */
#define PM_POSTERIOR_LEAK 0.50    /* of unbounded growth */
#define PM_POSTERIOR_LEAST 0.10   /* less leaves nothing to weigh */
#define PM_POSTERIOR_END 0.40     /* of bounded growth: more denies a leak */
#define PM_POSTERIOR_SUSPECT 0.70 /* of unbounded and slowing growth together */
#define PM_POSTERIOR_SHRINK 0.60
#define PM_R2_MIN 0.45 /* R squared that the best shape must reach */

/* Growth is seen from this many standard errors on: a random walk has a slope too. */
#define PM_STEEP 3.5
#define PM_STEP_SHOWN 0.15 /* of the rise of a line: a smaller step in the line is not named */
#define PM_R2_SMOOTH 0.65  /* below this R squared the straight line must be that steep */

/* Growth goes on if the next window would bring this share of the growth of this one. */
#define PM_GOES_ON 0.20    /* less is slowing: at most suspect */
#define PM_STILL_SLOW 0.08 /* less is over */

/* Noise is an AR(1) process with one of these correlations between neighbouring points; the last
 * one is nearly a random walk. */
#define PM_PHIS              \
    {                        \
        0.0, 0.35, 0.7, 0.93 \
    }
#define PM_PHIS_COUNT 4
/* A series that hardly ever falls grows in lumps, and the noise of lumps is a random walk: another
 * noise must be better by this much in -2 log likelihood to count as much. */
#define PM_CLIMBS_FALL 0.03 /* falls, as a share of rises */
#define PM_CLIMBS_POINTS 12
#define PM_CLIMBS_AGAINST 12.0

/* Factors on the interval of a rate, so that it holds the true rate as often as it says: lumps and
 * accelerating growth are less regular than their curves, and the variance over curves counts
 * curves far away that weigh little. */
#define PM_INTERVAL_WIDER 1.4
#define PM_INTERVAL_NARROWER 0.9 /* without lumps and acceleration */
#define PM_INTERVAL_BENDS 0.09   /* of the rate: growth accelerates in other ways than the curve */
#define PM_INTERVAL_UNEVEN 1.4   /* of the standard error that uneven growth has */
#define PM_INTERVAL_PARTS 8      /* parts of the time whose slopes say how uneven the growth is */
#define PM_INTERVAL_FACTOR 2.0   /* log of a factor; a larger one says nothing about the rate */

/* Sawtooth: few large falls, many small rises. */
#define PM_SAWTOOTH_MIN 4     /* falls that make a sawtooth */
#define PM_SAWTOOTH_SKEW 0.6  /* of the differences, to the left, plus one sd of normal noise */
#define PM_SAWTOOTH_FALL 0.35 /* of the range without trend: a collection, a release */
#define PM_SAWTOOTH_OVER 2.0  /* times the longest tooth without a fall: it is over */
#define PM_SAWTOOTH_RISE 0.60 /* of the mean fall: a larger rise counts as large */
/* Large rises per fall; more is noise. A tooth of two equal rises has no large one. */
#define PM_SAWTOOTH_RISES 0.34

/* Staircase: it only climbs, in few steps. */
#define PM_STAIRCASE_MIN 5      /* steps */
#define PM_STAIRCASE_STEP 0.015 /* of the range: the least step ... */
#define PM_STAIRCASE_NOISE 6.0  /* ... and in median differences */
#define PM_STAIRCASE_SHARE 0.75 /* of the range that the steps must make up */
#define PM_STAIRCASE_FLAT 4     /* snapshots per step; fewer is a ramp */
#define PM_STAIRCASE_GAP 0.5 /* of the time; a longer pause means that the growth happened once */
#define PM_STAIRCASE_RATE_ERROR 0.5 /* of the largest late step: error of the end slope */

/* Hour-of-day profile. */
#define PM_DAYS_MIN 1.9 /* fewer days cannot tell a cycle from a step */
#define PM_DAYS_SURE 2.9
#define PM_SNAPSHOTS_PER_DAY 8.0
#define PM_PROFILE_SHARE \
    0.5 /* of the variance around the daily mean that the profile must explain */
#define PM_PROFILE_SEEN 0.25  /* of the variance: less shows no load of days */
#define PM_PROFILE_SHORT 0.15 /* and this much more below PM_DAYS_SURE */

/* Leaks from day to day (days.c). */
#define PM_DAYS_DENSE 200       /* snapshots a day: such a service is asked every day */
#define PM_DAYS_FEW 2.2         /* days: fewer are one day against another */
#define PM_DAYS_SURE_MORE 0.999 /* confidence: of few days, and of lives that all start up */
#define PM_DAYS_AGE 1.0         /* days: younger is the start-up */
#define PM_DAYS_GAP 0.02        /* of a day: the last snapshots of a day may be missing */
#define PM_DAYS_RELEASE 0.1  /* of the swing: the prior sd of the start-up of the newest release */
#define PM_DAYS_ALIKE 0.9    /* most correlation of neighbouring days */
#define PM_DAYS_FREE 5       /* degrees of freedom that must remain; so many days can be compared */
#define PM_DAYS_LEAKING 3    /* days of the leak */
#define PM_DAYS_OWN 0.01     /* of the leak: the least part that load and start-up do not explain */
#define PM_DAYS_EVIDENCE 22  /* of a leak: no service of weeks.py without one had as much */
#define PM_DAYS_SHARE 0.0045 /* of the level: a slower growth per day is not a leak */
#define PM_DAYS_WIDER 2.0    /* factor on the interval: the place was chosen, and days depend */
#define PM_DAYS_DOUBT 6.0 /* evidence that makes it e times less probable that there is no leak */

/* Refutations (refine.c). */
#define PM_RECORD 0.03      /* of the range: a new maximum exceeds the old one by more than this */
#define PM_STALL_TIMES 2.0  /* a tail without a new maximum, in longest pauses ... */
#define PM_STALL_SHARE 0.20 /* ... and as a share of the whole time, is an end */
#define PM_JUMP 0.75        /* share of the two largest rises of an up-only series */
#define PM_JUMP_RISES 8
#define PM_DOUBLES_MIN 4     /* rises that show an array that grows by a factor */
#define PM_DOUBLES_LEAST 1.2 /* the least such factor */
#define PM_DOUBLES_OFF 1.6   /* factors of rises and of pauses differ by less */

#define PM_Z90 1.6448536269514722 /* half of a 90 % interval, in standard deviations */

#endif
