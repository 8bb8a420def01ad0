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
    char name[128], taken_at[32], dialect[16], state[16];
} pm_moment;

/* Reads both moments of a diff from the query diff-total or diff-process-total; false if they are
 * the same moment. */
bool pm_moment_read(const pm_run_args *args, const char *query, pm_moment *older, pm_moment *newer);
/* Reads both moments like pm_moment_read(); ends the program if they are the same moment. */
void pm_moment_read_two(const pm_run_args *args, const char *query, pm_moment *older,
                        pm_moment *newer);

/* True if the capture has sums only, and no mappings. */
bool pm_moment_has_sums_only(const pm_moment *s);

/* Prints the moment in a form that --from, --to and --snapshot accept: "@7", or its time. */
void pm_moment_selector(const pm_moment *s, char *out, size_t size);

/* False if each moment is of one process and the two processes differ. */
bool pm_moment_same_process(const pm_moment *older, const pm_moment *newer);

/* Says on standard error what the answer of a query lacks. */
void pm_moment_say(const pm_run_args *args, pm_text query);
/* Says the rows of the query notes, and closes it. */
void pm_moment_say_notes(const pm_cli *cli, pmapdb_rows *notes);

/* Prints the moment for the title of a table. */
void pm_moment_describe(const pm_moment *s, char *out, size_t size);

#endif
