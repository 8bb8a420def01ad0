/* running: the sums of a map of which mappings come and go: each costs once, not at every reading.
 */
#ifndef PM_PARSE_RUNNING_H
#define PM_PARSE_RUNNING_H

#include "base/mapping.h"

typedef struct pm_running {
    int64_t sum[PM_TOTAL_COUNT];
    uint32_t lacking[PM_TOTAL_COUNT]; /* mappings that do not show it: the sum is unknown */
    uint32_t present[64];             /* mappings that have the bit */
} pm_running;

/* Zeroed is empty. */
void pm_running_add(pm_running *r, const pm_mapping *m);
/* It was added before. */
void pm_running_remove(pm_running *r, const pm_mapping *m);

pm_totals pm_running_totals(const pm_running *r);
/* Union of the mappings' present bits. */
uint64_t pm_running_fields(const pm_running *r);

#endif
