/* write: rows -> the output that the command line asks for, all or nothing. */
#ifndef PM_CLI_WRITE_H
#define PM_CLI_WRITE_H

#include "cli/run.h"

/* Bound rows, none of them stepped yet. */
pmapdb_status pm_cli_write(const pm_cli *cli, pmapdb_rows *rows, pmapdb_error *err);

#endif
