/* sql: pmapdb sql: runs a statement of the user, read-only and with limits. */
#include "api/one_file.h"
#include "cli/run.h"
#include "store/read/adhoc.h" /* limits of memory and time, which are not in pmapdb.h */
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 30000
#define STATEMENT_MAX (1 << 20)

typedef struct sql_args {
    pm_cli_list params; /* NAME=VALUE */
    pmapdb_sql_options how;
} sql_args;

static const char *read_param(const char *arg, void *value)
{
    pm_cli_list *list = value;

    if (*arg == '=' || !strchr(arg, '='))
        return "NAME=VALUE";
    pm_cli_list_add(list, arg);
    return NULL;
}

#define AT(field) offsetof(sql_args, field)

static const pm_option options[] = {
    {"param", 0, PM_OPT_CUSTOM, AT(params), "NAME=VALUE",
     "Value of :NAME, @NAME or $NAME: a number, nothing for NULL, else text; 'VALUE' is text "
     "always",
     read_param},
    {"timeout", 0, PM_OPT_SPAN, AT(how.timeout_ms), "SPAN",
     "Stop after that much work, with exit status 2 (30s; 0s: never)"},
    {"max-rows", 0, PM_OPT_COUNT, AT(how.max_rows), "N", "At most N rows (all)"},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "'SELECT ...'|-"};

/* ---- the statement ---- */

/* Reads the statement from standard input if it is "-". */
static void read_statement(sql_args *a, const char *text, pm_buf *out)
{
    pmapdb_error err;

    if (strcmp(text, "-") != 0) {
        pm_cli_must(pm_buf_addf(out, &err, "%s", text), &err);
        return;
    }
    a->how.where = "standard input";
    pm_cli_must(pm_one_file_read(text, STATEMENT_MAX, out, &err), &err);
    if (out->len > STATEMENT_MAX)
        pm_cli_die("%s: too large", a->how.where);
    if (memchr(pm_buf_text(out).data, '\0', out->len))
        pm_cli_die("%s: a NUL byte: this is not text", a->how.where);
}

/* ---- the run ---- */

static void bind_params(const sql_args *a, pmapdb_rows *rows)
{
    for (size_t i = 0; i < a->params.n; i++) {
        const char *param = a->params.item[i], *equals = strchr(param, '=');
        char *name = pm_cli_memory(strndup(param, (size_t)(equals - param)));

        pm_answer_bind(rows, name, equals + 1);
        free(name);
    }
}

int pm_cli_sql(pm_cli *cli, int argc, char **argv)
{
    sql_args a = {.how = {.timeout_ms = TIMEOUT_MS}};
    pmapdb_rows *rows = NULL;
    pmapdb_store *store;
    pm_output out;
    pm_answer_view view;
    pmapdb_error err;
    pm_buf text = {0};
    int n = pm_options_parse(cli, &syntax, &a, argc, argv);

    if (n > 1)
        pm_cli_usage(cli, "one statement, in quotes: unexpected word '%s'", argv[2]);
    if (!n)
        pm_cli_usage(cli, "which statement? 'SELECT ...', or - for standard input");
    pm_adhoc_limit_memory();
    store = pm_cli_store(cli, PMAPDB_READ);
    read_statement(&a, argv[1], &text);
    pm_cli_must(pmapdb_sql(store, pm_buf_text(&text).data, &a.how, &rows, &err), &err);
    bind_params(&a, rows);
    pm_cli_must(pm_adhoc_peek(rows, &err), &err);
    pm_output_open(&out, cli);
    pm_answer_rows(&out, rows, &view, NULL, NULL);
    pm_output_end(&out);
    if (pmapdb_rows_cut(rows))
        pm_cli_note(cli, "there are more than these %lld rows", (long long)a.how.max_rows);
    pmapdb_rows_close(rows);
    pmapdb_close(store);
    pm_buf_free(&text);
    free(a.params.item);
    return PM_EXIT_OK;
}
