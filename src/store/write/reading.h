/* reading: what readings of live processes have cost so far. */
#ifndef PM_STORE_READING_H
#define PM_STORE_READING_H

#include "store/file/sql.h"

/* RSS in the newest snapshot of a process that was captured live, PMAPDB_UNKNOWN where there is
 * none. */
pmapdb_status pm_reading_rss(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                             int64_t start_time, int64_t *rss_kib, pmapdb_error *err);

/* What a reading of smaps did cost. */
typedef struct pm_reading {
    int64_t taken_ms, resident_kib, swap_kib, mappings, cpu_us, longest_us;
} pm_reading;

/* The latest of a process. */
pmapdb_status pm_reading_own(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                             int64_t start_time, pm_reading *out, bool *found, pmapdb_error *err);
/* The latest of large processes on a host, at most `max`. */
pmapdb_status pm_reading_host(pm_sql *sql, const char *host, pm_reading *out, size_t max, size_t *n,
                              pmapdb_error *err);

#endif
