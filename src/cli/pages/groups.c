/* groups: pmapdb groups: the processes of one moment, grouped by what they have in common, with
 * their total and notes on what the numbers lack. */
#include "cli/pages/pages.h"

#include "cli/moment.h"

#include "store/func/expression.h"
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

int pm_cli_groups(pm_cli *cli, int argc, char **argv)
{
    static const pm_option own[] = {
        {"exact", 0, PM_OPT_FLAG, 0, NULL,
         "Count every page once, of this machine now: see groups --exact --help", NULL},
        {0}};
    bool exact = pm_cli_is_exact(argc, argv);
    groups g = {.cli = cli};
    pmapdb_rows *rows;

    if (exact)
        return pm_cli_groups_exact(cli, argc, argv);
    g.args = (pm_run_args){.cli = cli, .query = "groups", .own = own, .own_values = &exact};
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
