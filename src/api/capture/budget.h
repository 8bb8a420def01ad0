/* budget: may smaps be read, or would that hold up the process for too long?
 *
 * While the kernel makes one mapping's part of smaps it looks at every page of it and holds the
 * process's memory map: mmap, munmap, on older kernels page faults too, wait for so long. The
 * longest such wait is predicted as
 *
 *     pages in one mapping at most  x  cost of a page
 *
 * Pages: resident and swapped, all of the process's (statm); where that is too many, no more than
 * smaps of the last two hours showed in one mapping plus what came since, no more than the largest
 * mapping has room for (maps); three times that where pm_proc_read_map takes several at a time.
 * What must be in huge pages, since there are not that many small ones on this host (meminfo),
 * counts with the lowest cost.
 *
 * Cost: of this process's own last smaps; else the median of the others' on this host, from three
 * on; else 100 ns. An own cost above the host's is believed the less the older it is, half of the
 * excess in six hours: so a process that was found too slow on a bad day is read again.
 *
 * Pure. Unknown numbers are PMAPDB_UNKNOWN. */
#ifndef PM_API_BUDGET_H
#define PM_API_BUDGET_H

#include "source/proc.h"
#include "store/write/live_reading.h"

#define PM_BUDGET_NS_ASSUMED 100.0   /* 4.5 s for 210 GB was reported of older kernels: 85 ns */
#define PM_BUDGET_NS_HOST_LEAST 25.0 /* others' huge pages say nothing about this process */
#define PM_BUDGET_NS_LEAST 1.0       /* huge pages cost about half of that */
#define PM_BUDGET_READINGS 64
#define PM_BUDGET_READINGS_LEAST 3

/* One reading of smaps: what the store keeps of it, and what only this run knows. */
typedef struct pm_budget_reading {
    pm_reading kept;
    int64_t largest_kib;    /* resident and swapped in the one mapping that had most */
    int64_t longest_cpu_us; /* of the longest read(2), this program's own time */
} pm_budget_reading;

/* Of one process: zeroed, it knows nothing. */
typedef struct pm_budget {
    bool known;
    pm_budget_reading last;
} pm_budget;

/* Of the host: the latest costs of a page. Zeroed, it knows nothing. */
typedef struct pm_budget_host {
    double ns[PM_BUDGET_READINGS];
    size_t n, next;
} pm_budget_host;

/* After smaps was read. A reading without what is needed, or of little, teaches nothing; the
 * process is known by it all the same. host may be NULL. */
void pm_budget_learn(pm_budget *own, pm_budget_host *host, const pm_budget_reading *reading);

/* ns a page: what smaps of this process is taken to cost now. */
double pm_budget_cost(const pm_budget *own, const pm_budget_host *host, int64_t now_ms);

/* The stall that smaps would cause, in us. `why`, if not NULL, gets what there is to say of one
 * that is more than max_stall_us. */
int64_t pm_budget_predict(const pm_budget *own, const pm_budget_host *host, int64_t now_ms,
                          const pm_proc_extent *extent, int64_t max_stall_us, char why[200]);

#endif
