/* live: facts of a process that a live capture knows besides its mappings. Unknown numbers are
 * PMAPDB_UNKNOWN, unknown texts NULL or empty. Sizes are KiB. */
#ifndef PM_BASE_LIVE_H
#define PM_BASE_LIVE_H

#include "base/text.h"
#include <stdint.h>

/* A limit that is set to "unlimited" or "max". */
#define PM_NO_LIMIT (-1)

/* Facts that rarely change: stored once for many snapshots. */
typedef struct pm_standing {
    int64_t ppid, uid;      /* uid: effective */
    pm_text user;           /* name of uid on that host */
    pm_text comm;           /* cut at 15 bytes by the kernel */
    pm_text exe;            /* without " (deleted)" */
    pm_text cmdline;        /* arguments with blanks between */
    pm_text cgroup;         /* path for the memory controller, else in the unified hierarchy */
    pm_text environment;    /* NAME=VALUE, each ended by a NUL, sorted; only what was asked for */
    int64_t memory_max_kib; /* lowest memory.max of its cgroup and those above; PM_NO_LIMIT */
    int64_t address_limit_kib; /* RLIMIT_AS; PM_NO_LIMIT */
    int64_t stack_limit_kib;   /* RLIMIT_STACK; PM_NO_LIMIT */
    int64_t max_map_count;     /* vm.max_map_count */
} pm_standing;

typedef struct pm_live {
    const char *boot_id; /* /proc/sys/kernel/random/boot_id */
    pm_standing standing;
    int64_t mono_ns;      /* CLOCK_MONOTONIC when the reading of its map began */
    int64_t utc_ms;       /* the same moment in UTC */
    int64_t read_us;      /* how long reading and parsing the map took */
    int64_t cpu_us;       /* CPU of this thread for it, the kernel's included */
    int64_t longest_us;   /* the longest single read(2) */
    int64_t predicted_us; /* the stall that smaps was predicted to cause */
    const char *degraded; /* why maps was read and not smaps; NULL: it was not, or was asked for */
    int64_t threads;
    int64_t size_kib, rss_kib; /* VmSize, VmRSS, read right after the map */
    int64_t hwm_kib, swap_kib, page_tables_kib;
    int64_t anon_kib, file_kib, shmem_kib; /* RssAnon, RssFile, RssShmem */
} pm_live;

#endif
