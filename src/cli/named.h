/* named: running a named query, for the commands that are one and for pmapdb query. */
#ifndef PM_CLI_NAMED_H
#define PM_CLI_NAMED_H

#include "cli/run.h"

typedef struct pm_named {
    const char *name;
    const char *path; /* a file of the user's; NULL: found by its name */
} pm_named;

/* Its header, which must be right for a command line. */
pmapdb_status pm_named_find(const pm_cli *cli, const pm_named *named, pm_query_info **out,
                            pmapdb_error *err);

pmapdb_status pm_named_open(pmapdb_store *store, const pm_named *named, pmapdb_rows **out,
                            pmapdb_error *err);

/* Opens the store and writes the rows; says what went wrong. Returns the exit code. */
int pm_named_run(pm_run_args *args, const pm_named *named);

#endif
