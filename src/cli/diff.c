/* diff: pmapdb diff: what grew between two snapshots, with the proof that the rows are all. */
#include "cli/blame.h"
#include "cli/write.h"

#include "base/err.h"
#include "base/num.h"
#include "render/flow.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number that may be unknown; unknown stays unknown in sums. */
static int64_t add(int64_t a, int64_t b)
{
    return a == PMAPDB_UNKNOWN || b == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : a + b;
}

static int64_t subtract(int64_t a, int64_t b)
{
    return a == PMAPDB_UNKNOWN || b == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : a - b;
}

typedef struct diff {
    pm_cli *cli;
    pmapdb_store *store;
    const char *by;
    int64_t threshold[PM_METRICS]; /* PMAPDB_UNKNOWN: none */
    pm_run_args args;
    pm_side older, newer;
    int64_t from[PM_METRICS], to[PM_METRICS], delta[PM_METRICS]; /* sums of the rows */
    pm_blame blame;
    bool found;
} diff;

/* ---- options ---- */

static bool metric_of(pm_text name, int *out)
{
    for (int i = 0; i < PM_METRICS; i++) {
        pm_text whole = pm_text_of(pm_metric_names[i]), stem = whole;

        if (pm_text_ends(stem, PM_TEXT("_kib")))
            stem.len -= 4;
        if (pm_text_equal(name, whole) || pm_text_equal(name, stem)) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* Each metric can have one; the diff is found if any of them is reached. */
static const char *read_threshold(const char *arg, void *value)
{
    int64_t *thresholds = value;
    const char *colon = strchr(arg, ':');
    pm_text name = {arg, colon ? (size_t)(colon - arg) : 0};
    uint64_t count = 0;
    int64_t least = 0;
    int metric = 0;

    if (!colon || !metric_of(name, &metric) ||
        (metric && !pm_num_size(pm_text_of(colon + 1), &least)) ||
        (!metric && !pm_num_all(pm_text_of(colon + 1), &count)))
        return "METRIC:SIZE like rss:10M or mappings:100";
    if (thresholds[metric] != PMAPDB_UNKNOWN)
        return "each metric once";
    thresholds[metric] = metric == 0 ? (int64_t)count : least;
    return NULL;
}

#define AT(field) offsetof(diff, field)

static const pm_option options[] = {
    {"by", 0, PM_OPT_CHOICE, AT(by), "category|object|lineage", "What is compared (category)",
     NULL},
    {"threshold", 0, PM_OPT_CUSTOM, AT(threshold), "METRIC:SIZE",
     "Exit status 1 if a row or the total grew by at least that: METRIC is mappings, size, rss, "
     "pss, private, private_dirty or swap",
     read_threshold},
    {0}};

static bool is_reached(const diff *d, int metric, int64_t delta)
{
    return d->threshold[metric] != PMAPDB_UNKNOWN && delta != PMAPDB_UNKNOWN &&
           delta >= d->threshold[metric];
}

/* ---- rows ---- */

static void sum_row(diff *d, const pmapdb_rows *rows)
{
    for (int i = 0; i < PM_METRICS; i++) {
        char name[40];
        int64_t delta;

        snprintf(name, sizeof name, "%s_from", pm_metric_names[i]);
        d->from[i] = add(d->from[i], pm_side_int(rows, name));
        snprintf(name, sizeof name, "%s_to", pm_metric_names[i]);
        d->to[i] = add(d->to[i], pm_side_int(rows, name));
        snprintf(name, sizeof name, "%s_delta", pm_metric_names[i]);
        delta = pm_side_int(rows, name);
        d->delta[i] = add(d->delta[i], delta);
        d->found |= is_reached(d, i, delta);
    }
    pm_blame_row(&d->blame, rows);
}

/* The value of one column in the line TOTAL. */
static pm_value total_value(const diff *d, const char *column, bool first)
{
    pm_value v = {.kind = PM_VALUE_NULL};

    if (first)
        return (pm_value){.kind = PM_VALUE_TEXT, .t = PM_TEXT("TOTAL")};
    for (int i = 0; i < PM_METRICS; i++) {
        size_t n = strlen(pm_metric_names[i]);
        const char *which = column + n + 1;

        if (strncmp(column, pm_metric_names[i], n) != 0 || column[n] != '_')
            continue;
        if (strcmp(which, "from") == 0)
            v.i = d->from[i];
        else if (strcmp(which, "to") == 0)
            v.i = d->to[i];
        else if (strcmp(which, "delta") == 0)
            v.i = d->delta[i];
        else
            continue;
        v.kind = v.i == PMAPDB_UNKNOWN ? PM_VALUE_NULL : PM_VALUE_INT;
        return v;
    }
    return (pm_value){.kind = PM_VALUE_TEXT, .t = PM_TEXT("")};
}

static pmapdb_status write_total(const diff *d, pm_render *render, const pm_column *columns, int n,
                                 pmapdb_error *err)
{
    pm_value values[PM_QUERY_ITEMS];

    for (int i = 0; i < n; i++)
        values[i] = total_value(d, columns[i].name, i == 0);
    return pm_render_total(render, values, err);
}

static pmapdb_status write_rows(diff *d, pmapdb_rows *rows, const pm_sink *sink, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(d->cli);
    pm_column columns[PM_QUERY_ITEMS];
    pm_value values[PM_QUERY_ITEMS];
    bool keep[PM_QUERY_ITEMS], has;
    int n = pm_run_columns(d->cli, rows, keep, columns);
    pm_render *render = NULL;
    pm_cli_about said;
    pmapdb_status st;

    pm_cli_describe(rows, keep, &said);
    how.about = &said.about;
    st = pm_render_new(&how, sink, columns, n, &render, err);
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has) {
        pm_run_values(rows, keep, values);
        sum_row(d, rows);
        st = pm_render_row(render, values, err);
    }
    for (int i = 0; i < PM_METRICS; i++)
        d->found |= is_reached(d, i, d->delta[i]); /* many small ones count as well */
    if (st == PMAPDB_OK && pm_cli_is_for_people(d->cli))
        st = write_total(d, render, columns, n, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(d->cli, render);
    pm_render_free(render);
    return st;
}

/* ---- what stands above and below ---- */

static pmapdb_status write_title(const diff *d, const pm_sink *sink, pmapdb_error *err)
{
    char a[256], b[256];
    pm_flow flow = {.sink = sink, .err = err, .width = pm_cli_render_options(d->cli).width};

    pm_side_describe(&d->older, a, sizeof a);
    pm_side_describe(&d->newer, b, sizeof b);
    pm_flow_begin(&flow, 0, 4);
    pm_flow_put(&flow, 0, PM_FLOW_PLAIN, pm_text_of(a));
    pm_flow_put(&flow, 1, PM_FLOW_PLAIN, PM_TEXT("->"));
    pm_flow_put(&flow, 1, PM_FLOW_PLAIN, pm_text_of(b));
    if (!pm_side_same_process(&d->older, &d->newer))
        pm_flow_say(&flow, 0, ": different processes");
    pm_flow_end(&flow);
    pm_flow_free(&flow);
    return flow.st;
}

/* What the rows leave unexplained, in KiB; the worst metric. Rows that lack what the totals have
 * are unexplained as well. */
static int64_t unexplained(const diff *d, const char **which)
{
    int64_t worst = 0;

    for (int i = 0; i < PM_METRICS; i++) {
        int64_t totals = subtract(d->newer.total[i], d->older.total[i]);
        int64_t rest = subtract(totals, d->delta[i]);

        if (rest == PMAPDB_UNKNOWN)
            rest = totals == d->delta[i] ? 0 : totals == PMAPDB_UNKNOWN ? 0 : totals;
        if (llabs(rest) > llabs(worst)) {
            worst = rest;
            *which = pm_metric_names[i];
        }
    }
    return worst;
}

static void tool_words(const char *what, int64_t older, int64_t newer, char *out, size_t size)
{
    if (older == PMAPDB_UNKNOWN || newer == PMAPDB_UNKNOWN)
        snprintf(out, size, "%s ?", what);
    else
        snprintf(out, size, "%s %lld -> %lld (%+lld KiB)", what, (long long)older, (long long)newer,
                 (long long)(newer - older));
}

/* Footers of both sides, or VmRSS of the status files beside them. */
static bool tools_said(const diff *d)
{
    return (d->older.tool_size != PMAPDB_UNKNOWN && d->newer.tool_size != PMAPDB_UNKNOWN) ||
           (d->older.tool_rss != PMAPDB_UNKNOWN && d->newer.tool_rss != PMAPDB_UNKNOWN);
}

static pmapdb_status write_proof(const diff *d, const pm_sink *sink, int64_t rest,
                                 const char *which, pmapdb_error *err)
{
    char size[128], rss[128];
    pm_flow flow = {.sink = sink, .err = err, .width = pm_cli_render_options(d->cli).width};

    pm_flow_begin(&flow, 0, 4);
    pm_flow_say(&flow, 0, "unexplained %lld KiB%s%s", (long long)rest, rest ? " of " : "",
                rest ? which : "");
    pm_flow_end(&flow);
    if (tools_said(d)) {
        tool_words("size", d->older.tool_size, d->newer.tool_size, size, sizeof size);
        tool_words("rss", d->older.tool_rss, d->newer.tool_rss, rss, sizeof rss);
        pm_flow_begin(&flow, 0, 4);
        pm_flow_say(&flow, 0, "the captures themselves say: %s, %s", size, rss);
        pm_flow_end(&flow);
    }
    pm_flow_free(&flow);
    return flow.st;
}

static pmapdb_status write_next(const diff *d, const pm_sink *sink, pmapdb_error *err)
{
    pm_blame_asked asked = {.older = &d->older,
                            .newer = &d->newer,
                            .by = d->by,
                            .store = d->store,
                            .dialect = pm_run_given(&d->args, "dialect")};
    pm_render_options how = pm_cli_render_options(d->cli);

    return pm_blame_write(&d->blame, &asked, &how, sink, err);
}

/* Rows cannot be compared with a sum. */
static pmapdb_status refuse_sums(const diff *d, pmapdb_error *err)
{
    bool older = pm_side_has_sums_only(&d->older), newer = pm_side_has_sums_only(&d->newer);
    char a[64], b[64];

    if (strcmp(d->by, "category") == 0 || (!older && !newer))
        return PMAPDB_OK;
    pm_side_which(&d->older, a, sizeof a);
    pm_side_which(&d->newer, b, sizeof b);
    if (older && newer)
        return pm_fail(err, PMAPDB_USAGE,
                       "the snapshots %s and %s have sums only: --by category compares them", a, b);
    return pm_fail(err, PMAPDB_USAGE,
                   "the %s snapshot %s has sums only: --by category compares them",
                   older ? "older" : "newer", older ? a : b);
}

/* ---- the run ---- */

static pmapdb_status write_all(diff *d, pmapdb_rows *rows, const pm_sink *sink, bool *proved,
                               pmapdb_error *err)
{
    bool table = pm_cli_is_for_people(d->cli), md = d->cli->format == PM_FORMAT_MD;
    const char *which = "";
    int64_t rest;
    pmapdb_status st = table ? write_title(d, sink, err) : PMAPDB_OK;

    if (st == PMAPDB_OK && md)
        st = pm_render_line(sink, PM_TEXT(""), err); /* Markdown's tables stand alone */
    if (st == PMAPDB_OK)
        st = write_rows(d, rows, sink, err);
    if (st == PMAPDB_OK && md)
        st = pm_render_line(sink, PM_TEXT(""), err);
    if (st != PMAPDB_OK)
        return st;
    rest = unexplained(d, &which);
    *proved = rest == 0;
    if (table)
        st = write_proof(d, sink, rest, which, err);
    if (table)
        return st == PMAPDB_OK ? write_next(d, sink, err) : st;
    if (rest)
        pm_cli_say("unexplained %lld KiB of %s", (long long)rest, which);
    return PMAPDB_OK;
}

static int run(diff *d, pmapdb_store *store)
{
    char query[32];
    pmapdb_rows *rows = NULL;
    pm_cli_out *out = NULL;
    pm_sink sink;
    bool proved = true;
    pmapdb_error err;
    pmapdb_status st = pm_side_read(&d->args, store, &d->older, &d->newer, &err);

    snprintf(query, sizeof query, "diff-%s", d->by);
    if (st == PMAPDB_OK)
        st = refuse_sums(d, &err);
    if (st == PMAPDB_OK)
        st = pmapdb_query(store, query, &rows, &err);
    if (st == PMAPDB_OK)
        st = pm_run_bind(&d->args, rows, &err);
    if (st == PMAPDB_OK)
        st = pm_cli_out_open(d->cli->output, &out, &err);
    if (st == PMAPDB_OK) {
        pm_side_say(&d->older, &d->newer);
        sink = pm_cli_out_sink(out);
        st = write_all(d, rows, &sink, &proved, &err);
    }
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(out, &err);
    pm_cli_out_close(out);
    pmapdb_rows_close(rows);
    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    return !proved ? PM_EXIT_TROUBLE : d->found ? PM_EXIT_FOUND : PM_EXIT_OK;
}

int pm_cli_diff(pm_cli *cli, int argc, char **argv)
{
    diff d = {.cli = cli, .by = "category"};
    pm_query_info *info = NULL;
    int exit_code;
    pmapdb_error err;

    pm_cli_must(pm_catalog_find(cli->query_dir, "diff-category", &info, &err), &err);
    d.args = (pm_run_args){.cli = cli, .info = info, .own = options, .own_values = &d};
    for (int i = 0; i < PM_METRICS; i++)
        d.threshold[i] = PMAPDB_UNKNOWN;
    pm_run_parse(&d.args, argc, argv);
    d.store = pm_cli_store(cli, PMAPDB_READ);
    exit_code = run(&d, d.store);
    pmapdb_close(d.store);
    pm_catalog_free(info);
    return exit_code;
}
