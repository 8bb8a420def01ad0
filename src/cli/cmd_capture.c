/* cmd_capture: pmapdb capture PID... : reads live processes and stores them, once or every beat. */
#include "cli/arg.h"
#include "cli/news.h"
#include "cli/stop.h"

#include "api/capture_check.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/num.h"
#include "store/store.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_MATCH = 0x3000,
    KEY_ALL,
    KEY_EVERY,
    KEY_COUNT,
    KEY_MEASURE,
    KEY_MAX_STALL,
    KEY_GROWTH,
    KEY_RSS_ABOVE,
    KEY_KEEP_ENV,
    KEY_LOCK_WAIT,
    KEY_HOST,
    KEY_NAME,
    KEY_MODE,
    KEY_GROUP,
    KEY_REDACT,
    KEY_KEEP_CMDLINE
};

static const struct argp_option options[] = {
    {"match", KEY_MATCH, "EXPR", 0, "The processes that it matches, at every beat anew", 0},
    {"all", KEY_ALL, NULL, 0, "All processes but this program itself", 0},
    {"every", KEY_EVERY, "SPAN", 0, "Go on: now, then at every multiple of it in UTC", 0},
    {"count", KEY_COUNT, "N", 0, "So many times (else until SIGINT or SIGTERM)", 0},
    {"measure", KEY_MEASURE, "WHAT", 0,
     "smaps, maps or auto (auto: smaps, and maps where that would stall the process)", 0},
    {"max-stall", KEY_MAX_STALL, "SPAN", 0, "How long auto may stall a process (50ms)", 0},
    {"on-growth", KEY_GROWTH, "AMOUNT", 0,
     "Only what grew or shrank by 10% or 200M since its last snapshot", 0},
    {"on-rss-above", KEY_RSS_ABOVE, "SIZE", 0, "Only what has more resident than this", 0},
    {"keep-env", KEY_KEEP_ENV, "NAME,...", 0, "Store these variables of the environment", 0},
    {"lock-wait", KEY_LOCK_WAIT, "SPAN", 0, "Wait for a run that captures the same to end", 0},
    {"host", KEY_HOST, "NAME", 0, "Name of this machine (else its own)", 0},
    {"name", KEY_NAME, "NAME", 0, "Name of the processes (else of their executables)", 0},
    {"redact-cmdline", KEY_REDACT, "REGEX", 0,
     "Of command lines, store *** for what it matches (or its groups), as for --password X", 0},
    {"keep-cmdline", KEY_KEEP_CMDLINE, NULL, 0, "Store command lines with the secrets in them", 0},
    {"mode", KEY_MODE, "MODE", 0, "Permissions of a new store (0600)", 0},
    {"group", KEY_GROUP, "NAME", 0, "Group of a new store", 0},
    {0}};

typedef struct capture_cli {
    pm_cli *cli;
    pmapdb_capture_options capture;
    pmapdb_open_options open;
    int64_t *pids;
    char **keep_env;
    size_t n_env, cap_env;
    pm_cli_list redact;
    pm_news news;
    char lost[512];  /* what the last beat was lost to; empty: it was not */
    uint64_t n_lost; /* beats in a row */
} capture_cli;

/* ---- options ---- */

static void growth_arg(capture_cli *c, const char *arg, struct argp_state *state)
{
    size_t n = strlen(arg);
    uint64_t percent;
    int64_t kib;

    if (n > 1 && arg[n - 1] == '%' && pm_num_all((pm_text){arg, n - 1}, &percent) && percent > 0 &&
        percent < 1000000)
        c->capture.growth_percent = (int64_t)percent;
    else if (arg[strspn(arg, "0123456789.")] && pm_num_size(pm_text_of(arg), &kib) && kib > 0)
        c->capture.growth_kib = kib;
    else
        argp_error(state, "--on-growth wants a share like 10%% or a size like 200M, not '%s'", arg);
}

static void measure_arg(capture_cli *c, const char *arg, struct argp_state *state)
{
    static const char *const names[] = {"auto", "smaps", "maps"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(arg, names[i]) == 0) {
            c->capture.measure = (pmapdb_measure)i;
            return;
        }
    argp_error(state, "--measure is smaps, maps or auto, not '%s'", arg);
}

static void env_arg(capture_cli *c, const char *arg, struct argp_state *state)
{
    if (!arg[strspn(arg, ",")])
        argp_error(state, "--keep-env wants names, not '%s'", arg);
    while (*arg) {
        size_t n = strcspn(arg, ",");

        if (memchr(arg, '=', n))
            argp_error(state, "--keep-env wants names, not '%s'", arg);
        if (n &&
            (pm_grow(&c->keep_env, &c->cap_env, c->n_env, sizeof *c->keep_env, NULL) != PMAPDB_OK ||
             !(c->keep_env[c->n_env++] = strndup(arg, n))))
            argp_failure(state, PM_EXIT_TROUBLE, 0, "out of memory");
        arg += n + (arg[n] == ',');
    }
}

static void pid_args(capture_cli *c, struct argp_state *state)
{
    size_t n = (size_t)(state->argc - state->next);
    uint64_t pid;

    c->pids = calloc(n, sizeof *c->pids);
    if (!c->pids)
        argp_failure(state, PM_EXIT_TROUBLE, 0, "out of memory");
    for (size_t i = 0; c->pids && i < n; i++) {
        const char *arg = state->argv[state->next + (int)i];

        if (!pm_num_all(pm_text_of(arg), &pid) || pid < 1 || pid > INT32_MAX)
            argp_error(state, "'%s' is no pid; --match 'comm(NAME)' takes names", arg);
        else
            c->pids[i] = (int64_t)pid;
    }
    c->capture.pids = c->pids;
    c->capture.n_pids = n;
}

static error_t parse_when(capture_cli *c, int key, const char *arg, struct argp_state *state)
{
    switch (key) {
    case KEY_EVERY:
        c->capture.every_ms = pm_cli_span(state, "--every", arg);
        return 0;
    case KEY_COUNT:
        c->capture.count = pm_cli_count(state, "--count", arg);
        return 0;
    case KEY_MEASURE:
        measure_arg(c, arg, state);
        return 0;
    case KEY_MAX_STALL:
        c->capture.max_stall_us = pm_cli_span(state, "--max-stall", arg) * 1000;
        return 0;
    case KEY_GROWTH:
        growth_arg(c, arg, state);
        return 0;
    case KEY_RSS_ABOVE:
        c->capture.rss_above_kib = pm_cli_size(state, "--on-rss-above", arg);
        return 0;
    case KEY_LOCK_WAIT:
        c->capture.lock_wait_ms = pm_cli_span(state, "--lock-wait", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    capture_cli *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = c->cli;
        return 0;
    case KEY_MATCH:
        c->capture.match = pm_cli_once(state, "--match", c->capture.match, arg);
        return 0;
    case KEY_ALL:
        c->capture.all = true;
        return 0;
    case KEY_KEEP_ENV:
        env_arg(c, arg, state);
        return 0;
    case KEY_HOST:
        c->capture.host = pm_cli_name(state, "--host", arg);
        return 0;
    case KEY_NAME:
        c->capture.name = pm_cli_name(state, "--name", arg);
        return 0;
    case KEY_MODE:
        c->open.file_mode = pm_cli_mode(state, "--mode", arg);
        return 0;
    case KEY_REDACT:
        pm_cli_add(state, &c->redact, arg);
        return 0;
    case KEY_KEEP_CMDLINE:
        c->capture.keep_cmdline = true;
        return 0;
    case KEY_GROUP:
        c->open.group = arg;
        return 0;
    case ARGP_KEY_ARGS:
        pid_args(c, state);
        return 0;
    case ARGP_KEY_END:
        if (!c->pids && !c->capture.match && !c->capture.all)
            argp_error(state, "capture what? Pids, --match EXPR or --all");
        return 0;
    default:
        return parse_when(c, key, arg, state);
    }
}

/* ---- beats ---- */

/* What loses one beat loses the next ones, too: it is said once, and when it is over. */
static void say_lost(capture_cli *c, const pmapdb_error *lost)
{
    c->n_lost++;
    if (strcmp(c->lost, lost->text) != 0)
        pm_cli_say("a beat is lost: %s", lost->text);
    snprintf(c->lost, sizeof c->lost, "%s", lost->text);
}

static void say_found(capture_cli *c)
{
    if (c->n_lost)
        pm_cli_say("beats are stored again; %" PRIu64 " %s lost", c->n_lost,
                   c->n_lost == 1 ? "was" : "were");
    c->n_lost = 0;
    c->lost[0] = '\0';
}

static void see_beat(void *ctx, const pmapdb_capture_beat *beat)
{
    capture_cli *c = ctx;
    uint64_t missed = beat->missed - (c->n_lost < beat->missed ? c->n_lost : beat->missed);
    char at[PM_CLOCK_TEXT];

    pm_clock_format(beat->started_ms, at);
    if (beat->moved_ms && !c->cli->quiet)
        pm_cli_say("%s: the clock was set by %+.1f s, or the machine slept: beats are aligned anew",
                   at, (double)beat->moved_ms / 1000);
    if (missed && !c->cli->quiet)
        pm_cli_say("%s: %" PRIu64 " %s missed before it", at, missed,
                   missed == 1 ? "beat was" : "beats were");
    if (beat->lost)
        say_lost(c, beat->lost);
    else
        say_found(c);
    pm_news_flush(&c->news);
}

static void see_event(void *ctx, const pmapdb_capture_event *event)
{
    capture_cli *c = ctx;

    pm_news_live(&c->news, event);
}

static bool go_on(void *ctx)
{
    capture_cli *c = ctx;

    return pm_news_go_on(&c->news);
}

/* ---- the run ---- */

static void say_summary(const capture_cli *c, const pmapdb_capture_result *r, bool stopped)
{
    if (c->cli->quiet)
        return;
    fputs("pmapdb: ", stderr);
    if (stopped)
        fputs("stopped by a signal after ", stderr);
    else if (r->ended && c->capture.every_ms != PMAPDB_UNKNOWN)
        fputs("all of the processes have ended, after ", stderr);
    if (c->capture.every_ms != PMAPDB_UNKNOWN)
        fprintf(stderr, "%" PRIu64 " %s, ", r->beats, r->beats == 1 ? "beat" : "beats");
    fprintf(stderr, "%" PRIu64 " %s stored", r->stored, r->stored == 1 ? "snapshot" : "snapshots");
    if (r->degraded)
        fprintf(stderr, ", %" PRIu64 " of them maps only", r->degraded);
    if (r->unmoved)
        fprintf(stderr, ", %" PRIu64 " unmoved", r->unmoved);
    if (r->vanished)
        fprintf(stderr, ", %" PRIu64 " vanished", r->vanished);
    if (r->changed)
        fprintf(stderr, ", %" PRIu64 " changed too quickly", r->changed);
    if (r->missed)
        fprintf(stderr, ", %" PRIu64 " %s missed", r->missed, r->missed == 1 ? "beat" : "beats");
    fputc('\n', stderr);
}

static int finish(capture_cli *c, pmapdb_status st, const pmapdb_error *err,
                  const pmapdb_capture_result *r)
{
    bool once = c->capture.every_ms == PMAPDB_UNKNOWN;

    if (c->news.st != PMAPDB_OK && c->news.st != PMAPDB_STOPPED)
        return pm_cli_fail(c->news.st, &c->news.err);
    if (st == PMAPDB_STOPPED && pm_stop_asked() && once) {
        pm_cli_say("stopped by a signal; nothing was stored");
        return PM_EXIT_TROUBLE;
    }
    if (st != PMAPDB_OK && st != PMAPDB_STOPPED)
        return pm_cli_fail(st, err);
    if (!r->trouble || r->stored)
        say_summary(c, r, st == PMAPDB_STOPPED && pm_stop_asked());
    if (st == PMAPDB_STOPPED && !pm_stop_asked() && !once) {
        pm_cli_say("%s: nothing is captured any more", c->news.err.text);
        return PM_EXIT_TROUBLE;
    }
    if (once)
        return r->trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
    return c->n_lost || (r->ended && !r->stored) ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

static int run(capture_cli *c, pmapdb_store *store)
{
    pmapdb_error err = {0};
    pmapdb_capture_result result = {0};
    pmapdb_status st = pm_news_open(&c->news, c->cli, true, &err);

    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    c->capture.ctx = c;
    c->capture.on_event = see_event;
    c->capture.on_beat = c->capture.every_ms == PMAPDB_UNKNOWN ? NULL : see_beat;
    c->capture.on_progress = go_on;
    st = pmapdb_capture(store, &c->capture, &result, &err);
    pm_news_close(&c->news);
    return finish(c, st, &err, &result);
}

int pm_cli_capture(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "PID...\n--match EXPR\n--all",
        "Reads the memory maps of live processes from /proc and stores them: all that are chosen "
        "as one moment, in one transaction.\v"
        "EXPR is made of comm(NAME), exe(GLOB), cmdline(GLOB), cgroup(GLOB), user(NAME), uid(N), "
        "pid(N), env(NAME), env(NAME,GLOB), descendants(PID) and of and(A,B...), or(A,B...), "
        "not(A).\n\n"
        "While the kernel makes smaps it holds up the process, for longer the larger its largest "
        "mapping is. Where that is predicted to take more than --max-stall, by what earlier "
        "readings took, maps alone is read: it costs nothing, and knows sizes but not what is "
        "resident. Its snapshot says why.\n\n"
        "With --every, beats are at multiples of the span in UTC (but the first, which is at "
        "once). A beat that begins late by a quarter of the span is missed, one that the store "
        "does not take is lost; both are counted in the next one. What a process was at the last "
        "beat is remembered, up to 256 MiB in all: beyond that a beat is stored in parts.\n\n"
        "Two runs that capture the same into one store exclude each other (by STORE-capture, "
        "which stays); those that capture something else go on side by side. Kernel threads are "
        "left out. So are other users' processes unless this is root or has CAP_SYS_PTRACE; they "
        "are counted.\n\n"
        "Exit status: 0 done, also when processes ended or could not be read; with --every, also "
        "when SIGINT or SIGTERM ended it; 2 trouble: of the processes named by pid one gave no "
        "snapshot (with --every: none gave one), the store (with --every: the last beat is lost, "
        "or a file of the store was removed), usage, another run of the same.",
        children,
        NULL,
        NULL};
    capture_cli c = {.cli = cli, .open = {.mode = PMAPDB_WRITE}};
    pmapdb_store *store = NULL;
    pmapdb_error err;
    pmapdb_status st;
    int exit_code = PM_EXIT_TROUBLE;

    pmapdb_capture_defaults(&c.capture);
    pm_cli_parse(&argp, argc, argv, 0, &c);
    c.capture.keep_env = (const char *const *)c.keep_env;
    c.capture.n_keep_env = c.n_env;
    c.capture.redact_cmdline = c.redact.item;
    c.capture.n_redact_cmdline = c.redact.n;
    pm_store_uncounted();
    st = pm_capture_check(&c.capture, &err); /* before a store is made in vain */
    if (st != PMAPDB_OK)
        exit_code = pm_cli_fail(st, &err);
    else if (pm_cli_open(cli, &c.open, &store) == PMAPDB_OK)
        exit_code = run(&c, store);
    pmapdb_close(store);
    for (size_t i = 0; i < c.n_env; i++)
        free(c.keep_env[i]);
    free(c.keep_env);
    free(c.pids);
    free(c.redact.item);
    return exit_code;
}
