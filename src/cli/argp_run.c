/* argp_run: a query's parameters as options of argp, for commands with tables of argp. */
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

void pm_run_parse_argp(pm_run_args *args, int argc, char **argv)
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
    for (int i = 0; i < n; i++) {
        free((char *)options[i].name);
        free((char *)options[i].doc);
    }
    free(doc);
}
