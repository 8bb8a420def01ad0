/* named: the commands that are a named query and nothing else. */
#include "cli/named.h"
#include "cli/left_out.h"
#include "cli/side.h"
#include "cli/write.h"

#include <string.h>

/* Where --from and --to are one there is nothing to say, and the query has its own answer. */
static pmapdb_status say_sides(const pm_run_args *args, pmapdb_store *store, pmapdb_error *err)
{
    pm_side older = {0}, newer = {0};
    pmapdb_status st = pm_side_read(args, store, &older, &newer, err);

    if (st == PMAPDB_OK)
        pm_side_say(&older, &newer);
    return st == PMAPDB_USAGE ? PMAPDB_OK : st;
}

/* The queries whose rows are mappings, of one snapshot or of two, or sum up a moment: what the
 * snapshots lack is said beside them. */
static pmapdb_status say_lacks(const pm_run_args *args, pmapdb_store *store, const char *query,
                               pmapdb_error *err)
{
    static const struct {
        const char *query;
        pmapdb_status (*say)(const pm_run_args *args, pmapdb_store *store, pmapdb_error *err);
    } queries[] = {{"mappings", pm_side_say_sums_only},
                   {"mappings-words", pm_side_say_sums_only},
                   {"mappings-regions", pm_side_say_sums_only},
                   {"largest", pm_side_say_sums_only},
                   {"files", pm_side_say_sums_only},
                   {"fragments", pm_side_say_sums_only},
                   {"huge-pages", pm_side_say_sums_only},
                   {"threads", pm_side_say_sums_only},
                   {"top-growers", say_sides},
                   {"top-lineages", say_sides},
                   {"new-and-gone", say_sides},
                   {"by-name", pm_left_out_say},
                   {"by-process", pm_left_out_say},
                   {"deleted", pm_left_out_say},
                   {"shared", pm_left_out_say}};

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (strcmp(query, queries[i].query) == 0)
            return queries[i].say(args, store, err);
    return PMAPDB_OK;
}

pmapdb_status pm_named_open(pmapdb_store *store, const pm_named *named, pmapdb_rows **out,
                            pmapdb_error *err)
{
    return named->path ? pmapdb_query_file(store, named->path, out, err)
                       : pmapdb_query(store, named->name, out, err);
}

static pmapdb_status run(pm_run_args *args, pmapdb_store *store, const pm_named *named,
                         pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pmapdb_status st = pm_named_open(store, named, &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(args, rows, err);
    if (st == PMAPDB_OK && !named->path)
        st = say_lacks(args, store, named->name, err);
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
    pmapdb_store *store = pm_cli_store(args->cli, PMAPDB_READ);
    pmapdb_error err;

    pm_cli_must(run(args, store, named, &err), &err);
    pmapdb_close(store);
    return PM_EXIT_OK;
}

int pm_cli_named(pm_cli *cli, const char *query, int argc, char **argv)
{
    pm_named named = {.name = query};
    pm_run_args args = {.cli = cli};
    pm_query_info *info = NULL;
    pmapdb_error err;
    int exit_code;

    pm_run_find_query_dir(cli, argc, argv);
    pm_cli_must(pm_named_find(cli, &named, &info, &err), &err);
    args.info = info;
    pm_run_parse(&args, argc, argv);
    exit_code = pm_named_run(&args, &named);
    pm_catalog_free(info);
    return exit_code;
}
