/* leaks: the keys (categories, objects, lineages) of one process -> a verdict on each key from rss,
 * private memory, size and count together, and a verdict on the whole process.
 *
 * One curve cannot tell a leak from existing pages that are touched for the first time: then rss
 * grows, and private memory and size do not. So every key is judged from several metrics, by rules
 * of its category. The whole is the sum of the leaking keys.
 */
#ifndef PM_STATS_LEAKS_H
#define PM_STATS_LEAKS_H

#include "stats/trend.h"

typedef enum pm_metric {
    PM_METRIC_MAPPINGS,
    PM_METRIC_SIZE,
    PM_METRIC_RSS,
    PM_METRIC_PSS,
    PM_METRIC_PRIVATE, /* Private_Clean + Private_Dirty */
    PM_METRIC_PRIVATE_DIRTY,
    PM_METRIC_SWAP,
    PM_METRIC_COUNT
} pm_metric;

extern const char *const pm_metric_names[]; /* "mappings", "size", "rss", ... */

/* The constant values of a key, in KiB or pieces, from one snapshot of the timeline to another.
 * Overlapping runs of one key are added. Without a run the key does not exist: 0; but in a snapshot
 * that does not show the keys, the key is unknown. A metric that no run of the process knows is
 * unknown throughout.
 */
typedef struct pm_leak_run {
    uint32_t first, last;          /* places in the timeline, inclusive */
    double value[PM_METRIC_COUNT]; /* NaN: unknown */
} pm_leak_run;

typedef struct pm_leak_key {
    const char *key;      /* appears in reasons only */
    const char *category; /* slug such as "anonymous/thread-stack", selects the rules */
    const pm_leak_run *runs;
    size_t n_runs;
} pm_leak_key;

/* What a snapshot says about the process as a whole: a footer, smaps_rollup, VmRSS, the rows of
 * another dialect. Counts where the keys are not shown, or do not know the metric. */
typedef struct pm_leak_sums {
    bool hides_keys;               /* the snapshot does not show the keys */
    bool vm_rss;                   /* the rss is VmRSS, unless the keys know it */
    double value[PM_METRIC_COUNT]; /* NaN: unknown */
} pm_leak_sums;

typedef struct pm_leak_process {
    const int64_t *ms;   /* the timeline: every snapshot, ascending */
    const int32_t *life; /* life of each snapshot; a change is a restart; NULL: one life */
    size_t n;
    const pm_leak_key *keys;
    size_t n_keys;
    const pm_leak_sums *sums; /* of each snapshot; NULL: the keys know all */
} pm_leak_process;

/* How much of a key was touched between two moments, in KiB with swap. */
typedef struct pm_leak_window {
    int64_t from_ms, to_ms;
    double was_kib;     /* of the key at from_ms */
    double rss_kib;     /* at to_ms */
    double touched_kib; /* of that; what is new since from_ms counts as touched. NaN: unknown,
                           because the process idled or memory was short */
} pm_leak_window;

typedef struct pm_leak_windows {
    const pm_leak_window *window; /* ascending */
    size_t n;
} pm_leak_windows;

typedef struct pm_leak_options {
    int metric;            /* a pm_metric: judge by that metric alone; -1: jointly */
    double limit_kib;      /* the rss that the process cannot exceed; NaN: unknown */
    double leak_posterior; /* as in pm_trend_options */
    pm_trend_room *room;   /* or NULL; processes captured together share times, and so the room */
    /* Limits of the kernel; NaN, 0 and less: no limit, or unknown. Near one of these a leak stays a
     * leak, unlike near limit_kib: nobody sizes a cache so that the kernel kills the process. */
    double memory_max_kib; /* memory.max of the cgroup, against the rss of the process */
    double address_limit_kib, stack_limit_kib;
    double max_map_count;           /* mappings of the process */
    const pm_leak_windows *touched; /* of each key; NULL: nothing is known */
    double process_ms;              /* when the newest life started, in the time of the series */
} pm_leak_options;

/* The source of a limit. */
typedef enum pm_leak_limit {
    PM_LIMIT_NONE,
    PM_LIMIT_GIVEN,       /* limit_kib */
    PM_LIMIT_RESERVATION, /* the size of the reservation that fills */
    PM_LIMIT_CGROUP,
    PM_LIMIT_ADDRESS,
    PM_LIMIT_STACK,
    PM_LIMIT_MAP_COUNT
} pm_leak_limit;

extern const char *const pm_leak_limit_names[]; /* "cgroup", ...; "" for PM_LIMIT_NONE */

/* The source of the resident memory of the whole. */
typedef enum pm_leak_rss {
    PM_RSS_NOT_ASKED, /* rows of keys, and judgements by another metric alone */
    PM_RSS_UNKNOWN,   /* never known, or not in the last snapshots */
    PM_RSS_MAPPINGS,  /* of rows, or of a sum of rows */
    PM_RSS_STATUS     /* VmRSS */
} pm_leak_rss;

extern const char *const pm_leak_rss_names[]; /* "" for PM_RSS_NOT_ASKED */

/* One row of the answer. */
typedef struct pm_leak {
    size_t key; /* index into keys; SIZE_MAX: the whole process */
    pm_verdict verdict;
    pm_metric metric;       /* of the rate: the metric whose KiB grow, else PM_METRIC_MAPPINGS */
    pm_metric why_metric;   /* the metric that decided the verdict */
    pm_leak_limit limit_by; /* source of `limit` */
    pm_leak_rss rss_from;   /* for the whole */
    pm_trend trend; /* of `metric`; its verdict is that of the curve alone. If the whole leaks, its
                       rates are sums, and all other fields come from the largest leaking key */
    double confidence;  /* 0 to 1: of the curve of `why_metric` */
    double first, last; /* the first and last known value of `metric`; NaN: no known value */
    double limit; /* the limit that is reached first, of the key or of the process; NaN: unknown */
    double eta_h; /* hours until the limit: of the key at the rate of the row, or of the process at
                     its rate; NaN: unknown, or never */
    double mappings_rate; /* mappings per hour; NaN: unknown */
    int64_t newest_ms;    /* of the newest snapshot that knows `metric`; INT64_MIN: none does */
    char reason[192];     /* in words */
    char touched[288]; /* how much of the growth was touched again, or why that cannot be told, in
                          words; empty: nothing is known */
} pm_leak;

/* Fills out[0] with the whole process and out[1..n_keys] with the keys in their order. Fails only
 * when memory runs out. */
pmapdb_status pm_leaks_judge(const pm_leak_process *process, const pm_leak_options *options,
                             pm_leak *out, pmapdb_error *err);

#endif
