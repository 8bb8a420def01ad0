/* moment: a moment that a command shows, or one of the two of a diff, and what was added up while
 * reading it. */
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

/* Reads both moments of a diff from the query diff-total or diff-process-total; false if they are
 * the same moment. */
bool pm_moment_read(const pm_run_args *args, const char *query, pm_moment *older, pm_moment *newer);
/* Reads both moments like pm_moment_read(); ends the program if they are the same moment. */
void pm_moment_read_two(const pm_run_args *args, const char *query, pm_moment *older,
                        pm_moment *newer);

/* True if the capture has sums only, and no mappings. */
bool pm_moment_has_sums_only(const pm_moment *s);

/* Says on standard error that a snapshot has sums only, so that nobody takes "no rows" for an
 * answer. Of several processes, some may have rows. */
void pm_moment_say_sums_only(const pm_run_args *args);

/* Says on standard error why the resident sizes of a moment are unknown, and when they were last
 * known. */
void pm_moment_say_unknown(const pm_run_args *args);

/* Says on standard error how many names the query left-out returns for these arguments. */
void pm_moment_say_left_out(const pm_run_args *args);

/* Prints "@7", or "of 3 processes". */
void pm_moment_which(const pm_moment *s, char *out, size_t size);

/* Prints the moment in a form that --from, --to and --snapshot accept: "@7", or its time. */
void pm_moment_selector(const pm_moment *s, char *out, size_t size);

/* False if each moment is of one process and the two processes differ. */
bool pm_moment_same_process(const pm_moment *older, const pm_moment *newer);

/* Says on standard error what limits a comparison of the two. */
void pm_moment_say(const pm_moment *older, const pm_moment *newer);

/* Says on standard error what the answer of a query lacks: of queries that show mappings of one or
 * two snapshots, or sum up a moment. */
void pm_moment_say_lacks(const pm_run_args *args, pm_text query);

/* Prints the moment for the title of a table. */
void pm_moment_describe(const pm_moment *s, char *out, size_t size);

#endif
