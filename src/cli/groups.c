/* groups: pmapdb groups: the processes of one moment by what they have in common, with a title, a
 * total and what the numbers lack. */
#include "cli/side.h"
#include "cli/write.h"

#include "store/func/expression.h"
#include <stdio.h>
#include <string.h>

#define VARIABLE "env:"

typedef struct groups {
    pm_cli *cli;
    pm_run_args args;
    const char *by;       /* the parameter */
    const char *variable; /* of env:VARIABLE, or NULL */
    bool is_expression;
    pm_value total[PM_QUERY_ITEMS];          /* of the columns that are shown */
    int64_t processes, pss_unknown, unknown; /* unknown: in no group */
    int64_t unreadable, unmoved;             /* of the sweep; PMAPDB_UNKNOWN: it is none */
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
    g->is_expression = true;
    if (pm_expression_new(pm_text_of(g->by), &e, &err) != PMAPDB_OK)
        pm_cli_usage(g->cli, "--by is name, user, cgroup, env:VARIABLE or an SQL expression: %s",
                     err.text);
    pm_expression_free(e);
}

/* ---- rows ---- */

static void add_row(groups *g, const pmapdb_rows *rows, const pm_value *values,
                    const pm_column *columns, int n)
{
    int64_t here = pm_side_int(rows, "processes");

    g->processes += here;
    g->pss_unknown += pm_side_int(rows, "pss_unknown");
    g->unreadable = pm_side_int(rows, "unreadable");
    g->unmoved = pm_side_int(rows, "unmoved");
    g->unknown += pmapdb_rows_type(rows, 0) == PMAPDB_NULL ? here : 0;
    for (int i = 0; i < n; i++) {
        pm_value *t = &g->total[i];

        if (columns[i].unit != PM_UNIT_KIB && columns[i].unit != PM_UNIT_COUNT)
            continue;
        if (values[i].kind == PM_VALUE_NULL)
            t->kind = PM_VALUE_NULL; /* and stays so */
        else if (t->kind == PM_VALUE_INT)
            t->i += values[i].i;
    }
}

static void start_total(groups *g, const pm_column *columns, int n)
{
    for (int i = 0; i < n; i++)
        if (columns[i].unit == PM_UNIT_KIB || columns[i].unit == PM_UNIT_COUNT)
            g->total[i] = (pm_value){.kind = PM_VALUE_INT, .i = 0};
        else
            g->total[i] =
                (pm_value){.kind = PM_VALUE_TEXT, .t = i ? PM_TEXT("") : PM_TEXT("TOTAL")};
}

/* Stands above the table, and so waits for the first row. */
static pmapdb_status write_title(const groups *g, const pmapdb_rows *rows, const pm_sink *sink,
                                 pmapdb_error *err)
{
    char from[32], at[32], line[160];

    pm_side_text(rows, "from_at", from, sizeof from);
    pm_side_text(rows, "taken_at", at, sizeof at);
    snprintf(line, sizeof line, "by %.64s, %s%s%s", g->is_expression ? "expression" : g->by,
             strcmp(from, at) ? from : "", strcmp(from, at) ? " -> " : "", at);
    return pm_render_line(sink, pm_text_of(line), err);
}

static pmapdb_status write_rows(groups *g, pmapdb_rows *rows, const pm_sink *sink,
                                pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(g->cli);
    bool people = pm_cli_is_for_people(g->cli), keep[PM_QUERY_ITEMS], has = false;
    pm_column columns[PM_QUERY_ITEMS];
    pm_value values[PM_QUERY_ITEMS];
    int n = pm_run_columns(g->cli, rows, keep, columns);
    pm_render *render = NULL;
    pm_cli_about said;
    pmapdb_status st = pmapdb_next(rows, &has, err);

    pm_cli_describe(rows, keep, &said);
    how.about = &said.about;
    start_total(g, columns, n);
    if (st == PMAPDB_OK && people && has)
        st = write_title(g, rows, sink, err);
    if (st == PMAPDB_OK && people && g->cli->format == PM_FORMAT_MD)
        st = pm_render_line(sink, PM_TEXT(""), err); /* Markdown's tables stand alone */
    if (st == PMAPDB_OK)
        st = pm_render_new(&how, sink, columns, n, &render, err);
    while (st == PMAPDB_OK && has) {
        pm_run_values(rows, keep, values);
        add_row(g, rows, values, columns, n);
        st = pm_render_row(render, values, err);
        if (st == PMAPDB_OK)
            st = pmapdb_next(rows, &has, err);
    }
    if (st == PMAPDB_OK && people)
        st = pm_render_total(render, g->total, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(g->cli, render);
    pm_render_free(render);
    return st;
}

/* ---- the run ---- */

typedef struct writing {
    groups *g;
    pmapdb_rows *rows;
} writing;

static pmapdb_status write_groups(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    const writing *w = ctx;

    return write_rows(w->g, w->rows, sink, err);
}

static const char *processes_are(int64_t n)
{
    return n == 1 ? "process is" : "processes are";
}

/* Who is not there, and what the numbers lack. */
static void say_lacks(const groups *g)
{
    if (g->unreadable > 0)
        pm_cli_say("%lld %s not here: the capture had no permission", (long long)g->unreadable,
                   processes_are(g->unreadable));
    if (g->unmoved > 0)
        pm_cli_say("%lld %s not here: left out by --on-growth or --on-rss-above",
                   (long long)g->unmoved, processes_are(g->unmoved));
    if (g->pss_unknown)
        pm_cli_say("of %lld of %lld processes pss is not known, read as maps or from a capture "
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

static pmapdb_status run(groups *g, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    writing w = {.g = g};
    pmapdb_status st = pmapdb_query(store, "groups", &rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(&g->args, rows, err);
    w.rows = rows;
    if (st == PMAPDB_OK)
        st = pm_cli_write_with(g->cli, write_groups, &w, err);
    if (st == PMAPDB_OK)
        say_lacks(g);
    if (st == PMAPDB_OK)
        st = pm_left_out_say(&g->args, store, err);
    pmapdb_rows_close(rows);
    return st;
}

int pm_cli_groups(pm_cli *cli, int argc, char **argv)
{
    groups g = {.cli = cli};
    pm_query_info *info = NULL;
    pmapdb_store *store;
    pmapdb_error err;

    pm_cli_must(pm_catalog_find(cli->query_dir, "groups", &info, &err), &err);
    g.args = (pm_run_args){.cli = cli, .info = info};
    pm_run_parse(&g.args, argc, argv);
    read_by(&g);
    store = pm_cli_store(cli, PMAPDB_READ);
    pm_cli_must(run(&g, store, &err), &err);
    pmapdb_close(store);
    pm_catalog_free(info);
    return PM_EXIT_OK;
}
