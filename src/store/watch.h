/* watch: what a run that goes on for days asks of its store. */
#ifndef PM_STORE_WATCH_H
#define PM_STORE_WATCH_H

#include "store/store.h"

/* RSS in the newest snapshot of a process that was captured live, PMAPDB_UNKNOWN where there is
 * none. */
pmapdb_status pm_watch_rss(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                           int64_t start_time, int64_t *rss_kib, pmapdb_error *err);

/* What a reading of smaps did cost. */
typedef struct pm_watch_reading {
    int64_t taken_ms, resident_kib, swap_kib, mappings, cpu_us, longest_us;
} pm_watch_reading;

/* The latest of a process. */
pmapdb_status pm_watch_own(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                           int64_t start_time, pm_watch_reading *out, bool *found,
                           pmapdb_error *err);
/* The latest of large processes on a host, at most `max`. */
pmapdb_status pm_watch_host(pm_sql *sql, const char *host, pm_watch_reading *out, size_t max,
                            size_t *n, pmapdb_error *err);

/* How long another writer is waited for, in ms. */
int64_t pm_watch_patience(pmapdb_store *s);
void pm_watch_set_patience(pmapdb_store *s, int64_t ms);

/* The file was removed, renamed or replaced: what is written goes where nobody looks. */
bool pm_watch_moved(pmapdb_store *s);

#endif
