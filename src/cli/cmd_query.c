/* cmd_query: pmapdb query: named queries by their name or file: listing, running, explaining. */
#include "cli/named.h"
#include "cli/same_file.h"
#include "cli/value.h"

#include "store/query.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LIST = 0x4000, KEY_EXPLAIN, KEY_SQL };

static const struct argp_option options[] = {
    {"list", KEY_LIST, NULL, 0, "The queries that there are, built in and of your own", 0},
    {"explain", KEY_EXPLAIN, NULL, 0, "Print the SQL, and how SQLite will go about it", 0},
    {"sql", KEY_SQL, NULL, 0, "Print the SQL", 0},
    {0}};

typedef struct query_args {
    pm_cli *cli;
    bool list, explain, sql;
    int name_at; /* in argv, or 0 */
} query_args;

static error_t parse_own(int key, char *arg, void *ctx, struct argp_state *state)
{
    query_args *q = ctx;

    (void)arg;
    switch (key) {
    case KEY_LIST:
        q->list = true;
        return 0;
    case KEY_EXPLAIN:
        q->explain = true;
        return 0;
    case KEY_SQL:
        q->sql = true;
        return 0;
    case ARGP_KEY_END:
        if (q->list && q->name_at)
            argp_error(state, "--list takes no name");
        if ((q->explain || q->sql) && q->cli->format != PM_FORMAT_TABLE)
            argp_error(state, "--explain and --sql print text: no --format goes with them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Up to the name: what follows are its parameters. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
    query_args *q = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = q->cli;
        return 0;
    case ARGP_KEY_ARG:
        q->name_at = state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!q->list)
            argp_error(state, "which query? --list tells those that there are");
        return 0;
    default:
        return parse_own(key, arg, q, state);
    }
}

static void parse_before_name(query_args *q, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "NAME|FILE.sql [PARAMETERS]\n--list",
        "Asks a named query: one that is built in, or a file of your own. \"pmapdb NAME\" does the "
        "same where NAME is no command.\v"
        "Examples:\n"
        "  pmapdb query --list\n"
        "  pmapdb query growth --help\n"
        "  pmapdb query growth redis --from -2h -f csv\n"
        "  pmapdb query ./mine.sql --limit 10M\n"
        "  pmapdb query --explain categories\n"
        "\n"
        "Queries of your own are files NAME.sql in $XDG_CONFIG_HOME/pmapdb/queries or --query-dir, "
        "one SELECT with a header; \"pmapdb query --sql snapshots\" prints one to copy:\n"
        "  -- name:   NAME\n"
        "  -- title:  what it answers\n"
        "  -- param:  NAME TYPE DEFAULT text\n"
        "  -- column: NAME TYPE text\n"
        "The parameter least-size is :least_size in the SELECT and --least-size here; of default - "
        "it must be given, of \"\" it is NULL. Types: text int count real kib rate time duration "
        "bool address snapshot process lineage "
        "category ratio.",
        children,
        NULL,
        NULL};

    pm_cli_parse(&argp, argc, argv, ARGP_IN_ORDER, q);
}

/* ---- the list ---- */

static const pm_column columns[] = {{"name", PM_UNIT_TEXT},
                                    {"title", PM_UNIT_TEXT},
                                    {"parameters", PM_UNIT_TEXT},
                                    {"from", PM_UNIT_TEXT},
                                    {"error", PM_UNIT_TEXT}};

static pmapdb_status put_params(const pm_query_info *info, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < info->n_params && st == PMAPDB_OK; i++) {
        const pm_query_param *p = &info->param[i];

        st = pm_buf_addf(out, err, "%s%.*s%s", i ? " " : "", (int)p->name.len, p->name.data,
                         pm_text_equal(p->fallback, PM_TEXT("-")) ? "!" : "");
    }
    return st;
}

/* One that is wrong is in the list, with what is wrong. */
static pmapdb_status put_query(const pm_cli *cli, const char *name, pm_render *render,
                               pmapdb_error *err)
{
    pm_named named = {.name = name};
    pm_query_info *info = NULL;
    pm_buf params = {0};
    pmapdb_error wrong = {0};
    pm_value values[5] = {pm_value_text(name)};
    pmapdb_status st = pm_named_find(cli, &named, &info, &wrong);

    if (st == PMAPDB_OK) {
        values[1] = (pm_value){.kind = PM_VALUE_TEXT, .t = info->title};
        values[3] = pm_value_text(info->builtin ? "built-in" : info->where);
        st = info->builtin ? PMAPDB_OK : pm_query_check_alone(info, &wrong);
    }
    if (st == PMAPDB_NOMEM)
        return pm_fail_nomem(err);
    values[4] = pm_value_text(st == PMAPDB_OK ? "" : wrong.text);
    st = info ? put_params(info, &params, err) : PMAPDB_OK;
    if (info)
        values[2] = (pm_value){.kind = PM_VALUE_TEXT, .t = pm_buf_text(&params)};
    if (st == PMAPDB_OK)
        st = pm_render_row(render, values, err);
    pm_buf_free(&params);
    pm_catalog_free(info);
    return st;
}

static pmapdb_status write_list(const pm_cli *cli, const pm_sink *sink, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(cli);
    pm_render *render = NULL;
    pm_names names = {0};
    pmapdb_status st = pm_catalog_names(cli->query_dir, &names, err);

    if (st == PMAPDB_OK)
        st = pm_render_new(&how, sink, columns, sizeof columns / sizeof *columns, &render, err);
    for (size_t i = 0; i < names.n && st == PMAPDB_OK; i++)
        st = put_query(cli, names.name[i], render, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    pm_render_free(render);
    pm_names_free(&names);
    return st;
}

/* ---- the SQL and the plan ---- */

static pmapdb_status write_lines(const pm_sink *sink, pm_text text, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (text.len && st == PMAPDB_OK) {
        const char *newline = memchr(text.data, '\n', text.len);
        size_t n = newline ? (size_t)(newline - text.data) : text.len;

        st = pm_render_line(sink, (pm_text){text.data, n}, err);
        text = pm_text_from(text, newline ? n + 1 : n);
    }
    return st;
}

static pmapdb_status write_plan(const pm_named *named, pmapdb_store *store, const pm_sink *sink,
                                pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pm_buf plan = {0};
    pmapdb_status st = named->path ? pmapdb_query_file(store, named->path, &rows, err)
                                   : pmapdb_query(store, named->name, &rows, err);

    if (st == PMAPDB_OK)
        st = pm_query_plan(rows, &plan, err);
    if (st == PMAPDB_OK)
        st = pm_render_line(sink, PM_TEXT(""), err);
    if (st == PMAPDB_OK)
        st = pm_render_line(sink, PM_TEXT("plan:"), err);
    if (st == PMAPDB_OK)
        st = write_lines(sink, pm_buf_text(&plan), err);
    pm_buf_free(&plan);
    pmapdb_rows_close(rows);
    return st;
}

/* The text as it is, to be copied; behind it the plan. */
static pmapdb_status write_text(const query_args *q, const pm_named *named,
                                const pm_query_info *info, pmapdb_store *store, pmapdb_error *err)
{
    pm_cli_out *out = NULL;
    pm_sink sink;
    pmapdb_status st = pm_cli_out_open(q->cli->output, &out, err);

    if (st == PMAPDB_OK) {
        sink = pm_cli_out_sink(out);
        st = sink.write(sink.ctx, info->text, strlen(info->text), err);
    }
    if (st == PMAPDB_OK && store)
        st = write_plan(named, store, &sink, err);
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(out, err);
    pm_cli_out_close(out);
    return st;
}

static int show(const query_args *q, const pm_named *named, const pm_query_info *info)
{
    pmapdb_open_options how = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    pmapdb_error err;
    pmapdb_status st;

    if (q->explain && pm_cli_open(q->cli, &how, &store) != PMAPDB_OK)
        return PM_EXIT_TROUBLE;
    st = write_text(q, named, info, store, &err);
    pmapdb_close(store);
    return st == PMAPDB_OK ? PM_EXIT_OK : pm_cli_fail(st, &err);
}

static int list(const pm_cli *cli)
{
    pm_cli_out *out = NULL;
    pm_sink sink;
    pmapdb_error err;
    pmapdb_status st = pm_cli_out_open(cli->output, &out, &err);

    if (st == PMAPDB_OK) {
        sink = pm_cli_out_sink(out);
        st = write_list(cli, &sink, &err);
    }
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(out, &err);
    pm_cli_out_close(out);
    return st == PMAPDB_OK ? PM_EXIT_OK : pm_cli_fail(st, &err);
}

static bool is_file(const char *name)
{
    return strchr(name, '/') || pm_text_ends(pm_text_of(name), PM_TEXT(".sql"));
}

int pm_cli_query(pm_cli *cli, int argc, char **argv)
{
    query_args q = {.cli = cli};
    pm_run_args args = {
        .cli = cli, .extra = options + 1, .parse_extra = parse_own, .ctx = &q}; /* no --list */
    pm_named named;
    pm_query_info *info = NULL;
    pmapdb_error err;
    char title[64];
    int exit_code;

    parse_before_name(&q, argc, argv);
    if (q.list)
        return list(cli);
    named.name = argv[q.name_at];
    named.path = is_file(named.name) ? named.name : NULL;
    argc -= q.name_at;
    argv += q.name_at;
    pm_run_find_query_dir(cli, argc, argv);
    if (pm_named_find(cli, &named, &info, &err) != PMAPDB_OK)
        return pm_cli_fail(err.status, &err);
    /* argp calls the program by what follows the last slash */
    snprintf(title, sizeof title, "pmapdb query %s", pm_text_basename(pm_text_of(named.name)).data);
    argv[0] = title;
    args.info = info;
    pm_run_parse(&args, argc, argv);
    if (pm_cli_keep_apart(cli, &named.path, 1, "reads", &err) != PMAPDB_OK) {
        pm_catalog_free(info);
        return pm_cli_fail(err.status, &err);
    }
    exit_code = q.sql || q.explain ? show(&q, &named, info) : pm_named_run(&args, &named);
    pm_catalog_free(info);
    return exit_code;
}
