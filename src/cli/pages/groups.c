/* groups: pmapdb groups: the processes of one moment, grouped by what they have in common, with
 * their total; with --exact what they really hold. */
#include "cli/pages/pages.h"
#include "cli/run.h"
#include "store/func/expression.h"
#include <stdlib.h>
#include <string.h>

#define VARIABLE "env:"

/* Ends the program if --by is an expression that SQLite refuses. */
static void check_by(const pm_run_args *args)
{
    const char *by = pm_run_given(args, "by");
    pm_expression *e = NULL;
    pmapdb_error err;

    if (!by || pm_text_listed(pm_text_of(by), " name user cgroup ") ||
        (strncmp(by, VARIABLE, strlen(VARIABLE)) == 0 && by[strlen(VARIABLE)]))
        return;
    if (pm_expression_new(pm_text_of(by), &e, &err) != PMAPDB_OK)
        pm_cli_usage(args->cli, "--by is name, user, cgroup, env:VARIABLE or an SQL expression: %s",
                     err.text);
    pm_expression_free(e);
}

/* ---- --exact: each page counted once: of this machine now, or of a moment that capture --pages
 * stored ---- */

#define INSTANCE "instance"

typedef struct exact {
    pm_exact_ask ask;
    bool asked; /* --exact */
    const char *process, *at, *host;
} exact;

#define AT(field) offsetof(exact, field)

static const pm_option exact_options[] = {
    {"exact", 0, PM_OPT_FLAG, AT(asked), NULL, "Count every page once"},
    {"by", 0, PM_OPT_LIST, AT(ask.by), "WORD",
     "By name, user, cgroup, instance (of a server), env:VARIABLE or an SQL expression; may be "
     "repeated (name)"},
    {"process", 0, PM_OPT_WORD, AT(process), "PROCESS",
     "Only this NAME, PID or NAME/PID; uss is against the others, too"},
    {"match", 0, PM_OPT_TEXT, AT(ask.match), "EXPR",
     "Read only the processes that it matches; uss is then against these alone"},
    {"pages-by", 0, PM_OPT_CHOICE, AT(ask.pages_by), "auto|frame|identity",
     "How a page of two processes is known to be one (auto: by frame, where the kernel shows it)"},
    PM_OPTION_PROC(AT(ask.proc)),
    {"at", 0, PM_OPT_WORD, AT(at), "MOMENT",
     "Not now, but a moment in the store: last, @ID, a time, -2h"},
    {"host", 0, PM_OPT_NAME, AT(host), "NAME", "With --at: only this host"},
    {0}};

/* ---- reading this machine into a store in memory ---- */

/* The variables that --by needs: env:NAME, and env('NAME') in expressions. */
static void find_variables(const pm_exact_ask *e, pm_cli_list *out)
{
    static const char call[] = "env('";

    for (size_t i = 0; i < e->by.n; i++) {
        const char *by = e->by.item[i];

        if (strcmp(by, INSTANCE) == 0) {
            pm_cli_list_add(out, "ORACLE_SID");
            pm_cli_list_add(out, "PGDATA");
        }
        if (strncmp(by, VARIABLE, strlen(VARIABLE)) == 0)
            pm_cli_list_add(out, by + strlen(VARIABLE));
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the list keeps the names
        for (const char *p = by; (p = strstr(p, call));) {
            size_t n = strcspn(p += strlen(call), "'");

            /* until the end of the program */
            pm_cli_list_add(out, pm_cli_memory(strndup(p, n)));
        }
    }
}

static void on_event(void *ctx, const pmapdb_capture_event *event)
{
    pm_exact_ask *e = ctx;

    e->trouble |= event->news.trouble;
    if (event->news.error && event->news.trouble)
        pm_cli_say("%s", event->news.error);
    else if (event->news.error)
        pm_cli_note(e->cli, "%s", event->news.error);
}

/* True if the pages of any process were read. */
static bool has_pages(pmapdb_store *store)
{
    pmapdb_rows *rows = pm_answer_ask(store, "groups-exact", (pm_answer_arg[]){{NULL, NULL}});
    bool found = pm_run_next(rows);

    pmapdb_rows_close(rows);
    return found;
}

pmapdb_store *pm_cli_exact_machine(pm_exact_ask *e)
{
    static const char *const whole[] = {"(?s).*"}; /* of command lines, for --by */
    pmapdb_store *store = pm_cli_store_in_memory(e->cli);
    pm_cli_list keep_env = {0};
    pmapdb_capture_options o;
    pmapdb_capture_result result;
    pmapdb_error err;

    find_variables(e, &keep_env);
    pmapdb_capture_defaults(&o);
    o.all = !e->match;
    o.match = e->match;
    o.proc = e->proc;
    o.host = e->proc ? "a copy" : NULL; /* the host is not shown */
    o.measure = PMAPDB_MEASURE_TOTALS;
    o.pages = !e->pages_by || strcmp(e->pages_by, "auto") == 0 ? PMAPDB_PAGES_AUTO
              : strcmp(e->pages_by, "frame") == 0              ? PMAPDB_PAGES_FRAME
                                                               : PMAPDB_PAGES_IDENTITY;
    o.keep_env = keep_env.item;
    o.n_keep_env = keep_env.n;
    o.keep_cmdline = whole;
    o.n_keep_cmdline = 1;
    o.ctx = e;
    o.on_event = on_event;
    pm_cli_must(pmapdb_capture(store, &o, &result, &err), &err);
    free(keep_env.item);
    if (result.stored && !has_pages(store))
        pm_cli_die("the pages of no process can be read: %s",
                   e->proc ? "the copy has no page maps"
                           : "that takes their user, or CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH");
    if (!result.stored)
        pm_cli_die("no process that %s can be read", e->match ? "--match matches" : "runs here");
    return store;
}

/* ---- the answer ---- */

static pmapdb_rows *ask(const exact *e, pmapdb_store *store, const char *by)
{
    return pm_answer_ask(
        store, "groups-exact",
        (pm_answer_arg[]){
            {"by", by}, {"process", e->process}, {"at", e->at}, {"host", e->host}, {NULL, NULL}});
}

/* Says what the numbers lack. */
static void say_notes(const exact *e, pmapdb_store *store)
{
    pm_moment_say_notes(e->ask.cli,
                        pm_answer_ask(store, "notes",
                                      (pm_answer_arg[]){{"exact", .of = ask(e, store, "name")},
                                                        {"match", e->ask.match},
                                                        {0}}));
}

static void answer(const exact *e, pmapdb_store *store)
{
    size_t n = e->ask.by.n ? e->ask.by.n : 1;
    pmapdb_rows *rows = NULL;
    pm_answer_view view; /* valid as long as the rows */
    pm_output out;

    pm_output_open(&out, e->ask.cli);
    for (size_t i = 0; i < n; i++) {
        pmapdb_rows_close(rows);
        rows = ask(e, store, e->ask.by.n ? e->ask.by.item[i] : "name");
        pm_answer_rows(&out, rows, &view, NULL, NULL);
        if (pm_cli_is_for_people(e->ask.cli))
            pm_output_end_rows(&out);
    }
    pm_output_end(&out);
    pmapdb_rows_close(rows);
    say_notes(e, store);
}

static int groups_exact(pm_cli *cli, int argc, char **argv)
{
    const pm_syntax syntax = {.options = exact_options, .title = "pmapdb groups--exact"};
    exact e = {.ask = {.cli = cli}};
    pmapdb_store *store;

    pm_options_parse(cli, &syntax, &e, argc, argv);
    if (e.at && (e.ask.match || e.ask.pages_by || e.ask.proc))
        pm_cli_usage(cli, "--at answers from the store: --match, --pages-by and --proc do not go "
                          "with it");
    if (e.host && !e.at)
        pm_cli_usage(cli, "--host takes --at");
    store = e.at ? pm_cli_store(cli, PMAPDB_READ) : pm_cli_exact_machine(&e.ask);
    answer(&e, store);
    pmapdb_close(store);
    free(e.ask.by.item);
    return e.ask.trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

/* ---- the command ---- */

/* True if argv has --exact. */
static bool is_exact(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--exact") == 0)
            return true;
    return false;
}

int pm_cli_groups(pm_cli *cli, int argc, char **argv)
{
    static const pm_option own[] = {
        {"exact", 0, PM_OPT_FLAG, 0, NULL,
         "Count every page once, of this machine now: see groups --exact --help"},
        {0}};
    bool asked = is_exact(argc, argv);
    pm_run_args args = {.cli = cli, .query = "groups", .own = own, .own_values = &asked};

    if (asked)
        return groups_exact(cli, argc, argv);
    pm_run_parse(&args, argc, argv);
    check_by(&args);
    pm_run_answer(&args, "groups");
    return PM_EXIT_OK;
}
