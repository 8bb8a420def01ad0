/* refine: refutations of a verdict that the fitted curves gave. */
#ifndef PM_STATS_REFINE_H
#define PM_STATS_REFINE_H

#include "stats/points.h"

typedef struct pm_refute_evidence {
    const pm_sample *sample;
    const pm_points *points;
    double active; /* x where the current growth begins */
    double rate;   /* of the active part, per span */
    bool straight; /* the best shape ends in a straight line */
    bool may_slow; /* the posteriors leave room for a curve that slows down */
    bool grows;    /* the posterior of growth is that of a suspect at least */
} pm_refute_evidence;

/* `verdict` is leak or suspect. If the verdict changes, `reason` (PM_REASON bytes) receives why. */
pm_verdict pm_refine(pm_verdict verdict, const pm_refute_evidence *evidence, char *reason);

enum { PM_REASON = 96 };

#endif
