/* leak_series: the runs of one series, gathered in any order, and the verdict on them; no SQLite
 * here. Zeroed, it is empty and safe to free. */
#ifndef PM_STORE_LEAK_SERIES_H
#define PM_STORE_LEAK_SERIES_H

#include "base/buf.h"
#include "stats/leaks/leaks.h"

/* One value at n snapshots, which are spread evenly. */
typedef struct pm_stretch {
    int64_t first_ms, last_ms, n, life;
    double value; /* NaN: unknown */
} pm_stretch;

typedef struct pm_leak_series {
    pm_stretch *run;
    size_t n_runs, cap_runs;
    int64_t snapshots;
    double limit_kib;    /* NaN: unknown */
    double page_kib;     /* 0: the values are pieces */
    pm_trend_room *room; /* or NULL; the series does not free it */
} pm_leak_series;

pmapdb_status pm_leak_series_add(pm_leak_series *s, const pm_stretch *run, pmapdb_error *err);

/* Sorts and joins the runs, and appends a JSON object. */
pmapdb_status pm_leak_series_judge(pm_leak_series *s, pm_buf *json, pmapdb_error *err);
void pm_leak_series_free(pm_leak_series *s);

#endif
