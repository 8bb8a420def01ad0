/* rows: keeps all rows of the query leaks, grouped by process, for the cards and for pmapdb
 * check. */
#ifndef PM_CLI_LEAK_ROWS_H
#define PM_CLI_LEAK_ROWS_H

#include "base/buf.h"
#include "base/pool.h"
#include "render/render.h"
#include "stats/trend.h"

/* Unknown texts are empty, unknown numbers NaN or PMAPDB_UNKNOWN. */
typedef struct pm_leak_row {
    pm_text name, key, category, metric, unit, verdict_name, shape, since, reason, dialect, path,
        limit_by, rss_from, last_at, touched;
    int64_t pid, process_id, snapshots, lives;
    double span_h, first, last, rate, low, high, confidence, detectable, limit, eta_h, mappings;
    pm_verdict verdict;
    bool whole; /* the row of the process itself */
    int64_t
        lineage; /* the lineage of the row; PMAPDB_UNKNOWN: the row is not about a single lineage */
} pm_leak_row;

typedef struct pm_leak_rows {
    pm_pool *texts;
    pm_leak_row *row;
    size_t n, cap;
} pm_leak_rows;

/* Reads all rows. Ends the program if the query fails, or has no column `key` or `verdict` and so
 * is not a query of leaks. */
void pm_leak_rows_read(pm_leak_rows *out, pmapdb_rows *rows);
void pm_leak_rows_free(pm_leak_rows *rows);

pm_verdict pm_leak_verdict_of(pm_text name);

/* Prints "redis/4711", or "redis" if the pid is unknown. At most size - 1 bytes. */
void pm_leak_row_who(const pm_leak_row *row, char *out, size_t size);

/* True if the process's resident memory is unknown: then "no leak" means nothing. */
bool pm_leak_row_blind(const pm_leak_row *row);

bool pm_leak_row_is_kib(const pm_leak_row *row);

/* Writes the row as a JSON object on a line, with the names of the query's columns; and `whole` and
 * `lineage`. */
pmapdb_status pm_leak_row_write(const pm_leak_row *row, const pm_sink *sink, pmapdb_error *err);

/* Adds a JSON list of such objects to an empty buffer. */
void pm_leak_rows_json(const pm_leak_row *begin, const pm_leak_row *end, pm_buf *out);

/* Returns the origin of the limit if the kernel sets it, like "cgroup limit "; else "". */
const char *pm_leak_limit_words(const pm_leak_row *row);

/* The rows of one process, the process itself first. */
typedef struct pm_leak_group {
    const pm_leak_row *begin, *end;
    size_t n[PM_VERDICT_LEAK +
             1]; /* parts of each verdict; the process itself if it has no parts or `alone` */
    bool alone;  /* the process itself is a separate finding: worse than any of its parts */
} pm_leak_group;

pm_leak_group pm_leak_group_at(const pm_leak_rows *rows, const pm_leak_row *begin);

/* Returns all groups, the process first that deserves to be looked at first: by its worst finding,
 * else by what it holds. The caller frees the list. */
pm_leak_group *pm_leak_groups(const pm_leak_rows *rows, size_t *n);

/* Returns the worst finding; NULL: nothing leaks. */
const pm_leak_row *pm_leak_group_worst(const pm_leak_group *g);

/* Return the number of leaks and suspects; of steady, plateau and shrinking parts. */
size_t pm_leak_group_found(const pm_leak_group *g);
size_t pm_leak_group_healthy(const pm_leak_group *g);

#endif
