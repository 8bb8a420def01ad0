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
    char column[32];    /* the same as a column of the query */
    char lines[16];
} growth;

#define AT(field) offsetof(growth, field)

static const pm_option options[] = {
    {"all", 0, PM_OPT_FLAG, AT(all), NULL, "Do not thin the rows to fit the screen"},
    {"pivot", 0, PM_OPT_FLAG, AT(pivot), NULL, "A row for each moment, a column for each category"},
    {"metric", 0, PM_OPT_CHOICE, AT(metric), "rss|size|pss|private|private_dirty|swap|mappings",
     "What the columns of --pivot show (rss)"},
    {0}};

/* ---- what fits the screen ---- */

/* Asks for fewer rows if a person would see more of them than the screen has lines. */
static void thin(growth *g)
{
    int room = pm_cli_screen_lines(g->cli) - AROUND;
    bool chosen = g->all || g->cli->top || g->cli->sort || g->cli->format != PM_FORMAT_TABLE;
    pmapdb_rows *rows;
    int64_t n;

    if (room < AROUND || chosen || pm_run_given(&g->args, "lines"))
        return;
    rows = pm_run_query(&g->args, "growth");
    pm_answer_wrap(rows, "SELECT count(*) FROM (", ")");
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

/* The time, the total, then the categories; owns the names from the total on. */
typedef struct pivot {
    pm_column column[PM_QUERY_ITEMS];
    int n;
    pm_buf sql; /* makes these columns from the rows of growth */
} pivot;

/* Adds a column whose values the SQL makes. Only a table has a title, so elsewhere the name has a
 * suffix: heap_rss_kib. */
static void add_column(const growth *g, pivot *p, const char *name, const char *sql)
{
    pm_buf whole = {0};
    bool people = pm_cli_is_for_people(g->cli);
    pmapdb_error err;

    pm_cli_must(
        pm_buf_addf(&whole, &err, "%s%s%s", name, people ? "" : "_", people ? "" : g->column),
        &err);
    p->column[p->n++] =
        (pm_column){whole.data, strcmp(g->column, "mappings") == 0 ? PM_UNIT_COUNT : PM_UNIT_KIB};
    pm_buf_addf(&p->sql, NULL, ", %s", sql);
}

/* Finds the categories, the largest first. */
static void find_categories(const growth *g, pivot *p)
{
    pmapdb_rows *rows = pm_run_query(&g->args, "growth");
    char sql[256];

    snprintf(sql, sizeof sql,
             "SELECT category, 'max(CASE category WHEN ' || quote(category) || ' THEN %s END)' "
             "FROM (",
             g->column);
    pm_answer_wrap(rows, sql, ") GROUP BY category ORDER BY max(rss_kib) DESC, max(size_kib) DESC");
    pm_buf_addf(&p->sql, NULL, "SELECT * FROM (SELECT taken_at");
    p->column[p->n++] = (pm_column){"taken_at", PM_UNIT_TIME};
    snprintf(sql, sizeof sql, "CASE WHEN count(*) = count(%s) THEN sum(%s) END", g->column,
             g->column);
    add_column(g, p, "total", sql);
    while (pm_run_next(rows) && p->n < PM_QUERY_ITEMS)
        add_column(g, p, pmapdb_rows_text(rows, 0, NULL), pmapdb_rows_text(rows, 1, NULL));
    pmapdb_rows_close(rows);
    pm_buf_addf(&p->sql, NULL, " FROM (");
}

static void write_pivot(growth *g)
{
    pivot p = {.n = 0};
    char newest[128];
    pmapdb_rows *rows;
    pm_output out;

    snprintf(g->column, sizeof g->column, "%s%s", g->metric ? g->metric : "rss",
             g->metric && strcmp(g->metric, "mappings") == 0 ? "" : "_kib");
    find_categories(g, &p);
    rows = pm_run_query(&g->args, "growth");
    snprintf(newest, sizeof newest,
             ") GROUP BY taken_at ORDER BY taken_at DESC LIMIT %lld) ORDER BY taken_at",
             g->cli->top ? (long long)g->cli->top : -1);
    pm_answer_wrap(rows, pm_cli_text(&p.sql), newest);
    pm_output_open(&out, g->cli);
    pm_output_rows(&out, p.column, p.n, NULL);
    while (pm_run_next(rows)) {
        pm_value values[PM_QUERY_ITEMS];

        for (int i = 0; i < p.n; i++)
            values[i] = pm_answer_value(rows, i);
        pm_output_row(&out, values);
    }
    pm_output_end(&out);
    pmapdb_rows_close(rows);
    pm_buf_free(&p.sql);
    for (int i = 1; i < p.n; i++)
        free((char *)p.column[i].name);
    pm_run_end(&g->args);
}

int pm_cli_growth(pm_cli *cli, int argc, char **argv)
{
    growth g = {.cli = cli};

    g.args = (pm_run_args){.cli = cli, .query = "growth", .own = options, .own_values = &g};
    pm_run_parse(&g.args, argc, argv);
    g.pivot |= cli->wide && !pm_cli_is_for_people(cli); /* pandas calls it wide and long */
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
