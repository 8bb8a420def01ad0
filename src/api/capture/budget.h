/* budget: may smaps be read, or would that stall the process for too long?
 *
 * While the kernel writes the part of smaps for one mapping, it visits every page of the mapping
 * and locks the memory map of the process: mmap, munmap, and on older kernels page faults, wait for
 * that long. The longest such wait is predicted as
 *
 *     most pages in one mapping  x  cost of a page
 *
 * Pages: all resident and swapped pages of the process (statm). If those are too many: at most the
 * pages that smaps of the last two hours showed in one mapping, plus the pages added since; and at
 * most the room of the largest mapping (maps); three times that if pm_proc_read_map takes several
 * mappings at a time. Pages that must be in huge pages, because this host has fewer small ones
 * (meminfo), count with the lowest cost.
 *
 * Cost: of the last smaps of this process; else the median of the other processes on this host,
 * from three on; else 100 ns. A cost of its own above the host's counts less as it ages, half of
 * the excess after six hours: a process that was found too slow on a bad day is read again.
 *
 * Pure. Unknown numbers are PMAPDB_UNKNOWN. */
#ifndef PM_API_BUDGET_H
#define PM_API_BUDGET_H

#include "source/proc.h"
#include "store/write/live_reading.h"

#define PM_BUDGET_NS_ASSUMED 100.0   /* reported for older kernels: 4.5 s for 210 GB, 85 ns */
#define PM_BUDGET_NS_HOST_LEAST 25.0 /* huge pages of others do not predict this process */
#define PM_BUDGET_NS_LEAST 1.0       /* huge pages cost about half of this */
#define PM_BUDGET_READINGS 64
#define PM_BUDGET_READINGS_LEAST 3

/* One reading of smaps: the part that the store keeps, and the part that only this run knows. */
typedef struct pm_budget_reading {
    pm_reading kept;
    int64_t largest_kib;    /* resident and swapped, in the mapping with most of both */
    int64_t longest_cpu_us; /* of the longest read(2): CPU time of this program */
} pm_budget_reading;

/* Of one process. Zeroed: nothing is known. */
typedef struct pm_budget {
    bool known;
    pm_budget_reading last;
} pm_budget;

/* Of the host: the latest costs of a page. Zeroed: nothing is known. */
typedef struct pm_budget_host {
    double ns[PM_BUDGET_READINGS];
    size_t n, next;
} pm_budget_host;

/* Learns from a reading of smaps. A reading that lacks numbers, or has few pages, makes the process
 * known, but does not change the costs of the host. host may be NULL. */
void pm_budget_learn(pm_budget *own, pm_budget_host *host, const pm_budget_reading *reading);

/* The expected cost of smaps of this process now, in ns a page. */
double pm_budget_cost(const pm_budget *own, const pm_budget_host *host, int64_t now_ms);

/* The stall that smaps would cause, in us. `why`, if not NULL, gets the message for a stall of more
 * than max_stall_us. */
int64_t pm_budget_predict(const pm_budget *own, const pm_budget_host *host, int64_t now_ms,
                          const pm_proc_extent *extent, int64_t max_stall_us, char why[200]);

#endif
