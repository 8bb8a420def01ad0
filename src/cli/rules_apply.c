/* rules_apply: pmapdb rules --apply, --diff: what other rules change in all that is stored. */
#include "cli/rules.h"
#include "cli/write.h"

#include "base/clock.h"
#include "cli/progress.h"
#include "cli/value.h"
#include <stdio.h>
#include <unistd.h>

static const pm_column columns[] = {{"from", PM_UNIT_TEXT},      {"to", PM_UNIT_TEXT},
                                    {"rule", PM_UNIT_TEXT},      {"lineages", PM_UNIT_COUNT},
                                    {"mappings", PM_UNIT_COUNT}, {"size_kib", PM_UNIT_KIB},
                                    {"rss_kib", PM_UNIT_KIB}};

#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct applying {
    pm_rules_cli *r;
    pm_render *render;
    bool progress;    /* a line on the terminal that is written over */
    int64_t shown_ms; /* when it was last */
    bool done;        /* whatever becomes of the output */
    pmapdb_rules_result result;
    pmapdb_status st; /* of the output; once it failed, nothing more is written */
    pmapdb_error err;
} applying;

/* ---- stopping ---- */

/* ---- news ---- */

static void on_note(void *ctx, bool mistake, const char *note)
{
    applying *a = ctx;

    pm_rules_cli_note(a->r, mistake, note);
}

static bool on_progress(void *ctx, uint64_t done, uint64_t of)
{
    applying *a = ctx;
    int64_t now;

    if (pm_stop_asked())
        return false;
    if (!a->progress)
        return true;
    now = pm_clock_now();
    if (now - a->shown_ms < 200)
        return true;
    a->shown_ms = now;
    fprintf(stderr, "\r\033[Krules: %llu of %llu processes", (unsigned long long)done,
            (unsigned long long)of);
    return true;
}

static void clear_progress(applying *a)
{
    if (a->progress && a->shown_ms)
        fputs("\r\033[K", stderr);
    a->shown_ms = 0;
}

static void on_change(void *ctx, const pmapdb_rules_change *c)
{
    applying *a = ctx;
    const pm_value values[] = {
        pm_value_text(c->from),    pm_value_text(c->to),      pm_value_text(c->rule ? c->rule : ""),
        pm_value_int(c->lineages), pm_value_int(c->mappings), pm_value_int(c->size_kib),
        pm_value_int(c->rss_kib)};

    if (a->st == PMAPDB_OK)
        a->st = pm_render_row(a->render, values, &a->err);
}

/* ---- the run ---- */

static pmapdb_status write_changes(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    applying *a = ctx;
    const pm_rules_cli *r = a->r;
    pm_render_options how = pm_cli_render_options(r->cli);
    const pmapdb_rules_options options = {.rules = r->rules,
                                          .application = r->application,
                                          .dry_run = r->dry_run,
                                          .forget_labels = r->forget_labels,
                                          .ctx = a,
                                          .on_note = on_note,
                                          .on_change = on_change,
                                          .on_progress = on_progress};
    pmapdb_status st = pm_render_new(&how, sink, columns, N_COLUMNS, &a->render, err);

    if (st == PMAPDB_OK)
        st = pmapdb_rules_apply(r->store, &options, &a->result, err);
    a->done = st == PMAPDB_OK;
    clear_progress(a);
    if (a->st != PMAPDB_OK) {
        st = a->st;
        *err = a->err;
    }
    if (st == PMAPDB_OK)
        st = pm_render_end(a->render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(r->cli, a->render);
    pm_render_free(a->render);
    return st;
}

static void say_forgotten(const applying *a)
{
    long long n = (long long)a->result.reports;

    if (a->r->forget_labels)
        pm_cli_say("%lld %s of a JVM's own names %s", n, n == 1 ? "list" : "lists",
                   a->r->dry_run ? "would be forgotten" : "forgotten");
}

static void say_result(const applying *a)
{
    const pmapdb_rules_result *n = &a->result;
    const char *es = n->processes == 1 ? "" : "es";

    if (!a->done || a->r->cli->quiet)
        return;
    if (n->same)
        pm_cli_say("the store has these rules: nothing to change");
    else if (!n->changed_lineages)
        pm_cli_say("%s changes no category of %lld lineages in %lld process%s", a->r->rules,
                   (long long)n->lineages, (long long)n->processes, es);
    else
        pm_cli_say("%s %s %lld of %lld lineages in %lld process%s, and the sums of %lld of %lld "
                   "snapshots",
                   a->r->rules, a->r->dry_run ? "would change" : "changed",
                   (long long)n->changed_lineages, (long long)n->lineages, (long long)n->processes,
                   es, (long long)n->changed_snapshots, (long long)n->snapshots);
    say_forgotten(a);
}

int pm_rules_cli_apply(pm_rules_cli *r)
{
    applying a = {.r = r, .progress = isatty(STDERR_FILENO) && !r->cli->quiet};
    pmapdb_error err;
    pmapdb_status st;
    int exit_code;

    pm_stop_catch();
    st = pm_cli_write_with(r->cli, write_changes, &a, &err);
    say_result(&a);
    if (st == PMAPDB_OK)
        return PM_EXIT_OK;
    if (!a.done && st == PMAPDB_STOPPED && pm_stop_asked()) {
        pm_cli_say("stopped by a signal; nothing has changed");
        return PM_EXIT_TROUBLE;
    }
    exit_code = pm_rules_cli_fail(r, st, &err);
    if (r->mistakes && !r->dry_run)
        pm_cli_say("nothing has changed");
    return exit_code;
}
