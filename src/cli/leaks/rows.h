/* rows: all rows of the query leaks, held and grouped by process, for the cards of a table and for
 * pmapdb check. */
#ifndef PM_CLI_LEAK_ROWS_H
#define PM_CLI_LEAK_ROWS_H

#include "base/pool.h"
#include "stats/trend.h"

/* Texts that are unknown are empty, numbers NaN or PMAPDB_UNKNOWN. */
typedef struct pm_leak_row {
    pm_text name, key, category, metric, unit, verdict_name, shape, since, reason, dialect, path,
        limit_by, rss_from;
    int64_t pid, process_id, snapshots, lives;
    double span_h, first, last, rate, low, high, confidence, detectable, limit, eta_h, mappings;
    pm_verdict verdict;
    bool whole;      /* the process itself */
    int64_t lineage; /* whose row it is; PMAPDB_UNKNOWN: not of a single lineage */
} pm_leak_row;

typedef struct pm_leak_rows {
    pm_pool *texts;
    pm_leak_row *row;
    size_t n, cap;
} pm_leak_rows;

/* Reads the rows to their end. Ends the program where the query fails or is not one of leaks: has
 * no column `key` or `verdict`. */
void pm_leak_rows_read(pm_leak_rows *out, pmapdb_rows *rows);
void pm_leak_rows_free(pm_leak_rows *rows);

pm_verdict pm_leak_verdict_of(pm_text name);

/* "redis/4711", or "redis" where there is no pid. At most size - 1 bytes. */
void pm_leak_row_who(const pm_leak_row *row, char *out, size_t size);

/* A process whose resident memory is unknown: that it does not leak says nothing. */
bool pm_leak_row_blind(const pm_leak_row *row);

bool pm_leak_row_is_kib(const pm_leak_row *row);

/* The rows of one process, the whole first. */
typedef struct pm_leak_group {
    const pm_leak_row *begin, *end;
    size_t n[PM_VERDICT_LEAK + 1]; /* parts of each verdict; the whole where it stands alone */
    bool alone; /* the whole is a finding of its own: worse than any of its parts */
} pm_leak_group;

pm_leak_group pm_leak_group_at(const pm_leak_rows *rows, const pm_leak_row *begin);

/* Leaks and suspects; steady, plateau and shrinking. */
size_t pm_leak_group_found(const pm_leak_group *g);
size_t pm_leak_group_healthy(const pm_leak_group *g);

#endif
