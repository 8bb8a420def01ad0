/* who: pmapdb who: which call stacks allocated what grew. It finds the lineages that are meant
 * and chooses the query. */
#include "cli/named.h"
#include "cli/who_show.h"
#include "cli/write.h"

#include <stdio.h>
#include <stdlib.h>

static const char more[] =
    "LINEAGE is a number that top-lineages shows, CATEGORY one like heap or anonymous (with its "
    "parts, like anonymous/malloc), ADDRESS one in hexadecimal: 0x7f0012345000; nothing: all "
    "mappings. pmapdb import-perf --help tells how to record.";

typedef struct who {
    pm_cli *cli;
    pm_run_args args;
    bool folded, events;
    const char *since, *until;
    const char *const *word;
    size_t n_words;
    pm_side older, newer;
} who;

/* ---- options ---- */

#define AT(field) offsetof(who, field)

static const pm_option options[] = {
    {"folded", 0, PM_OPT_FLAG, AT(folded), NULL,
     "Chains and the bytes that they grew by, for flamegraph.pl and its kind", NULL},
    {"events", 0, PM_OPT_FLAG, AT(events), NULL, "The calls themselves, in order (who-events)",
     NULL},
    {"since", 0, PM_OPT_TEXT, AT(since), "TIME",
     "With --events: only calls since then: a time, -1h before the newest snapshot, now-7d", NULL},
    {"until", 0, PM_OPT_TEXT, AT(until), "TIME", "With --events: only calls up to then", NULL},
    {0}};

static void check(const who *w)
{
    if (w->folded && w->events)
        pm_cli_usage(w->cli, "--folded and --events do not go together");
    if (!w->events && (w->since || w->until))
        pm_cli_usage(w->cli, "--since and --until go with --events; --from and --to say between "
                             "which snapshots it grew");
    if (w->n_words && pm_run_given(&w->args, "lineages"))
        pm_cli_usage(w->cli, "--lineages names the mappings already: leave '%s' out", w->word[0]);
}

/* ---- the run ---- */

/* One snapshot is enough to list calls. */
static pmapdb_status read_sides(who *w, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_status st = pm_side_read(&w->args, store, &w->older, &w->newer, err);

    if (w->events)
        return st == PMAPDB_USAGE && w->newer.taken_at[0] ? PMAPDB_OK : st;
    if (st == PMAPDB_OK && (pm_side_has_sums_only(&w->older) || pm_side_has_sums_only(&w->newer)))
        st = pm_fail(err, PMAPDB_USAGE,
                     "the %s snapshot has sums only, no mappings: --from and --to choose others",
                     pm_side_has_sums_only(&w->older) ? "older" : "newer");
    if (st == PMAPDB_OK)
        pm_side_say(&w->older, &w->newer);
    return st;
}

static pmapdb_status open_query(const who *w, pmapdb_store *store, const char *name,
                                const pm_who_what *what, pmapdb_rows **rows, pmapdb_error *err)
{
    pmapdb_status st = pmapdb_query(store, name, rows, err);

    if (st == PMAPDB_OK)
        st = pm_run_bind(&w->args, *rows, err);
    if (st == PMAPDB_OK && what && what->lineages.len)
        st = pmapdb_bind(*rows, "lineages", what->lineages.data, err);
    return st;
}

static pmapdb_status list_events(const who *w, pmapdb_store *store, const pm_who_what *what,
                                 pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pmapdb_status st = open_query(w, store, "who-events", what, &rows, err);

    if (st == PMAPDB_OK && w->since)
        st = pmapdb_bind(rows, "since", w->since, err);
    if (st == PMAPDB_OK && w->until)
        st = pmapdb_bind(rows, "until", w->until, err);
    if (st == PMAPDB_OK)
        st = pm_cli_write(w->cli, rows, err);
    pmapdb_rows_close(rows);
    return st;
}

static pmapdb_status list_stacks(const who *w, pmapdb_store *store, const pm_who_ask *ask,
                                 const pm_who_what *what, pmapdb_error *err)
{
    pm_who_show show = {.cli = w->cli, .ask = ask, .what = what};
    pmapdb_status st = open_query(w, store, "who", what, &show.rows, err);

    if (st == PMAPDB_OK)
        st = open_query(w, store, "who-recordings", NULL, &show.recordings, err);
    if (st == PMAPDB_OK && w->folded)
        st = pmapdb_bind(show.rows, "form", "folded", err);
    if (st == PMAPDB_OK)
        st = w->folded ? pm_who_show_folded(&show, err) : pm_who_show_rows(&show, err);
    pmapdb_rows_close(show.rows);
    pmapdb_rows_close(show.recordings);
    return st;
}

static pmapdb_status run(who *w, pmapdb_store *store, pmapdb_error *err)
{
    pm_who_ask ask = {.process = pm_run_given(&w->args, "process"),
                      .dialect = pm_run_given(&w->args, "dialect"),
                      .older = &w->older,
                      .newer = &w->newer,
                      .word = w->word,
                      .n_words = w->n_words};
    pm_who_what what = {0};
    pmapdb_status st = read_sides(w, store, err);

    if (st == PMAPDB_OK && (!w->events || w->n_words))
        st = pm_who_what_find(&what, store, &ask, err);
    if (st == PMAPDB_OK)
        st =
            w->events ? list_events(w, store, &what, err) : list_stacks(w, store, &ask, &what, err);
    pm_who_what_free(&what);
    return st;
}

static int answer(who *w)
{
    pmapdb_open_options open_options = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    pmapdb_error err;
    pmapdb_status st = pm_cli_open(w->cli, &open_options, &store);

    if (st == PMAPDB_OK) {
        st = run(w, store, &err);
        if (st != PMAPDB_OK)
            pm_cli_fail(st, &err);
    }
    pmapdb_close(store);
    return st == PMAPDB_OK || st == PMAPDB_STOPPED ? PM_EXIT_OK : PM_EXIT_TROUBLE;
}

int pm_cli_who(pm_cli *cli, int argc, char **argv)
{
    who w = {.cli = cli};
    pm_named named = {.name = "who"};
    pm_query_info *info = NULL;
    pmapdb_error err;
    int exit_code;

    pm_run_find_query_dir(cli, argc, argv);
    pm_cli_must(pm_named_find(cli, &named, &info, &err), &err);
    w.args = (pm_run_args){.cli = cli,
                           .info = info,
                           .own = options,
                           .own_values = &w,
                           .operands = "[LINEAGE|CATEGORY|ADDRESS...]",
                           .operand = PM_OPT_CATEGORY,
                           .more = more};
    w.n_words = (size_t)pm_run_parse(&w.args, argc, argv);
    w.word = (const char *const *)(argv + 1);
    check(&w);
    exit_code = answer(&w);
    pm_catalog_free(info);
    return exit_code;
}
