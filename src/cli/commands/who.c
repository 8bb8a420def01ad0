/* who: pmapdb who: shows which call stacks allocated what grew, their total, and how reliable they
 * are. */
#include "cli/run.h"
#include <inttypes.h>

#define PARTS 3

typedef struct who {
    pm_cli *cli;
    pm_run_args args;
    bool folded, events;
    const char *since, *until;
    const char *part[PARTS]; /* --lineage, --category, --address; NULL: not given */
    char process[24];        /* the recorded one, as --process */
    char span[2][24];        /* the snapshots around the recording, as --from and --to */
    pmapdb_rows *moments;    /* the row of diff-summary; NULL: --events */
    pmapdb_rows *mappings;   /* the row of who-mappings about these parts */
} who;

#define AT(field) offsetof(who, field)

static const pm_option options[] = {
    {"lineage", 0, PM_OPT_WORD, AT(part[0]), "ID", "Only what this mapping through time holds"},
    {"category", 0, PM_OPT_WORD, AT(part[1]), "CATEGORY",
     "Only what this category holds, and its parts (anonymous/malloc)"},
    {"address", 0, PM_OPT_WORD, AT(part[2]), "HEX", "Only what the mapping at this address holds"},
    {"folded", 0, PM_OPT_FLAG, AT(folded), NULL,
     "Chains and the bytes that they grew by, for flamegraph.pl and the like"},
    {"events", 0, PM_OPT_FLAG, AT(events), NULL, "The calls themselves, in order (who-events)"},
    {"since", 0, PM_OPT_TEXT, AT(since), "TIME",
     "With --events: only calls since then: a time, -1h before the newest snapshot, now-7d"},
    {"until", 0, PM_OPT_TEXT, AT(until), "TIME", "With --events: only calls up to then"},
    {0}};

static void check(const who *w)
{
    if (w->folded && w->events)
        pm_cli_usage(w->cli, "--folded and --events do not go together");
    if (!w->events && (w->since || w->until))
        pm_cli_usage(w->cli, "--since and --until go with --events; --from and --to say between "
                             "which snapshots it grew");
}

/* Of several names, chooses the only process that perf recorded. */
static void choose_process(who *w)
{
    if (pm_run_ask(w->args.store,
                   "SELECT '@' || process_id FROM (SELECT max(process_id) AS process_id, "
                   "count(DISTINCT process_id) AS n FROM traced_process) WHERE n = 1 AND "
                   "(SELECT count(DISTINCT name_id) FROM process) > 1",
                   w->process, sizeof w->process))
        pm_run_give(&w->args, "process", w->process);
}

/* Without --from and --to, chooses the snapshots around what perf recorded. */
static void choose_span(who *w)
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

/* Describes both moments. A list of events needs only one snapshot. */
static void read_moments(who *w)
{
    const char *sums;

    choose_span(w);
    if (w->events)
        return;
    w->moments = pm_moment_compare(&w->args, "diff-total", (pm_answer_arg[]){{0}});
    sums = pm_answer_bytes(w->moments, "sums").data;
    if (sums)
        pm_cli_die("the %s snapshot has sums only, no mappings: --from and --to choose others",
                   sums);
    pm_moment_say(&w->args, PM_TEXT("diff"));
}

/* True if only a part of the process is asked for. */
static bool asks_part(const who *w)
{
    return w->part[0] || w->part[1] || w->part[2];
}

/* Asks for the mappings of the parts; ends the program if there is no such mapping. */
static void find_mappings(who *w)
{
    w->mappings = pm_run_query(&w->args, "who-mappings");
    pm_answer_bind(w->mappings, "suited", pm_cli_render_options(w->cli).human ? "1" : "0");
    for (int i = 0; i < PARTS; i++)
        pm_answer_bind(w->mappings, options[i].name, w->part[i]);
    pm_run_next(w->mappings);
    if (asks_part(w) && !pm_answer_bytes(w->mappings, "lineages").data)
        pm_cli_die("no such mapping in either snapshot; pmapdb top-lineages and categories show "
                   "what there is");
}

/* Returns a query with the arguments of the command, and with the lineages of the parts. */
static pmapdb_rows *query(const who *w, const char *name)
{
    pmapdb_rows *rows = pm_run_query(&w->args, name);

    if (asks_part(w))
        pm_answer_bind(rows, "lineages", pm_answer_bytes(w->mappings, "lineages").data);
    return rows;
}

/* ---- the stacks ---- */

static void write_title(const who *w, pm_output *out)
{
    pm_buf line = {0};

    pm_output_line(out, "%s -> %s", pm_answer_bytes(w->moments, "older").data,
                   pm_answer_bytes(w->moments, "newer").data);
    for (int i = 0; i < PARTS; i++)
        if (w->part[i])
            pm_buf_addf(&line, NULL, "%s: ", w->part[i]);
    pm_output_line(out, "%s%s", asks_part(w) ? pm_cli_text(&line) : "all mappings: ",
                   pm_answer_bytes(w->mappings, "course").data);
    pm_buf_free(&line);
}

static void write_total(pm_output *out, const pmapdb_rows *summary, const pm_answer_view *view)
{
    pm_value values[PM_QUERY_ITEMS];

    for (int i = 0; i < view->n; i++) {
        int column = pm_answer_column(summary, view->column[i].name);

        values[i] = column < 0 ? pm_value_text("") : pm_answer_value(summary, column);
    }
    pm_output_total(out, values);
}

/* Writes what the rows cover, and a line for each recording that is used. */
static void write_cover(pm_output *out, const pmapdb_rows *summary)
{
    pm_text rest = pm_answer_bytes(summary, "recordings");

    pm_output_line(out, "covered: %s", pm_answer_bytes(summary, "covered").data);
    while (rest.len) {
        pm_text line = pm_text_cut(&rest, '\n');

        pm_output_line(out, "%.*s", (int)line.len, line.data);
    }
}

static void write_rows(const who *w, pmapdb_rows *rows, const pmapdb_rows *summary, pm_output *out)
{
    const char *gap = w->cli->format == PM_FORMAT_MD ? "\n" : ""; /* around a table of Markdown */
    bool people = pm_cli_is_for_people(w->cli);
    pm_answer_view view;

    if (people)
        write_title(w, out);
    fputs(gap, out->text);
    pm_answer_rows(out, rows, &view, NULL, NULL);
    if (people)
        write_total(out, summary, &view);
    pm_output_end_rows(out);
    fputs(gap, out->text);
    if (people)
        write_cover(out, summary);
}

/* Returns the form of the chains; NULL: the form that the user asked for. A table shows chains
 * without the callers of main, which would leave no room for the functions that allocate. */
static const char *form_of(const who *w)
{
    if (w->folded)
        return "folded";
    return pm_cli_is_for_people(w->cli) && !w->cli->wide && !pm_run_given(&w->args, "form")
               ? "short"
               : NULL;
}

static pmapdb_rows *ask_stacks(const who *w)
{
    pmapdb_rows *rows = query(w, "who");

    pm_answer_bind(rows, "form", form_of(w));
    return rows;
}

/* Writes the stacks as rows, or with --folded as lines like start;main;cache_fill 4096. */
static void write_stacks(const who *w)
{
    pmapdb_rows *rows = ask_stacks(w), *summary;
    pm_output out;

    summary = pm_answer_ask(
        w->args.store, "who-summary",
        (pm_answer_arg[]){{"rows", .of = ask_stacks(w)},
                          {"recordings", .of = pm_run_query(&w->args, "who-recordings")},
                          {"suited", pm_cli_render_options(w->cli).human ? "1" : "0"},
                          {0}});
    pm_run_next(summary);
    pm_moment_say(&w->args, PM_TEXT("who"));
    pm_output_open(&out, w->cli);
    if (w->folded) {
        pm_answer_wrap(rows, "SELECT name || ';' || stack || ' ' || (growth_kib * 1024) FROM (",
                       ") WHERE kind = 'stack' AND growth_kib > 0");
        while (pm_run_next(rows))
            pm_output_line(&out, "%s", pmapdb_rows_text(rows, 0, NULL));
    } else {
        write_rows(w, rows, summary, &out);
    }
    pm_output_end(&out);
    if (pm_answer_int(summary, "headless"))
        pm_cli_note(w->cli, "call chains end in libc: recorded with frame pointers; "
                            "--call-graph dwarf shows callers");
    pmapdb_rows_close(summary);
    pmapdb_rows_close(rows);
}

/* ---- the command ---- */

static void list_events(const who *w)
{
    pmapdb_rows *rows = query(w, "who-events");

    pm_answer_bind(rows, "since", w->since);
    pm_answer_bind(rows, "until", w->until);
    pm_answer_write(w->cli, rows, NULL, NULL);
}

int pm_cli_who(pm_cli *cli, int argc, char **argv)
{
    who w = {.cli = cli};

    w.args = (pm_run_args){.cli = cli, .query = "who", .own = options, .own_values = &w};
    pm_run_parse(&w.args, argc, argv);
    check(&w);
    pm_run_open(&w.args);
    read_moments(&w);
    find_mappings(&w);
    if (w.events)
        list_events(&w);
    else
        write_stacks(&w);
    pmapdb_rows_close(w.moments);
    pmapdb_rows_close(w.mappings);
    pm_run_end(&w.args);
    return PM_EXIT_OK;
}
