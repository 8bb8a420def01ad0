/* groups: pmapdb groups in two forms: sums of stored snapshots, and --exact, by pages. */
#ifndef PM_CLI_GROUPS_H
#define PM_CLI_GROUPS_H

#include "cli/cli.h"
#include "cli/options/options.h"

/* True if argv has --exact. */
bool pm_cli_is_exact(int argc, char **argv);
int pm_cli_groups_exact(pm_cli *cli, int argc, char **argv);

/* What groups --exact reads. */
typedef struct pm_exact_ask {
    pm_cli *cli;
    pm_cli_list by;
    const char *match, *pages_by, *proc;
    pm_cli_list keep_env; /* out: variables that `by` needs */
    bool trouble;         /* out: the archive is damaged */
} pm_exact_ask;

/* Reads the pages of the processes into a store in memory, which the query groups-exact answers
 * from. */
pmapdb_store *pm_cli_exact_machine(pm_exact_ask *ask);

#endif
