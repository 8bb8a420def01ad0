/* run: a named query from the command line. */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_PARAM 0x2000 /* + index of the parameter */

/* Which parameter may be given without its option (pmapdb growth redis), or -1. */
static int process_param(const pm_query_info *info)
{
    for (int i = 0; i < info->n_params; i++)
        if (info->param[i].unit == PM_UNIT_PROCESS)
            return i;
    return -1;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    pm_run_args *args = state->input;
    int process = process_param(args->info);

    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = args->cli;
        return 0;
    }
    if (key >= KEY_PARAM && key < KEY_PARAM + args->info->n_params) {
        if (args->value[key - KEY_PARAM])
            argp_error(state, "--%.*s is given twice",
                       (int)args->info->param[key - KEY_PARAM].name.len,
                       args->info->param[key - KEY_PARAM].name.data);
        args->value[key - KEY_PARAM] = arg;
        return 0;
    }
    if (key == ARGP_KEY_ARG && !args->args_doc && process >= 0 && !args->value[process]) {
        args->value[process] = arg;
        return 0;
    }
    if (key == ARGP_KEY_ARG && !args->args_doc)
        argp_error(state, "what is '%s'?", arg);
    return args->parse_extra ? args->parse_extra(key, arg, args->ctx, state) : ARGP_ERR_UNKNOWN;
}

static char *text_of(pm_text t)
{
    char *copy = strndup(t.data, t.len);

    if (!copy)
        pm_cli_no_memory();
    return copy;
}

/* Words of `t` from column `at` on, continued at `indent`. At most 78 columns: argp breaks longer
 * lines again. */
static void put_wrapped(FILE *out, pm_text t, size_t at, size_t indent)
{
    while (t.len) {
        const char *blank = memchr(t.data, ' ', t.len);
        size_t n = blank ? (size_t)(blank - t.data) : t.len;

        if (at > indent && at + 1 + n > 78) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        }
        at += (size_t)fprintf(out, "%s%.*s", at > indent ? " " : "", (int)n, t.data);
        t = pm_text_from(t, blank ? n + 1 : n);
    }
    fputc('\n', out);
}

/* The comment's lines as one paragraph. */
static void put_about(FILE *out, pm_text about)
{
    char *words = calloc(1, about.len + 1), *end = words;

    if (!words)
        pm_cli_no_memory();
    for (size_t i = 0; i < about.len; i++) {
        bool dashes = i > 0 && about.data[i - 1] == '\n' && about.data[i] == '-';

        if (dashes)
            i++; /* both of them */
        else if (about.data[i] != '\n' && (about.data[i] != ' ' || (end > words && end[-1] != ' ')))
            *end++ = about.data[i];
        else if (end > words && end[-1] != ' ')
            *end++ = ' ';
    }
    fputc('\n', out);
    put_wrapped(out, pm_text_of(words), 0, 0);
    free(words);
}

/* The header's text: what the columns are, and the method. */
static char *make_doc(const pm_run_args *args)
{
    const pm_query_info *q = args->info;
    pm_text title = args->title ? pm_text_of(args->title) : q->title;
    char *doc = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&doc, &size);

    if (!out)
        pm_cli_no_memory();
    fprintf(out, "%.*s.\vColumns:\n", (int)title.len, title.data);
    for (int i = 0; i < q->n_columns; i++) {
        fprintf(out, "  %-23.*s %-8s ", (int)q->column[i].name.len, q->column[i].name.data,
                pm_unit_name(q->column[i].unit));
        put_wrapped(out, q->column[i].help, 35, 35);
    }
    if (q->about.len > 3)
        put_about(out, q->about);
    if (args->more)
        fprintf(out, "\n%s", args->more);
    if (ferror(out) | fclose(out))
        pm_cli_no_memory();
    return doc;
}

static void add_param(const pm_query_param *p, int i, struct argp_option *o)
{
    char help[256];

    snprintf(help, sizeof help, "%.*s%s%.*s%s", (int)p->help.len, p->help.data,
             p->fallback.len ? " (" : "", (int)p->fallback.len, p->fallback.data,
             p->fallback.len ? ")" : "");
    *o = (struct argp_option){
        text_of(p->name), KEY_PARAM + i, pm_unit_name(p->unit), 0, strdup(help), 1};
}

pmapdb_status pm_run_check(const pm_query_info *info, pmapdb_error *err)
{
    static const char *const ours[] = {"help", "usage", "version", "explain", "sql"};
    pm_script script = pm_query_script(info);

    for (int i = 0; i < info->n_params; i++) {
        pm_text name = info->param[i].name;
        bool taken = false;

        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
            taken |= pm_text_equal(name, pm_text_of(ours[k]));
        for (const struct argp_option *o = pm_cli_common.options; o->name || o->key; o++)
            taken |= o->name && pm_text_equal(name, pm_text_of(o->name));
        taken &= !pm_text_equal(name, PM_TEXT("top")); /* a query may see to that itself */
        if (taken)
            return pm_script_fail(&script, name.data, err, PMAPDB_USAGE,
                                  "no parameter can be called '%.*s': --%.*s is an option of every "
                                  "query",
                                  (int)name.len, name.data, (int)name.len, name.data);
    }
    return PMAPDB_OK;
}

void pm_run_find_query_dir(pm_cli *cli, int argc, char **argv)
{
    static const char option[] = "--query-dir";
    size_t n = sizeof option - 1;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], option, n) == 0 && argv[i][n] == '=')
            cli->query_dir = argv[i] + n + 1;
        else if (strcmp(argv[i], option) == 0 && i + 1 < argc)
            cli->query_dir = argv[i + 1];
}

/* "2026-11-21 02:05", but not "last", "-2h", "@7", "2026-11-21T02:05:32Z". */
static bool is_local_time(const char *value)
{
    size_t n = strlen(value);

    return n > 0 && *value >= '0' && *value <= '9' && strpbrk(value, "-:") && value[n - 1] != 'Z';
}

static void check_zone(const pm_run_args *args)
{
    bool local = false;

    for (int i = 0; i < args->info->n_params; i++)
        local |= (args->info->param[i].unit == PM_UNIT_SNAPSHOT ||
                  args->info->param[i].unit == PM_UNIT_TIME) &&
                 args->value[i] && is_local_time(args->value[i]);
    if (local)
        pm_cli_check_zone();
}

void pm_run_parse(pm_run_args *args, int argc, char **argv)
{
    struct argp_option options[PM_RUN_VALUES * 2] = {{0}};
    struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    char *doc = args->doc ? text_of(pm_text_of(args->doc)) : make_doc(args);
    /* An empty list of options makes argp leak. */
    struct argp argp = {.options = args->info->n_params || args->extra ? options : NULL,
                        .parser = parse,
                        .doc = doc,
                        .args_doc = args->args_doc                   ? args->args_doc
                                    : process_param(args->info) >= 0 ? "[PROCESS]"
                                                                     : NULL,
                        .children = children};
    int n = args->info->n_params;

    for (int i = 0; i < n; i++)
        add_param(&args->info->param[i], i, &options[i]);
    for (int i = 0; args->extra && args->extra[i].name; i++)
        options[n + i] = args->extra[i];
    pm_cli_parse(&argp, argc, argv, 0, args);
    check_zone(args);
    for (int i = 0; i < n; i++) {
        free((char *)options[i].name);
        free((char *)options[i].doc);
    }
    free(doc);
}

const char *pm_run_given(const pm_run_args *args, const char *param)
{
    for (int i = 0; i < args->info->n_params; i++)
        if (pm_text_equal(args->info->param[i].name, pm_text_of(param)))
            return args->value[i];
    return NULL;
}

pmapdb_status pm_run_bind(const pm_run_args *args, pmapdb_rows *rows, pmapdb_error *err)
{
    const pm_query_info *has = pm_rows_info(rows);
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < args->info->n_params && st == PMAPDB_OK; i++)
        for (int k = 0; k < has->n_params && st == PMAPDB_OK && args->value[i]; k++)
            if (pm_text_equal(args->info->param[i].name, has->param[k].name)) {
                char *name = text_of(has->param[k].name);

                st = pmapdb_bind(rows, name, args->value[i], err);
                free(name);
            }
    return st;
}

static bool listed(pm_text list, pm_text name)
{
    while (list.len) {
        const char *blank = memchr(list.data, ' ', list.len);
        size_t n = blank ? (size_t)(blank - list.data) : list.len;

        if (pm_text_equal((pm_text){list.data, n}, name))
            return true;
        list = pm_text_from(list, blank ? n + 1 : n);
    }
    return false;
}

int pm_run_columns(const pm_cli *cli, const pmapdb_rows *rows, bool *keep, pm_column *columns)
{
    const pm_query_info *q = pm_rows_info(rows);
    bool all = !pm_cli_is_for_people(cli) || cli->wide || q->table.len == 0;
    int n = 0;

    for (int i = 0; i < q->n_columns; i++) {
        keep[i] = all || listed(q->table, q->column[i].name);
        if (keep[i])
            columns[n++] = (pm_column){pmapdb_rows_name(rows, i), q->column[i].unit};
    }
    return n;
}

void pm_run_values(const pmapdb_rows *rows, const bool *keep, pm_value *values)
{
    int n = 0;

    for (int i = 0; i < pmapdb_rows_columns(rows); i++) {
        pm_value *v = &values[n];

        if (!keep[i])
            continue;
        n++;
        *v = (pm_value){.kind = PM_VALUE_NULL};
        switch (pmapdb_rows_type(rows, i)) {
        case PMAPDB_INT:
            v->kind = PM_VALUE_INT;
            v->i = pmapdb_rows_int(rows, i);
            break;
        case PMAPDB_REAL:
            v->kind = PM_VALUE_REAL;
            v->r = pmapdb_rows_real(rows, i);
            break;
        case PMAPDB_TEXT:
            v->kind = PM_VALUE_TEXT;
            v->t.data = pmapdb_rows_text(rows, i, &v->t.len);
            break;
        case PMAPDB_NULL:
            break;
        }
    }
}
