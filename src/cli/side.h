/* side: a moment that a command shows, one of the two of a diff: what was added up while it was
 * read. */
#ifndef PM_CLI_SIDE_H
#define PM_CLI_SIDE_H

#include "cli/run.h"

#define PM_METRICS 7

extern const char *const pm_metric_names[PM_METRICS];

/* Numbers may be PMAPDB_UNKNOWN. */
typedef struct pm_side {
    int64_t total[PM_METRICS], tool_size, tool_rss, processes, process_id, pid, snapshot_id;
    char name[128], taken_at[32], dialect[16], state[16], partial[256];
} pm_side;

/* Both moments of a diff, from the query diff-total. The same one twice is an error. */
pmapdb_status pm_side_read(const pm_run_args *args, pmapdb_store *store, pm_side *older,
                           pm_side *newer, pmapdb_error *err);

/* A capture of it has sums only, no mappings. */
bool pm_side_has_sums_only(const pm_side *s);

/* No rows of a snapshot that has sums only is no answer; of several processes some may have rows.
 * Says so on standard error. */
pmapdb_status pm_side_say_sums_only(const pm_run_args *args, pmapdb_store *store,
                                    pmapdb_error *err);

/* Says on standard error how many names the query left-out has for these arguments. */
pmapdb_status pm_left_out_say(const pm_run_args *args, pmapdb_store *store, pmapdb_error *err);

/* "@7", or "of 3 processes". */
void pm_side_which(const pm_side *s, char *out, size_t size);

/* False where each is of one process and these are not the same. */
bool pm_side_same_process(const pm_side *older, const pm_side *newer);

/* What makes their comparison less than it seems, on standard error. */
void pm_side_say(const pm_side *older, const pm_side *newer);

/* For the title of a table. */
void pm_side_describe(const pm_side *s, char *out, size_t size);

#endif
