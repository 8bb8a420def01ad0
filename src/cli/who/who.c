/* who: pmapdb who: shows which call stacks allocated what grew. */
#include "cli/who/who.h"

#include <inttypes.h>
#include <stdlib.h>

#define AT(field) offsetof(pm_who, field)

static const pm_option options[] = {
    {"lineage", 0, PM_OPT_WORD, AT(part[0]), "ID", "Only what this mapping through time holds",
     NULL},
    {"category", 0, PM_OPT_WORD, AT(part[1]), "CATEGORY",
     "Only what this category holds, and its parts (anonymous/malloc)", NULL},
    {"address", 0, PM_OPT_WORD, AT(part[2]), "HEX", "Only what the mapping at this address holds",
     NULL},
    {"folded", 0, PM_OPT_FLAG, AT(folded), NULL,
     "Chains and the bytes that they grew by, for flamegraph.pl and the like", NULL},
    {"events", 0, PM_OPT_FLAG, AT(events), NULL, "The calls themselves, in order (who-events)",
     NULL},
    {"since", 0, PM_OPT_TEXT, AT(since), "TIME",
     "With --events: only calls since then: a time, -1h before the newest snapshot, now-7d", NULL},
    {"until", 0, PM_OPT_TEXT, AT(until), "TIME", "With --events: only calls up to then", NULL},
    {0}};

static void check(const pm_who *w)
{
    if (w->folded && w->events)
        pm_cli_usage(w->cli, "--folded and --events do not go together");
    if (!w->events && (w->since || w->until))
        pm_cli_usage(w->cli, "--since and --until go with --events; --from and --to say between "
                             "which snapshots it grew");
}

/* Of several names, chooses the only process that perf recorded. */
static void choose_process(pm_who *w)
{
    if (pm_run_ask(w->args.store,
                   "SELECT '@' || process_id FROM (SELECT max(process_id) AS process_id, "
                   "count(DISTINCT process_id) AS n FROM traced_process) WHERE n = 1 AND "
                   "(SELECT count(DISTINCT name_id) FROM process) > 1",
                   w->process, sizeof w->process))
        pm_run_give(&w->args, "process", w->process);
}

/* Without --from and --to, chooses the snapshots around what perf recorded. */
static void choose_span(pm_who *w)
{
    static const char *const ids[] = {"from_id", "to_id"}, *const params[] = {"from", "to"};
    pmapdb_rows *rows;
    bool has;

    if (pm_run_given(&w->args, "from") || pm_run_given(&w->args, "to"))
        return;
    if (!pm_run_given(&w->args, "process"))
        choose_process(w);
    rows = pm_run_query(&w->args, "who-recordings");
    has = pm_run_next(rows);
    for (int i = 0; i < 2 && has; i++) {
        int64_t id = pm_answer_int(rows, ids[i]);

        snprintf(w->span[i], sizeof w->span[i], "@%" PRId64, id);
        if (id != PMAPDB_UNKNOWN)
            pm_run_give(&w->args, params[i], w->span[i]);
    }
    pmapdb_rows_close(rows);
}

/* Reads both moments. A list of events needs only one snapshot. */
static void read_moments(pm_who *w)
{
    choose_span(w);
    if (w->events) {
        pm_moment_read(&w->args, "diff-total", &w->older, &w->newer);
        return;
    }
    pm_moment_read_two(&w->args, "diff-total", &w->older, &w->newer);
    if (pm_moment_has_sums_only(&w->older) || pm_moment_has_sums_only(&w->newer))
        pm_cli_die("the %s snapshot has sums only, no mappings: --from and --to choose others",
                   pm_moment_has_sums_only(&w->older) ? "older" : "newer");
    pm_moment_say(&w->args, PM_TEXT("diff"));
}

/* Sets lineages, size and rss. Ends the program if there is no such mapping. */
static void find_mappings(pm_who *w)
{
    pmapdb_rows *rows = pm_run_query(&w->args, "who-mappings");
    bool any = false;

    for (int i = 0; i < PM_WHO_PARTS; i++) {
        pm_answer_bind(rows, options[i].name, w->part[i]);
        any |= w->part[i] != NULL;
    }
    if (pm_run_next(rows)) {
        const char *lineages = pm_answer_bytes(rows, "lineages").data;

        if (any && !lineages)
            pm_cli_die("no such mapping in either snapshot; pmapdb top-lineages and categories "
                       "show what there is");
        w->lineages = any ? strdup(lineages) : NULL;
        w->size[0] = pm_answer_int(rows, "size_kib_from");
        w->size[1] = pm_answer_int(rows, "size_kib_to");
        w->rss[0] = pm_answer_int(rows, "rss_kib_from");
        w->rss[1] = pm_answer_int(rows, "rss_kib_to");
        if (any && !w->lineages)
            pm_cli_no_memory();
    }
    pmapdb_rows_close(rows);
}

pmapdb_rows *pm_who_query(const pm_who *w, const char *name)
{
    pmapdb_rows *rows = pm_run_query(&w->args, name);

    pm_answer_bind(rows, "lineages", w->lineages);
    return rows;
}

static void list_events(const pm_who *w)
{
    pmapdb_rows *rows = pm_who_query(w, "who-events");

    pm_answer_bind(rows, "since", w->since);
    pm_answer_bind(rows, "until", w->until);
    pm_answer_write(w->cli, rows, NULL, NULL);
    pmapdb_rows_close(rows);
}

int pm_cli_who(pm_cli *cli, int argc, char **argv)
{
    pm_who w = {.cli = cli};

    w.args = (pm_run_args){.cli = cli, .query = "who", .own = options, .own_values = &w};
    pm_run_parse(&w.args, argc, argv);
    check(&w);
    pm_run_open(&w.args);
    read_moments(&w);
    find_mappings(&w);
    if (w.events)
        list_events(&w);
    else
        pm_who_stacks(&w);
    free(w.lineages);
    pm_run_end(&w.args);
    return PM_EXIT_OK;
}
