/* log: files of captures without times, known by the sequence of their blocks per pid.
 *
 * A log grows, is renamed, compressed, rotated. What is there already is found by contents: the
 * latest stored log that is a prefix of the file makes only the rest new; a file that is itself a
 * prefix of a stored log is known, unless it was written after that log's last block: then an idle
 * process printed the same again into a fresh file. */
#ifndef PM_STORE_LOG_H
#define PM_STORE_LOG_H

#include "store/store.h"

typedef struct pm_log_block {
    int64_t pid; /* or PMAPDB_UNKNOWN */
    uint64_t hash;
    bool known;       /* set by pm_log_match: it is stored */
    int64_t taken_ms; /* of a known one */
} pm_log_block;

/* blocks in the order of the file. *log_id: the log that this file is or continues, or a new one.
 * *last_ms: moment of the newest known block, or PMAPDB_UNKNOWN. written_ms: the file's mtime. */
pmapdb_status pm_log_match(pmapdb_store *s, const char *host, pm_log_block *blocks, size_t n,
                           int64_t written_ms, int64_t *log_id, int64_t *last_ms,
                           pmapdb_error *err);

#endif
