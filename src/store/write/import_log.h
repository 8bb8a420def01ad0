/* import_log: files of captures without times, identified by the sequence of their blocks per pid.
 *
 * A log grows, is renamed, compressed, rotated. Contents decide which blocks are already stored: if
 * a stored log is a prefix of the file, only the rest is new (the latest such log counts). A file
 * that is itself a prefix of a stored log is known, unless it was written after the last block of
 * that log: then an idle process printed the same text again into a fresh file. */
#ifndef PM_STORE_IMPORT_LOG_H
#define PM_STORE_IMPORT_LOG_H

#include "store/file/store.h"

typedef struct pm_log_block {
    int64_t pid; /* PMAPDB_UNKNOWN: no pid */
    uint64_t hash;
    bool known;          /* set by pm_log_find: the block is stored */
    int64_t taken_ms;    /* set if known */
    int64_t snapshot_id; /* set if known; PMAPDB_UNKNOWN: a prune removed the snapshot */
} pm_log_block;

/* The statement that selects the blocks of a stored log. */
#define PM_LOG_BLOCKS "import-log-known"

/* Finds the log of this host (PMAPDB_UNKNOWN or 0: no host) that has the blocks or that they
 * continue, and marks its blocks; returns 0 if no log has them. *last_ms as below. Writes nothing.
 */
int64_t pm_log_find(pm_sql *sql, int64_t host_id, pm_log_block *blocks, size_t n,
                    int64_t written_ms, int64_t *last_ms);
/* Inserts a log without blocks. */
int64_t pm_log_new(pm_sql *sql, const char *host);

/* blocks: in the order of the file. *log_id: the log that has the file or that the file continues,
 * or a new log. *last_ms: time of the newest known block, or PMAPDB_UNKNOWN. written_ms: the file's
 * mtime. */
pmapdb_status pm_log_match(pmapdb_store *s, const char *host, pm_log_block *blocks, size_t n,
                           int64_t written_ms, int64_t *log_id, int64_t *last_ms,
                           pmapdb_error *err);

#endif
