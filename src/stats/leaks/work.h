/* work: the state that the steps of judging one process share; private to this folder.
 *
 * leaks.c      judges every key, then the whole, and fills in the rows
 * series.c     runs of a key -> one value per snapshot -> curves and growth
 * rules.c      curves and growth of a key -> its verdict, by rules of its category
 * whole.c      verdicts of the keys -> the verdict of the process
 * newest.c     snapshots after the last one that shows the keys
 * limit.c      the nearest limit, and the time until it
 * touched.c    whether the memory that grew is in use: evidence beside the curves
 * words.c      the reasons
 */
#ifndef PM_STATS_LEAKS_WORK_H
#define PM_STATS_LEAKS_WORK_H

#include "stats/constants.h"
#include "stats/leaks/leaks.h"

/* The numbers that decide joint verdicts. */
#define PM_FOLLOWS 0.5   /* size or private memory follows rss if it grows by this share of rss */
#define PM_SIZE_FLAT 0.1 /* of the growth of rss: if size grows less, rss fills a reservation */
#define PM_FULL 0.93     /* of the size: if more is resident, rss cannot show growth */
#define PM_FULL_GREW 0.3 /* of rss: if more came in the window, a full reservation is mentioned */
/* Share of the process: less growth of a key in the window is chance, or does not matter yet, as
 * growth below PM_MATERIAL_SHARE of its level for the process. */
#define PM_KEY_MATERIAL 0.01
#define PM_KEY_MATERIAL_SIZE 0.001 /* of address space, of which most is only reserved */
/* Servers fill caches and pools for so long after their start, or a change of their work: 12
 * servers under load took 1 to 14 minutes. */
#define PM_YOUNG_H 0.25
#define PM_RUNS_SHARE 0.5 /* of the time: lives that are shorter together are runs of a command */
#define PM_MINOR 0.10     /* of the growth of the whole: less is a by-product */
/* Share of the process: a smaller reservation can never matter, however full. */
#define PM_SMALL_RESERVATION 0.05
/* Collectors let a heap grow by a factor before they collect: Go and V8 by 2 as a rule, Oilpan by
 * 2.2 in a measured renderer that did little. */
#define PM_TOOTH_TIMES 3.0
/* A collection gives back more than this share of the heap; falls within a climb are smaller. */
#define PM_COLLECTED 0.1
#define PM_FILES_MIN (2 * PM_MATERIAL_COUNT) /* file mappings: loading a plugin maps up to five */
#define PM_GUARDS_MORE 0.2     /* guards and guarded mappings may differ by this share ... */
#define PM_GUARDS_FEW 2.0      /* ... or by this number */
#define PM_GUARD_KIB 64.0      /* a guard is smaller, whatever the page size */
#define PM_GUARD_SLACK 65536.0 /* except for the reserve of one arena */
#define PM_BOUNDED_SHARE 0.7   /* of the growth is bounded: then the whole is bounded ... */
#define PM_BOUNDED_TOP 0.5     /* ... if one key brought this share of the growth */
/* Growth faster than before by this factor is unexplained. */
#define PM_LATER_MORE 2.0
#define PM_LATER_LESS 0.5 /* growth below this share of what the keys claim denies them */
/* This many last snapshots without keys, or without any rss, are worth a word; one may belong to
 * the moment before. */
#define PM_LATER_MIN 2
#define PM_LIMIT_NEAR 0.25  /* of the growth of a key: less distance to the limit is near */
#define PM_LIMIT_PASSED 1.1 /* of the limit: if more is resident, the limit does not hold */

typedef enum pm_leak_family {
    PM_FAMILY_PRIVATE,  /* anonymous, kernel: rss belongs to the process alone */
    PM_FAMILY_EXTENDED, /* heap, stack: private, and the kernel extends the mapping when it is full
                         */
    PM_FAMILY_THREAD_STACK,
    PM_FAMILY_SHARED,
    PM_FAMILY_FILE,
    PM_FAMILY_RESERVE /* address space, including guards */
} pm_leak_family;

pm_leak_family pm_leaks_family(const char *slug);

/* True for a heap that a collector empties as a whole: Rss falls by more than PM_COLLECTED. */
bool pm_leaks_collected(const char *slug);

/* The facts about one key. rss means rss + swap if anything is swapped. */
typedef struct pm_leak_facts {
    pm_leak_family family;
    bool has_rss; /* any rss is known in this process */
    pm_trend rss, size, count;
    double grown[PM_METRIC_COUNT]; /* over the last life; NaN: unknown */
    double first[PM_METRIC_COUNT], last[PM_METRIC_COUNT];
    size_t known[PM_METRIC_COUNT]; /* snapshots up to the last one that knows the metric */
    bool tooth;                    /* the growth is one tooth of a collected heap */
    bool fills;                    /* the key fills mappings that hardly grow */
    bool fixed; /* the key fills mappings that are always the same size, and must end there */
} pm_leak_facts;

static inline bool pm_leaks_flagged(pm_verdict v)
{
    return v == PM_VERDICT_LEAK || v == PM_VERDICT_SUSPECT;
}

/* True if the numbers of a curve say that the growth may be 0. */
static inline bool pm_leaks_denied(const pm_trend *t)
{
    return !(t->low > 0) || t->rate < t->detectable;
}

/* ---- rules: one key ---- */

/* Sets verdict, why_metric, reason of `row`, and facts->fills and fixed. */
void pm_leaks_decide(pm_leak_facts *facts, pm_leak *row);

const pm_trend *pm_leaks_curve(const pm_leak_facts *facts, pm_metric metric);

/* Appends to the reason, after "; " if the reason is not empty; cut to fit. */
void pm_leaks_say(pm_leak *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As pm_leaks_say, but at the front. */
void pm_leaks_say_first(pm_leak *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "380 MiB" from KiB, "?" for NaN. Avoids the decimal point of printf, which depends on the locale.
 */
typedef struct pm_leak_size {
    char text[48];
} pm_leak_size;
pm_leak_size pm_leaks_size(double kib);
pm_leak_size pm_leaks_more(double kib);    /* "+3.1 MiB", "flat", "?" */
pm_leak_size pm_leaks_pieces(double more); /* "+42 mappings" */
pm_leak_size pm_leaks_span(double hours);  /* "40 seconds", "12 minutes", "5 hours", "3 days" */

/* The beginning of a name, for a reason; never cuts a UTF-8 character. */
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

typedef struct pm_leak_work {
    const pm_leak_process *process;
    const pm_leak_options *options;
    pmapdb_status st; /* the first failure: no memory */
    pmapdb_error *err;
    bool known[PM_METRIC_COUNT]; /* some run of the process knows the metric */
    bool swapped;                /* something of the process is in swap */
    double *scratch;             /* n */
    pm_leak_dense key, whole;    /* of the current key; the sum of the keys */
    double *whole_rss;           /* n: without swap, for the limit */
    double whole_grown;          /* growth of whole_rss, after all keys are added */
    size_t shown;                /* snapshots up to the last one that shows the keys */
    pm_trend total;              /* the curve of the rss of the process */
    bool vm_rss;                 /* the newest known rss of the process is VmRSS */
    bool later;                  /* the keys do not explain how rss grew after the last one */
    pm_leak_facts *facts;        /* of each key */
} pm_leak_work;

pmapdb_status pm_leaks_work_new(const pm_leak_process *process, const pm_leak_options *options,
                                pm_leak_work *out, pmapdb_error *err);
void pm_leaks_work_free(pm_leak_work *work);

/* Fills work->key and adds it to work->whole. */
void pm_leaks_expand(pm_leak_work *work, const pm_leak_key *key);

/* Completes work->whole by the sums of the snapshots. Called after all keys are added. */
void pm_leaks_add_sums(pm_leak_work *work);

/* The number of values up to the last known one. */
size_t pm_leaks_known_until(const double *v, size_t n);
/* The last known value; NAN if no value is known. */
double pm_leaks_last_known(const double *v, size_t n);

/* Median of the last eighth of the last known life minus the median of its first eighth: robust,
 * and never larger than the range. */
double pm_leaks_growth(const pm_leak_process *process, const double *v, double *scratch);

/* True if a collection brought rss back to its lowest, and rss climbs since, no further than until
 * the next one. */
bool pm_leaks_one_tooth(const pm_leak_work *work, const double *rss);

/* Judges the n values of one metric alone. A constant series is not fitted. */
pm_trend pm_leaks_trend(pm_leak_work *work, const double *values, pm_metric metric);

/* Fills first, last, known and grown of every metric. */
void pm_leaks_measure(const pm_leak_work *work, const pm_leak_dense *dense, pm_leak_facts *facts);

/* Sets first, last and newest_ms of a row that has its metric. */
void pm_leaks_finish(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row);

/* ---- limits ---- */

/* Sets the nearest limit and the time until it, for a row that has verdict, metric and trend. A
 * leak that the given limit may stop becomes a suspect, and so does a leak that ends with the
 * mappings it fills; in shared mappings and files such a leak becomes a plateau. `facts` belongs to
 * the row. */
void pm_leaks_limit(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row);

/* ---- what was touched ---- */

/* Sets row->touched of a growing key that has windows. A leak that is in use becomes a suspect; the
 * confidence in one that is not touched grows. */
void pm_leaks_touched(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row);

/* ---- the newest snapshots ---- */

/* Sets work->total and work->later. Takes back a growing verdict on a key if the process stopped
 * growing after the last snapshot that shows the keys. `rows` are those of the keys. */
void pm_leaks_newest(pm_leak_work *work, pm_leak *rows);

/* Says so if the newest rss of the process is VmRSS. */
void pm_leaks_say_vm_rss(const pm_leak_work *work, pm_leak *whole);

/* Sets whole->rss_from, and says so if rss is unknown. */
void pm_leaks_rss_from(const pm_leak_work *work, pm_leak *whole);

/* ---- the whole ---- */

/* Explains growing guards by the growing mappings that they guard. */
void pm_leaks_explain_guards(const pm_leak_work *work, pm_leak *rows);

/* `rows` are those of the keys; minor ones receive a note. */
void pm_leaks_whole(pm_leak_work *work, pm_leak *rows, pm_leak *whole);

#endif
