/* fleet: pmapdb fleet: questions about all hosts that push to ClickHouse, and its tables. */
#ifndef PM_CLI_FLEET_H
#define PM_CLI_FLEET_H

#include "cli/cli.h"

/* Runs fleet schema: prints the statements that make the tables. */
int pm_fleet_schema(pm_cli *cli, int argc, char **argv);

#endif
