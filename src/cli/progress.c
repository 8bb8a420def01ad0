/* progress: shows the progress of a long command, and lets signals end it between two steps. */
#include "cli/progress.h"

#include "base/clock/clock.h"
#include "render/number.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define STEP_MS 200
#define QUESTION_MS 1000

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
    return (pm_progress){
        .on = isatty(STDERR_FILENO) && !cli->quiet, .begun_ms = pm_clock_now(), .out = out};
}

pm_progress pm_progress_begin_question(const pm_cli *cli)
{
    struct sigaction action = {.sa_handler = ask_stop, .sa_flags = (int)SA_RESETHAND};
    pm_progress p = {.on = isatty(STDERR_FILENO) && !cli->quiet, .begun_ms = pm_clock_now()};

    p.shown_ms = p.begun_ms + QUESTION_MS - STEP_MS;
    if (p.on)
        sigaction(SIGINT, &action, NULL);
    return p;
}

/* Prints how long the rest will take at the speed so far. */
static void print_rest(uint64_t done, uint64_t of, int64_t spent_ms)
{
    char span[PM_NUMBER_TEXT];

    if (!done || done > of || spent_ms < QUESTION_MS)
        return;
    pm_number_span((double)spent_ms / (double)done * (double)(of - done), span);
    fprintf(stderr, ", about %s left", span);
}

static void print_progress(const pm_progress *p, const pmapdb_progress *progress, int64_t now)
{
    uint64_t of = progress->of ? progress->of : p->of;
    char span[PM_NUMBER_TEXT];

    fprintf(stderr, "\r\033[K%s", progress->what);
    if (progress->unit)
        fprintf(stderr, ": %" PRIu64, progress->done);
    if (progress->unit && of)
        fprintf(stderr, " of %" PRIu64, of);
    if (progress->unit)
        fprintf(stderr, " %s", progress->unit);
    if (progress->bytes)
        fprintf(stderr, ", %.1f MiB", (double)progress->bytes / 1048576);
    if (progress->unit && of)
        print_rest(progress->done, of, now - p->begun_ms);
    pm_number_span((double)(now - p->begun_ms), span);
    if (!progress->unit)
        fprintf(stderr, " for %s; Ctrl-C stops", span);
}

bool pm_progress_step(void *ctx, const pmapdb_progress *progress)
{
    pm_progress *p = ctx;
    int64_t now = p->on ? pm_clock_now() : 0;

    if (!progress->what) {
        pm_progress_clear(p);
    } else if (p->on && now - p->shown_ms >= STEP_MS) {
        p->shown_ms = now;
        p->shown = true;
        print_progress(p, progress, now);
    }
    return !pm_stop_asked() && !(p->out && pm_output_failed(p->out));
}

void pm_progress_clear(pm_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
