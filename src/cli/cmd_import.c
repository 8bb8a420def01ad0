/* cmd_import: pmapdb import PATH... : stores captures, a line of news for each. */
#include "cli/apart.h"
#include "cli/arg.h"
#include "cli/news.h"
#include "cli/stop.h"

#include "api/import_check.h"
#include "base/clock.h"
#include "base/num.h"
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_HOST = 0x3000,
    KEY_NAME,
    KEY_PID,
    KEY_AT,
    KEY_TIME_FROM,
    KEY_EVERY,
    KEY_FIRST,
    KEY_SWEEP,
    KEY_DIALECT,
    KEY_EXPLAIN,
    KEY_MAX_MEMORY,
    KEY_MAX_UNPACKED,
    KEY_STRICT,
    KEY_MODE,
    KEY_GROUP,
    KEY_REDACT,
    KEY_KEEP_CMDLINE
};

static const struct argp_option options[] = {
    {"host", KEY_HOST, "NAME", 0, "The host that the captures are from", 0},
    {"name", KEY_NAME, "NAME", 0, "Name of the process (else the best that the capture gives)", 0},
    {"pid", KEY_PID, "N", 0, "For captures that carry no pid", 0},
    {"at", KEY_AT, "TIME", 0, "When they were taken", 0},
    {"time-from", KEY_TIME_FROM, "WHAT", 0,
     "name or mtime (else a date line before the capture, the file's name, its mtime)", 0},
    {"every", KEY_EVERY, "SPAN", 0, "Step of a log without times; counted back from its mtime", 0},
    {"first", KEY_FIRST, "TIME", 0, "First capture of a log without times", 0},
    {"sweep", KEY_SWEEP, "SPAN", 0, "Captures of one name this close are one moment (1s)", 0},
    {"dialect", KEY_DIALECT, "NAME", 0, "Read rows only as this (pmapdb dialects lists them)", 0},
    {"explain", KEY_EXPLAIN, NULL, 0, "Store nothing: say how each capture is read, and why", 0},
    {"strict", KEY_STRICT, NULL, 0, "A capture without a pid is an error", 0},
    {"redact-cmdline", KEY_REDACT, "REGEX", 0,
     "Of command lines, store *** for what it matches (or its groups), as for --password X", 0},
    {"keep-cmdline", KEY_KEEP_CMDLINE, NULL, 0, "Store command lines with the secrets in them", 0},
    {"max-memory", KEY_MAX_MEMORY, "SIZE", 0, "What one file may take until its end (2G)", 0},
    {"max-unpacked", KEY_MAX_UNPACKED, "SIZE", 0,
     "Unpack so much of one file (64G, and beyond 1G at most 1,000 times its size)", 0},
    {"mode", KEY_MODE, "MODE", 0, "Permissions of a new store (0600)", 0},
    {"group", KEY_GROUP, "NAME", 0, "Group of a new store", 0},
    {0}};

typedef struct import_cli {
    pm_cli *cli;
    pmapdb_import_options import;
    pmapdb_open_options open;
    const char **paths;
    size_t n_paths;
    pm_cli_list redact;
    bool explain;
    pm_news news;
} import_cli;

/* ---- options ---- */

static int64_t time_arg(struct argp_state *state, const char *option, const char *arg)
{
    int64_t ms;

    if (!pm_clock_parse(pm_text_of(arg), &ms))
        argp_error(state, "%s wants a time like 2026-11-21T02:05:32Z, not '%s'", option, arg);
    return ms;
}

static error_t parse_number(import_cli *i, int key, const char *arg, struct argp_state *state)
{
    uint64_t pid;

    switch (key) {
    case KEY_PID:
        if (!pm_num_all(pm_text_of(arg), &pid) || pid > INT32_MAX)
            argp_error(state, "--pid wants a number, not '%s'", arg);
        else
            i->import.pid = (int64_t)pid;
        return 0;
    case KEY_AT:
        i->import.at_ms = time_arg(state, "--at", arg);
        return 0;
    case KEY_EVERY:
        i->import.every_ms = pm_cli_span(state, "--every", arg);
        return 0;
    case KEY_FIRST:
        i->import.first_ms = time_arg(state, "--first", arg);
        return 0;
    case KEY_SWEEP:
        i->import.sweep_ms = pm_cli_span(state, "--sweep", arg);
        return 0;
    case KEY_MAX_MEMORY:
        i->import.max_memory = (uint64_t)pm_cli_size(state, "--max-memory", arg) << 10;
        return 0;
    case KEY_MAX_UNPACKED:
        i->import.max_unpacked = (uint64_t)pm_cli_size(state, "--max-unpacked", arg) << 10;
        return 0;
    case KEY_MODE:
        i->open.file_mode = pm_cli_mode(state, "--mode", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    import_cli *i = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = i->cli;
        return 0;
    case KEY_HOST:
        i->import.host = pm_cli_name(state, "--host", arg);
        return 0;
    case KEY_NAME:
        i->import.name = pm_cli_name(state, "--name", arg);
        return 0;
    case KEY_TIME_FROM:
        i->import.time_from = arg;
        return 0;
    case KEY_DIALECT:
        i->import.dialect = arg;
        return 0;
    case KEY_EXPLAIN:
        i->explain = true;
        return 0;
    case KEY_STRICT:
        i->import.strict = true;
        return 0;
    case KEY_REDACT:
        pm_cli_add(state, &i->redact, arg);
        return 0;
    case KEY_KEEP_CMDLINE:
        i->import.keep_cmdline = true;
        return 0;
    case KEY_GROUP:
        i->open.group = arg;
        return 0;
    case ARGP_KEY_ARGS:
        i->paths = (const char **)state->argv + state->next;
        i->n_paths = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "import what? Files, directories, archives, or - for standard input");
        return 0;
    default:
        return parse_number(i, key, arg, state);
    }
}

/* ---- the run ---- */

static int finish(import_cli *i, pmapdb_status st, const pmapdb_error *err,
                  const pmapdb_import_result *result)
{
    const pm_news *news = &i->news;

    if (news->st != PMAPDB_OK && news->st != PMAPDB_STOPPED)
        return pm_cli_fail(news->st, &news->err);
    if (st == PMAPDB_STOPPED && pm_stop_asked()) {
        pm_cli_say("stopped by a signal; what was stored stays, import again for the rest");
        return PM_EXIT_TROUBLE;
    }
    if (st != PMAPDB_OK)
        return pm_cli_fail(st, err);
    pm_news_summary(i->cli, result);
    return result->new_trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

static int run(import_cli *i, pmapdb_store *store)
{
    pmapdb_error err = {0};
    pmapdb_import_result result = {0};
    pmapdb_status st = pm_cli_keep_apart(i->cli, i->paths, i->n_paths, "reads", &err);

    if (st == PMAPDB_OK)
        st = pm_news_open(&i->news, i->cli, false, &err);
    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    i->import.ctx = &i->news;
    i->import.on_event = pm_news_event;
    i->import.on_progress = pm_news_progress;
    st = pmapdb_import(store, i->paths, i->n_paths, &i->import, &result, &err);
    pm_news_close(&i->news);
    return finish(i, st, &err, &result);
}

int pm_cli_import(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "PATH...",
        "Stores captures of memory maps: files, directories, .gz .xz .zst .bz2, tar archives, or - "
        "for standard input. What is known already is not stored again. What a JVM says itself of "
        "its memory (jcmd PID VM.native_memory detail, System.map, System.dump_map) names the "
        "mappings of its process in the capture nearest in time: see pmapdb labels.\v"
        "Exit status: 0 done; 2 trouble, also when a capture was met for the first time that is "
        "damaged or refused; the rest is stored. With --explain, which needs no store: 2 when a "
        "named file holds nothing that can be stored, or a file cannot be read.",
        children,
        NULL,
        NULL};
    import_cli i = {.cli = cli, .open = {.mode = PMAPDB_WRITE}};
    pmapdb_store *store = NULL;
    pmapdb_error err;
    pmapdb_status st;
    int exit_code = PM_EXIT_TROUBLE;

    pmapdb_import_defaults(&i.import);
    pm_cli_parse(&argp, argc, argv, 0, &i);
    i.import.redact_cmdline = i.redact.item;
    i.import.n_redact_cmdline = i.redact.n;
    pm_cli_check_zone();
    if (i.explain) {
        free(i.redact.item);
        return pm_cli_explain(cli, i.paths, i.n_paths, &i.import);
    }
    pm_store_uncounted();
    st = pm_import_check(&i.import, &err); /* before a store is made in vain */
    if (st != PMAPDB_OK)
        exit_code = pm_cli_fail(st, &err);
    else if (pm_cli_open(cli, &i.open, &store) == PMAPDB_OK)
        exit_code = run(&i, store);
    pmapdb_close(store);
    free(i.redact.item);
    return exit_code;
}
