/* leaks_work: what the steps of judging one process hand to each other; private to leaks*.c.
 *
 * leaks.c            goes through the keys and fills in the rows
 * leaks_series.c     runs of a key -> one value per snapshot -> curves and growth
 * leaks_rules.c      curves and growth of one key -> its verdict, by rules of its category
 * leaks_whole.c      verdicts of the keys -> the verdict of the whole
 * leaks_totals.c     VmRSS, where the mappings do not say what is resident
 * leaks_limit.c      what ends it, and when
 * leaks_words.c      how reasons are written
 */
#ifndef PM_STATS_LEAKS_WORK_H
#define PM_STATS_LEAKS_WORK_H

#include "stats/constants.h"
#include "stats/leaks.h"

/* What the joint verdicts hang on. */
#define PM_FOLLOWS 0.5   /* size or private memory follows rss when it grows by this share of it */
#define PM_SIZE_FLAT 0.1 /* of the growth of rss: less, and rss fills what is reserved already */
#define PM_FULL 0.93     /* of the size is resident: rss cannot show more growth */
#define PM_FULL_GREW 0.3 /* of rss came in the window: worth a word when it is full */
/* Of the process, in the window: of thousands of lineages some grow by chance. */
#define PM_KEY_MATERIAL 0.001
#define PM_MINOR 0.05                        /* of the growth of the whole: a by-product */
#define PM_FILES_MIN (2 * PM_MATERIAL_COUNT) /* file mappings: loading a plugin maps up to five */
#define PM_GUARDS_MORE 0.2     /* guards and what they guard may differ by this share ... */
#define PM_GUARDS_FEW 2.0      /* ... or by so many */
#define PM_GUARD_KIB 64.0      /* a guard is smaller, whatever the page size ... */
#define PM_GUARD_SLACK 65536.0 /* ... apart from one reserve of an arena */
#define PM_BOUNDED_SHARE 0.7   /* of the whole's growth is bounded: so is the whole ... */
#define PM_BOUNDED_TOP 0.5     /* ... if one key brought this share of it */
/* As fast as before is explained; so much faster is not. */
#define PM_TOTALS_MORE 2.0
/* One may belong to what was captured before it, in another way. */
#define PM_TOTALS_SILENT 2
#define PM_LIMIT_NEAR 0.25  /* of its own growth is left to a key until the limit */
#define PM_LIMIT_PASSED 1.1 /* of the limit is resident: then it is no limit */

typedef enum pm_leak_family {
    PM_FAMILY_PRIVATE, /* heap, stack, anonymous, kernel: rss is the process's own */
    PM_FAMILY_THREAD_STACK,
    PM_FAMILY_SHARED,
    PM_FAMILY_FILE,
    PM_FAMILY_RESERVE, /* address space, guards among it */
    PM_FAMILY_SUMS     /* "total": what is in it is unknown */
} pm_leak_family;

pm_leak_family pm_leaks_family(const char *slug);

/* What is known of one key. rss stands for rss + swap where something is swapped. */
typedef struct pm_leak_facts {
    pm_leak_family family;
    bool has_rss; /* any rss is known in this process */
    pm_trend rss, size, count;
    double grown[PM_METRIC_COUNT]; /* over the last life; NaN: unknown */
    double first[PM_METRIC_COUNT], last[PM_METRIC_COUNT];
    bool fills; /* the rule said that it fills a reservation */
} pm_leak_facts;

static inline bool pm_leaks_flagged(pm_verdict v)
{
    return v == PM_VERDICT_LEAK || v == PM_VERDICT_SUSPECT;
}

/* ---- rules: one key ---- */

/* Sets verdict, why_metric, reason of `row`, and facts->fills. */
void pm_leaks_decide(pm_leak_facts *facts, pm_leak *row);

const pm_trend *pm_leaks_curve(const pm_leak_facts *facts, pm_metric metric);

/* Adds to the reason, behind "; " where there is one; cut at its end. */
void pm_leaks_say(pm_leak *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As pm_leaks_say, in front of what is there. */
void pm_leaks_say_first(pm_leak *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "380 MiB" from KiB, "?" for NaN. Without printf's decimal point, which is the locale's. */
typedef struct pm_leak_size {
    char text[48];
} pm_leak_size;
pm_leak_size pm_leaks_size(double kib);
pm_leak_size pm_leaks_more(double kib);    /* "+3.1 MiB", "flat", "?" */
pm_leak_size pm_leaks_pieces(double more); /* "+42 mappings" */

/* The beginning of a name, for a reason; never half a character. */
typedef struct pm_leak_name {
    char text[44];
} pm_leak_name;
pm_leak_name pm_leaks_name(const char *key);

/* ---- series ---- */

/* Values per snapshot: series[m] has n. */
typedef struct pm_leak_dense {
    double *series[PM_METRIC_COUNT];
    double *memory;
} pm_leak_dense;

/* The series of the process's own totals. */
typedef struct pm_leak_own {
    size_t known; /* snapshots */
    pm_trend trend;
    double first, last, grown;
    double resident; /* the last of it without swap */
    size_t silent;   /* snapshots in the end of which neither it nor the mappings tell anything */
    bool behind;     /* it tells of what the mappings do not */
} pm_leak_own;

typedef struct pm_leak_work {
    const pm_leak_process *process;
    const pm_leak_options *options;
    bool known[PM_METRIC_COUNT]; /* some run of the process knows it */
    bool swapped;                /* something of the process is in swap */
    bool *sums_only;             /* n: a "total" key has a run there; NULL: nowhere */
    bool *present;               /* n, scratch; with sums_only */
    double *scratch;             /* n */
    pm_leak_dense key, whole;    /* of the key in hand; the sum of the keys */
    double *whole_rss;           /* n: without swap, for the limit */
    double whole_grown;          /* its growth, once it is whole */
    pm_leak_own own;
    pm_leak_facts *facts; /* of each key */
    pm_trend_room *room;  /* all keys have the same times */
} pm_leak_work;

pmapdb_status pm_leaks_work_new(const pm_leak_process *process, const pm_leak_options *options,
                                pm_leak_work *out, pmapdb_error *err);
void pm_leaks_work_free(pm_leak_work *work);

/* Fills work->key and adds it to work->whole. */
void pm_leaks_expand(pm_leak_work *work, const pm_leak_key *key);

/* Median of the last eighth of the last life minus that of its first: robust, and never larger
 * than what was seen. */
double pm_leaks_growth(const pm_leak_process *process, const double *v, double *scratch);

/* One metric of `dense` judged alone. What never changes is not fitted. */
pmapdb_status pm_leaks_trend(const pm_leak_work *work, const pm_leak_dense *dense, pm_metric metric,
                             pm_trend *out, pmapdb_error *err);

/* first, last and grown of every metric. */
void pm_leaks_measure(const pm_leak_work *work, const pm_leak_dense *dense, pm_leak_facts *facts);

/* ---- limits ---- */

/* The nearest limit and the time until it, of a row whose verdict, metric and trend are there. A
 * leak that may be stopped by the one that was given becomes a suspect. facts: the row's. */
void pm_leaks_limit(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row);

/* ---- totals ---- */

/* Sets work->own, and with it the newest resident memory and its growth where it tells of them;
 * once the keys are added up. */
pmapdb_status pm_leaks_totals(pm_leak_work *work, pmapdb_error *err);

/* Sets whole->rss_from. The whole is judged by the totals where nothing else tells what is
 * resident, or where they say worse of what came after that. */
void pm_leaks_take_totals(const pm_leak_work *work, pm_leak *whole);

/* ---- the whole ---- */

/* Guards of what grows are explained by it. */
void pm_leaks_explain_guards(const pm_leak_work *work, pm_leak *rows);

/* `rows`: of the keys, minor ones get a word. */
pmapdb_status pm_leaks_whole(pm_leak_work *work, pm_leak *rows, pm_leak *whole, pmapdb_error *err);

#endif
