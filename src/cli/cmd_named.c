/* cmd_named: the commands that are a named query and nothing else. */
#include "cli/named.h"
#include "cli/side.h"
#include "cli/write.h"

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

static pmapdb_status run(pm_run_args *args, pmapdb_store *store, const pm_named *named,
                         pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pmapdb_status st = named->path ? pmapdb_query_file(store, named->path, &rows, err)
                                   : pmapdb_query(store, named->name, &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(args, rows, err);
    if (st == PMAPDB_OK && strcmp(named->name, "mappings") == 0)
        st = say_sums_only(args, store, err);
    if (st == PMAPDB_OK)
        st = pm_cli_write(args->cli, rows, err);
    pmapdb_rows_close(rows);
    return st;
}

pmapdb_status pm_named_find(const pm_cli *cli, const pm_named *named, pm_query_info **out,
                            pmapdb_error *err)
{
    pm_query_info *info = NULL;
    pmapdb_status st = named->path ? pm_catalog_read(named->path, &info, err)
                                   : pm_catalog_find(cli->query_dir, named->name, &info, err);

    if (st == PMAPDB_OK)
        st = pm_run_check(info, err);
    if (st != PMAPDB_OK) {
        pm_catalog_free(info);
        return st;
    }
    *out = info;
    return PMAPDB_OK;
}

int pm_named_run(pm_run_args *args, const pm_named *named)
{
    pmapdb_open_options options = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    pmapdb_error err;
    pmapdb_status st = pm_cli_open(args->cli, &options, &store);

    if (st == PMAPDB_OK) {
        st = run(args, store, named, &err);
        if (st != PMAPDB_OK)
            pm_cli_fail(st, &err);
    }
    pmapdb_close(store);
    return st == PMAPDB_OK || st == PMAPDB_STOPPED ? PM_EXIT_OK : PM_EXIT_TROUBLE;
}

int pm_cli_named(pm_cli *cli, const char *query, int argc, char **argv)
{
    pm_named named = {.name = query};
    pm_run_args args = {.cli = cli};
    pm_query_info *info = NULL;
    pmapdb_error err;
    int exit_code;

    pm_run_find_query_dir(cli, argc, argv);
    if (pm_named_find(cli, &named, &info, &err) != PMAPDB_OK)
        return pm_cli_fail(err.status, &err);
    args.info = info;
    pm_run_parse(&args, argc, argv);
    exit_code = pm_named_run(&args, &named);
    pm_catalog_free(info);
    return exit_code;
}
