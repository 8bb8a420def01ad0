/* series: series of a CSV file, which need not be of memory maps or in a store: read, judged. */
#ifndef PM_CLI_SERIES_H
#define PM_CLI_SERIES_H

#include "base/pool.h"
#include "stats/leaks/leaks.h"

typedef struct pm_series_point {
    int64_t ms;
    double value;
    int32_t life;   /* the pid: a change is a restart */
    uint32_t order; /* in the file: of equal times the last one counts */
} pm_series_point;

/* What else was measured at a moment; NaN: unknown. */
typedef struct pm_series_more {
    int64_t ms;
    double size, private, mappings;
    size_t order;
} pm_series_more;

typedef struct pm_series_one {
    pm_series_point *points;
    size_t n, cap;
    pm_series_more *more;
    size_t n_more, more_cap;
    /* Known beforehand: */
    uint32_t category, metric; /* texts of `words`; 0: not known */
    uint32_t companion;        /* another series' id, or 0 */
    double page, limit;        /* KiB; NaN: not known */
    /* Found: */
    bool judged;
    pm_leak found;
    size_t n_known;   /* snapshots with a value, each moment once */
    int64_t first_ms; /* of the first of them */
} pm_series_one;

typedef struct pm_series_set {
    pm_pool *ids;   /* text i is the id of one[i - 1], in the order of the file */
    pm_pool *words; /* pids, categories, metrics */
    pm_series_one *one;
    size_t n, cap;
    size_t n_points;
    size_t n_bad; /* rows that were reported and left out */
} pm_series_set;

/* Reads a file each; "-" is standard input. Bad rows are reported on standard error as
 * FILE:LINE: WHAT. Of what `meta` and `context` say, series that are not there are passed over. */
pmapdb_status pm_series_new(pm_series_set *set, pmapdb_error *err);
pmapdb_status pm_series_read(pm_series_set *set, const char *path, pmapdb_error *err);
pmapdb_status pm_series_read_meta(pm_series_set *set, const char *path, pmapdb_error *err);
pmapdb_status pm_series_read_context(pm_series_set *set, const char *path, pmapdb_error *err);
void pm_series_free(pm_series_set *set);

pm_text pm_series_id(const pm_series_set *set, size_t i);

/* Judges all of them, and forgets their points. limit_kib, where the series has none of its own;
 * NaN: unknown. */
pmapdb_status pm_series_judge(pm_series_set *set, double limit_kib, double leak_posterior,
                              pmapdb_error *err);

#endif
