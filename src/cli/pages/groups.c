/* groups: pmapdb groups: the processes of one moment, grouped by what they have in common, with
 * their total and notes on what the numbers lack; with --exact what they really hold. */
#include "cli/answer.h"
#include "cli/moment.h"
#include "cli/pages/pages.h"
#include "cli/run.h"
#include "store/func/expression.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "env:"

typedef struct groups {
    const pm_cli *cli;
    pm_run_args args;
    const char *by;       /* the parameter --by */
    const char *variable; /* of env:VARIABLE, or NULL */
    pm_output out;
    pm_answer_view view;
    int64_t processes, pss_unknown, unknown; /* `unknown`: processes in no group */
    int64_t unreadable, unmoved; /* of the sweep; PMAPDB_UNKNOWN: the moment is not a sweep */
} groups;

/* Ends the program if --by is an expression that SQLite refuses. */
static void read_by(groups *g)
{
    static const char *const plain[] = {"name", "user", "cgroup"};
    pm_expression *e = NULL;
    pmapdb_error err;

    g->by = pm_run_given(&g->args, "by");
    if (!g->by)
        g->by = plain[0];
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(g->by, plain[i]) == 0)
            return;
    if (strncmp(g->by, VARIABLE, strlen(VARIABLE)) == 0 && g->by[strlen(VARIABLE)]) {
        g->variable = g->by + strlen(VARIABLE);
        return;
    }
    if (pm_expression_new(pm_text_of(g->by), &e, &err) != PMAPDB_OK)
        pm_cli_usage(g->cli, "--by is name, user, cgroup, env:VARIABLE or an SQL expression: %s",
                     err.text);
    pm_expression_free(e);
}

/* ---- rows ---- */

static void see_row(void *ctx, const pmapdb_rows *row)
{
    groups *g = ctx;
    int64_t here = pm_answer_int(row, "processes");

    g->processes += here;
    g->pss_unknown += pm_answer_int(row, "pss_unknown");
    g->unreadable = pm_answer_int(row, "unreadable");
    g->unmoved = pm_answer_int(row, "unmoved");
    g->unknown += pmapdb_rows_type(row, 0) == PMAPDB_NULL ? here : 0;
}

static const char *processes_are(int64_t n)
{
    return n == 1 ? "process is" : "processes are";
}

/* Reports which processes are missing, and which numbers are incomplete. */
static void say_lacks(const groups *g)
{
    if (g->unreadable > 0)
        pm_cli_say("%lld %s missing here: the capture had no permission", (long long)g->unreadable,
                   processes_are(g->unreadable));
    if (g->unmoved > 0)
        pm_cli_say("%lld %s missing here: left out by --on-growth or --on-rss-above",
                   (long long)g->unmoved, processes_are(g->unmoved));
    if (g->pss_unknown)
        pm_cli_say("pss of %lld of %lld processes is not known, read as maps or from a capture "
                   "without it: pmapdb by-process shows which",
                   (long long)g->pss_unknown, (long long)g->processes);
    if (g->unknown && g->variable)
        pm_cli_say("of %lld of %lld processes it is not known whether they have %s: they were not "
                   "captured live, or without --keep-env %s",
                   (long long)g->unknown, (long long)g->processes, g->variable, g->variable);
    else if (g->unknown)
        pm_cli_say("%lld of %lld %s in no group: not captured live", (long long)g->unknown,
                   (long long)g->processes, processes_are(g->processes));
}

/* ---- --exact: each page counted once: of this machine now, or of a moment that capture --pages
 * stored ---- */

/* The processes of this machine are captured into a store in memory, and the same query answers. */
#define INSTANCE "instance"

typedef struct exact {
    pm_exact_ask ask;
    bool asked; /* --exact */
    const char *process, *at, *host;
    pm_answer_view view;
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

static const pm_syntax exact_syntax = {
    .options = exact_options,
    .about = "What groups of processes really hold: each page counts once, however many processes "
             "map it. Reads the pages of all processes now, or with --at a stored capture --pages.",
    .after = "rss is the memory that the group maps, uss the part of it that no other group maps. "
             "Two rows below the groups have what is no group's alone, and the union of all. "
             "pmapdb help groups-exact tells all columns.\n\n"
             "Reading stalls no process: nothing is mapped, touched or changed. Processes of other "
             "users take CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, page frames CAP_SYS_ADMIN. "
             "Without frames, a page is known as one of a file, by the address in forked "
             "processes, or as own: see docs/pages.md.",
    .examples = "pmapdb groups --exact --by user --by \"iif(comm = 'postgres', 'db', 'rest')\"\n"
                "pmapdb groups --exact --at last --by cgroup"};

/* ---- reading this machine ---- */

/* The variables that --by needs: env:NAME, and env('NAME') in expressions. */
static void find_variables(pm_exact_ask *e)
{
    static const char call[] = "env('";

    for (size_t i = 0; i < e->by.n; i++) {
        const char *by = e->by.item[i];

        if (strcmp(by, INSTANCE) == 0) {
            pm_cli_list_add(&e->keep_env, "ORACLE_SID");
            pm_cli_list_add(&e->keep_env, "PGDATA");
        }
        if (strncmp(by, VARIABLE, strlen(VARIABLE)) == 0)
            pm_cli_list_add(&e->keep_env, by + strlen(VARIABLE));
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the list keeps the names
        for (const char *p = by; (p = strstr(p, call));) {
            size_t n = strcspn(p += strlen(call), "'");
            char *name = strndup(p, n);

            if (!name)
                pm_cli_no_memory();
            pm_cli_list_add(&e->keep_env, name); /* until the end of the program */
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
    pmapdb_open_options open = {
        .mode = PMAPDB_WRITE, .in_memory = true, .query_dir = e->cli->query_dir};
    pmapdb_capture_options o;
    pmapdb_capture_result result;
    pmapdb_store *store;
    pmapdb_error err;

    find_variables(e);
    pmapdb_capture_defaults(&o);
    o.all = !e->match;
    o.match = e->match;
    o.proc = e->proc;
    o.host = e->proc ? "a copy" : NULL; /* it is not shown */
    o.measure = PMAPDB_MEASURE_TOTALS;
    o.pages = !e->pages_by || strcmp(e->pages_by, "auto") == 0 ? PMAPDB_PAGES_AUTO
              : strcmp(e->pages_by, "frame") == 0              ? PMAPDB_PAGES_FRAME
                                                               : PMAPDB_PAGES_IDENTITY;
    o.keep_env = e->keep_env.item;
    o.n_keep_env = e->keep_env.n;
    o.keep_cmdline = whole;
    o.n_keep_cmdline = 1;
    o.ctx = e;
    o.on_event = on_event;
    pm_cli_must(pmapdb_open("this machine", &open, &store, &err), &err);
    pm_cli_must(pmapdb_capture(store, &o, &result, &err), &err);
    if (result.stored && !has_pages(store))
        pm_cli_die("the pages of no process can be read: %s",
                   e->proc ? "the copy has no page maps"
                           : "that takes their user, or CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH");
    if (!result.stored)
        pm_cli_die("no process that %s can be read", e->match ? "--match matches" : "runs here");
    return store;
}

/* ---- the answer ---- */

typedef struct said {
    char method[16], taken_at[32];
    int64_t unread, unreadable, moved_kib, union_kib;
} said;

static void see_group(void *ctx, const pmapdb_rows *row)
{
    said *s = ctx;

    pm_answer_text(row, "method", s->method, sizeof s->method);
    s->unread = pm_answer_int(row, "unread");
    s->unreadable = pm_answer_int(row, "unreadable");
    s->moved_kib = pm_answer_int(row, "moved_kib");
    s->union_kib = pm_answer_int(row, "rss_kib"); /* of the last row */
}

static void say_limits(const exact *e, const said *s)
{
    int64_t missing = s->unread + s->unreadable;

    if (!*s->method)
        return;
    if (missing > 0)
        pm_cli_say("%lld %s missing: their pages could not be read; uss may be too large",
                   (long long)missing, missing == 1 ? "process is" : "processes are");
    else if (e->ask.match)
        pm_cli_note(e->ask.cli, "uss is against the processes that were read, not all of the host");
    if (strcmp(s->method, "identity") == 0)
        pm_cli_note(e->ask.cli,
                    "without page frames: pages shared by fork are known by their address");
    if (s->moved_kib > s->union_kib / 1000)
        pm_cli_say("the kernel moved %lld KiB while the pages were read: at most that much is "
                   "counted twice",
                   (long long)s->moved_kib);
}

static void answer(exact *e, pmapdb_store *store)
{
    size_t n = e->ask.by.n ? e->ask.by.n : 1;
    pm_output out;
    said s = {0};

    pm_output_open(&out, e->ask.cli);
    for (size_t i = 0; i < n; i++) {
        pmapdb_rows *rows =
            pm_answer_ask(store, "groups-exact",
                          (pm_answer_arg[]){{"by", e->ask.by.n ? e->ask.by.item[i] : "name"},
                                            {"process", e->process},
                                            {"at", e->at},
                                            {"host", e->host},
                                            {NULL, NULL}});

        pm_answer_rows(&out, rows, &e->view, see_group, &s);
        if (pm_cli_is_for_people(e->ask.cli))
            pm_output_end_rows(&out);
        pmapdb_rows_close(rows);
    }
    pm_output_end(&out);
    say_limits(e, &s);
}

static int groups_exact(pm_cli *cli, int argc, char **argv)
{
    exact e = {.ask = {.cli = cli}};
    pmapdb_store *store;

    pm_options_parse(cli, &exact_syntax, &e, argc, argv);
    if (e.at && (e.ask.match || e.ask.pages_by || e.ask.proc))
        pm_cli_usage(cli, "--at answers from the store: --match, --pages-by and --proc do not go "
                          "with it");
    if (e.host && !e.at)
        pm_cli_usage(cli, "--host takes --at");
    store = e.at ? pm_cli_store(cli, PMAPDB_READ) : pm_cli_exact_machine(&e.ask);
    answer(&e, store);
    pmapdb_close(store);
    free(e.ask.by.item);
    free(e.ask.keep_env.item);
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
    groups g = {.cli = cli};
    pmapdb_rows *rows;

    if (asked)
        return groups_exact(cli, argc, argv);
    g.args = (pm_run_args){.cli = cli, .query = "groups", .own = own, .own_values = &asked};
    pm_run_parse(&g.args, argc, argv);
    read_by(&g);
    pm_run_open(&g.args);
    rows = pm_run_query(&g.args, "groups");
    pm_output_open(&g.out, cli);
    pm_answer_rows(&g.out, rows, &g.view, see_row, &g);
    pm_output_end(&g.out);
    say_lacks(&g);
    pm_moment_say(&g.args, PM_TEXT("groups"));
    pmapdb_rows_close(rows);
    pm_run_end(&g.args);
    return PM_EXIT_OK;
}
