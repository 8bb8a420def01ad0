/* live: facts about a process that a live capture contains besides the mappings. Unknown numbers
 * are PMAPDB_UNKNOWN, unknown texts NULL or empty. Sizes are KiB. */
#ifndef PM_BASE_LIVE_H
#define PM_BASE_LIVE_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* A limit of "unlimited" or "max". */
#define PM_NO_LIMIT (-1)

/* The use of the cgroup that has the lowest limit; all unknown if there is no limit. */
typedef struct pm_cgroup_use {
    int64_t current_kib;
    int64_t file_kib;  /* page cache, tmpfs and shared memory in it */
    int64_t shmem_kib; /* the part of file_kib that is tmpfs or shared memory */
    int64_t oom_kills; /* since the cgroup was made */
} pm_cgroup_use;

#define PM_CGROUP_USE_UNKNOWN \
    ((pm_cgroup_use){PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN})

/* The facts about a process that the reader of /proc or an expression needs. */
enum pm_need {
    PM_NEED_COMM = 1,
    PM_NEED_EXE = 2,
    PM_NEED_CMDLINE = 4,
    PM_NEED_UID = 8,          /* and user */
    PM_NEED_CGROUP = 16,      /* also for container and unit */
    PM_NEED_ENVIRONMENT = 32, /* the whole environment, and exe */
    PM_NEED_LIMITS = 64,
    PM_NEED_ALL = 127,
    PM_NEED_ARGUMENTS = 128, /* the arguments in cmdline stay separated by NULs */
    PM_NEED_NAME = 256,      /* of comm and cmdline */
    PM_NEED_ANCESTORS = 512
};

/* Facts that rarely change: stored once for many snapshots. */
typedef struct pm_standing {
    int64_t ppid, uid;      /* uid: effective */
    pm_text user;           /* name of uid on that host */
    pm_text comm;           /* cut at 15 bytes by the kernel */
    pm_text exe;            /* without " (deleted)" */
    pm_text cmdline;        /* arguments separated by blanks */
    pm_text cgroup;         /* path for the memory controller, otherwise in the unified hierarchy */
    pm_text environment;    /* NAME=VALUE, each with a NUL; stored: the requested names, sorted */
    int64_t memory_max_kib; /* lowest memory.max of its cgroup and the ancestors; or PM_NO_LIMIT */
    int64_t address_limit_kib; /* RLIMIT_AS, or PM_NO_LIMIT */
    int64_t stack_limit_kib;   /* RLIMIT_STACK, or PM_NO_LIMIT */
    int64_t max_map_count;     /* vm.max_map_count */
    int64_t ns_pid;    /* its pid in its own pid namespace; pid where that is the reader's */
    pm_cgroup_use use; /* when the facts were read; stored with each snapshot */
} pm_standing;

/* The memory of a process as its pages show it; KiB. */
typedef struct pm_page_totals {
    int64_t number; /* of the process in the sets of the scan, from 1; 0: its pages were not read */
    int64_t anon_kib, file_kib, shmem_kib; /* in memory */
    int64_t own_kib;                       /* the part of these that is mapped once */
    int64_t swap_kib, zero_kib, hugetlb_kib;
} pm_page_totals;

/* What a process has done since it started. */
typedef struct pm_activity {
    bool known;
    int64_t cpu_us; /* user and system time of all threads */
    int64_t minor_faults, major_faults;
    bool page_idle; /* Referenced of the mappings comes from page idle tracking */
} pm_activity;

typedef struct pm_live {
    const char *boot_id; /* /proc/sys/kernel/random/boot_id */
    pm_standing standing;
    int64_t mono_ns;    /* CLOCK_MONOTONIC when reading the map began */
    int64_t utc_ms;     /* the same moment in UTC */
    int64_t read_us;    /* how long reading and parsing the map took; unknown: only the boot and the
                           clocks are known */
    int64_t cpu_us;     /* CPU time of this thread for reading and parsing, including kernel time */
    int64_t longest_us; /* the longest single read(2) */
    int64_t predicted_us; /* the predicted stall from reading smaps; unknown: little memory */
    const char *degraded; /* why maps or pagemap was read instead of smaps; NULL if smaps was read
                             or maps was requested */
    int64_t leader;       /* the pid of the process that a thread belongs to; else its own */
    int64_t threads;
    int64_t size_kib, rss_kib; /* VmSize, VmRSS, read right after the map */
    int64_t hwm_kib, swap_kib, page_tables_kib;
    int64_t anon_kib, file_kib, shmem_kib; /* RssAnon, RssFile, RssShmem */
    int64_t oom_score;                     /* the OOM killer takes the highest first */
    pm_page_totals pages;
    pm_activity activity;
} pm_live;

#endif
