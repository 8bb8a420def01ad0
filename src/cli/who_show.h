/* who_show: what pmapdb who says: the stacks, what they add up to, and how far that can be relied
 * on. */
#ifndef PM_CLI_WHO_SHOW_H
#define PM_CLI_WHO_SHOW_H

#include "cli/who_what.h"

typedef struct pm_who_show {
    const pm_cli *cli;
    const pm_who_ask *ask;
    const pm_who_what *what;
    pmapdb_rows *rows;       /* of the query who */
    pmapdb_rows *recordings; /* of who-recordings */
} pm_who_show;

/* Rows to the output; warnings to standard error. */
pmapdb_status pm_who_show_rows(const pm_who_show *w, pmapdb_error *err);

/* start;main;cache_fill 4096: bytes that each chain grew by. */
pmapdb_status pm_who_show_folded(const pm_who_show *w, pmapdb_error *err);

#endif
