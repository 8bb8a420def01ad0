/* moment: a moment that a command shows, one of the two of a diff: what was added up while it was
 * read. */
#ifndef PM_CLI_MOMENT_H
#define PM_CLI_MOMENT_H

#include "cli/run.h"

#define PM_METRICS 7

extern const char *const pm_metric_names[PM_METRICS];

/* Numbers may be PMAPDB_UNKNOWN. */
typedef struct pm_moment {
    int64_t total[PM_METRICS], tool_size, tool_rss, processes, process_id, pid, snapshot_id;
    char name[128], taken_at[32], dialect[16], state[16], partial[256];
} pm_moment;

/* Both moments of a diff, from the query diff-total; false where they are one. */
bool pm_moment_read(const pm_run_args *args, pm_moment *older, pm_moment *newer);
/* Ends the program where they are one. */
void pm_moment_read_two(const pm_run_args *args, pm_moment *older, pm_moment *newer);

/* A capture of it has sums only, no mappings. */
bool pm_moment_has_sums_only(const pm_moment *s);

/* No rows of a snapshot that has sums only is no answer; of several processes some may have rows.
 * Says so on standard error. */
void pm_moment_say_sums_only(const pm_run_args *args);

/* Says on standard error how many names the query left-out has for these arguments. */
void pm_moment_say_left_out(const pm_run_args *args);

/* "@7", or "of 3 processes". */
void pm_moment_which(const pm_moment *s, char *out, size_t size);

/* False where each is of one process and these are not the same. */
bool pm_moment_same_process(const pm_moment *older, const pm_moment *newer);

/* What makes their comparison less than it seems, on standard error. */
void pm_moment_say(const pm_moment *older, const pm_moment *newer);

/* For the title of a table. */
void pm_moment_describe(const pm_moment *s, char *out, size_t size);

#endif
