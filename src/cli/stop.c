/* stop: SIGINT, SIGTERM and SIGHUP end a command between two of its steps. */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t asked;

static void ask(int signal_number)
{
    (void)signal_number;
    asked = 1;
}

void pm_stop_catch(void)
{
    struct sigaction action = {.sa_handler = ask}, hangup;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* not under nohup */
        sigaction(SIGHUP, &action, NULL);
}

bool pm_stop_asked(void)
{
    return asked != 0;
}
