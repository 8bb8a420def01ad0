/* cmd_prune: pmapdb prune: which moments stay, pins, and the size of the store. */
#include "cli/prune_show.h"
#include "cli/write.h"

#include "base/err.h"
#include "base/num.h"
#include "cli/arg.h"
#include <stdio.h>
#include <string.h>

enum {
    KEY_LAST = 0x5000,
    KEY_HOURLY,
    KEY_DAILY,
    KEY_WEEKLY,
    KEY_MONTHLY,
    KEY_YEARLY,
    KEY_WITHIN,
    KEY_MAX_SIZE,
    KEY_PROCESS,
    KEY_HOST,
    KEY_DROP,
    KEY_FORCE,
    KEY_PIN,
    KEY_REASON,
    KEY_UNPIN,
    KEY_COMPACT,
    KEY_VACUUM
};

static const struct argp_option options[] = {
    {"keep-last", KEY_LAST, "N", 0, "The newest N moments, or all", 0},
    {"keep-hourly", KEY_HOURLY, "N", 0, "The last moment of the newest N hours that have one", 0},
    {"keep-daily", KEY_DAILY, "N", 0, "... of the newest N days", 0},
    {"keep-weekly", KEY_WEEKLY, "N", 0, "... of the newest N weeks, which begin on Monday", 0},
    {"keep-monthly", KEY_MONTHLY, "N", 0, "... of the newest N months", 0},
    {"keep-yearly", KEY_YEARLY, "N", 0, "... of the newest N years", 0},
    {"keep-within", KEY_WITHIN, "SPAN", 0, "All that are newer than the newest minus SPAN", 0},
    {"max-size", KEY_MAX_SIZE, "SIZE", 0,
     "Then the oldest moments of all series go until the store is no larger than this; the newest "
     "of a series stays",
     0},
    {"process", KEY_PROCESS, "NAME", 0, "Only this series: NAME or HOST:NAME", 1},
    {"host", KEY_HOST, "NAME", 0, "Only the series of this host", 1},
    {"dry-run", 'n', NULL, 0, "Change nothing: list every moment, and which rules keep it", 1},
    {"drop", KEY_DROP, NULL, 0, "Remove all of --process or --host that is not pinned", 2},
    {"force", KEY_FORCE, NULL, 0, "A name may vanish: for --drop and --max-size", 2},
    {"pin", KEY_PIN, "SNAPSHOT", 0, "Keep its moment whatever the rules say; needs --reason", 3},
    {"reason", KEY_REASON, "TEXT", 0, "Why it is pinned", 3},
    {"unpin", KEY_UNPIN, "SNAPSHOT", 0, "Remove the pins of its moment", 3},
    {"compact", KEY_COMPACT, NULL, 0,
     "Remove no snapshot: write what came late or was left in pieces as if it had come in order, "
     "give free space back",
     4},
    {"vacuum", KEY_VACUUM, NULL, 0,
     "With --compact: write the whole file anew. Nobody else can write meanwhile, and as much "
     "space again is needed",
     4},
    {0}};

typedef struct prune_cli {
    pm_cli *cli;
    pmapdb_prune_options prune;
    const char *pin, *unpin, *reason;
    bool compact, vacuum;
    pmapdb_store *store;
    pmapdb_prune_result result;
} prune_cli;

/* ---- options ---- */

static int64_t count_arg(struct argp_state *state, const char *option, const char *arg)
{
    uint64_t n;

    if (strcmp(arg, "all") == 0 || strcmp(arg, "unlimited") == 0)
        return PMAPDB_KEEP_ALL;
    if (!pm_num_all(pm_text_of(arg), &n) || n > INT32_MAX)
        argp_error(state, "%s wants a number or all, not '%s'", option, arg);
    return (int64_t)n;
}

static error_t parse_keep(pmapdb_keep *keep, int key, const char *arg, struct argp_state *state)
{
    switch (key) {
    case KEY_LAST:
        keep->last = count_arg(state, "--keep-last", arg);
        return 0;
    case KEY_HOURLY:
        keep->hourly = count_arg(state, "--keep-hourly", arg);
        return 0;
    case KEY_DAILY:
        keep->daily = count_arg(state, "--keep-daily", arg);
        return 0;
    case KEY_WEEKLY:
        keep->weekly = count_arg(state, "--keep-weekly", arg);
        return 0;
    case KEY_MONTHLY:
        keep->monthly = count_arg(state, "--keep-monthly", arg);
        return 0;
    case KEY_YEARLY:
        keep->yearly = count_arg(state, "--keep-yearly", arg);
        return 0;
    case KEY_WITHIN:
        keep->within_ms = pm_cli_span(state, "--keep-within", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_other(prune_cli *p, int key, const char *arg, struct argp_state *state)
{
    switch (key) {
    case KEY_DROP:
        p->prune.drop = true;
        return 0;
    case KEY_FORCE:
        p->prune.force = true;
        return 0;
    case KEY_PIN:
        p->pin = pm_cli_name(state, "--pin", arg);
        return 0;
    case KEY_REASON:
        p->reason = arg;
        return 0;
    case KEY_UNPIN:
        p->unpin = pm_cli_name(state, "--unpin", arg);
        return 0;
    case KEY_COMPACT:
        p->compact = true;
        return 0;
    case KEY_VACUUM:
        p->vacuum = true;
        return 0;
    default:
        return parse_keep(&p->prune.keep, key, arg, state);
    }
}

static void check(const prune_cli *p, struct argp_state *state)
{
    if ((p->pin != NULL) + (p->unpin != NULL) + p->compact > 1)
        argp_error(state, "one of --pin, --unpin, --compact at a time");
    if ((p->pin != NULL) != (p->reason != NULL))
        argp_error(state, "--pin SNAPSHOT and --reason TEXT go together");
    if (p->vacuum && !p->compact)
        argp_error(state, "--vacuum goes with --compact");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    prune_cli *p = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = p->cli;
        return 0;
    case KEY_MAX_SIZE:
        p->prune.max_kib = pm_cli_size(state, "--max-size", arg);
        return 0;
    case KEY_PROCESS:
        p->prune.process =
            pm_cli_once(state, "--process", p->prune.process, pm_cli_name(state, "--process", arg));
        return 0;
    case KEY_HOST:
        p->prune.host =
            pm_cli_once(state, "--host", p->prune.host, pm_cli_name(state, "--host", arg));
        return 0;
    case 'n':
        p->prune.dry_run = true;
        return 0;
    case ARGP_KEY_END:
        check(p, state);
        return 0;
    default:
        return parse_other(p, key, arg, state);
    }
}

/* ---- words ---- */

static void say_space(const prune_cli *p, bool held, bool wants_vacuum)
{
    if (held && !p->cli->quiet)
        pm_cli_say("a reader of an older state keeps the file from shrinking; it does when that "
                   "one has ended and somebody writes");
    if (wants_vacuum && !p->cli->quiet)
        pm_cli_say("this store was made without auto_vacuum: its free space is used again, but the "
                   "file does not shrink; pmapdb prune --compact --vacuum changes that");
}

static void say_sizes(const prune_cli *p, const char *what, int64_t before, int64_t after)
{
    bool about = p->prune.dry_run;
    char from[32], to[32];

    pm_render_kib(before, true, from);
    pm_render_kib(after, true, to);
    if (!p->cli->quiet)
        pm_cli_say("%s; the store %s %s, %s %s", what, about ? "is" : "was", from,
                   about ? "would be about" : "is now", to);
}

static int finish(const prune_cli *p)
{
    const pmapdb_prune_result *r = &p->result;
    unsigned long long gone = r->snapshots_removed, snapshots = gone + r->snapshots_kept;
    unsigned long long moments_gone = r->moments_removed, moments = moments_gone + r->moments_kept;
    char what[160];

    snprintf(what, sizeof what, "%s%llu of %llu snapshots (%llu of %llu moments, %llu series)",
             p->prune.dry_run ? "would remove " : "removed ", gone, snapshots, moments_gone,
             moments, (unsigned long long)r->series);
    say_sizes(p, what, r->kib_before, r->kib_after);
    say_space(p, r->held, r->wants_vacuum);
    if (r->fits)
        return PM_EXIT_OK;
    pm_cli_say("that is more than --max-size: what is left is pinned or the newest of its series%s",
               p->prune.force ? "" : " (--force takes those too)");
    return PM_EXIT_TROUBLE;
}

static int fail(pmapdb_status st, const pmapdb_error *err)
{
    if (st != PMAPDB_STOPPED)
        return pm_cli_fail(st, err);
    pm_cli_say("stopped by a signal; the store is whole, prune again for the rest");
    return PM_EXIT_TROUBLE;
}

/* ---- what it does ---- */

static pmapdb_status write_prune(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    prune_cli *p = ctx;
    pm_prune_show show;
    pmapdb_status st = pm_prune_show_open(&show, p->cli, sink, p->prune.dry_run, &p->result, err);

    if (st != PMAPDB_OK)
        return st;
    p->prune.ctx = &show;
    p->prune.on_progress = pm_prune_show_progress;
    if (p->prune.dry_run)
        p->prune.on_moment = pm_prune_show_moment;
    else
        p->prune.on_series = pm_prune_show_series;
    st = pmapdb_prune(p->store, &p->prune, &p->result, err);
    return pm_prune_show_close(&show, st, err);
}

static int run_prune(prune_cli *p)
{
    pmapdb_error err;
    pmapdb_status st = pm_cli_write_with(p->cli, write_prune, p, &err);

    return st == PMAPDB_OK ? finish(p) : fail(st, &err);
}

static int run_compact(prune_cli *p)
{
    pm_prune_show show = {.cli = p->cli};
    pmapdb_compact_options o = {p->vacuum, &show, pm_prune_show_progress};
    pmapdb_compact_result r;
    pmapdb_error err;
    char what[96];
    pmapdb_status st = pmapdb_compact(p->store, &o, &r, &err);

    if (st != PMAPDB_OK)
        return fail(st, &err);
    snprintf(what, sizeof what, "%llu epochs are now %llu", (unsigned long long)r.epochs_before,
             (unsigned long long)r.epochs_after);
    say_sizes(p, what, r.kib_before, r.kib_after);
    say_space(p, r.held, r.wants_vacuum);
    return PM_EXIT_OK;
}

static int run_pin(prune_cli *p)
{
    pmapdb_error err;
    int64_t id;
    pmapdb_status st = p->pin ? pmapdb_pin(p->store, p->prune.process, p->pin, p->reason, &id, &err)
                              : pmapdb_unpin(p->store, p->prune.process, p->unpin, &id, &err);

    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    if (!p->cli->quiet)
        pm_cli_say("@%lld is %s", (long long)id, p->pin ? "pinned" : "no longer pinned");
    return PM_EXIT_OK;
}

int pm_cli_prune(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Removes moments that no rule keeps, from every series (a name on a host) by itself. A "
        "moment is all processes and dialects of the name that were captured together. Rules count "
        "from the newest, periods are those of local time; a moment that any rule keeps stays, and "
        "so do pinned ones. What stays is not changed. Text that was removed is known to imports: "
        "they do not bring it back.\v"
        "Exit status: 0 done; 2 trouble, also when --max-size cannot be reached. Pins: pmapdb "
        "pins lists them.",
        children,
        NULL,
        NULL};
    prune_cli p = {.cli = cli};
    pmapdb_open_options open_options;
    int exit_code = PM_EXIT_TROUBLE;

    pmapdb_prune_defaults(&p.prune);
    pm_cli_parse(&argp, argc, argv, 0, &p);
    pm_cli_check_zone();
    open_options = (pmapdb_open_options){.mode = p.prune.dry_run ? PMAPDB_READ : PMAPDB_CHANGE};
    if (pm_cli_open(cli, &open_options, &p.store) == PMAPDB_OK)
        exit_code = p.pin || p.unpin ? run_pin(&p) : p.compact ? run_compact(&p) : run_prune(&p);
    pmapdb_close(p.store);
    return exit_code;
}
