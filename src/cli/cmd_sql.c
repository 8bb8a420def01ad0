/* cmd_sql: pmapdb sql: a statement that the user types, read-only, with limits. */
#include "cli/write.h"

#include "base/num.h"
#include "store/adhoc.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMEOUT_MS 30000
#define STATEMENT_MAX (1 << 20)

enum { KEY_FILE = 0x4000, KEY_PARAM, KEY_TIMEOUT, KEY_MAX_ROWS };

static const struct argp_option options[] = {
    {"param", KEY_PARAM, "NAME=VALUE", 0,
     "Value of :NAME, @NAME or $NAME: a number, nothing for NULL, else text; 'VALUE' is text "
     "always",
     0},
    {"file", KEY_FILE, "FILE", 0, "Read the statement from there", 0},
    {"timeout", KEY_TIMEOUT, "SPAN", 0,
     "Stop after that much work, with exit status 2 (30s; 0s: never)", 0},
    {"max-rows", KEY_MAX_ROWS, "N", 0, "At most N rows (all)", 0},
    {0}};

typedef struct sql_args {
    pm_cli *cli;
    const char *text, *file;
    const char **param;
    size_t n_params, cap_params;
    pmapdb_sql_options how;
} sql_args;

/* ---- the command line ---- */

static void add_param(sql_args *a, const char *arg, struct argp_state *state)
{
    const char *equals = strchr(arg, '=');

    if (!equals || equals == arg)
        argp_error(state, "--param is NAME=VALUE, not '%s'", arg);
    if (pm_grow(&a->param, &a->cap_params, a->n_params, sizeof *a->param, NULL) != PMAPDB_OK)
        pm_cli_no_memory();
    a->param[a->n_params++] = arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    sql_args *a = state->input;
    uint64_t n;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = a->cli;
        return 0;
    case KEY_PARAM:
        add_param(a, arg, state);
        return 0;
    case KEY_FILE:
        a->file = arg;
        return 0;
    case KEY_TIMEOUT:
        if (!pm_num_span(pm_text_of(arg), &a->how.timeout_ms))
            argp_error(state, "--timeout wants a span like 30s, not '%s'", arg);
        return 0;
    case KEY_MAX_ROWS:
        if (!pm_num_all(pm_text_of(arg), &n) || n == 0 || n > INT64_MAX)
            argp_error(state, "--max-rows wants a number from 1, not '%s'", arg);
        a->how.max_rows = (int64_t)n;
        return 0;
    case ARGP_KEY_ARG:
        if (a->text)
            argp_error(state, "one statement, in quotes; what is '%s'?", arg);
        a->text = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->text == !a->file)
            argp_error(state, a->text ? "a statement and --file: which of them?"
                                      : "which statement? 'SELECT ...', - or --file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_args(sql_args *a, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "'SELECT ...'|-\n--file=FILE",
        "Runs one SQL statement that only reads. It cannot change anything, in the store or in any "
        "file.\v"
        "Examples:\n"
        "  pmapdb sql 'SELECT path, sum(pss_kib) AS pss_kib FROM mappings\n"
        "    WHERE snapshot_id = 7 GROUP BY path ORDER BY 2 DESC LIMIT 10'\n"
        "  pmapdb sql 'SELECT * FROM process WHERE pid = :pid' --param pid=4711\n"
        "  pmapdb sql --file report.sql --timeout 5m -o report.csv -f csv\n"
        "  pmapdb sql 'PRAGMA table_info(mappings)'\n"
        "\n"
        "Views: snapshots, processes, mappings, categories, lineages, category_runs, "
        "lineage_history. Sizes are KiB, unknown is NULL. A column called "
        "X_kib (X_kib_from, _to, _delta) is shown as a size, X_at as a time, start, end and offset "
        "in hexadecimal; give the column another name (AS) for the bare number. Text is written "
        "'text'; \"name\" is a column. The statement may use 1 GiB of memory, a text 64 MiB.",
        children,
        NULL,
        NULL};

    pm_cli_parse(&argp, argc, argv, 0, a);
}

static pmapdb_status read_stream(FILE *in, const char *name, pm_buf *out, pmapdb_error *err)
{
    char chunk[4096];
    size_t n;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && (n = fread(chunk, 1, sizeof chunk, in)))
        st = out->len > STATEMENT_MAX ? pm_fail(err, PMAPDB_USAGE, "%s: too large", name)
                                      : pm_buf_add(out, chunk, n, err);
    if (st == PMAPDB_OK && ferror(in))
        return pm_fail_io(err, errno, "cannot read '%s'", name);
    if (st == PMAPDB_OK && out->len && memchr(out->data, '\0', out->len))
        return pm_fail(err, PMAPDB_USAGE, "%s: a NUL byte: this is no text", name);
    return st;
}

static pmapdb_status read_statement(sql_args *a, pm_buf *out, pmapdb_error *err)
{
    FILE *file;
    pmapdb_status st;

    if (a->text && strcmp(a->text, "-") != 0)
        return pm_buf_addf(out, err, "%s", a->text);
    if (a->text) {
        a->how.where = "standard input";
        return read_stream(stdin, a->how.where, out, err);
    }
    a->how.where = a->file;
    file = fopen(a->file, "re");
    if (!file)
        return pm_fail_io(err, errno, "cannot read '%s'", a->file);
    st = read_stream(file, a->file, out, err);
    fclose(file);
    return st;
}

/* ---- what asks nobody whether to go on ---- */

static const pmapdb_rows *volatile watched;

/* One call of GLOB with many stars can take years, and SQLite looks at the clock between its steps
 * only. Nothing is lost with the program: it only reads. */
static void watch(int signal)
{
    static const char text[] = "pmapdb: stopped: one function call did not end in time\n";

    (void)signal;
    if (!pm_adhoc_hangs(watched))
        return;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(PM_EXIT_TROUBLE);
    _exit(PM_EXIT_TROUBLE);
}

/* Every second of work. */
static void watch_rows(const pmapdb_rows *rows)
{
    struct sigaction action = {.sa_handler = rows ? watch : SIG_IGN, .sa_flags = SA_RESTART};
    struct itimerval every = {{rows ? 1 : 0, 0}, {rows ? 1 : 0, 0}};

    if (rows)
        watched = rows;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
}

/* ---- the run ---- */

static pmapdb_status bind_params(const sql_args *a, pmapdb_rows *rows, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < a->n_params && st == PMAPDB_OK; i++) {
        const char *equals = strchr(a->param[i], '=');
        char *name = strndup(a->param[i], (size_t)(equals - a->param[i]));

        st = name ? pmapdb_bind(rows, name, equals + 1, err) : pm_fail_nomem(err);
        free(name);
    }
    return st;
}

static pmapdb_status run(sql_args *a, pmapdb_store *store, pmapdb_error *err)
{
    pm_buf text = {0};
    pmapdb_rows *rows = NULL;
    pmapdb_status st = read_statement(a, &text, err);

    if (st == PMAPDB_OK)
        st = pmapdb_sql(store, pm_buf_text(&text).data, &a->how, &rows, err);
    if (st == PMAPDB_OK)
        st = bind_params(a, rows, err);
    if (st == PMAPDB_OK) {
        watch_rows(rows);
        st = pm_adhoc_peek(rows, err);
        if (st == PMAPDB_OK)
            st = pm_cli_write(a->cli, rows, err);
        watch_rows(NULL);
    }
    if (st == PMAPDB_OK && pmapdb_rows_cut(rows) && !a->cli->quiet)
        pm_cli_say("there are more than these %lld rows", (long long)a->how.max_rows);
    pmapdb_rows_close(rows);
    pm_buf_free(&text);
    return st;
}

int pm_cli_sql(pm_cli *cli, int argc, char **argv)
{
    sql_args a = {.cli = cli, .how = {.timeout_ms = TIMEOUT_MS}};
    pmapdb_open_options how = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    int exit_code = PM_EXIT_TROUBLE;
    pmapdb_error err;
    pmapdb_status st;

    parse_args(&a, argc, argv);
    pm_adhoc_limit_memory();
    if (pm_cli_open(cli, &how, &store) == PMAPDB_OK) {
        st = run(&a, store, &err);
        exit_code = st == PMAPDB_OK ? PM_EXIT_OK : pm_cli_fail(st, &err);
    }
    pmapdb_close(store);
    free(a.param);
    return exit_code;
}
