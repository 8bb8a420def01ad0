/* capture_log: what an import or a live capture prints: a line (if asked for), row or object for
 * each capture, progress on a terminal, trouble on standard error, a summary.
 *
 * Prints a note (about something that was corrected) once per run, for the first capture that has
 * it, and a warning at most three times, so that mails from cron stay short. NDJSON lists all notes
 * and warnings of every capture. */
#ifndef PM_CLI_CAPTURE_LOG_H
#define PM_CLI_CAPTURE_LOG_H

#include "cli/output.h"
#include "cli/progress.h"

typedef struct pm_capture_log {
    pm_progress progress;
    const pm_cli *cli;
    bool writes; /* `out` is open: lines or rows are asked for */
    pm_output out;
    bool verbose; /* print a line for each capture */
    bool live;    /* also print the time that reading a capture took */
    pm_buf said;  /* notes and warnings so far, without their digits, one per line */
} pm_capture_log;

/* Opens the output, if something is to be written. From now on, SIGINT, SIGTERM and SIGHUP end
 * the run after the current capture. */
void pm_capture_log_open(pm_capture_log *log, const pm_cli *cli, bool live, bool verbose);
/* Completes the output; ends the program if it failed. */
void pm_capture_log_close(pm_capture_log *log);
/* Closes the output without a message, because its reader has gone. */
void pm_capture_log_drop(pm_capture_log *log);

void pm_capture_log_event(pm_capture_log *log, const pmapdb_capture_event *event);

/* Prints part of a summary, like ", 3 known"; prints nothing if n is 0. */
void pm_capture_log_count(uint64_t n, const char *one, const char *many);

#endif
