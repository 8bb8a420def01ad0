/* sample: of a series what can be judged: known values in time order, lives long enough. */
#ifndef PM_STATS_SAMPLE_H
#define PM_STATS_SAMPLE_H

#include "stats/points.h"

/* Leaves `out->lives` 0 where nothing can be judged. Free it in any case. */
pmapdb_status pm_sample_make(const pm_series *series, pm_sample *out, pmapdb_error *err);
void pm_sample_free(pm_sample *sample);

#endif
