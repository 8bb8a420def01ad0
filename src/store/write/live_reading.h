/* live_reading: what live captures know besides mappings: tables schedule, beat, live_process,
 * environment, live_reading, page_scan, page_process, activity, clearing. */
#ifndef PM_STORE_LIVE_READING_H
#define PM_STORE_LIVE_READING_H

#include "base/record/host.h"
#include "base/record/live.h"
#include "store/file/sql.h"

/* Stores what a live snapshot knows besides its mappings. */
void pm_live_reading_put(pm_sql *sql, int64_t snapshot_id, const pm_live *live);

/* One beat of a schedule; `counts` may change until the beat ends. */
typedef struct pm_sweep {
    const char *host, *boot_id, *selection;
    int64_t every_ms; /* PMAPDB_UNKNOWN: captured once */
    int64_t started_ms, mono_ns;
    pmapdb_capture_beat counts;
    pm_host_memory memory;
} pm_sweep;

/* Inserts a row into table capture and returns its id. If an earlier transaction inserted the row
 * capture_id for a part of the beat, only removes the row of table beat, which pm_sweep_end inserts
 * again. Runs inside the caller's transaction. */
int64_t pm_sweep_begin(pm_sql *sql, int64_t capture_id);
/* Inserts the row into table beat, and the row into table schedule if that is missing. */
void pm_sweep_end(pm_sql *sql, const pm_sweep *sweep, int64_t capture_id, int64_t ended_ms);

/* True if the beat is in the store. Only a copy of /proc can be read twice at one moment. */
bool pm_sweep_known(pm_sql *sql, const pm_sweep *sweep);

/* A row of table page_scan. */
typedef struct pm_page_scan {
    int64_t taken_ms;
    pm_text method; /* frame, identity */
    int64_t unread, moved_kib, page_kib;
    pm_text sets; /* bytes */
} pm_page_scan;

/* Stores or replaces the row of a capture. */
void pm_page_scan_put(pm_sql *sql, int64_t capture_id, const pm_page_scan *scan);

/* ---- the cost of earlier readings ---- */

/* Returns the median cost in ns of a page in the newest readings of smaps on a host; before the
 * third reading 100, which was reported for older kernels (4.5 s for 210 GB). */
int64_t pm_reading_page_ns(pm_sql *sql, const char *host);

/* Only the readings of this many newest captures of a process count. */
#define PM_READING_CAPTURES 100

typedef struct pm_reading_ask {
    const char *host, *boot_id;
    int64_t pid, start_time;
    int64_t kib; /* resident and swapped now: memory added since a reading lengthens the stall */
    int64_t page_ns; /* the cost of a page on the host */
    int64_t host_us; /* the stall by that cost: one vote */
} pm_reading_ask;

/* Predicts the stall from reading smaps, in us: the lower median of host_us and the longest read(2)
 * of the four newest readings of the process, less the share of time in which they waited for a
 * processor. *measured: the median is such a reading. */
int64_t pm_reading_stall(pm_sql *sql, const pm_reading_ask *ask, bool *measured);

/* ---- clearings of accessed bits ---- */

typedef struct pm_clearing {
    int64_t process_id, mono_ns, cleared_ms;
    bool page_idle;    /* marked by page idle tracking, not cleared by clear_refs */
    int64_t small_kib; /* of the process, in small pages */
    pm_activity activity;
} pm_clearing;

/* Stores a clearing that is about to begin. */
void pm_clearing_begin(pm_sql *sql, const pm_clearing *c);
/* Stores how long it took; PMAPDB_UNKNOWN: nothing was cleared, and the row is removed. */
void pm_clearing_end(pm_sql *sql, const pm_clearing *c, int64_t clear_us);

/* *mono_ns: when a live process was cleared last, PMAPDB_UNKNOWN: never; *page_idle: how. */
pmapdb_status pm_clearing_last(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                               int64_t start_time, int64_t *mono_ns, bool *page_idle,
                               pmapdb_error *err);

/* Predicts how long a clearing by clear_refs takes, in us: the lower median of small_kib at
 * us_per_gib and of the durations of the two newest ones, each with the cost of the memory that has
 * been added since. */
pmapdb_status pm_clearing_predict(pm_sql *sql, const pm_clearing *next, int64_t us_per_gib,
                                  int64_t *predicted_us, pmapdb_error *err);

#endif
