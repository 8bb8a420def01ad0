/* side: a moment that a command shows: what was added up while it was read. */
#include "cli/side.h"

#include "base/err.h"
#include <stdio.h>
#include <string.h>

const char *const pm_metric_names[PM_METRICS] = {
    "mappings", "size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib", "swap_kib"};

static void read_side(const pmapdb_rows *rows, pm_side *s)
{
    for (int i = 0; i < PM_METRICS; i++)
        s->total[i] = pm_side_int(rows, pm_metric_names[i]);
    s->tool_size = pm_side_int(rows, "tool_size_kib");
    s->tool_rss = pm_side_int(rows, "tool_rss_kib");
    s->processes = pm_side_int(rows, "processes");
    s->process_id = pm_side_int(rows, "process_id");
    s->pid = pm_side_int(rows, "pid");
    s->snapshot_id = pm_side_int(rows, "snapshot_id");
    pm_side_text(rows, "name", s->name, sizeof s->name);
    pm_side_text(rows, "taken_at", s->taken_at, sizeof s->taken_at);
    pm_side_text(rows, "dialect", s->dialect, sizeof s->dialect);
    pm_side_text(rows, "state", s->state, sizeof s->state);
    pm_side_text(rows, "partial", s->partial, sizeof s->partial);
}

pmapdb_status pm_side_read(const pm_run_args *args, pmapdb_store *store, pm_side *older,
                           pm_side *newer, pmapdb_error *err)
{
    pmapdb_rows *rows = pm_run_query(args, store, "diff-total");

    while (pm_run_next(rows))
        read_side(rows, pm_side_int(rows, "newer") ? newer : older);
    pmapdb_rows_close(rows);
    if (strcmp(older->taken_at, newer->taken_at) == 0 && older->snapshot_id == newer->snapshot_id)
        return pm_fail(err, PMAPDB_USAGE,
                       "--from and --to are both %s of %s: there is nothing to compare",
                       older->taken_at, older->name);
    return PMAPDB_OK;
}

bool pm_side_has_sums_only(const pm_side *s)
{
    return strcmp(s->state, "totals") == 0;
}

pmapdb_status pm_side_say_sums_only(const pm_run_args *args, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_rows *rows = pm_run_query(args, store, "mappings-total");
    pm_side side = {0};
    char which[64];

    (void)err;
    if (pm_run_next(rows))
        read_side(rows, &side);
    pmapdb_rows_close(rows);
    if (!pm_side_has_sums_only(&side))
        return PMAPDB_OK;
    pm_side_which(&side, which, sizeof which);
    pm_cli_say("the snapshot %s has sums only, no mappings: pmapdb categories shows them", which);
    return PMAPDB_OK;
}

/* groups calls the moment --at. */
pmapdb_status pm_left_out_say(const pm_run_args *args, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_rows *rows = pm_run_query(args, store, "left-out");
    const char *at = pm_run_given(args, "at");
    long n = 0;

    (void)err;
    if (at)
        pm_cli_must(pmapdb_bind(rows, "snapshot", at, err), err);
    while (pm_run_next(rows))
        n++;
    pmapdb_rows_close(rows);
    if (n)
        pm_cli_say("%ld name%s captured in the same hour, but further away than --within: pmapdb "
                   "left-out lists %s",
                   n, n == 1 ? " was" : "s were", n == 1 ? "it" : "them");
    return PMAPDB_OK;
}

void pm_side_which(const pm_side *s, char *out, size_t size)
{
    if (s->snapshot_id != PMAPDB_UNKNOWN)
        snprintf(out, size, "@%lld", (long long)s->snapshot_id);
    else
        snprintf(out, size, "of %lld processes", (long long)s->processes);
}

void pm_side_describe(const pm_side *s, char *out, size_t size)
{
    char which[64];

    if (s->processes == 1 && s->pid != PMAPDB_UNKNOWN)
        snprintf(which, sizeof which, "pid %lld, @%lld", (long long)s->pid,
                 (long long)s->snapshot_id);
    else
        snprintf(which, sizeof which, "%lld processes", (long long)s->processes);
    snprintf(out, size, "%s %s (%s, %s)", s->name, s->taken_at, which, s->dialect);
}

bool pm_side_same_process(const pm_side *older, const pm_side *newer)
{
    return older->processes != 1 || newer->processes != 1 || older->process_id == newer->process_id;
}

void pm_side_say(const pm_side *older, const pm_side *newer)
{
    bool sums_then = pm_side_has_sums_only(older), sums_now = pm_side_has_sums_only(newer);
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
    if (!pm_side_same_process(older, newer))
        pm_cli_say("these are different processes: @%lld and @%lld", (long long)older->process_id,
                   (long long)newer->process_id);
}
