/* progress: one line on a terminal that shows the progress of a long command, and the signals that
 * end the command between two steps. The line is updated at most five times a second, and not shown
 * at all if standard error is not a terminal, or with --quiet. */
#ifndef PM_CLI_PROGRESS_H
#define PM_CLI_PROGRESS_H

#include "cli/output.h"

typedef struct pm_progress {
    bool on;
    bool shown; /* the line is currently on the terminal */
    int64_t begun_ms;
    int64_t shown_ms;     /* when it was last written */
    uint64_t of;          /* the total that the command knows, if the callback does not; or 0 */
    const pm_output *out; /* the command ends if this output fails; or NULL */
} pm_progress;

/* From now on, SIGINT, SIGTERM and SIGHUP no longer end the program; pm_stop_asked() reports
 * them. */
void pm_stop_catch(void);
bool pm_stop_asked(void);

/* Begins the line, and catches signals like pm_stop_catch(). */
pm_progress pm_progress_begin(const pm_cli *cli, const pm_output *out);
/* The same for a question, which changes nothing: the line begins after a second, and a second
 * SIGINT ends the program at once. Without a terminal nothing is caught. */
pm_progress pm_progress_begin_question(const pm_cli *cli);
/* Shows the progress: the on_progress of a command whose ctx is a struct that begins with a
 * pm_progress. Returns false if a signal asked to stop, or the output failed. */
bool pm_progress_step(void *ctx, const pmapdb_progress *progress);
/* Removes the line. Call it before printing anything else, and at the end. */
void pm_progress_clear(pm_progress *p);

#endif
