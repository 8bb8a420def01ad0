/* cmd_query: the commands that are a named query and nothing else. */
#include "cli/side.h"
#include "cli/write.h"

#include <stdlib.h>
#include <string.h>

/* No rows of a snapshot that has sums only is no answer; of several processes some may have rows.
 */
static pmapdb_status say_sums_only(const pm_run_args *args, pmapdb_store *store, pmapdb_error *err)
{
    pm_side side = {0};
    char which[64];
    pmapdb_status st = pm_side_of_mappings(args, store, &side, err);

    if (st != PMAPDB_OK || !pm_side_has_sums_only(&side))
        return st;
    pm_side_which(&side, which, sizeof which);
    pm_cli_say("the snapshot %s has sums only, no mappings: pmapdb categories shows them", which);
    return PMAPDB_OK;
}

static pmapdb_status run(pm_run_args *args, pmapdb_store *store, const char *query,
                         pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pmapdb_status st = pmapdb_query(store, query, &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(args, rows, err);
    if (st == PMAPDB_OK && strcmp(query, "mappings") == 0)
        st = say_sums_only(args, store, err);
    if (st == PMAPDB_OK)
        st = pm_cli_write(args->cli, rows, err);
    pmapdb_rows_close(rows);
    return st;
}

int pm_cli_query(pm_cli *cli, const char *query, int argc, char **argv)
{
    pm_run_args args = {.cli = cli};
    pm_query_info *info = NULL;
    pmapdb_open_options options = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    pmapdb_error err;
    pmapdb_status st = pm_catalog_find(cli->query_dir, query, &info, &err);

    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    args.info = info;
    pm_run_parse(&args, argc, argv);
    st = pm_cli_open(cli, &options, &store);
    if (st == PMAPDB_OK) {
        st = run(&args, store, query, &err);
        if (st != PMAPDB_OK)
            pm_cli_fail(st, &err);
    }
    pmapdb_close(store);
    pm_catalog_free(info);
    return st == PMAPDB_OK || st == PMAPDB_STOPPED ? PM_EXIT_OK : PM_EXIT_TROUBLE;
}
