/* capture_log: what an import or a live capture prints: a line, row or object per capture, progress
 * on a terminal, trouble on standard error, a summary.
 *
 * A note (what was made good) is printed once per run, for the first capture that has it, and a
 * warning three times, so that a mail of cron stays short. NDJSON has them with every capture. */
#ifndef PM_CLI_CAPTURE_LOG_H
#define PM_CLI_CAPTURE_LOG_H

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/words.h"

typedef struct pm_capture_log {
    const pm_cli *cli;
    pm_output out;
    pm_progress progress;
    bool live;     /* also print what reading a capture took */
    pm_words said; /* notes and warnings so far, without their numbers, a line each */
} pm_capture_log;

/* Opens the output. From here on SIGINT and SIGTERM end the run after the current capture. */
void pm_capture_log_open(pm_capture_log *log, const pm_cli *cli, bool live);
/* Completes the output; ends the program if it failed. */
void pm_capture_log_close(pm_capture_log *log);
/* Closes the output as it is, without a word. */
void pm_capture_log_drop(pm_capture_log *log);

/* The output works, and nobody asked the program to stop. */
bool pm_capture_log_goes_on(const pm_capture_log *log);

void pm_capture_log_event(pm_capture_log *log, const pmapdb_capture_event *event);

/* Part of a summary: ", 3 known"; nothing where n is 0. */
void pm_capture_log_count(uint64_t n, const char *one, const char *many);

#endif
