/* pager: shows output on a terminal page by page, as git does: with $PAGER, else with less. */
#ifndef PM_CLI_PAGER_H
#define PM_CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

/* True if standard output is a terminal that can page, and PAGER is not empty and not cat. */
bool pm_pager_wanted(void);

/* Starts the pager; *fd gets what it shows. Returns 0, and leaves *fd, if it cannot be started. */
pid_t pm_pager_start(int *fd);

/* Waits until the user has left the pager. */
void pm_pager_end(pid_t child, int fd);

#endif
