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
    pm_answer_text(rows, "partial", s->partial, sizeof s->partial);
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

void pm_moment_say_sums_only(const pm_run_args *args)
{
    pmapdb_rows *rows = pm_run_query(args, "mappings-total");
    pm_moment moment = {0};
    char which[64];

    if (pm_run_next(rows))
        read_moment(rows, &moment);
    pmapdb_rows_close(rows);
    pm_moment_which(&moment, which, sizeof which);
    if (pm_moment_has_sums_only(&moment))
        pm_cli_say("the snapshot %s has sums only, no mappings: pmapdb categories shows them",
                   which);
}

void pm_moment_say_unknown(const pm_run_args *args)
{
    pmapdb_rows *rows = pm_run_query(args, "unknown-rss");
    char name[128], at[PM_CLOCK_TEXT], known_at[PM_CLOCK_TEXT], why[256];
    int64_t known_id = PMAPDB_UNKNOWN;
    long n = 0;

    for (; pm_run_next(rows); n++) {
        pm_answer_text(rows, "name", name, sizeof name);
        pm_answer_text(rows, "taken_at", at, sizeof at);
        pm_answer_text(rows, "known_at", known_at, sizeof known_at);
        pm_answer_text(rows, "why", why, sizeof why);
        known_id = pm_answer_int(rows, "known_id");
    }
    pmapdb_rows_close(rows);
    if (n > 1)
        pm_cli_note(args->cli,
                    "%ld captures do not show what is resident: pmapdb unknown-rss says why, and "
                    "when it was last known",
                    n);
    else if (n && *known_at)
        pm_cli_note(args->cli, "%s at %s: %s; last known at %s: --snapshot @%" PRId64, name, at,
                    why, known_at, known_id);
    else if (n)
        pm_cli_note(args->cli, "%s at %s: %s", name, at, why);
}

/* `groups` calls this parameter --at. */
void pm_moment_say_left_out(const pm_run_args *args)
{
    pmapdb_rows *rows = pm_run_query(args, "left-out");
    long n = 0;

    pm_answer_bind(rows, "snapshot", pm_run_given(args, "at"));
    while (pm_run_next(rows))
        n++;
    pmapdb_rows_close(rows);
    if (n)
        pm_cli_say("%ld name%s captured in the same hour, but further away than --within: pmapdb "
                   "left-out lists %s",
                   n, n == 1 ? " was" : "s were", n == 1 ? "it" : "them");
}

void pm_moment_which(const pm_moment *s, char *out, size_t size)
{
    if (s->snapshot_id != PMAPDB_UNKNOWN)
        snprintf(out, size, "@%lld", (long long)s->snapshot_id);
    else
        snprintf(out, size, "of %lld processes", (long long)s->processes);
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

void pm_moment_say(const pm_moment *older, const pm_moment *newer)
{
    bool sums_then = pm_moment_has_sums_only(older), sums_now = pm_moment_has_sums_only(newer);
    bool maps_then = strcmp(older->dialect, "maps") == 0;
    bool maps_now = strcmp(newer->dialect, "maps") == 0;

    if (older->partial[0])
        pm_cli_say("the older snapshot is partial: %s", older->partial);
    if (newer->partial[0])
        pm_cli_say("the newer snapshot is partial: %s", newer->partial);
    if (sums_then != sums_now)
        pm_cli_say("the %s snapshot has sums only: all of the other is added up",
                   sums_then ? "older" : "newer");
    if (maps_then != maps_now)
        pm_cli_say(
            "the %s snapshot was read as maps, which knows sizes only: --dialect %s compares "
            "those that know more",
            maps_then ? "older" : "newer", maps_then ? newer->dialect : older->dialect);
    else if (!sums_then && !sums_now && strcmp(older->dialect, newer->dialect) != 0)
        pm_cli_say("%s and %s name some mappings differently: --dialect compares like with like",
                   older->dialect, newer->dialect);
    if (!pm_moment_same_process(older, newer))
        pm_cli_say("these are different processes: @%lld and @%lld", (long long)older->process_id,
                   (long long)newer->process_id);
}

/* Says nothing if --from and --to are the same moment: the query reports that. */
static void say_moments(const pm_run_args *args)
{
    pm_moment older = {0}, newer = {0};

    if (pm_moment_read(args, "diff-total", &older, &newer))
        pm_moment_say(&older, &newer);
}

void pm_moment_say_lacks(const pm_run_args *args, pm_text query)
{
    static const struct {
        const char *queries;
        void (*say)(const pm_run_args *args);
    } lists[] = {{"mappings mappings-words mappings-regions largest files fragments huge-pages "
                  "threads",
                  pm_moment_say_sums_only},
                 {"top-growers top-lineages new-and-gone", say_moments},
                 {"categories mappings mappings-words largest files by-process by-name",
                  pm_moment_say_unknown},
                 {"by-name by-process deleted shared", pm_moment_say_left_out}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (pm_answer_lists(pm_text_of(lists[i].queries), query))
            lists[i].say(args);
}
