/* write: what the commands that still hand on a status write with. */
#ifndef PM_CLI_WRITE_H
#define PM_CLI_WRITE_H

#include "cli/run.h"

typedef pm_answer_see pm_cli_see;

typedef struct pm_cli_about {
    pm_about about;
    pm_answer_view view;
} pm_cli_about;

int pm_run_columns(const pm_cli *cli, const pmapdb_rows *rows, bool *keep, pm_column *columns);
void pm_cli_describe(const pmapdb_rows *rows, const bool *keep, pm_cli_about *out);
void pm_cli_say_left_out(const pm_cli *cli, const pm_render *render);
pmapdb_status pm_cli_write(const pm_cli *cli, pmapdb_rows *rows, pmapdb_error *err);
pmapdb_status pm_cli_write_seen(const pm_cli *cli, pmapdb_rows *rows, pm_cli_see see, void *ctx,
                                pmapdb_error *err);
typedef pmapdb_status (*pm_cli_writer)(void *ctx, const pm_sink *sink, pmapdb_error *err);
pmapdb_status pm_cli_write_with(const pm_cli *cli, pm_cli_writer write, void *ctx,
                                pmapdb_error *err);

#endif
