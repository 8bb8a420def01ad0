/* run: runs a named query from the command line: options, rows, output. */
#include "cli/run.h"

#include "cli/options/config.h"
#include <stdlib.h>
#include <string.h>

/* Returns the index of the parameter that may be given without its option (pmapdb growth redis), or
 * -1. */
static int process_param(const pm_query_info *info)
{
    for (int i = 0; i < info->n_params; i++)
        if (info->param[i].unit == PM_UNIT_PROCESS)
            return i;
    return -1;
}

/* ---- help ---- */

/* Prints the names of the columns, as one paragraph. */
static void put_column_names(FILE *out, const pm_query_info *q)
{
    pm_buf names = {0};

    for (int i = 0; i < q->n_columns; i++)
        pm_buf_addf(&names, NULL, "%s%.*s", i ? ", " : "", (int)q->column[i].name.len,
                    q->column[i].name.data);
    fputs("Columns: ", out);
    pm_options_wrap(out, pm_text_of(pm_cli_text(&names)), strlen("Columns: "), 2);
    pm_buf_free(&names);
}

/* Prints the columns, and for help COMMAND their meaning and the method, from the query's header.
 */
static void put_columns(FILE *out, const void *ctx, bool all)
{
    const pm_run_args *args = ctx;
    const pm_query_info *q = args->info;

    if (!all) {
        put_column_names(out, q);
        return;
    }
    fputs("Columns:\n", out);
    for (int i = 0; i < q->n_columns; i++) {
        fprintf(out, "  %-23.*s %-8s ", (int)q->column[i].name.len, q->column[i].name.data,
                pm_unit_name(q->column[i].unit));
        pm_options_wrap(out, q->column[i].help, 35, 35);
    }
    if (q->about.len > 3) {
        fputc('\n', out);
        pm_options_wrap(out, q->about, 0, 0);
    }
}

/* ---- parameters as options ---- */

/* Other names of parameters, which --help does not list. */
static const struct {
    const char *name, *param;
} aliases[] = {{"since", "from"},     {"last", "from"},   {"until", "to"},    {"last", "since"},
               {"from", "since"},     {"to", "until"},    {"at", "snapshot"}, {"to", "snapshot"},
               {"until", "snapshot"}, {"snapshot", "at"}, {"to", "at"},       {"until", "at"},
               {"pid", "process"},    {"name", "process"}};

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

typedef struct param_options {
    pm_option option[PM_QUERY_ITEMS + COUNT(aliases) + 1];
    char name[PM_QUERY_ITEMS][64], help[PM_QUERY_ITEMS][256];
} param_options;

static void make_options(const pm_query_info *info, param_options *out)
{
    int n = info->n_params;

    for (int i = 0; i < info->n_params; i++) {
        const pm_query_param *p = &info->param[i];
        bool required = !p->fallback.len;

        snprintf(out->name[i], sizeof out->name[i], "%.*s", (int)p->name.len, p->name.data);
        snprintf(out->help[i], sizeof out->help[i], "%.*s%s%.*s%s", (int)p->help.len, p->help.data,
                 required ? "" : " (", (int)p->fallback.len, p->fallback.data, required ? "" : ")");
        out->option[i] = (pm_option){
            .name = out->name[i],
            .letter = p->unit == PM_UNIT_PROCESS ? 'p' : '\0',
            .type = p->unit == PM_UNIT_PROCESS || p->unit == PM_UNIT_SNAPSHOT ? PM_OPT_WORD
                                                                              : PM_OPT_TEXT,
            .at = (size_t)i * sizeof(const char *),
            .arg = pm_unit_name(p->unit),
            .help = out->help[i]};
    }
    for (int i = 0; i < COUNT(aliases); i++) {
        int at = pm_query_param_at(info, pm_text_of(aliases[i].param));

        if (at >= 0 && pm_query_param_at(info, pm_text_of(aliases[i].name)) < 0)
            out->option[n++] = (pm_option){.name = aliases[i].name,
                                           .type = PM_OPT_TEXT,
                                           .at = (size_t)at * sizeof(const char *),
                                           .arg = "time"};
    }
    out->option[n] = (pm_option){0};
}

static bool is_common_option(pm_text name)
{
    if (pm_text_listed(name, " help help-all usage version explain sql "))
        return true;
    for (const pm_option *o = pm_cli_options; o->name; o++)
        if (pm_text_equal(name, pm_text_of(o->name)))
            return strcmp(o->name, "top") != 0; /* a query may have its own --top */
    return false;
}

pmapdb_status pm_run_find(const pm_cli *cli, const char *name, const char *path,
                          pm_query_info **out, pmapdb_error *err)
{
    pm_query_info *info = NULL;
    pmapdb_status st = path ? pm_catalog_read(path, &info, err)
                            : pm_catalog_find(cli->query_dir, name, &info, err);

    for (int i = 0; st == PMAPDB_OK && i < info->n_params; i++) {
        pm_text param = info->param[i].name;

        if (is_common_option(param))
            st = pm_query_fail(info, param.data, err,
                               "no parameter can be called '%.*s': --%.*s is an option of every "
                               "query",
                               (int)param.len, param.data, (int)param.len, param.data);
    }
    if (st == PMAPDB_OK)
        *out = info;
    else
        pm_catalog_free(info);
    return st;
}

void pm_run_find_query_dir(pm_cli *cli, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *word = argv[i], *value = strchr(word, '=');
        size_t n = strcspn(word, "="); /* a query may have a parameter --query */

        if (n > strlen("--query") && strncmp(word, "--query-dir", n) == 0)
            cli->query_dir = value ? value + 1 : i + 1 < argc ? argv[i + 1] : cli->query_dir;
    }
}

/* Takes the operand: the process. */
static void take_process(pm_run_args *args, int n, char **argv)
{
    int process = process_param(args->info), i = 1;

    if (n && process >= 0 && !args->value[process])
        args->value[process] = pm_config_process(args->cli->config, argv[i++]);
    if (i <= n)
        pm_cli_usage(args->cli, "unexpected word '%s'", argv[i]);
}

void pm_run_parse(pm_run_args *args, int argc, char **argv)
{
    pm_query_info *q = NULL;
    param_options params;
    char about[512];
    pmapdb_error err;
    pm_syntax syntax = {.options = args->own,
                        .params = params.option,
                        .param_values = args->value,
                        .about = args->own_help ? NULL : about,
                        .more = args->own_help ? NULL : put_columns,
                        .ctx = args};
    int n;

    pm_run_find_query_dir(args->cli, argc, argv);
    pm_cli_must(pm_run_find(args->cli, args->query, args->path, &q, &err), &err);
    args->info = q;
    if (process_param(q) >= 0)
        syntax.operands = "[PROCESS]";
    syntax.examples = q->builtin ? NULL : "";
    snprintf(about, sizeof about, "%.*s.", (int)q->title.len, q->title.data);
    make_options(q, &params);
    n = pm_options_parse(args->cli, &syntax, args->own_values, argc, argv);
    take_process(args, n, argv);
    if (pm_query_param_at(q, PM_TEXT("limits")) >= 0 && !pm_run_given(args, "limits"))
        pm_run_give(args, "limits", pm_config_limits(args->cli->config));
}

const char *pm_run_given(const pm_run_args *args, const char *param)
{
    int i = pm_query_param_at(args->info, pm_text_of(param));

    return i < 0 ? NULL : args->value[i];
}

void pm_run_give(pm_run_args *args, const char *param, const char *value)
{
    int i = pm_query_param_at(args->info, pm_text_of(param));

    if (i >= 0)
        args->value[i] = value;
}

void pm_run_bind(const pm_run_args *args, pmapdb_rows *rows)
{
    const pm_query_info *has = pm_rows_info(rows);

    for (int i = 0; i < args->info->n_params; i++) {
        pm_text param = args->info->param[i].name;
        char *name;

        if (!args->value[i] || pm_query_param_at(has, param) < 0)
            continue;
        name = pm_cli_memory(pm_text_copy(param));
        pm_answer_bind(rows, name, args->value[i]);
        free(name);
    }
}

/* Refuses -o NAME if a process has this name: the user probably means -p NAME. */
static void check_output(const pm_run_args *args)
{
    const char *output = args->cli->output;
    char quoted[300];
    pmapdb_rows *rows;

    if (!output || strpbrk(output, "./'"))
        return;
    snprintf(quoted, sizeof quoted, "'%.255s'", output);
    rows = pm_answer_sql(args->store, "SELECT 1 FROM name WHERE name = :name");
    pm_answer_bind(rows, "name", quoted);
    if (pm_run_next(rows))
        pm_cli_die("-o wants a file, and '%s' is a process: -p %s; the file would be ./%s", output,
                   output, output);
    pmapdb_rows_close(rows);
}

void pm_run_open(pm_run_args *args)
{
    pmapdb_error err;

    args->store = pm_cli_store(args->cli, PMAPDB_READ);
    pm_cli_must(pmapdb_begin_read(args->store, &err), &err);
    check_output(args);
    args->progress = pm_progress_begin_question(args->cli);
    if (args->progress.on)
        pmapdb_on_progress(args->store, pm_progress_step, &args->progress);
}

pmapdb_rows *pm_run_query(const pm_run_args *args, const char *name)
{
    pmapdb_rows *rows = pm_answer_ask(args->store, name, (pm_answer_arg[]){{0}});

    pm_run_bind(args, rows);
    return rows;
}

void pm_run_end(pm_run_args *args)
{
    pmapdb_close(args->store);
    pm_catalog_free((pm_query_info *)args->info);
}

bool pm_run_next(pmapdb_rows *rows)
{
    pmapdb_error err;
    bool has = false;

    pm_cli_must(pmapdb_next(rows, &has, &err), &err);
    return has;
}

bool pm_run_ask(pmapdb_store *store, const char *sql, char *out, size_t size)
{
    pmapdb_rows *rows = pm_answer_sql(store, sql);
    bool any = pm_run_next(rows);

    if (any && size)
        pm_answer_text(rows, pmapdb_rows_name(rows, 0), out, size);
    pmapdb_rows_close(rows);
    return any;
}

bool pm_run_asks_host(const pm_run_args *args)
{
    const char *from = pm_run_given(args, "from"), *to = pm_run_given(args, "to");

    if (pm_run_given(args, "process") || (from && *from == '@') || (to && *to == '@'))
        return false;
    return pm_run_ask(args->store,
                      "SELECT 1 WHERE (SELECT count(DISTINCT name_id) FROM process) > 1", NULL, 0);
}

/* ---- a whole command ---- */

void pm_run_answer(pm_run_args *args, const char *name)
{
    pmapdb_rows *rows = NULL;
    pm_output out;
    pm_answer_view view;
    pmapdb_error err;

    if (!args->store)
        pm_run_open(args);
    if (args->path) {
        pm_cli_must(pmapdb_query_file(args->store, args->path, &rows, &err), &err);
        pm_run_bind(args, rows);
    } else {
        rows = pm_run_query(args, name);
    }
    pm_output_open(&out, args->cli);
    pm_answer_rows(&out, rows, &view, NULL, NULL);
    if (pm_rows_info(rows)->builtin) /* of a user's query, parameters and columns are not known */
        pm_moment_say(args, pm_text_of(name));
    pmapdb_end_read(args->store); /* the user may leave a pager only after hours */
    pm_output_end(&out);
    pmapdb_rows_close(rows);
    pm_run_end(args);
}

int pm_cli_named(pm_cli *cli, const char *query, int argc, char **argv)
{
    pm_run_args args = {.cli = cli, .query = query};

    pm_run_parse(&args, argc, argv);
    pm_run_answer(&args, query);
    return PM_EXIT_OK;
}
