/* moment: the two moments of a diff in words, and what answers lack. */
#include "cli/run.h"

#include <inttypes.h>
#include <string.h>

/* Ends the program where --from is a time after the newest capture. */
static void refuse_later(const pm_run_args *args, const char *newest)
{
    const char *from = pm_run_given(args, "from");
    int64_t now = pm_clock_now(), wanted, taken;

    if (from && pm_clock_parse_words(pm_text_of(from), now, &wanted) &&
        pm_clock_parse(pm_text_of(newest), &taken) && taken < wanted)
        pm_cli_die("nothing was captured since --from %s: the newest capture is of %s, %" PRId64
                   " min ago",
                   from, newest, (now - taken) / 60000);
}

pmapdb_rows *pm_moment_compare(const pm_run_args *args, const char *totals,
                               const pm_answer_arg *more)
{
    pmapdb_rows *summary = pm_answer_ask(args->store, "diff-summary", more);
    char newest[32], name[128];

    pm_answer_give(summary, "totals", pm_run_query(args, totals));
    if (!pm_run_next(summary) || !pm_answer_int(summary, "same"))
        return summary;
    pm_answer_text(summary, "newer_at", newest, sizeof newest);
    pm_answer_text(summary, "newer_name", name, sizeof name);
    refuse_later(args, newest);
    pm_cli_die("--from and --to are both %s of %s: there is nothing to compare", newest, name);
}

void pm_moment_say_notes(const pm_cli *cli, pmapdb_rows *notes)
{
    while (pm_run_next(notes))
        if (!cli->quiet || !pm_answer_int(notes, "minor"))
            pm_cli_say("%s", pm_answer_bytes(notes, "note").data);
    pmapdb_rows_close(notes);
}

void pm_moment_say(const pm_run_args *args, pm_text query)
{
    /* After the rows of one of `queries`, the query `notes` gets the rows of the query `asks` as
     * its parameter `param`. */
    static const struct {
        const char *queries, *asks, *param;
    } lists[] = {
        {"mappings mappings-words mappings-regions largest files fragments huge-pages threads",
         "mappings-total", "mappings"},
        {"diff top-growers top-lineages new-and-gone", "diff-total", "diff"},
        {"diff-process", "diff-process-total", "diff"},
        {"categories mappings mappings-words largest files by-process by-name", "unknown-rss",
         "unknown"},
        {"categories", "mappings-total", "moment"},
        {"by-name by-process deleted shared groups", "left-out", "left-out"},
        {"by-name", "by-name", "names"},
        {"groups", "groups", "groups"},
        {"who", "who-recordings", "who"}};
    pmapdb_rows *notes = NULL, *rows;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!pm_text_has(pm_text_of(lists[i].queries), " ", query))
            continue;
        if (!notes)
            notes = pm_answer_ask(args->store, "notes", (pm_answer_arg[]){{0}});
        rows = pm_run_query(args, lists[i].asks);
        if (strcmp(lists[i].param, "left-out") == 0) /* groups has --at for this parameter */
            pm_answer_bind(rows, "snapshot", pm_run_given(args, "at"));
        pm_answer_give(notes, lists[i].param, rows);
    }
    if (!notes)
        return;
    pm_answer_bind(notes, "by", pm_run_given(args, "by"));
    pm_moment_say_notes(args->cli, notes);
}
