/* litter: temporary files that no signal leaves behind. */
#include "cli/litter.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define FILES 4

/* A handler may touch nothing but what is here. */
static struct {
    volatile sig_atomic_t used;
    char path[PATH_MAX];
} files[FILES];

void pm_litter_remove(void)
{
    for (size_t i = 0; i < FILES; i++)
        if (files[i].used)
            unlink(files[i].path);
}

static void clean_up(int signal_number)
{
    pm_litter_remove();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Who ignores a signal (nohup), or ends by it in good order (cli/stop.h), goes on to do so. */
static void catch_what_would_end(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction now, clean = {.sa_handler = clean_up};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &clean, NULL);
}

void pm_litter_watch(const char *path)
{
    size_t at = 0;

    while (at < FILES && files[at].used)
        at++;
    if (at == FILES || strlen(path) >= PATH_MAX)
        return;
    memcpy(files[at].path, path, strlen(path) + 1);
    files[at].used = 1;
    catch_what_would_end();
}

void pm_litter_forget(const char *path)
{
    for (size_t i = 0; i < FILES; i++)
        if (files[i].used && strcmp(files[i].path, path) == 0)
            files[i].used = 0;
}
