/* cmd_query: the commands that are a named query and nothing else. */
#include "cli/side.h"

#include <stdlib.h>
#include <string.h>

static pmapdb_status write_rows(pm_cli *cli, pmapdb_rows *rows, const pm_sink *sink,
                                pmapdb_error *err)
{
    pm_render_options options = pm_cli_render_options(cli);
    pm_column columns[PM_QUERY_ITEMS];
    pm_value values[PM_QUERY_ITEMS];
    bool keep[PM_QUERY_ITEMS], has;
    int n = pm_run_columns(cli, rows, keep, columns);
    pm_render *render = NULL;
    pmapdb_status st = pmapdb_next(rows, &has, err);

    if (st == PMAPDB_OK)
        st = pm_render_new(&options, sink, columns, n, &render, err);
    while (st == PMAPDB_OK && has) {
        pm_run_values(rows, keep, values);
        st = pm_render_row(render, values, err);
        if (st == PMAPDB_OK)
            st = pmapdb_next(rows, &has, err);
    }
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    pm_render_free(render);
    return st;
}

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
    pm_cli_out *out = NULL;
    pm_sink sink;
    pmapdb_status st = pmapdb_query(store, query, &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(args, rows, err);
    if (st == PMAPDB_OK && strcmp(query, "mappings") == 0)
        st = say_sums_only(args, store, err);
    if (st == PMAPDB_OK)
        st = pm_cli_out_open(args->cli->output, &out, err);
    if (st == PMAPDB_OK) {
        sink = pm_cli_out_sink(out);
        st = write_rows(args->cli, rows, &sink, err);
    }
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(out, err);
    pm_cli_out_close(out);
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
