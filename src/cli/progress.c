/* progress: shows the progress of a long command, and lets signals end it between two steps. */
#include "cli/progress.h"

#include "base/clock/clock.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define STEP_MS 200

static volatile sig_atomic_t stop_asked;

static void ask_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
}

void pm_stop_catch(void)
{
    struct sigaction action = {.sa_handler = ask_stop}, hangup;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 &&
        hangup.sa_handler != SIG_IGN) /* ignored under nohup */
        sigaction(SIGHUP, &action, NULL);
}

bool pm_stop_asked(void)
{
    return stop_asked != 0;
}

pm_progress pm_progress_begin(const pm_cli *cli, const pm_output *out)
{
    pm_stop_catch();
    return (pm_progress){.on = isatty(STDERR_FILENO) && !cli->quiet, .out = out};
}

static void print_progress(const pmapdb_progress *progress)
{
    fprintf(stderr, "\r\033[K%s", progress->what);
    if (progress->unit)
        fprintf(stderr, ": %" PRIu64, progress->done);
    if (progress->of)
        fprintf(stderr, " of %" PRIu64, progress->of);
    if (progress->unit)
        fprintf(stderr, " %s", progress->unit);
    if (progress->bytes)
        fprintf(stderr, ", %.1f MiB", (double)progress->bytes / 1048576);
}

bool pm_progress_step(void *ctx, const pmapdb_progress *progress)
{
    pm_progress *p = ctx;
    int64_t now = p->on ? pm_clock_now() : 0;

    if (p->on && now - p->shown_ms >= STEP_MS) {
        p->shown_ms = now;
        p->shown = true;
        print_progress(progress);
    }
    return !pm_stop_asked() && !(p->out && pm_output_failed(p->out));
}

void pm_progress_clear(pm_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
