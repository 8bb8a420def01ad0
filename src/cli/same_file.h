/* same_file: what a command writes is not what it reads, nor what it writes besides. */
#ifndef PM_CLI_SAME_FILE_H
#define PM_CLI_SAME_FILE_H

#include "base/err.h"
#include "cli/cli.h"

/* Both name one file, be it there or not. */
bool pm_cli_is_same_place(const char *a, const char *b);

/* PMAPDB_USAGE where -o is one of these (NULL: none), which the command `does`: "reads", "makes".
 */
pmapdb_status pm_cli_keep_apart(const pm_cli *cli, const char *const *paths, size_t n,
                                const char *does, pmapdb_error *err);

#endif
