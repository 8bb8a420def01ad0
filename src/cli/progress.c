/* progress: one line on a terminal that says how far a long command is. */
#include "cli/progress.h"

#include "base/clock.h"
#include "cli/stop.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define STEP_MS 200

pm_progress pm_progress_begin(const pm_cli *cli)
{
    pm_stop_catch();
    return (pm_progress){.on = isatty(STDERR_FILENO) && !cli->quiet};
}

void pm_progress_show(pm_progress *p, const char *format, ...)
{
    int64_t now = p->on ? pm_clock_now() : 0;
    va_list args;

    if (!p->on || now - p->shown_ms < STEP_MS)
        return;
    p->shown_ms = now;
    p->shown = true;
    fputs("\r\033[K", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

void pm_progress_clear(pm_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
