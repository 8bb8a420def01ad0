/* diff: pmapdb diff: what grew between two snapshots, with a proof that the rows are complete. */
#include "cli/advice/page.h"
#include "cli/run.h"

#include "base/num.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct diff {
    pm_cli *cli;
    const char *by;
    pm_buf thresholds; /* {"rss_kib":10240 as JSON, without the bracket at its end */
    pm_run_args args;
    pmapdb_rows *summary; /* the row of diff-summary */
} diff;

/* ---- options ---- */

/* Adds the threshold of a metric: "rss:10M" or "rss_kib:10M". The exit status says "found" if any
 * threshold is reached. */
static const char *read_threshold(const char *arg, void *value)
{
    static const char wants[] = "METRIC:SIZE like rss:10M or mappings:100";
    pm_buf *json = value;
    pm_text amount = pm_text_of(arg), name = pm_text_cut(&amount, ':');
    char metric[40];
    uint64_t count;
    int64_t least;

    if (pm_text_ends(name, PM_TEXT("_kib")))
        name.len -= strlen("_kib");
    if (!pm_text_listed(name, " mappings size rss pss private private_dirty swap "))
        return wants;
    snprintf(metric, sizeof metric, "\"%.*s%s\"", (int)name.len, name.data,
             *name.data == 'm' ? "" : "_kib");
    if (*name.data == 'm' ? !pm_num_all(amount, &count) : !pm_num_size(amount, &least))
        return wants;
    if (json->len && strstr(json->data, metric))
        return "each metric once";
    pm_buf_addf(json, NULL, "%s%s:%" PRId64, json->len ? "," : "{", metric,
                *name.data == 'm' ? (int64_t)count : least);
    return NULL;
}

#define AT(field) offsetof(diff, field)

static const pm_option options[] = {
    {"by", 0, PM_OPT_CHOICE, AT(by), "category|object|lineage|process",
     "What is compared (category; process where several names are in the store and none is given)"},
    {"threshold", 0, PM_OPT_CUSTOM, AT(thresholds), "METRIC:SIZE",
     "Exit status 1 if a row or the total grew by at least that: METRIC is mappings, size, rss, "
     "pss, private, private_dirty or swap",
     read_threshold},
    {0}};

/* ---- lines above and below the rows ---- */

static void write_title(const diff *d, pm_output *out)
{
    pm_output_words(out, "%s -> %s%s", pm_answer_bytes(d->summary, "older").data,
                    pm_answer_bytes(d->summary, "newer").data,
                    pm_answer_int(d->summary, "different") ? ": different processes" : "");
}

static void write_proof(const diff *d, pm_output *out, const char *unexplained)
{
    const char *claims = pm_answer_bytes(d->summary, "claims").data;

    pm_output_words(out, "%s", unexplained);
    if (claims)
        pm_output_words(out, "%s", claims);
}

/* Writes for people what grew most, who allocated it, and what to do about it. */
static void write_next(const diff *d, pm_output *out)
{
    pm_text top = pm_answer_bytes(d->summary, "top");
    pmapdb_rows *pages;
    char *who;

    if (!top.len || d->cli->sort) /* another order hides which name grew most */
        return;
    who = pm_answer_int(d->summary, "traceable") ? pm_page_who(d->args.store, d->summary) : NULL;
    pages = pm_page_ask(d->args.store);
    pm_page_next(pages, d->summary, who != NULL);
    pm_output_words(out, "%s%s%s%s next: %s", top.data, who ? " who: " : "", who ? who : "",
                    who ? ";" : "", pm_answer_bytes(pages, "next").data);
    pmapdb_rows_close(pages);
    free(who);
}

/* ---- the run ---- */

/* Asks what the rows prove. Ends the program if it would have to compare rows with sums: only --by
 * category can. */
static void summarize(diff *d, const char *query, const char *totals)
{
    char sums[32];

    if (d->thresholds.len)
        pm_buf_addf(&d->thresholds, NULL, "}");
    d->summary = pm_moment_compare(
        &d->args, totals,
        (pm_answer_arg[]){{"rows", .of = pm_run_query(&d->args, query)},
                          {"by", d->by},
                          {"thresholds", d->thresholds.len ? pm_cli_text(&d->thresholds) : NULL},
                          {"dialect", pm_run_given(&d->args, "dialect")},
                          {NULL, NULL}});
    pm_buf_free(&d->thresholds);
    if (!pm_answer_bytes(d->summary, "older").data)
        pm_cli_die("a snapshot lacks its process or the name of its process: the store is damaged; "
                   "'pmapdb doctor --deep' says more");
    pm_answer_text(d->summary, "sums_id", sums, sizeof sums);
    if (*sums && strcmp(d->by, "category") != 0)
        pm_cli_die("the snapshot %s has sums only: --by category compares it", sums);
}

/* Returns the KiB that the rows leave unexplained. */
static int64_t write_diff(const diff *d, pmapdb_rows *rows)
{
    bool people = pm_cli_is_for_people(d->cli);
    const char *gap = d->cli->format == PM_FORMAT_MD ? "\n" : ""; /* around a table of Markdown */
    int64_t rest = pm_answer_int(d->summary, "rest_kib");
    char metric[32], unexplained[96];
    pm_answer_view view;
    pm_output out;

    pm_answer_text(d->summary, "rest_metric", metric, sizeof metric);
    snprintf(unexplained, sizeof unexplained, "unexplained %" PRId64 " KiB%s%s", rest,
             rest ? " of " : "", rest ? metric : "");
    pm_output_open(&out, d->cli);
    if (people)
        write_title(d, &out);
    fputs(gap, out.text);
    pm_answer_rows(&out, rows, &view, NULL, NULL);
    if (people) {
        pm_output_end_rows(&out);
        fputs(gap, out.text);
        write_proof(d, &out, unexplained);
        write_next(d, &out);
    } else if (rest && !pm_output_failed(&out)) {
        pm_cli_say("%s", unexplained);
    }
    pm_output_end(&out);
    return rest;
}

int pm_cli_diff(pm_cli *cli, int argc, char **argv)
{
    diff d = {.cli = cli};
    bool host, found;
    pmapdb_rows *rows;
    char query[32];
    int64_t rest;

    d.args = (pm_run_args){.cli = cli, .query = "diff-category", .own = options, .own_values = &d};
    pm_run_parse(&d.args, argc, argv);
    pm_run_open(&d.args);
    if (!d.by)
        d.by = pm_run_asks_host(&d.args) ? "process" : "category";
    host = strcmp(d.by, "process") == 0;
    snprintf(query, sizeof query, "diff-%s", d.by);
    summarize(&d, query, host ? "diff-process-total" : "diff-total");
    pm_moment_say(&d.args, pm_text_of(host ? query : "diff"));
    rows = pm_run_query(&d.args, query);
    rest = write_diff(&d, rows);
    found = pm_answer_int(d.summary, "found");
    pmapdb_rows_close(rows);
    pmapdb_rows_close(d.summary);
    pm_run_end(&d.args);
    return rest ? PM_EXIT_TROUBLE : found ? PM_EXIT_FOUND : PM_EXIT_OK;
}
