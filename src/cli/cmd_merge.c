/* cmd_merge: pmapdb merge OTHER.db... : what other stores hold, into this one; a row for each. */
#include "cli/arg.h"
#include "cli/cli.h"
#include "cli/same_file.h"

#include "base/clock.h"
#include "cli/stop.h"
#include "cli/value.h"
#include <stdio.h>
#include <unistd.h>

enum { KEY_HOST = 0x3000, KEY_SWEEP, KEY_DRY_RUN, KEY_MODE, KEY_GROUP };

static const struct argp_option options[] = {
    {"host", KEY_HOST, "NAME", 0, "The host of what comes from a host that OTHER does not know", 0},
    {"sweep", KEY_SWEEP, "SPAN", 0, "Captures of one name this close are one moment (1s)", 0},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "Store nothing: count what would be", 0},
    {"mode", KEY_MODE, "MODE", 0, "Permissions of a new store (0600)", 0},
    {"group", KEY_GROUP, "NAME", 0, "Group of a new store", 0},
    {0}};

typedef struct merge_cli {
    pm_cli *cli;
    pmapdb_merge_options merge;
    pmapdb_open_options open;
    const char **paths;
    size_t n_paths;
    pm_cli_out *out;
    pm_sink sink;
    pm_render *render;
    bool progress;    /* a line on the terminal that is written over */
    int64_t shown_ms; /* when it was last */
    pmapdb_status st; /* of the output; once it failed, nothing more is written */
    pmapdb_error err;
} merge_cli;

/* ---- options ---- */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    merge_cli *m = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = m->cli;
        return 0;
    case KEY_HOST:
        m->merge.host = pm_cli_name(state, "--host", arg);
        return 0;
    case KEY_SWEEP:
        m->merge.sweep_ms = pm_cli_span(state, "--sweep", arg);
        return 0;
    case KEY_DRY_RUN:
        m->merge.dry_run = true;
        return 0;
    case KEY_MODE:
        m->open.file_mode = pm_cli_mode(state, "--mode", arg);
        return 0;
    case KEY_GROUP:
        m->open.group = arg;
        return 0;
    case ARGP_KEY_ARGS:
        m->paths = (const char **)state->argv + state->next;
        m->n_paths = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "merge what? The stores of other hosts");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- news ---- */

static void clear_progress(merge_cli *m)
{
    if (m->progress && m->shown_ms)
        fputs("\r\033[K", stderr);
    m->shown_ms = 0;
}

static bool on_progress(void *ctx, const pmapdb_merge_progress *p)
{
    merge_cli *m = ctx;
    int64_t now;

    if (pm_stop_asked() || m->st != PMAPDB_OK)
        return false;
    if (!m->progress)
        return true;
    now = pm_clock_now();
    if (now - m->shown_ms < 200)
        return true;
    m->shown_ms = now;
    fprintf(stderr, "\r\033[K%s: %llu snapshots, %llu stored", p->path,
            (unsigned long long)p->snapshots, (unsigned long long)p->stored);
    return true;
}

static const pm_column columns[] = {{"path", PM_UNIT_TEXT},       {"hosts", PM_UNIT_COUNT},
                                    {"processes", PM_UNIT_COUNT}, {"snapshots", PM_UNIT_COUNT},
                                    {"new", PM_UNIT_COUNT},       {"known", PM_UNIT_COUNT},
                                    {"error", PM_UNIT_TEXT}};

/* Of a store that could not be read nothing is known. */
static pm_value count_value(const pmapdb_merge_event *e, uint64_t n)
{
    return pm_value_int(e->error && !e->processes ? PMAPDB_UNKNOWN : (int64_t)n);
}

static void on_event(void *ctx, const pmapdb_merge_event *e)
{
    merge_cli *m = ctx;
    pm_value values[] = {pm_value_text(e->path),       count_value(e, e->hosts),
                         count_value(e, e->processes), count_value(e, e->snapshots),
                         count_value(e, e->new_ones),  count_value(e, e->known),
                         pm_value_text(e->error)};

    clear_progress(m);
    if (e->error)
        pm_cli_say("%s", e->error);
    if (e->warning && !m->cli->quiet)
        pm_cli_say("%s: %s", e->path, e->warning);
    /* For people standard error has said it. */
    if (m->st == PMAPDB_OK && !(e->error && pm_cli_is_for_people(m->cli)))
        m->st = pm_render_row(m->render, values, &m->err);
}

/* ---- the run ---- */

static pmapdb_status open_output(merge_cli *m)
{
    pm_render_options how = pm_cli_render_options(m->cli);
    int n = (int)(sizeof columns / sizeof *columns) - pm_cli_is_for_people(m->cli);
    pmapdb_status st = pm_cli_out_open(m->cli->output, &m->out, &m->err);

    if (st != PMAPDB_OK)
        return st;
    m->sink = pm_cli_out_sink(m->out);
    st = pm_render_new(&how, &m->sink, columns, n, &m->render, &m->err);
    if (st != PMAPDB_OK)
        pm_cli_out_close(m->out);
    return st;
}

static void close_output(merge_cli *m, bool any)
{
    clear_progress(m);
    if (m->st == PMAPDB_OK && any)
        m->st = pm_render_end(m->render, &m->err);
    if (m->st == PMAPDB_OK && any)
        m->st = pm_cli_out_commit(m->out, &m->err);
    pm_cli_say_left_out(m->cli, m->render);
    pm_render_free(m->render);
    pm_cli_out_close(m->out);
}

static int run(merge_cli *m, pmapdb_store *store)
{
    pmapdb_error err = {0};
    pmapdb_merge_result result = {0};
    pmapdb_status st;

    if (pm_cli_keep_apart(m->cli, m->paths, m->n_paths, "reads", &m->err) != PMAPDB_OK ||
        open_output(m) != PMAPDB_OK)
        return pm_cli_fail(m->err.status, &m->err);
    m->progress = isatty(STDERR_FILENO) && !m->cli->quiet;
    m->merge.ctx = m;
    m->merge.on_event = on_event;
    m->merge.on_progress = on_progress;
    pm_stop_catch();
    st = pmapdb_merge(store, m->paths, m->n_paths, &m->merge, &result, &err);
    close_output(m, st != PMAPDB_USAGE);
    if (m->st != PMAPDB_OK)
        return pm_cli_fail(m->st, &m->err);
    if (st == PMAPDB_STOPPED && pm_stop_asked()) {
        pm_cli_say("stopped by a signal; what was stored stays, merge again for the rest");
        return PM_EXIT_TROUBLE;
    }
    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    return result.failed ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

/* A dry run makes no store: where there is none, all is new. */
static pmapdb_status open_store(merge_cli *m, pmapdb_store **store)
{
    pmapdb_error err;
    pmapdb_status st;

    if (!m->merge.dry_run)
        return pm_cli_open(m->cli, &m->open, store);
    m->open.mode = PMAPDB_READ;
    st = pm_cli_try_open(m->cli, &m->open, store, &err);
    if (st == PMAPDB_NOTFOUND)
        return PMAPDB_OK;
    if (st != PMAPDB_OK)
        pm_cli_say("%s", err.text);
    return st;
}

int pm_cli_merge(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "OTHER.db...",
        "Stores what other stores hold, each of its own host or several of one: then this one, "
        "--db, holds what it would if it had seen all of their captures. What it holds already is "
        "not stored again, so it can be run every night; nor is what was pruned here. OTHER is "
        "only read and may be in use.\v"
        "Exit status: 0 done; 2 trouble, also when one of the stores cannot be read or is damaged; "
        "the others are merged.",
        children,
        NULL,
        NULL};
    merge_cli m = {.cli = cli, .open = {.mode = PMAPDB_WRITE}};
    pmapdb_store *store = NULL;
    int exit_code = PM_EXIT_TROUBLE;

    pmapdb_merge_defaults(&m.merge);
    pm_cli_parse(&argp, argc, argv, 0, &m);
    if (open_store(&m, &store) == PMAPDB_OK)
        exit_code = run(&m, store);
    pmapdb_close(store);
    return exit_code;
}
