/* host: the facts about the memory of a machine at a beat: the columns of table beat after
 * `changed`. Unknown numbers are PMAPDB_UNKNOWN. */
#ifndef PM_BASE_HOST_H
#define PM_BASE_HOST_H

#include <stdint.h>

/* X(column, place, key); for the places see proc_memory.c. swapped_*, oom_kills and stall_* count
 * since boot; pressure_* are hundredths of a percent. */
#define PM_HOST_FACTS(X)                              \
    X(total_kib, MEMINFO, "MemTotal:")                \
    X(free_kib, MEMINFO, "MemFree:")                  \
    X(available_kib, MEMINFO, "MemAvailable:")        \
    X(buffers_kib, MEMINFO, "Buffers:")               \
    X(cached_kib, MEMINFO, "Cached:")                 \
    X(swap_cached_kib, MEMINFO, "SwapCached:")        \
    X(anonymous_kib, MEMINFO, "AnonPages:")           \
    X(mapped_kib, MEMINFO, "Mapped:")                 \
    X(shmem_kib, MEMINFO, "Shmem:")                   \
    X(dirty_kib, MEMINFO, "Dirty:")                   \
    X(slab_reclaimable_kib, MEMINFO, "SReclaimable:") \
    X(slab_unreclaimable_kib, MEMINFO, "SUnreclaim:") \
    X(kernel_stack_kib, MEMINFO, "KernelStack:")      \
    X(page_tables_kib, MEMINFO, "PageTables:")        \
    X(percpu_kib, MEMINFO, "Percpu:")                 \
    X(vmalloc_kib, MEMINFO, "VmallocUsed:")           \
    X(hugetlb_kib, MEMINFO, "Hugetlb:")               \
    X(swap_total_kib, MEMINFO, "SwapTotal:")          \
    X(swap_free_kib, MEMINFO, "SwapFree:")            \
    X(committed_kib, MEMINFO, "Committed_AS:")        \
    X(compressed_kib, PAGES, "nr_zspages ")           \
    X(swapped_in_kib, PAGES, "pswpin ")               \
    X(swapped_out_kib, PAGES, "pswpout ")             \
    X(oom_kills, COUNT, "oom_kill ")                  \
    X(stall_some_us, SOME, "total=")                  \
    X(stall_full_us, FULL, "total=")                  \
    X(pressure_some, SOME, "avg60=")                  \
    X(pressure_full, FULL, "avg60=")

enum {
#define X(column, place, key) PM_HOST_##column,
    PM_HOST_FACTS(X)
#undef X
        PM_HOST_N
};

typedef struct pm_host_memory {
    int64_t v[PM_HOST_N];
} pm_host_memory;

/* ", ?" for each of the facts, for statements. */
#define PM_HOST_VALUE(column, place, key) ", ?"
#define PM_HOST_VALUES PM_HOST_FACTS(PM_HOST_VALUE)

#endif
