/* confidence: how probable it is that growth goes on, by logistic regression on labelled series. */
#ifndef PM_STATS_CONFIDENCE_H
#define PM_STATS_CONFIDENCE_H

#include "stats/average.h"

/* Posteriors say how well curves fit, not how often such a fit is a leak. These probabilities hold
 * for a mix of as many series that grow as others, and as many leaks as others. */
typedef struct pm_confidence {
    double grows;  /* that the growth goes on, steadily or slower and slower */
    double steady; /* that the series is a leak, and not slower and slower either */
} pm_confidence;

pm_confidence pm_confidence_of(const pm_average *w);

#endif
