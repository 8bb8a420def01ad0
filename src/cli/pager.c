/* pager: shows output on a terminal page by page, as git does. */
#include "cli/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool pm_pager_wanted(void)
{
    const char *pager = getenv("PAGER"), *terminal = getenv("TERM");

    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0 &&
           !(pager && (!*pager || strcmp(pager, "cat") == 0));
}

/* Runs in the child. Where no pager is, the terminal gets the text as it is. */
static void page(int from)
{
    const char *pager = getenv("PAGER");

    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    dup2(from, STDIN_FILENO);
    setenv("LESS", "FRX", 0); /* less ends itself if the text fits the screen */
    if (pager)
        execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    else
        execlp("less", "less", (char *)NULL);
    execlp("cat", "cat", (char *)NULL);
    _exit(127);
}

pid_t pm_pager_start(int *fd)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    child = fork();
    if (child == 0)
        page(ends[0]);
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return 0;
    }
    signal(SIGINT, SIG_IGN); /* is for the pager */
    *fd = ends[1];
    return child;
}

void pm_pager_end(pid_t child, int fd)
{
    close(fd);
    waitpid(child, NULL, 0);
    signal(SIGINT, SIG_DFL);
}
