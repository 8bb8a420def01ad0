/* growth: pmapdb growth: every category in every snapshot; thinned to what fits the screen, as a
 * table with a column for each category, or the growth of each process of the host. */
#include "cli/run.h"

#include <stdlib.h>

#define AROUND 4 /* lines of a screen that are not rows: the header, a note, the prompt */

typedef struct growth {
    pm_cli *cli;
    pm_run_args args;
    bool all, pivot;
    const char *metric; /* of --pivot */
    char lines[16];
} growth;

#define AT(field) offsetof(growth, field)

static const pm_option options[] = {
    {"all", 0, PM_OPT_FLAG, AT(all), NULL, "Every category and moment on a terminal, too", NULL},
    {"pivot", 0, PM_OPT_FLAG, AT(pivot), NULL, "A row for each moment, a column for each category",
     NULL},
    {"metric", 0, PM_OPT_CHOICE, AT(metric), "rss|size|pss|private|private_dirty|swap|mappings",
     "What the columns of --pivot show (rss)", NULL},
    {0}};

/* ---- what fits the screen ---- */

/* Asks for fewer rows if a person would see more of them than the screen has lines. */
static void thin(growth *g)
{
    int room = pm_cli_screen_lines(g->cli) - AROUND;
    bool chosen = g->all || g->cli->top || g->cli->sort || g->cli->format != PM_FORMAT_TABLE;
    pmapdb_rows *rows;
    pmapdb_error err;
    int64_t n;

    if (room < AROUND || chosen || pm_run_given(&g->args, "lines"))
        return;
    rows = pm_run_query(&g->args, "growth");
    pm_cli_must(pm_rows_wrap(rows, "SELECT count(*) FROM (", ")", &err), &err);
    pm_run_next(rows);
    n = pmapdb_rows_int(rows, 0);
    pmapdb_rows_close(rows);
    if (n <= room)
        return;
    snprintf(g->lines, sizeof g->lines, "%d", room);
    pm_run_give(&g->args, "lines", g->lines);
    pm_cli_note(g->cli,
                "%lld rows are thinned to fit the screen: the categories that changed most, at "
                "moments evenly spaced; --all shows all",
                (long long)n);
}

/* ---- a column for each category ---- */

typedef struct pivot {
    /* the time, the total, then the categories; owns the names from the total on */
    pm_column column[PM_QUERY_ITEMS];
    char suffix[40]; /* of the names: "" or "_rss_kib", because only a table has a title */
    int n;
    pm_value values[PM_QUERY_ITEMS];
    int64_t total; /* of the moment; or PMAPDB_UNKNOWN */
    char taken_at[PM_CLOCK_TEXT];
} pivot;

static void add_column(pivot *p, const char *name, pm_unit unit)
{
    pm_buf whole = {0};
    pmapdb_error err;

    pm_cli_must(pm_buf_addf(&whole, &err, "%s%s", name, p->suffix), &err);
    p->column[p->n++] = (pm_column){whole.data, unit};
}

/* Finds the categories, the largest first. */
static void find_categories(const growth *g, pm_unit unit, pivot *p)
{
    pmapdb_rows *rows = pm_run_query(&g->args, "growth");
    pmapdb_error err;

    pm_cli_must(pm_rows_wrap(rows, "SELECT category FROM (",
                             ") GROUP BY category ORDER BY max(rss_kib) DESC, max(size_kib) DESC",
                             &err),
                &err);
    p->column[p->n++] = (pm_column){"taken_at", PM_UNIT_TIME};
    add_column(p, "total", unit);
    while (pm_run_next(rows) && p->n < PM_QUERY_ITEMS)
        add_column(p, pmapdb_rows_text(rows, 0, NULL), unit);
    pmapdb_rows_close(rows);
}

static void write_moment(pm_output *out, pivot *p)
{
    p->values[0] = pm_value_text(p->taken_at);
    if (*p->taken_at)
        pm_output_row(out, p->values);
    for (int i = 1; i < p->n; i++)
        p->values[i] = pm_value_int(PMAPDB_UNKNOWN);
    p->total = 0;
}

static void take_row(pm_output *out, pivot *p, const pmapdb_rows *row, const char *metric)
{
    char taken_at[PM_CLOCK_TEXT], category[256];
    int64_t kib = pm_answer_int(row, metric);
    int i = p->n - 1;

    pm_answer_text(row, "taken_at", taken_at, sizeof taken_at);
    pm_answer_text(row, "category", category, sizeof category);
    if (strcmp(taken_at, p->taken_at) != 0)
        write_moment(out, p);
    memcpy(p->taken_at, taken_at, sizeof taken_at);
    p->total =
        kib == PMAPDB_UNKNOWN || p->total == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : p->total + kib;
    p->values[1] = pm_value_int(p->total);
    while (i > 1 && (strncmp(p->column[i].name, category, strlen(category)) != 0 ||
                     strcmp(p->column[i].name + strlen(category), p->suffix) != 0))
        i--;
    if (i > 1)
        p->values[i] = pm_value_int(kib);
}

static void write_pivot(growth *g)
{
    bool count = g->metric && strcmp(g->metric, "mappings") == 0;
    long long top = g->cli->top ? g->cli->top : INT64_MAX;
    char metric[32], newest[96];
    pivot p = {.n = 0};
    pmapdb_error err;
    pmapdb_rows *rows;
    pm_output out;

    snprintf(metric, sizeof metric, "%s%s", g->metric ? g->metric : "rss", count ? "" : "_kib");
    if (!pm_cli_is_for_people(g->cli))
        snprintf(p.suffix, sizeof p.suffix, "_%s", metric);
    find_categories(g, count ? PM_UNIT_COUNT : PM_UNIT_KIB, &p);
    rows = pm_run_query(&g->args, "growth");
    snprintf(newest, sizeof newest, ")) WHERE place <= %lld ORDER BY place DESC", top);
    pm_cli_must(pm_rows_wrap(rows,
                             "SELECT * FROM (SELECT *, dense_rank() OVER (ORDER BY taken_at DESC) "
                             "AS place FROM (",
                             newest, &err),
                &err);
    pm_output_open(&out, g->cli);
    pm_output_rows(&out, p.column, p.n, NULL);
    write_moment(&out, &p);
    while (pm_run_next(rows))
        take_row(&out, &p, rows, metric);
    write_moment(&out, &p);
    pm_output_end(&out);
    pmapdb_rows_close(rows);
    for (int i = 1; i < p.n; i++)
        free((char *)p.column[i].name);
    pm_run_end(&g->args);
}

int pm_cli_growth(pm_cli *cli, int argc, char **argv)
{
    growth g = {.cli = cli};

    g.args = (pm_run_args){.cli = cli, .query = "growth", .own = options, .own_values = &g};
    pm_run_parse(&g.args, argc, argv);
    g.pivot |= cli->wide && !pm_cli_is_for_people(cli); /* as pandas says wide and long */
    if (g.metric && !g.pivot)
        pm_cli_usage(cli, "--metric goes with --pivot; --columns shows several");
    pm_run_open(&g.args);
    if (g.pivot) {
        write_pivot(&g);
    } else if (!pm_run_given(&g.args, "category") && pm_run_asks_host(&g.args)) {
        pm_cli_note(cli,
                    "how much each process grew; pmapdb growth NAME has the categories of one");
        pm_run_answer(&g.args, "diff-process");
    } else {
        thin(&g);
        pm_run_answer(&g.args, "growth");
    }
    return PM_EXIT_OK;
}
