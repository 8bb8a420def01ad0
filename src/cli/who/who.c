/* who: pmapdb who: shows which call stacks allocated what grew. */
#include "cli/who/who.h"

#include <stdlib.h>

#define AT(field) offsetof(pm_who, field)

static const pm_option options[] = {
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
    if (w->n_words && pm_run_given(&w->args, "lineages"))
        pm_cli_usage(w->cli, "--lineages names the mappings already: leave '%s' out", w->word[0]);
}

/* Reads both moments. A list of events needs only one snapshot. */
static void read_moments(pm_who *w)
{
    if (w->events)
        pm_moment_read(&w->args, "diff-total", &w->older, &w->newer);
    else
        pm_moment_read_two(&w->args, "diff-total", &w->older, &w->newer);
    if (w->events)
        return;
    if (pm_moment_has_sums_only(&w->older) || pm_moment_has_sums_only(&w->newer))
        pm_cli_die("the %s snapshot has sums only, no mappings: --from and --to choose others",
                   pm_moment_has_sums_only(&w->older) ? "older" : "newer");
    pm_moment_say(&w->older, &w->newer);
}

pmapdb_rows *pm_who_query(const pm_who *w, const char *name)
{
    pmapdb_rows *rows = pm_run_query(&w->args, name);
    pmapdb_error err;

    if (w->lineages)
        pm_cli_must(pmapdb_bind(rows, "lineages", w->lineages, &err), &err);
    return rows;
}

static void list_events(const pm_who *w)
{
    pmapdb_rows *rows = pm_who_query(w, "who-events");
    pmapdb_error err;

    if (w->since)
        pm_cli_must(pmapdb_bind(rows, "since", w->since, &err), &err);
    if (w->until)
        pm_cli_must(pmapdb_bind(rows, "until", w->until, &err), &err);
    pm_answer_write(w->cli, rows, NULL, NULL);
    pmapdb_rows_close(rows);
}

int pm_cli_who(pm_cli *cli, int argc, char **argv)
{
    pm_who w = {.cli = cli};

    w.args = (pm_run_args){.cli = cli,
                           .query = "who",
                           .own = options,
                           .own_values = &w,
                           .operands = "[LINEAGE|CATEGORY|ADDRESS...]"};
    w.n_words = (size_t)pm_run_parse(&w.args, argc, argv);
    w.word = (const char *const *)(argv + 1);
    check(&w);
    pm_run_open(&w.args);
    read_moments(&w);
    if (!w.events || w.n_words)
        pm_who_find_mappings(&w);
    if (w.events)
        list_events(&w);
    else
        pm_who_stacks(&w);
    free(w.lineages);
    pm_run_end(&w.args);
    return PM_EXIT_OK;
}
