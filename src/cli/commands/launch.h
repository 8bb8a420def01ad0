/* launch: starts a command as a child of this program, and waits for the end of it. */
#ifndef PM_CLI_LAUNCH_H
#define PM_CLI_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct pm_launch {
    pid_t pid;
    bool ended;
    int status;           /* exit status as a shell reports it: 128 + N after signal N */
    int64_t peak_rss_kib; /* the largest resident size of one process of the command, as the kernel
                             counted it (ru_maxrss); 0: unknown */
    int64_t own_rss_kib;  /* of this program at the fork; ru_maxrss of a child begins with it */
} pm_launch;

/* Starts the command, which ends with a NULL, and returns after its exec. If it cannot be started,
 * ends this program as env(1) does: 127 if there is no such command, else 126. Descendants whose
 * parent ends become children of this program. */
void pm_launch_start(pm_launch *launch, char *const *command);

/* Notes processes that have ended. Returns false after the end of the command. */
bool pm_launch_goes_on(pm_launch *launch);

/* Passes a signal on to the command; 0: no signal. Then waits for the end of the command. */
void pm_launch_finish(pm_launch *launch, int signal_number);

#endif
