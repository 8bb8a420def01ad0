/* stop: SIGINT and SIGTERM end a command between two of its steps. */
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
    struct sigaction action = {.sa_handler = ask};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool pm_stop_asked(void)
{
    return asked != 0;
}
