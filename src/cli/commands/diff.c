/* diff: pmapdb diff: what grew between two snapshots, with a proof that the rows are complete. */
#include "cli/advice/next_steps.h"
#include "cli/run.h"
#include "cli/who/who.h"

#include "base/num.h"
#include "stats/constants.h"
#include <inttypes.h>
#include <stdlib.h>

/* The row that grew most. */
typedef struct top_row {
    int64_t delta; /* 0: no row grew */
    int64_t lineage, pid, process_id;
    bool is_new;
    char category[128], object[512], name[128];
} top_row;

typedef struct diff {
    pm_cli *cli;
    const char *by;
    int64_t threshold[PM_METRICS]; /* PMAPDB_UNKNOWN: none */
    pm_run_args args;
    pm_moment older, newer;
    int64_t delta[PM_METRICS]; /* sums of the rows */
    top_row by_rss, by_size;
    bool found;
} diff;

/* ---- options ---- */

/* Returns the metric called "rss" or "rss_kib", or -1. */
static int metric_of(pm_text name)
{
    int i = PM_METRICS - 1;

    for (; i >= 0; i--) {
        pm_text whole = pm_text_of(pm_metric_names[i]);

        if (pm_text_equal(name, whole) ||
            (pm_text_starts(whole, name) &&
             pm_text_equal(pm_text_from(whole, name.len), PM_TEXT("_kib"))))
            break;
    }
    return i;
}

/* Each metric may have one threshold. The exit status says "found" if any threshold is reached. */
static const char *read_threshold(const char *arg, void *value)
{
    int64_t *thresholds = value, least = 0;
    const char *colon = strchr(arg, ':');
    pm_text name = {arg, colon ? (size_t)(colon - arg) : 0};
    uint64_t count = 0;
    int metric = colon ? metric_of(name) : -1;

    if (metric < 0 || (metric && !pm_num_size(pm_text_of(colon + 1), &least)) ||
        (!metric && !pm_num_all(pm_text_of(colon + 1), &count)))
        return "METRIC:SIZE like rss:10M or mappings:100";
    if (thresholds[metric] != PMAPDB_UNKNOWN)
        return "each metric once";
    thresholds[metric] = metric == 0 ? (int64_t)count : least;
    return NULL;
}

#define AT(field) offsetof(diff, field)

static const pm_option options[] = {
    {"by", 0, PM_OPT_CHOICE, AT(by), "category|object|lineage|process",
     "What is compared (category; process where several names are in the store and none is given)"},
    {"threshold", 0, PM_OPT_CUSTOM, AT(threshold), "METRIC:SIZE",
     "Exit status 1 if a row or the total grew by at least that: METRIC is mappings, size, rss, "
     "pss, private, private_dirty or swap",
     read_threshold},
    {0}};

/* ---- rows ---- */

static int64_t subtract(int64_t a, int64_t b)
{
    return a == PMAPDB_UNKNOWN || b == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : a - b;
}

static bool is_reached(const diff *d, int metric, int64_t delta)
{
    return d->threshold[metric] != PMAPDB_UNKNOWN && delta != PMAPDB_UNKNOWN &&
           delta >= d->threshold[metric];
}

/* Of processes, one that was there at both moments is preferred: one that began did not grow. */
static void see_growth(top_row *top, const pmapdb_rows *row, const char *metric)
{
    int64_t delta = pm_answer_int(row, metric);
    bool processes = top->name[0], is_new;
    char change[16];

    pm_answer_text(row, "change", change, sizeof change);
    is_new = strcmp(change, "new") == 0;
    /* Less growth than this counts as noise, as in `leaks`. */
    if (delta == PMAPDB_UNKNOWN || (double)delta < PM_MATERIAL_KIB ||
        (processes ? is_new || !top->is_new : delta <= top->delta))
        return;
    top->delta = delta;
    top->lineage = pm_answer_int(row, "lineage_id");
    top->pid = pm_answer_int(row, "pid");
    top->process_id = pm_answer_int(row, "process_id");
    top->is_new = is_new;
    pm_answer_text(row, "name", top->name, sizeof top->name);
    pm_answer_text(row, "category", top->category, sizeof top->category);
    pm_answer_text(row, "object", top->object, sizeof top->object);
}

/* Each metric as rss_kib_delta. */
static void delta_of(int metric, char out[32])
{
    snprintf(out, 32, "%s_delta", pm_metric_names[metric]);
}

static void see_row(void *ctx, const pmapdb_rows *row)
{
    diff *d = ctx;
    char column[32];

    for (int i = 0; i < PM_METRICS; i++) {
        delta_of(i, column);
        d->found |= is_reached(d, i, pm_answer_int(row, column));
    }
    see_growth(&d->by_rss, row, "rss_kib_delta");
    see_growth(&d->by_size, row, "size_kib_delta");
}

/* ---- lines above and below the rows ---- */

static void write_title(const diff *d, pm_output *out)
{
    char older[256], newer[256];
    pm_flow flow = pm_output_flow(out);

    pm_moment_describe(&d->older, older, sizeof older);
    pm_moment_describe(&d->newer, newer, sizeof newer);
    pm_flow_begin(&flow, 0, 4);
    pm_flow_put(&flow, 0, PM_FLOW_PLAIN, pm_text_of(older));
    pm_flow_put(&flow, 1, PM_FLOW_PLAIN, PM_TEXT("->"));
    pm_flow_put(&flow, 1, PM_FLOW_PLAIN, pm_text_of(newer));
    if (!pm_moment_same_process(&d->older, &d->newer))
        pm_flow_say(&flow, 0, ": different processes");
    pm_flow_end(&flow);
    pm_flow_free(&flow);
}

/* Returns the KiB that the rows leave unexplained, for the worst metric. If the totals know a
 * metric and the rows do not, its whole growth is unexplained. */
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

static void say_claim(pm_flow *flow, const char *what, int64_t older, int64_t newer)
{
    if (older == PMAPDB_UNKNOWN || newer == PMAPDB_UNKNOWN)
        pm_flow_say(flow, 1, "%s ?", what);
    else
        pm_flow_say(flow, 1, "%s %" PRId64 " -> %" PRId64 " (%+" PRId64 " KiB)", what, older, newer,
                    newer - older);
}

static void write_proof(const diff *d, pm_output *out, int64_t rest, const char *which)
{
    pm_flow flow = pm_output_flow(out);

    pm_flow_begin(&flow, 0, 4);
    pm_flow_say(&flow, 0, "unexplained %" PRId64 " KiB%s%s", rest, rest ? " of " : "",
                rest ? which : "");
    pm_flow_end(&flow);
    /* footers, or VmRSS from the status files next to the captures */
    if (subtract(d->newer.tool_size, d->older.tool_size) != PMAPDB_UNKNOWN ||
        subtract(d->newer.tool_rss, d->older.tool_rss) != PMAPDB_UNKNOWN) {
        pm_flow_begin(&flow, 0, 4);
        pm_flow_say(&flow, 0, "the captures' own totals (footer, VmRSS) say:");
        say_claim(&flow, "size", d->older.tool_size, d->newer.tool_size);
        pm_flow_put(&flow, 0, PM_FLOW_PLAIN, PM_TEXT(","));
        say_claim(&flow, "rss", d->older.tool_rss, d->newer.tool_rss);
        pm_flow_end(&flow);
    }
    pm_flow_free(&flow);
}

/* ---- what to do about the row that grew most ---- */

static bool is_object(const top_row *top)
{
    return top->object[0] && strcmp(top->object, top->category) != 0;
}

/* Prints who allocated it; prints nothing if perf recorded none of it. Skips objects, because an
 * object can have several categories. */
static void print_who(const diff *d, const top_row *top, const pm_next_steps *next, FILE *out)
{
    const pm_who_of of = {.process_id = d->newer.process_id,
                          .lineage = top->lineage,
                          .category = next->category,
                          .dialect = next->dialect,
                          .from = next->from,
                          .to = next->to};

    if (!next->lives && !is_object(top) && pm_who_recorded(d->args.store))
        pm_who_top(out, d->args.store, &of);
}

static void put_top(pm_flow *f, const top_row *top)
{
    if (top->name[0])
        pm_flow_say(f, 0, "%s", top->name);
    else if (top->lineage != PMAPDB_UNKNOWN)
        pm_flow_say(f, 0, "lineage %" PRId64 " (%s)", top->lineage, top->category);
    else if (is_object(top))
        pm_flow_say(f, 0, "%s (%s)", top->object, top->category);
    else
        pm_flow_say(f, 0, "%s", top->category);
}

/* Writes a line for people. Growth of resident memory takes precedence over growth of address
 * space. */
static void write_next(const diff *d, pm_output *out)
{
    const top_row *top = d->by_rss.delta ? &d->by_rss : &d->by_size;
    bool same = pm_moment_same_process(&d->older, &d->newer), single = top->name[0];
    char from[32], to[32], command[32];
    pm_next_steps next = {.category = pm_text_of(top->category),
                          .name = pm_text_of(single ? top->name : d->newer.name),
                          .pid = single ? top->pid : d->newer.pid,
                          .process_id = single ? top->process_id
                                        : same ? d->newer.process_id
                                               : PMAPDB_UNKNOWN,
                          .lives = single ? top->is_new : !same,
                          .lineage = top->lineage,
                          .dialect = pm_text_of(pm_run_given(&d->args, "dialect")),
                          .from = {from, 0},
                          .to = {to, 0},
                          .asked = {command, 0}};
    pm_words who = {0}, words = {0};
    pm_flow f = pm_output_flow(out);

    if (!top->delta || d->cli->sort) /* another order hides which name grew most */
        return;
    pm_moment_selector(&d->older, from, sizeof from);
    pm_moment_selector(&d->newer, to, sizeof to);
    snprintf(command, sizeof command, "diff --by %s", d->by);
    next.from.len = strlen(from);
    next.to.len = strlen(to);
    next.asked.len = strlen(command);
    print_who(d, top, &next, pm_words_begin(&who));
    next.recorded = pm_words_end(&who).len > 0;
    pm_next_steps_print(pm_words_begin(&words), &next);
    pm_flow_begin(&f, 0, 4);
    put_top(&f, top);
    pm_flow_say(&f, 1, "grew most%s;", d->by_rss.delta ? "" : " in address space");
    if (who.len) {
        pm_flow_say(&f, 1, "who:");
        pm_flow_words(&f, 1, pm_text_of(who.data));
        pm_flow_put(&f, 0, PM_FLOW_PLAIN, PM_TEXT(";"));
    }
    pm_flow_say(&f, 1, "next:");
    pm_flow_words(&f, 1, pm_words_end(&words));
    pm_flow_end(&f);
    pm_flow_free(&f);
    free(words.data);
    free(who.data);
}

/* ---- the run ---- */

/* Ends the program if it would have to compare rows with sums: only --by category can. */
static void refuse_sums(const diff *d)
{
    const pm_moment *s = pm_moment_has_sums_only(&d->older) ? &d->older : &d->newer;
    char which[32];

    pm_moment_selector(s, which, sizeof which);
    if (pm_moment_has_sums_only(s))
        pm_cli_die("the snapshot %s has sums only: --by category compares it", which);
}

/* Returns the KiB that the rows leave unexplained. */
static int64_t write_diff(diff *d, pmapdb_rows *rows)
{
    bool people = pm_cli_is_for_people(d->cli);
    const char *gap = d->cli->format == PM_FORMAT_MD ? "\n" : ""; /* around a table of Markdown */
    const char *which = "";
    pm_answer_view view;
    pm_output out;
    int64_t rest;

    pm_output_open(&out, d->cli);
    if (people)
        write_title(d, &out);
    pm_output_text(&out, "%s", gap);
    pm_answer_rows(&out, rows, &view, see_row, d);
    for (int i = 0; i < PM_METRICS; i++) {
        char column[32];

        delta_of(i, column);
        d->delta[i] = pm_answer_sum(rows, &view, column);
        d->found |= is_reached(d, i, d->delta[i]); /* many small rows can together */
    }
    rest = unexplained(d, &which);
    if (people) {
        pm_output_end_rows(&out);
        pm_output_text(&out, "%s", gap);
        write_proof(d, &out, rest, which);
        write_next(d, &out);
    }
    if (rest && !people && !pm_output_failed(&out))
        pm_cli_say("unexplained %" PRId64 " KiB of %s", rest, which);
    pm_output_end(&out);
    return rest;
}

int pm_cli_diff(pm_cli *cli, int argc, char **argv)
{
    diff d = {.cli = cli};
    pmapdb_rows *rows;
    char query[32];
    int64_t rest;

    d.args = (pm_run_args){.cli = cli, .query = "diff-category", .own = options, .own_values = &d};
    for (int i = 0; i < PM_METRICS; i++)
        d.threshold[i] = PMAPDB_UNKNOWN;
    pm_run_parse(&d.args, argc, argv);
    pm_run_open(&d.args);
    if (!d.by)
        d.by = pm_run_asks_host(&d.args) ? "process" : "category";
    pm_moment_read_two(&d.args, strcmp(d.by, "process") == 0 ? "diff-process-total" : "diff-total",
                       &d.older, &d.newer);
    if (strcmp(d.by, "category") != 0)
        refuse_sums(&d);
    snprintf(query, sizeof query, "diff-%s", d.by);
    rows = pm_run_query(&d.args, query);
    pm_moment_say(&d.args, pm_text_of(strcmp(d.by, "process") == 0 ? query : "diff"));
    rest = write_diff(&d, rows);
    pmapdb_rows_close(rows);
    pm_run_end(&d.args);
    return rest ? PM_EXIT_TROUBLE : d.found ? PM_EXIT_FOUND : PM_EXIT_OK;
}
