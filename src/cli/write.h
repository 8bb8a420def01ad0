/* write: rows -> the output that the command line asks for, all or nothing. */
#ifndef PM_CLI_WRITE_H
#define PM_CLI_WRITE_H

#include "cli/run.h"

/* What a query says of its rows. Must stay where it is filled in. */
typedef struct pm_cli_about {
    pm_about about;
    pm_text help[PM_QUERY_ITEMS];
    pm_label labels[PM_QUERY_ITEMS];
} pm_cli_about;

/* Of the columns that are kept; lasts as long as the rows. */
void pm_cli_describe(const pmapdb_rows *rows, const bool *keep, pm_cli_about *out);

/* Bound rows, none of them stepped yet. */
pmapdb_status pm_cli_write(const pm_cli *cli, pmapdb_rows *rows, pmapdb_error *err);

/* The same for a command that looks at the rows: `see` is called with each, the current one. */
typedef void (*pm_cli_see)(void *ctx, const pmapdb_rows *row);
pmapdb_status pm_cli_write_seen(const pm_cli *cli, pmapdb_rows *rows, pm_cli_see see, void *ctx,
                                pmapdb_error *err);

/* For output that is no rows of a query: `write` gets the sink. */
typedef pmapdb_status (*pm_cli_writer)(void *ctx, const pm_sink *sink, pmapdb_error *err);
pmapdb_status pm_cli_write_with(const pm_cli *cli, pm_cli_writer write, void *ctx,
                                pmapdb_error *err);

#endif
