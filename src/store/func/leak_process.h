/* leak_process: the rows of a process, gathered in any order, and the verdicts on it; no SQLite
 * here. Zeroed, rows are empty and safe to free. */
#ifndef PM_STORE_LEAK_PROCESS_H
#define PM_STORE_LEAK_PROCESS_H

#include "base/buf.h"
#include "base/pool.h"
#include "stats/leaks/leaks.h"

/* A snapshot, a run of a key, or a window of a key; each uses the members that it needs. */
typedef struct pm_leak_row {
    uint32_t key, category;     /* text ids */
    int64_t epoch, first, last; /* first is the place of a snapshot in the epoch; first and last are
                                   the places of a run, or the times of a window or a series */
    int64_t ms, life;           /* of a snapshot */
    int64_t n;                  /* of a run of a series: its snapshots, evenly from first to last */
    pm_leak_sums sums;          /* of a window: was_kib, rss_kib and touched_kib */
} pm_leak_row;

typedef struct pm_leak_rows {
    pm_pool *texts;
    pm_leak_row *row;
    size_t n, cap;
} pm_leak_rows;

pmapdb_status pm_leak_rows_add(pm_leak_rows *rows, const pm_leak_row *row, pm_text key,
                               pm_text category, pmapdb_error *err);
void pm_leak_rows_free(pm_leak_rows *rows);

/* Lives that follow each other; or a series: runs of the only key. */
typedef struct pm_leak_lives {
    pm_leak_rows moments, runs, windows;
    pm_leak_options options;
    int64_t n_spread; /* snapshots of the series; 0: lives of a process */
} pm_leak_lives;

/* Makes the snapshots of the sorted runs of a series. */
pmapdb_status pm_leak_lives_spread(pm_leak_lives *l, pmapdb_error *err);

/* Appends a JSON array: the whole process, then the keys, the worst first. Runs without a snapshot
 * do not count. Of a series: one object; runs that overlap are an error. */
pmapdb_status pm_leak_lives_judge(pm_leak_lives *l, pm_buf *json, pmapdb_error *err);
void pm_leak_lives_free(pm_leak_lives *l);

/* ---- leak_json.c ---- */

/* Appends a verdict as a JSON object; an unknown value is absent. A series outside of a process has
 * no key (NULL), and its JSON has no metrics. */
pmapdb_status pm_leak_json_add(pm_buf *out, const pm_leak *row, const char *key,
                               const char *category, pmapdb_error *err);

#endif
