/* prune: pmapdb prune: which moments to keep, pins, and the size of the store. */
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/progress.h"

#include "base/num.h"
#include <stdio.h>
#include <string.h>

typedef struct prune {
    pm_progress progress;
    pm_cli *cli;
    pmapdb_prune_options o;
    const char *pin, *unpin, *reason;
    bool compact, vacuum;
    pmapdb_store *store;
    pmapdb_prune_result result;
    pm_output out;
    const pm_member *columns; /* the columns of `out` */
    int n_columns;
    pmapdb_prune_moment moment; /* the current row */
    const char *action;
    pmapdb_prune_series series; /* or this one */
} prune;

/* ---- options ---- */

static const char *read_keep(const char *arg, void *value)
{
    int64_t *keep = value;
    uint64_t n;

    if (strcmp(arg, "all") == 0 || strcmp(arg, "unlimited") == 0) {
        *keep = PMAPDB_KEEP_ALL;
        return NULL;
    }
    if (!pm_num_all(pm_text_of(arg), &n) || n > INT32_MAX)
        return "a number or all";
    *keep = (int64_t)n;
    return NULL;
}

#define AT(field) offsetof(prune, field)
#define KEEP(name, field, help)                                                \
    {                                                                          \
        "keep-" name, 0, PM_OPT_CUSTOM, AT(o.keep.field), "N", help, read_keep \
    }

static const pm_option options[] = {
    KEEP("last", last, "The newest N moments, or all"),
    KEEP("hourly", hourly, "The last moment of each of the newest N hours"),
    KEEP("daily", daily, "... of the newest N days"),
    KEEP("weekly", weekly, "... of the newest N weeks, which begin on Monday"),
    KEEP("monthly", monthly, "... of the newest N months"),
    KEEP("yearly", yearly, "... of the newest N years"),
    {"keep-within", 0, PM_OPT_SPAN, AT(o.keep.within_ms), "SPAN",
     "All moments newer than the newest minus SPAN"},
    {"max-size", 0, PM_OPT_SIZE, AT(o.max_kib), "SIZE",
     "Then remove the oldest moments until the store is no larger; the newest stay"},
    {"process", 0, PM_OPT_WORD, AT(o.process), "NAME", "Only this series: NAME or HOST:NAME"},
    {"host", 0, PM_OPT_NAME, AT(o.host), "NAME", "Only the series of this host"},
    {"dry-run", 'n', PM_OPT_FLAG, AT(o.dry_run), NULL, "Change nothing: list what stays, and why"},
    {"drop", 0, PM_OPT_FLAG, AT(o.drop), NULL,
     "Remove all of --process or --host that is not pinned"},
    {"force", 0, PM_OPT_FLAG, AT(o.force), NULL,
     "Allow --drop and --max-size to remove the last moment of a series"},
    {"pin", 0, PM_OPT_WORD, AT(pin), "SNAPSHOT",
     "Keep its moment whatever the rules say; needs --reason"},
    {"reason", 0, PM_OPT_TEXT, AT(reason), "TEXT", "Why it is pinned"},
    {"unpin", 0, PM_OPT_WORD, AT(unpin), "SNAPSHOT", "Remove the pins of its moment"},
    {"compact", 0, PM_OPT_FLAG, AT(compact), NULL,
     "Remove no snapshot: join pieces and return free space"},
    {"vacuum", 0, PM_OPT_FLAG, AT(vacuum), NULL, "With --compact: rewrite the whole file"},
    {0}};

static const pm_syntax syntax = {.options = options};

static void check(const prune *p)
{
    if ((p->pin != NULL) + (p->unpin != NULL) + p->compact > 1)
        pm_cli_usage(p->cli, "one of --pin, --unpin, --compact at a time");
    if ((p->pin != NULL) != (p->reason != NULL))
        pm_cli_usage(p->cli, "--pin SNAPSHOT and --reason TEXT go together");
    if (p->vacuum && !p->compact)
        pm_cli_usage(p->cli, "--vacuum goes with --compact");
}

/* ---- messages ---- */

static void say_sizes(const prune *p, const char *what, int64_t before, int64_t after)
{
    char from[32], to[32];

    pm_render_kib(before, from);
    pm_render_kib(after, to);
    if (p->o.dry_run)
        pm_cli_note(p->cli, "%s; the store is %s, would be about %s", what, from, to);
    else
        pm_cli_note(p->cli, "%s; the store was %s, is now %s", what, from, to);
}

static void say_space(const prune *p, bool held, bool wants_vacuum)
{
    if (held)
        pm_cli_note(p->cli, "a reader of an older state keeps the file from shrinking; it shrinks "
                            "when that reader has ended and somebody writes");
    if (wants_vacuum)
        pm_cli_note(p->cli,
                    "this store was made without auto_vacuum: its free space is used again, but "
                    "the file does not shrink; pmapdb prune --compact --vacuum changes that");
}

static void must(pmapdb_status st, const pmapdb_error *err)
{
    if (st == PMAPDB_STOPPED)
        pm_cli_die("stopped by a signal; the store is intact, prune again for the rest");
    pm_cli_must(st, err);
}

/* ---- rows ---- */

static const pm_member moment_columns[] = {{{"host", PM_UNIT_TEXT}, AT(moment.host)},
                                           {{"name", PM_UNIT_TEXT}, AT(moment.name)},
                                           {{"moment_at", PM_UNIT_TIME}, AT(moment.moment_ms)},
                                           {{"snapshots", PM_UNIT_COUNT}, AT(moment.snapshots)},
                                           {{"action", PM_UNIT_TEXT}, AT(action)},
                                           {{"why", PM_UNIT_TEXT}, AT(moment.why)}};

/* The last two columns are about the store; people read them in a message instead. */
static const pm_member series_columns[] = {
    {{"host", PM_UNIT_TEXT}, AT(series.host)},
    {{"name", PM_UNIT_TEXT}, AT(series.name)},
    {{"moments_kept", PM_UNIT_COUNT}, AT(series.moments_kept)},
    {{"moments_removed", PM_UNIT_COUNT}, AT(series.moments_removed)},
    {{"snapshots_kept", PM_UNIT_COUNT}, AT(series.snapshots_kept)},
    {{"snapshots_removed", PM_UNIT_COUNT}, AT(series.snapshots_removed)},
    {{"why", PM_UNIT_TEXT}, AT(series.why)},
    {{"store_kib_before", PM_UNIT_KIB}, AT(result.kib_before)},
    {{"store_kib_after", PM_UNIT_KIB}, AT(result.kib_after)}};

static void on_moment(void *ctx, const pmapdb_prune_moment *m)
{
    prune *p = ctx;

    p->moment = *m;
    p->action = m->kept ? "keep" : "remove";
    pm_output_struct(&p->out, p->columns, p->n_columns, p);
}

static void on_series(void *ctx, const pmapdb_prune_series *s)
{
    prune *p = ctx;

    p->series = *s;
    pm_output_struct(&p->out, p->columns, p->n_columns, p);
}

/* ---- the run ---- */

static int run_prune(prune *p)
{
    const pmapdb_prune_result *r = &p->result;
    unsigned long long gone, moments_gone;
    char what[160];
    pmapdb_error err;
    pmapdb_status st;

    pm_output_open(&p->out, p->cli);
    p->columns = p->o.dry_run ? moment_columns : series_columns;
    p->n_columns = p->o.dry_run ? 6 : pm_cli_is_for_people(p->cli) ? 7 : 9;
    pm_output_fields(&p->out, p->columns, p->n_columns);
    p->o.ctx = p;
    p->o.on_progress = pm_progress_step;
    p->o.on_moment = p->o.dry_run ? on_moment : NULL;
    p->o.on_series = p->o.dry_run ? NULL : on_series;
    st = pmapdb_prune(p->store, &p->o, &p->result, &err);
    pm_progress_clear(&p->progress);
    if (!pm_output_failed(&p->out))
        must(st, &err);
    pm_output_end(&p->out);
    gone = r->snapshots_removed;
    moments_gone = r->moments_removed;
    snprintf(what, sizeof what, "%s%llu of %llu snapshots (%llu of %llu moments, %llu series)",
             p->o.dry_run ? "would remove " : "removed ", gone, gone + r->snapshots_kept,
             moments_gone, moments_gone + r->moments_kept, (unsigned long long)r->series);
    say_sizes(p, what, r->kib_before, r->kib_after);
    say_space(p, r->held, r->wants_vacuum);
    if (r->fits)
        return PM_EXIT_OK;
    pm_cli_say("that is more than --max-size: what is left is pinned or the newest of its series%s",
               p->o.force ? "" : " (--force removes those too)");
    return PM_EXIT_TROUBLE;
}

static int run_compact(prune *p)
{
    pmapdb_compact_options o = {p->vacuum, p, pm_progress_step};
    pmapdb_compact_result r;
    pmapdb_error err;
    char what[96];
    pmapdb_status st = pmapdb_compact(p->store, &o, &r, &err);

    pm_progress_clear(&p->progress);
    must(st, &err);
    snprintf(what, sizeof what, "%llu epochs are now %llu", (unsigned long long)r.epochs_before,
             (unsigned long long)r.epochs_after);
    say_sizes(p, what, r.kib_before, r.kib_after);
    say_space(p, r.held, r.wants_vacuum);
    return PM_EXIT_OK;
}

static int run_pin(const prune *p)
{
    pmapdb_error err;
    int64_t id;

    must(p->pin ? pmapdb_pin(p->store, p->o.process, p->pin, p->reason, &id, &err)
                : pmapdb_unpin(p->store, p->o.process, p->unpin, &id, &err),
         &err);
    pm_cli_note(p->cli, "@%lld is %s", (long long)id, p->pin ? "pinned" : "no longer pinned");
    return PM_EXIT_OK;
}

int pm_cli_prune(pm_cli *cli, int argc, char **argv)
{
    prune p = {.cli = cli};
    int exit_code;

    pmapdb_prune_defaults(&p.o);
    pm_options_parse(cli, &syntax, &p, argc, argv);
    check(&p);
    p.store = pm_cli_store(cli, p.o.dry_run ? PMAPDB_READ : PMAPDB_CHANGE);
    p.progress = pm_progress_begin(cli, &p.out);
    exit_code = p.pin || p.unpin ? run_pin(&p) : p.compact ? run_compact(&p) : run_prune(&p);
    pmapdb_close(p.store);
    return exit_code;
}
