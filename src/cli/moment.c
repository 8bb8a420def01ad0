/* moment: a moment that a command shows, and what was added up while reading it. */
#include "cli/moment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const pm_metric_names[PM_METRICS] = {
    "mappings", "size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib", "swap_kib"};

static void read_moment(const pmapdb_rows *rows, pm_moment *s)
{
    for (int i = 0; i < PM_METRICS; i++)
        s->total[i] = pm_answer_int(rows, pm_metric_names[i]);
    s->tool_size = pm_answer_int(rows, "tool_size_kib");
    s->tool_rss = pm_answer_int(rows, "tool_rss_kib");
    s->processes = pm_answer_int(rows, "processes");
    s->process_id = pm_answer_int(rows, "process_id");
    s->pid = pm_answer_int(rows, "pid");
    s->snapshot_id = pm_answer_int(rows, "snapshot_id");
    pm_answer_text(rows, "name", s->name, sizeof s->name);
    pm_answer_text(rows, "taken_at", s->taken_at, sizeof s->taken_at);
    pm_answer_text(rows, "dialect", s->dialect, sizeof s->dialect);
    pm_answer_text(rows, "state", s->state, sizeof s->state);
}

bool pm_moment_read(const pm_run_args *args, const char *query, pm_moment *older, pm_moment *newer)
{
    pmapdb_rows *rows = pm_run_query(args, query);

    while (pm_run_next(rows))
        read_moment(rows, pm_answer_int(rows, "newer") ? newer : older);
    pmapdb_rows_close(rows);
    return strcmp(older->taken_at, newer->taken_at) != 0 ||
           older->snapshot_id != newer->snapshot_id;
}

/* Ends the program where --from is a time after the newest capture. */
static void refuse_later(const pm_run_args *args, const pm_moment *newer)
{
    const char *from = pm_run_given(args, "from");
    int64_t now = pm_clock_now(), wanted, taken;

    if (from && pm_clock_parse_words(pm_text_of(from), now, &wanted) &&
        pm_clock_parse(pm_text_of(newer->taken_at), &taken) && taken < wanted)
        pm_cli_die("nothing was captured since --from %s: the newest capture is of %s, %" PRId64
                   " min ago",
                   from, newer->taken_at, (now - taken) / 60000);
}

void pm_moment_read_two(const pm_run_args *args, const char *query, pm_moment *older,
                        pm_moment *newer)
{
    if (pm_moment_read(args, query, older, newer))
        return;
    refuse_later(args, newer);
    pm_cli_die("--from and --to are both %s of %s: there is nothing to compare", older->taken_at,
               older->name);
}

bool pm_moment_has_sums_only(const pm_moment *s)
{
    return strcmp(s->state, "totals") == 0;
}

void pm_moment_selector(const pm_moment *s, char *out, size_t size)
{
    if (s->snapshot_id != PMAPDB_UNKNOWN)
        snprintf(out, size, "@%" PRId64, s->snapshot_id);
    else
        snprintf(out, size, "%s", s->taken_at);
}

void pm_moment_describe(const pm_moment *s, char *out, size_t size)
{
    char which[64];

    if (s->processes == 1 && s->pid != PMAPDB_UNKNOWN)
        snprintf(which, sizeof which, "pid %lld, @%lld", (long long)s->pid,
                 (long long)s->snapshot_id);
    else
        snprintf(which, sizeof which, "%lld process%s", (long long)s->processes,
                 s->processes == 1 ? "" : "es");
    snprintf(out, size, "%s %s (%s%s%s)", s->name, s->taken_at, which, s->dialect[0] ? ", " : "",
             s->dialect);
}

bool pm_moment_same_process(const pm_moment *older, const pm_moment *newer)
{
    return older->processes != 1 || newer->processes != 1 || older->process_id == newer->process_id;
}

void pm_moment_say_notes(const pm_cli *cli, pmapdb_rows *notes)
{
    while (pm_run_next(notes))
        if (!cli->quiet || !pm_answer_int(notes, "minor"))
            pm_cli_say("%s", pm_answer_bytes(notes, "note").data);
    pmapdb_rows_close(notes);
}

/* Gives notes the rows of another query as JSON. `groups` calls the parameter snapshot --at. */
static void give(const pm_run_args *args, const char *query, const char *param, pmapdb_rows *notes)
{
    pmapdb_rows *rows = pm_run_query(args, query);
    pm_buf json = {0};

    if (strcmp(param, "left-out") == 0)
        pm_answer_bind(rows, "snapshot", pm_run_given(args, "at"));
    pm_answer_json(rows, &json);
    pmapdb_rows_close(rows);
    pm_answer_bind(notes, param, json.data);
    pm_buf_free(&json);
}

void pm_moment_say(const pm_run_args *args, pm_text query)
{
    static const struct {
        const char *queries, *asks, *param;
    } lists[] = {
        {"mappings mappings-words mappings-regions largest files fragments huge-pages threads",
         "mappings-total", "mappings"},
        {"diff top-growers top-lineages new-and-gone", "diff-total", "diff"},
        {"diff-process", "diff-process-total", "diff"},
        {"categories mappings mappings-words largest files by-process by-name", "unknown-rss",
         "unknown"},
        {"by-name by-process deleted shared groups", "left-out", "left-out"},
        {"who", "who-recordings", "who"}};
    pmapdb_rows *notes = NULL;
    pmapdb_error err;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!pm_answer_lists(pm_text_of(lists[i].queries), query))
            continue;
        if (!notes)
            pm_cli_must(pmapdb_query(args->store, "notes", &notes, &err), &err);
        give(args, lists[i].asks, lists[i].param, notes);
    }
    if (notes)
        pm_moment_say_notes(args->cli, notes);
}
