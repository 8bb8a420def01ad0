/* progress: one line on a terminal that says how far a long command is, and the signals that end it
 * between two of its steps. The line is written over at most five times a second, and not at all
 * where standard error is no terminal, or with --quiet. */
#ifndef PM_CLI_PROGRESS_H
#define PM_CLI_PROGRESS_H

#include "cli/cli.h"

typedef struct pm_progress {
    bool on;
    bool shown;       /* the line is on the terminal now */
    int64_t shown_ms; /* when it was last written */
} pm_progress;

/* From here on SIGINT, SIGTERM and SIGHUP are noticed, and end nothing by themselves. */
void pm_stop_catch(void);
bool pm_stop_asked(void);

/* From here on SIGINT, SIGTERM and SIGHUP end nothing; pm_stop_asked() tells of them. */
pm_progress pm_progress_begin(const pm_cli *cli);
void pm_progress_show(pm_progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Before anything else is printed, and at the end. */
void pm_progress_clear(pm_progress *p);

#endif
