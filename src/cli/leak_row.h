/* leak_row: a row of the leaks queries, and all of them held, for the cards of a table and for
 * pmapdb check. */
#ifndef PM_CLI_LEAK_ROW_H
#define PM_CLI_LEAK_ROW_H

#include "base/pool.h"
#include "stats/trend.h"

/* Texts that are unknown are empty, numbers NaN or PMAPDB_UNKNOWN. */
typedef struct pm_leak_row {
    pm_text name, key, category, metric, unit, shape, since, reason, dialect, path, limit_by,
        rss_from;
    int64_t pid, process_id, snapshots, lives;
    double span_h, first, last, rate, low, high, confidence, detectable, limit, eta_h, mappings;
    pm_verdict verdict;
    bool whole;      /* the process, and no part of it */
    bool recorded;   /* perf recorded who allocates it; set by who asks */
    bool is_lineage; /* the key is a lineage's number, and path its path */
} pm_leak_row;

typedef struct pm_leak_rows {
    pm_pool *texts;
    pm_leak_row *row;
    size_t n, cap;
} pm_leak_rows;

/* Reads the rows to their end. Fails where the query is not one of leaks: without a column `key` or
 * `verdict`. */
pmapdb_status pm_leak_rows_read(pm_leak_rows *out, pmapdb_rows *rows, pmapdb_error *err);
void pm_leak_rows_free(pm_leak_rows *rows);

/* "redis/4711", or "redis" where there is no pid. At most size - 1 bytes. */
void pm_leak_row_who(const pm_leak_row *row, char *out, size_t size);

/* A whole of which it is unknown what is resident: that it does not leak says nothing. */
bool pm_leak_row_blind(const pm_leak_row *row);

#endif
