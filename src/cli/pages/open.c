/* open: the /proc that a command reads: this machine's, or a copy of another one. */
#include "cli/pages/pages.h"

#include "source/copy.h"
#include <inttypes.h>
#include <stdlib.h>

/* What was unpacked is removed when the program ends, also by pm_cli_die(). */
static pm_copy current = {.root = -1};

static void close_current(void)
{
    pm_copy_close(&current);
}

int pm_cli_open_proc(const char *path)
{
    pmapdb_error err;

    atexit(close_current);
    pm_cli_must(pm_copy_open(path ? path : "/proc", false, &current, &err), &err);
    if (current.damage[0])
        pm_cli_say("%s", current.damage);
    return current.root;
}

bool pm_cli_proc_is_damaged(void)
{
    return current.damage[0];
}

void pm_cli_must_be_read(int64_t pid, pm_proc_fate fate)
{
    if (fate == PM_PROC_UNREADABLE)
        pm_cli_die("the pages of %" PRId64 " cannot be read: that takes its user, or "
                   "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH",
                   pid);
    if (fate != PM_PROC_GOOD)
        pm_cli_die("%" PRId64 " %s", pid,
                   fate == PM_PROC_KERNEL    ? "is a kernel thread, which has no memory map"
                   : fate == PM_PROC_CHANGED ? "became another program while it was read"
                                             : "has ended");
}
