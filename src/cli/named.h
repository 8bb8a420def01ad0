/* named: the header of a query, for who. */
#ifndef PM_CLI_NAMED_H
#define PM_CLI_NAMED_H

#include "cli/run.h"

typedef struct pm_named {
    const char *name;
} pm_named;

static inline pmapdb_status pm_named_find(const pm_cli *cli, const pm_named *named,
                                          pm_query_info **out, pmapdb_error *err)
{
    return pm_run_find(cli, named->name, NULL, out, err);
}

#endif
