/* refine: what speaks against a leak, or for one, although the curves say otherwise. */
#ifndef PM_STATS_REFINE_H
#define PM_STATS_REFINE_H

#include "stats/points.h"

typedef struct pm_evidence {
    const pm_sample *sample;
    const pm_points *points;
    double active; /* x where the growth of now begins */
    double rate;   /* per span, of the active part */
    bool straight; /* the best shape ends in a straight line */
    bool may_slow; /* the weights leave room for a curve that slows down */
    bool grows;    /* leak and watch shapes together have the weight of a suspect */
} pm_evidence;

/* `verdict` is leak or suspect. Writes why into `reason` (PM_REASON bytes) where it changes. */
pm_verdict pm_refine(pm_verdict verdict, const pm_evidence *evidence, char *reason);

enum { PM_REASON = 96 };

#endif
