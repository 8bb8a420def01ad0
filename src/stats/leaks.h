/* leaks: the keys (categories, objects, lineages) of one process -> a verdict on each from rss,
 * private memory, size and count together, and one on the whole.
 *
 * One curve cannot tell a leak from pages that exist already and are touched for the first time:
 * rss grows, private memory and size do not. So every key is judged from several metrics, by rules
 * of its category, and the whole is the sum of the keys that leak.
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

const char *pm_metric_name(pm_metric metric); /* "mappings", "size", "rss", ... */

/* KiB or pieces that a key has from one snapshot of the timeline to another. Runs of one key add
 * up where they overlap; where it has none it is not there: 0 (unknown where a "total" key has a
 * run: only sums were given there). A metric that no run of the process knows is unknown
 * throughout.
 */
typedef struct pm_leak_run {
    uint32_t first, last;          /* places in the timeline, inclusive */
    double value[PM_METRIC_COUNT]; /* NaN: unknown */
} pm_leak_run;

typedef struct pm_leak_key {
    const char *key; /* only echoed and written into reasons */
    const char
        *category; /* slug, "anonymous/thread-stack": says which rules hold; "total": sums only */
    const pm_leak_run *runs;
    size_t n_runs;
} pm_leak_key;

/* What the process says of itself, VmRSS and VmSwap, at all of its snapshots, those too that are
 * not in the timeline because they were read in another way. NaN: unknown. */
typedef struct pm_leak_totals {
    const int64_t *ms; /* ascending */
    const int32_t *life;
    const double *rss, *swap;
    size_t n;
} pm_leak_totals;

typedef struct pm_leak_process {
    const int64_t *ms;   /* the timeline: every snapshot, ascending */
    const int32_t *life; /* of each; a change is a restart; NULL: one life */
    size_t n;
    const pm_leak_key *keys;
    size_t n_keys;
    const pm_leak_totals *totals; /* NULL: no snapshot lacks what is resident of its mappings */
} pm_leak_process;

typedef struct pm_leak_options {
    int metric;            /* a pm_metric: judge that one alone; -1: jointly */
    double limit_kib;      /* NaN: unknown. What the process's rss cannot exceed */
    double leak_posterior; /* as in pm_trend_options */
    pm_trend_room *room;   /* or NULL: processes that were captured together have the same times */
    /* What the kernel keeps to; 0 and less, NaN: none, or unknown. A leak that comes near one is
     * not doubted as near limit_kib: nobody gives a cache the size at which it is killed. */
    double memory_max_kib; /* of its cgroup: the process's rss */
    double address_limit_kib, stack_limit_kib;
    double max_map_count; /* mappings of the process */
} pm_leak_options;

/* Where a limit comes from. */
typedef enum pm_leak_limit {
    PM_LIMIT_NONE,
    PM_LIMIT_GIVEN,       /* limit_kib */
    PM_LIMIT_RESERVATION, /* the size of what fills */
    PM_LIMIT_CGROUP,
    PM_LIMIT_ADDRESS,
    PM_LIMIT_STACK,
    PM_LIMIT_MAP_COUNT
} pm_leak_limit;

const char *pm_leak_limit_name(pm_leak_limit limit); /* "cgroup", ...; "" for none */

/* Where it was read what of the process is resident. */
typedef enum pm_leak_rss {
    PM_RSS_NOT_ASKED, /* a metric alone, that is not rss; and of keys */
    PM_RSS_UNKNOWN,   /* nowhere, or no more in the last snapshots */
    PM_RSS_MAPPINGS,
    PM_RSS_TOTALS /* pm_leak_totals */
} pm_leak_rss;

const char *pm_leak_rss_name(pm_leak_rss from); /* "mappings", "VmRSS", "unknown"; "" not asked */

/* One row of the answer. */
typedef struct pm_leak {
    size_t key; /* index into keys; SIZE_MAX: the whole process */
    pm_verdict verdict;
    pm_metric
        metric; /* whose rate it is: the one whose KiB grow, PM_METRIC_MAPPINGS where none do */
    pm_metric why_metric;   /* the one that decided */
    pm_leak_limit limit_by; /* where `limit` comes from */
    pm_leak_rss rss_from;   /* of the whole */
    pm_trend trend;    /* of `metric`; its verdict is that curve's alone. Of a whole that leaks: the
                          rates are sums, the rest is that of the key that leaks most */
    double confidence; /* 0 to 1: of the curve of `why_metric` */
    double first, last;   /* the first and last known value of `metric`; NaN: none */
    double limit;         /* of `metric`; NaN: unknown */
    double eta_h;         /* hours until the limit at the rate; NaN: not known, or never */
    double mappings_rate; /* mappings per hour; NaN: unknown */
    char reason[192];     /* in words */
} pm_leak;

/* Fills out[0] with the whole process and out[1..n_keys] with the keys in their order. Fails only
 * for want of memory. */
pmapdb_status pm_leaks_judge(const pm_leak_process *process, const pm_leak_options *options,
                             pm_leak *out, pmapdb_error *err);

#endif
