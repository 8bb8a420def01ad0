/* status: pmapdb status: the query of this name, with the verdicts on the processes that grew
 * most. */
#include "cli/run.h"

#include "base/buf.h"

int pm_cli_status(pm_cli *cli, int argc, char **argv)
{
    pm_run_args args = {.cli = cli, .query = "status"};
    pmapdb_rows *rows;
    pm_buf leaks = {0};

    pm_run_parse(&args, argc, argv);
    pm_run_open(&args);
    /* Judging takes some ms for each process, so only a few are judged; pmapdb leaks judges all. */
    rows = pm_answer_ask(args.store, "leaks",
                         (pm_answer_arg[]){{"grown", "12"},
                                           {"limits", pm_run_given(&args, "limits")},
                                           {NULL, NULL}});
    pm_answer_json(rows, &leaks);
    pm_run_give(&args, "leaks", leaks.data);
    pm_run_answer(&args, "status");
    pm_buf_free(&leaks);
    return PM_EXIT_OK;
}
