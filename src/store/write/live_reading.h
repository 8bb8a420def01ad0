/* live_reading: what live captures know besides mappings: tables schedule, beat, live_process,
 * environment, live_reading. */
#ifndef PM_STORE_LIVE_READING_H
#define PM_STORE_LIVE_READING_H

#include "base/record/live.h"
#include "store/file/sql.h"

/* Stores what a live snapshot knows besides its mappings. */
pmapdb_status pm_live_reading_put(pm_sql *sql, int64_t snapshot_id, const pm_live *live,
                                  pmapdb_error *err);

/* Sets the column hash in all rows of table live_process, after they were copied without their hash
 * and environment (store/export/export.h). */
pmapdb_status pm_live_reading_rehash(pm_sql *sql, pmapdb_error *err);

/* One beat of a schedule; `counts` may change until the beat ends. */
typedef struct pm_sweep {
    const char *host, *boot_id, *selection;
    int64_t every_ms; /* PMAPDB_UNKNOWN: captured once */
    int64_t started_ms, mono_ns;
    struct {
        int64_t missed, unreadable, vanished, degraded, unmoved, changed;
    } counts;
} pm_sweep;

/* Inserts rows into tables capture, beat and, if the schedule is new, schedule. Runs inside the
 * caller's transaction. */
pmapdb_status pm_sweep_begin(pm_sql *sql, const pm_sweep *sweep, int64_t *capture_id,
                             pmapdb_error *err);
/* Stores the end of the beat and its current counts. */
pmapdb_status pm_sweep_end(pm_sql *sql, int64_t capture_id, int64_t ended_ms, const pm_sweep *sweep,
                           pmapdb_error *err);

/* ---- the cost of earlier readings ---- */

/* Sets *rss_kib to the RSS in the newest snapshot of a process that was captured live, or to
 * PMAPDB_UNKNOWN if the process has no snapshot. */
pmapdb_status pm_reading_rss(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                             int64_t start_time, int64_t *rss_kib, pmapdb_error *err);

/* The cost of one reading of smaps. */
typedef struct pm_reading {
    int64_t taken_ms, resident_kib, swap_kib, mappings, cpu_us, longest_us;
} pm_reading;

/* Reads the newest reading of a process. */
pmapdb_status pm_reading_own(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                             int64_t start_time, pm_reading *out, bool *found, pmapdb_error *err);
/* Reads the newest readings of large processes on a host, at most `max`. */
pmapdb_status pm_reading_host(pm_sql *sql, const char *host, pm_reading *out, size_t max, size_t *n,
                              pmapdb_error *err);

#endif
