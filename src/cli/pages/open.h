/* open: the /proc that a command reads: this machine's, or a copy of another one. */
#ifndef PM_CLI_PAGES_OPEN_H
#define PM_CLI_PAGES_OPEN_H

#include "cli/cli.h"
#include "cli/options/options.h"

/* The option --proc, of the field at this offset. */
#define PM_OPTION_PROC(at)                                                             \
    {                                                                                  \
        "proc", 0, PM_OPT_WORD, at, "PATH",                                            \
            "Not this machine, but a copy of its /proc: a folder, or an archive", NULL \
    }

/* Returns a handle on it, which stays open until the program ends. path NULL: /proc. Ends the
 * program if it cannot be read; reports what an archive lacks. */
int pm_cli_open_proc(const char *path);
/* The exit code says so, too. */
bool pm_cli_proc_is_damaged(void);

#endif
