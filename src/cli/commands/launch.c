/* launch: starts a command, and waits for the end of it. */
#include "cli/commands/launch.h"

#include "cli/die.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT_RUN 126
#define NO_COMMAND 127

/* A handler, even an empty one, ends a sleep between two beats when the command ends. */
static void on_child(int signal_number)
{
    (void)signal_number;
}

/* Runs in the child. A successful exec closes the pipe; a failed one leaves its errno there. */
static void execute(char *const *command, int report)
{
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    execvp(command[0], command);
    (void)!write(report, &errno, sizeof errno);
    _exit(NO_COMMAND);
}

void pm_launch_start(pm_launch *launch, char *const *command)
{
    struct sigaction action = {.sa_handler = on_child};
    struct rusage own;
    int ends[2], reason = 0;

    *launch = (pm_launch){0};
    getrusage(RUSAGE_SELF, &own);
    launch->own_rss_kib = own.ru_maxrss;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigaction(SIGCHLD, &action, NULL);
    if (pipe2(ends, O_CLOEXEC) != 0 || (launch->pid = fork()) < 0)
        pm_cli_die("'%s' cannot be started: %s", command[0], strerror(errno));
    if (launch->pid == 0)
        execute(command, ends[1]);
    close(ends[1]);
    while (read(ends[0], &reason, sizeof reason) < 0 && errno == EINTR)
        continue;
    close(ends[0]);
    if (!reason)
        return;
    pm_cli_say("'%s' cannot be started: %s", command[0], strerror(reason));
    exit(reason == ENOENT ? NO_COMMAND : CANNOT_RUN);
}

/* Reaps one process. The command itself, or an orphan of one of its processes. */
static void reap(pm_launch *launch, pid_t pid, int status, const struct rusage *use)
{
    if (use->ru_maxrss > launch->peak_rss_kib && use->ru_maxrss > launch->own_rss_kib)
        launch->peak_rss_kib = use->ru_maxrss;
    if (pid != launch->pid)
        return;
    launch->ended = true;
    launch->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool pm_launch_goes_on(pm_launch *launch)
{
    struct rusage use;
    int status;
    pid_t pid;

    while (!launch->ended && (pid = wait4(-1, &status, WNOHANG, &use)) > 0)
        reap(launch, pid, status, &use);
    return !launch->ended;
}

void pm_launch_finish(pm_launch *launch, int signal_number)
{
    struct rusage use;
    int status;
    pid_t pid;

    if (!launch->ended && signal_number)
        kill(launch->pid, signal_number);
    while (!launch->ended) {
        pid = wait4(-1, &status, 0, &use);
        if (pid > 0)
            reap(launch, pid, status, &use);
        else if (errno != EINTR)
            return;
    }
}
