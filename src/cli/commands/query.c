/* query: pmapdb query: lists, runs and shows named queries, by name or file. */
#include "cli/options/options.h"
#include "cli/run.h"

typedef struct query_args {
    pm_cli *cli;
    bool list, sql;
} query_args;

#define AT(field) offsetof(query_args, field)

/* The first option is only for a command line without a query's name. */
static const pm_option options[] = {
    {"list", 0, PM_OPT_FLAG, AT(list), NULL, "List the queries, built in and of your own"},
    {"sql", 0, PM_OPT_FLAG, AT(sql), NULL, "Print the SQL"},
    {0}};

static const pm_syntax syntax = {
    .options = options, .operands = "NAME|FILE.sql [PARAMETERS]\n--list", .in_order = true};

/* ---- the list ---- */

static const pm_column columns[] = {{"name", PM_UNIT_TEXT},
                                    {"title", PM_UNIT_TEXT},
                                    {"parameters", PM_UNIT_TEXT},
                                    {"from", PM_UNIT_TEXT},
                                    {"error", PM_UNIT_TEXT}};

/* Marks required parameters with "!". */
static void add_params(pm_buf *out, const pm_query_info *info)
{
    for (int i = 0; i < info->n_params; i++) {
        const pm_query_param *p = &info->param[i];

        pm_buf_addf(out, NULL, "%s%.*s%s", i ? " " : "", (int)p->name.len, p->name.data,
                    pm_text_equal(p->fallback, PM_TEXT("-")) ? "!" : "");
    }
}

/* Lists a query; an invalid query is listed with its error. */
static void put_query(pm_output *out, const char *name)
{
    pm_query_info *info = NULL;
    pmapdb_error wrong = {0};
    pm_buf params = {0};
    pmapdb_status st = pm_run_find(out->cli, name, NULL, &info, &wrong);

    if (st == PMAPDB_OK && !info->builtin)
        st = pm_query_check_alone(info, &wrong);
    if (st == PMAPDB_NOMEM)
        pm_cli_no_memory();
    if (info)
        add_params(&params, info);
    pm_output_row(out, (pm_value[]){pm_value_text(name),
                                    {.kind = info ? PM_VALUE_TEXT : PM_VALUE_NULL,
                                     .t = info ? info->title : (pm_text){NULL, 0}},
                                    pm_value_text(info ? pm_cli_text(&params) : NULL),
                                    pm_value_text(!info           ? NULL
                                                  : info->builtin ? "built-in"
                                                                  : info->where),
                                    pm_value_text(st == PMAPDB_OK ? "" : wrong.text)});
    pm_buf_free(&params);
    pm_catalog_free(info);
}

static int list(const pm_cli *cli)
{
    pm_names names = {0};
    pm_output out;
    pmapdb_error err;

    pm_cli_must(pm_catalog_names(cli->query_dir, "", &names, &err), &err);
    pm_output_open(&out, cli);
    pm_output_rows(&out, columns, sizeof columns / sizeof *columns, NULL);
    for (size_t i = 0; i < names.n; i++)
        put_query(&out, names.name[i]);
    pm_names_free(&names);
    pm_output_end(&out);
    return PM_EXIT_OK;
}

/* Prints the SQL unescaped, so that it can be copied. */
static void show(const query_args *q, pm_run_args *args)
{
    pm_output out;

    pm_output_open(&out, q->cli);
    fputs(args->info->text, out.text);
    pm_output_end(&out);
    pm_run_end(args);
}

static void refuse_format(const query_args *q)
{
    if (q->sql && q->cli->format != PM_FORMAT_TABLE)
        pm_cli_usage(q->cli, "--sql prints text: no --format goes with it");
}

int pm_cli_query(pm_cli *cli, int argc, char **argv)
{
    query_args q = {.cli = cli};
    pm_run_args args = {.cli = cli, .own = options + 1, .own_values = &q};
    char title[64];
    int n = pm_options_parse(cli, &syntax, &q, argc, argv);

    refuse_format(&q);
    if (q.list && n)
        pm_cli_usage(cli, "--list takes no name");
    if (q.list)
        return list(cli);
    if (!n)
        pm_cli_usage(cli, "which query? --list lists them");
    args.query = argv[1];
    if (strchr(argv[1], '/') || pm_text_ends(pm_text_of(argv[1]), PM_TEXT(".sql")))
        args.path = argv[1];
    snprintf(title, sizeof title, "pmapdb query %s", pm_text_basename(pm_text_of(args.query)).data);
    argv[1] = title;
    pm_run_parse(&args, n, argv + 1);
    refuse_format(&q);
    pm_output_keep_apart(cli, &args.path, 1, "reads");
    if (q.sql)
        show(&q, &args);
    else
        pm_run_answer(&args, args.query);
    return PM_EXIT_OK;
}
