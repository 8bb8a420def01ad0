/* sample: the judged part of a series: known values in time order, lives that are long enough. */
#ifndef PM_STATS_SAMPLE_H
#define PM_STATS_SAMPLE_H

#include "stats/points.h"

/* Sets `out->lives` to 0 if nothing can be judged. The caller frees the sample in any case. */
pmapdb_status pm_sample_make(const pm_series *series, pm_sample *out, pmapdb_error *err);
void pm_sample_free(pm_sample *sample);

#endif
