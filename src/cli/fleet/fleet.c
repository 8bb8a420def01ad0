/* fleet: pmapdb fleet: asks ClickHouse the queries of queries/fleet. */
#include "cli/fleet/fleet.h"

#include "cli/push/connection.h"
#include "cli/run.h"
#include "store/read/remote.h"

typedef struct fleet_args {
    pm_connection connection;
    bool sql;
} fleet_args;

#define AT(field) offsetof(fleet_args, field)

static const pm_option options[] = {
    {"url", 0, PM_OPT_WORD, AT(connection.http.url), "URL",
     "ClickHouse: http[s]://HOST[:PORT][/PATH]"},
    {"sql", 0, PM_OPT_FLAG, AT(sql), NULL, "Print the statement; do not ask"},
    {"timeout", 0, PM_OPT_SPAN, AT(connection.http.ms), "SPAN",
     "Wait this long for the reply (2m)"},
    PM_CONNECTION_OPTIONS(fleet_args, connection),
    {0}};

/* ---- the list ---- */

static void put_names(FILE *out, const pm_cli *cli, bool titles)
{
    pm_names names = {0};
    pmapdb_error err;

    pm_cli_must(pm_catalog_names(cli->query_dir, "fleet", &names, &err), &err);
    for (size_t i = 0; i < names.n; i++) {
        char path[128];
        pm_query_info *info = NULL;
        pm_text title = {err.text, 0};

        snprintf(path, sizeof path, "fleet/%.100s", names.name[i]);
        if (titles)
            title = pm_run_find(cli, path, NULL, &info, &err) == PMAPDB_OK ? info->title
                                                                           : pm_text_of(err.text);
        fprintf(out, titles ? "  %-15s %.*s\n" : "  %s%.*s\n", names.name[i], (int)title.len,
                title.data);
        pm_catalog_free(info);
    }
    pm_names_free(&names);
}

static void put_words(FILE *out, const pm_cli *cli)
{
    put_names(out, cli, false);
    fputs("  schema\n", out);
}

static void put_titles(FILE *out, const void *ctx, bool all)
{
    (void)all;
    fputs("Questions:\n", out);
    put_names(out, ctx, true);
}

/* ---- one question ---- */

/* Sends a statement. The reply is whole: the server holds it back until it is complete, because
 * after its first bytes it could no longer say that it failed. */
static void post(pm_http *http, const char *database, pm_text sql, pm_http_reply *reply)
{
    pmapdb_error err;

    pm_cli_must(pm_http_post(http,
                             PM_HTTP_PARAMS({"database", pm_text_of(database)},
                                            {"wait_end_of_query", PM_TEXT("1")}),
                             sql, reply, &err),
                &err);
}

static void ask(fleet_args *f, pm_run_args *args, pmapdb_rows *rows)
{
    static const pm_text hosts = PM_TEXT("SELECT DISTINCT host FROM hosts ORDER BY host\n"
                                         "FORMAT TabSeparated\n");
    pm_http_reply reply = {0};
    pm_http *http = NULL;
    const char *database = f->connection.database;
    pm_buf sql = {0};
    pmapdb_error err;

    pm_cli_must(pm_http_open(&f->connection.http, &http, &err), &err);
    if (pm_run_given(args, "host")) {
        post(http, database, hosts, &reply);
        pm_cli_must(pm_remote_hosts(rows, pm_buf_text(&reply.body), &err), &err);
    }
    pm_cli_must(pm_remote_sql(rows, &sql, &err), &err);
    post(http, database, pm_buf_text(&sql), &reply);
    pm_cli_must(pm_remote_answer(rows, pm_buf_text(&reply.body), &err), &err);
    pm_buf_free(&sql);
    pm_buf_free(&reply.body);
    pm_http_close(http);
}

static void show(const pm_run_args *args, pmapdb_rows *rows)
{
    pm_buf sql = {0};
    pm_output out;
    pmapdb_error err;

    pm_cli_must(pm_remote_sql(rows, &sql, &err), &err);
    pm_output_open(&out, args->cli);
    fputs(sql.data, out.text);
    pm_output_end(&out);
    pm_buf_free(&sql);
}

static void answer(fleet_args *f, pm_run_args *args)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err;

    args->store = pm_cli_store_in_memory(args->cli);
    pm_cli_must(pm_remote_query(args->store, (pm_query_info *)args->info, &rows, &err), &err);
    pm_run_bind(args, rows);
    if (f->sql) {
        show(args, rows);
        pmapdb_rows_close(rows);
    } else {
        ask(f, args, rows);
        pm_answer_write(args->cli, rows, NULL, NULL);
    }
    pmapdb_close(args->store);
}

static const pm_syntax syntax = {.options = options,
                                 .operands = "NAME|FILE.sql --url URL [PARAMETERS]\n"
                                             "schema [OPTIONS]",
                                 .in_order = true,
                                 .more = put_titles,
                                 .words = put_words};

int pm_cli_fleet(pm_cli *cli, int argc, char **argv)
{
    fleet_args f = {.connection = {.http = {.ms = 120000}, .database = PM_CONNECTION_DATABASE}};
    pm_run_args args = {.cli = cli, .own = options, .own_values = &f};
    pm_syntax here = syntax;
    char title[64], path[128];
    int n;

    here.ctx = cli;
    pm_run_find_query_dir(cli, argc, argv);
    n = pm_options_parse(cli, &here, &f, argc, argv);
    if (!n)
        pm_cli_usage(cli, "which question? --help lists them");
    snprintf(title, sizeof title, "pmapdb fleet %s", pm_text_basename(pm_text_of(argv[1])).data);
    snprintf(path, sizeof path, "fleet/%.100s", argv[1]);
    args.query = path;
    if (strchr(argv[1], '/') || pm_text_ends(pm_text_of(argv[1]), PM_TEXT(".sql")))
        args.path = argv[1];
    if (strcmp(argv[1], "schema") == 0) {
        argv[1] = title;
        return pm_fleet_schema(cli, n, argv + 1);
    }
    argv[1] = title;
    pm_run_parse(&args, n, argv + 1);
    if (!f.connection.http.url && !f.sql)
        pm_cli_usage(cli, "which server? --url http://HOST:8123");
    answer(&f, &args);
    return PM_EXIT_OK;
}
