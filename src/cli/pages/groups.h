/* groups: pmapdb groups in two forms: sums of stored snapshots, and --exact, by pages. */
#ifndef PM_CLI_GROUPS_H
#define PM_CLI_GROUPS_H

#include "cli/cli.h"

/* True if argv has --exact. */
bool pm_cli_is_exact(int argc, char **argv);
int pm_cli_groups_exact(pm_cli *cli, int argc, char **argv);

#endif
