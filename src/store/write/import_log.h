/* import_log: files of captures without times, known by the sequence of their blocks per pid.
 *
 * A log grows, is renamed, compressed, rotated. What is there already is found by contents: the
 * latest stored log that is a prefix of the file makes only the rest new; a file that is itself a
 * prefix of a stored log is known, unless it was written after that log's last block: then an idle
 * process printed the same again into a fresh file. */
#ifndef PM_STORE_IMPORT_LOG_H
#define PM_STORE_IMPORT_LOG_H

#include "store/file/store.h"

typedef struct pm_log_block {
    int64_t pid; /* or PMAPDB_UNKNOWN */
    uint64_t hash;
    bool known;          /* set by pm_log_match: it is stored */
    int64_t taken_ms;    /* of a known one */
    int64_t snapshot_id; /* of a known one; PMAPDB_UNKNOWN: a prune removed it */
} pm_log_block;

/* The blocks of a stored log (?1), pid by pid in time order; what a prune removed counts, too. */
#define PM_LOG_ROWS                                                                                \
    "SELECT p.pid AS pid, s.hash, s.taken_ms AS taken_ms, s.ordinal AS ordinal, "                  \
    "s.snapshot_id FROM snapshot s JOIN process p ON p.process_id = s.process_id "                 \
    "WHERE s.import_log_id = ?1 "                                                                  \
    "UNION ALL SELECT pid, hash, taken_ms, ordinal, NULL FROM forgotten WHERE import_log_id = ?1 " \
    "ORDER BY 1, 3, 4"

/* The log of this host (PMAPDB_UNKNOWN: of none) that the blocks are or continue; 0: none is.
 * *last_ms as below. Writes nothing. */
pmapdb_status pm_log_find(pm_sql *sql, int64_t host_id, pm_log_block *blocks, size_t n,
                          int64_t written_ms, int64_t *log_id, int64_t *last_ms, pmapdb_error *err);

/* blocks in the order of the file. *log_id: the log that this file is or continues, or a new one.
 * *last_ms: moment of the newest known block, or PMAPDB_UNKNOWN. written_ms: the file's mtime. */
pmapdb_status pm_log_match(pmapdb_store *s, const char *host, pm_log_block *blocks, size_t n,
                           int64_t written_ms, int64_t *log_id, int64_t *last_ms,
                           pmapdb_error *err);

#endif
