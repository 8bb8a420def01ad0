/* capture: pmapdb capture PID... : reads live processes and stores them, once or at every beat. */
#include "cli/commands/capture_log.h"
#include "cli/options/labels.h"

#include "api/check.h" /* pm_capture_check: checks the options before a store is created */
#include "base/buf.h"
#include "base/clock/clock.h"
#include "store/file/store.h" /* pm_store_lookaside */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct capture {
    pm_cli *cli;
    pmapdb_capture_options o;
    pmapdb_open_options open;
    const char *measure, *user;
    const char *named; /* a name or a user that must exist; NULL: pids, --match or --all */
    int64_t *pids;
    pm_buf names, match; /* SQL expressions: of the names, and of the whole selection */
    bool verbose, pages;
    int64_t max_stall_ms;
    pm_cli_list keep_cmdline, keep_env, labels;
    pm_capture_log log;
    char lost[512];  /* why the last beat was lost; empty: it was stored */
    uint64_t n_lost; /* consecutive lost beats */
} capture;

/* ---- options ---- */

/* Parses "NAME,NAME"; the list owns copies of the names. */
static const char *read_names(const char *arg, void *value)
{
    pm_text rest = pm_text_of(arg), name = pm_text_word(&rest, ",");

    if (!name.len || strchr(arg, '='))
        return "names";
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the list keeps the copies
    for (; name.len; name = pm_text_word(&rest, ","))
        pm_cli_list_add(value, pm_cli_memory(pm_text_copy(name)));
    return NULL;
}

#define AT(field) offsetof(capture, field)

static const pm_option options[] = {
    {"match", 0, PM_OPT_TEXT, AT(o.match), "EXPR", "Processes that it matches, anew at each beat"},
    {"all", 0, PM_OPT_FLAG, AT(o.all), NULL, "All processes except this program"},
    {"user", 0, PM_OPT_NAME, AT(user), "NAME", "Only processes of this user"},
    {"every", 0, PM_OPT_CUSTOM, AT(o.every_ms), "SPAN",
     "Capture now, then at every multiple of SPAN in UTC: 60s", pm_option_read_every},
    {"interval", 'i', PM_OPT_CUSTOM, AT(o.every_ms), "SPAN", NULL, pm_option_read_every},
    {"count", 'n', PM_OPT_COUNT, AT(o.count), "N",
     "This many times (default: until SIGINT or SIGTERM)"},
    {"verbose", 'v', PM_OPT_FLAG, AT(verbose), NULL, "A line for each snapshot"},
    {"measure", 0, PM_OPT_CHOICE, AT(measure), "auto|smaps|maps",
     "What to read (auto: pagemap, or maps, where smaps would stall)"},
    {"max-stall", 0, PM_OPT_SPAN, AT(max_stall_ms), "SPAN",
     "Longest stall that auto may cause (50ms); 1 capture in 100 measures, and may stall longer"},
    {"touched", 0, PM_OPT_CUSTOM, AT(o.touched_ms), "SPAN",
     "Clear the accessed bits at most this often, to see what is touched", pm_option_read_every},
    {"pages", 0, PM_OPT_FLAG, AT(pages), NULL, "Also which pages they share: groups --exact"},
    {"archive", 0, PM_OPT_WORD, AT(o.archive), "FILE",
     "Only the pages, into FILE, for --proc elsewhere"},
    {"on-rss-above", 0, PM_OPT_SIZE, AT(o.rss_above_kib), "SIZE",
     "Only processes with more resident memory than this"},
    {"keep-env", 0, PM_OPT_CUSTOM, AT(keep_env), "NAME,...",
     "Store these variables of the environment", read_names},
    {"lock-wait", 0, PM_OPT_SPAN, AT(o.lock_wait_ms), "SPAN",
     "Wait for a run that captures the same to end"},
    {"proc", 0, PM_OPT_WORD, AT(o.proc), "PATH", "Another /proc: mounted, copied, or an archive"},
    {"host", 0, PM_OPT_NAME, AT(o.host), "NAME", "Name of this machine (default: its own)"},
    {"name", 0, PM_OPT_NAME, AT(o.name), "NAME", "Name of the processes (comm, or their script)"},
    {"names", 0, PM_OPT_WORD, AT(o.names), "FILE", "Names by rules, lines of NAME EXPR"},
    {"keep-cmdline", 0, PM_OPT_LIST, AT(keep_cmdline), "REGEX",
     "Also store what it matches of command lines"},
    PM_LABEL_OPTION(AT(labels)),
    {"mode", 0, PM_OPT_MODE, AT(open.file_mode), "MODE", "Permissions of a new store (0600)"},
    {"group", 0, PM_OPT_NAME, AT(open.group), "NAME", "Group of a new store"},
    {0}};

static const pm_syntax syntax = {.options = options,
                                 .operands = "PID|NAME...\n--match EXPR\n--all"};

/* Adds a pid or a name. Returns true for a name. */
static bool add_word(capture *c, const char *word, size_t i)
{
    if (i)
        pm_buf_addf(&c->names, NULL, " OR ");
    if (pm_cli_is_pid(word, &c->pids[i])) {
        pm_buf_addf(&c->names, NULL, "pid = %s", word);
        return false;
    }
    if (!word[strspn(word, "-0123456789")])
        pm_cli_usage(c->cli, "'%s' is not a pid", word);
    pm_cli_match_name(&c->names, word);
    return true;
}

/* Takes pids as such; names and --user become part of the expression of --match. */
static void choose(capture *c, char **words, size_t n)
{
    pmapdb_error err;

    if (!n && !c->user && !c->o.match && !c->o.all)
        pm_cli_usage(c->cli, "capture what? Pids, names, --user NAME, --match EXPR or --all");
    c->pids = pm_cli_memory(calloc(n + 1, sizeof *c->pids));
    for (size_t i = 0; i < n; i++)
        if (add_word(c, words[i], i) && !c->named)
            c->named = words[i];
    if (c->user) {
        c->named = c->user;
        c->o.all = false; /* with --user: all processes of that user */
    }
    if (!c->named) {
        c->o.pids = c->pids;
        c->o.n_pids = n;
        return;
    }
    if (c->o.match) /* checked alone, so that an error names the user's own expression */
        pm_cli_must(pm_capture_check(&c->o, &err), &err);
    pm_buf_addf(&c->match, NULL, "(%s\n) AND (%s)", c->o.match ? c->o.match : "1",
                n ? pm_cli_text(&c->names) : "1");
    if (c->user)
        pm_cli_quote(&c->match, " AND ", c->user, " IN (user, uid || '')");
    c->o.match = pm_cli_text(&c->match);
}

/* ---- beats ---- */

static void on_beat(void *ctx, const pmapdb_capture_beat *beat)
{
    capture *c = ctx;
    uint64_t missed = beat->missed - (c->n_lost < beat->missed ? c->n_lost : beat->missed);
    char at[PM_CLOCK_TEXT];

    pm_clock_format(beat->started_ms, at);
    if (beat->moved_ms)
        pm_cli_note(
            c->cli,
            "%s: the clock was set by %+.1f s, or the machine slept: beats are aligned again", at,
            (double)beat->moved_ms / 1000);
    if (missed)
        pm_cli_note(c->cli, "%s: %" PRIu64 " %s missed before it", at, missed,
                    missed == 1 ? "beat was" : "beats were");
    /* A reason is printed once, not at every beat; the end of the losses is printed, too. */
    if (beat->lost && strcmp(c->lost, beat->lost->text) != 0)
        pm_cli_say("a beat is lost: %s", beat->lost->text);
    if (!beat->lost && c->n_lost)
        pm_cli_say("beats are stored again; %" PRIu64 " %s lost", c->n_lost,
                   c->n_lost == 1 ? "was" : "were");
    snprintf(c->lost, sizeof c->lost, "%s", beat->lost ? beat->lost->text : "");
    c->n_lost = beat->lost ? c->n_lost + 1 : 0;
    if (c->log.writes)
        pm_output_flush(&c->log.out);
}

static void on_event(void *ctx, const pmapdb_capture_event *event)
{
    capture *c = ctx;

    pm_capture_log_event(&c->log, event);
}

static bool on_progress(void *ctx, const pmapdb_progress *progress)
{
    const capture *c = ctx;

    (void)progress;
    return !pm_stop_asked() && !pm_output_failed(&c->log.out);
}

/* ---- the run ---- */

static void say_summary(const capture *c, const pmapdb_capture_result *r, bool stopped)
{
    bool once = c->o.every_ms == PMAPDB_UNKNOWN;

    if (c->cli->quiet)
        return;
    fprintf(stderr, "pmapdb: %s",
            stopped             ? "stopped by a signal after "
            : r->ended && !once ? "all of the processes have ended, after "
                                : "");
    if (!once)
        fprintf(stderr, "%" PRIu64 " %s, ", r->beats, r->beats == 1 ? "beat" : "beats");
    if (c->o.archive)
        fprintf(stderr, "%" PRIu64 " %s in '%s'", r->archived,
                r->archived == 1 ? "process" : "processes", c->o.archive);
    else
        fprintf(stderr, "%" PRIu64 " %s stored", r->stored,
                r->stored == 1 ? "snapshot" : "snapshots");
    pm_capture_log_count(r->degraded, "of them sizes only", "of them sizes only");
    pm_capture_log_count(r->unmoved, "unmoved", "unmoved");
    pm_capture_log_count(r->vanished, "vanished", "vanished");
    pm_capture_log_count(r->changed, "changed too quickly", "changed too quickly");
    pm_capture_log_count(r->cleared, "cleared", "cleared");
    pm_capture_log_count(r->marked, "marked idle", "marked idle");
    pm_capture_log_count(r->missed, "beat missed", "beats missed");
    fputc('\n', stderr);
}

/* `why_stopped` is the failure that ended the output before the end of the run, if any. */
static int finish(const capture *c, pmapdb_status st, const pmapdb_error *err,
                  const pmapdb_error *why_stopped, const pmapdb_capture_result *r)
{
    bool once = c->o.every_ms == PMAPDB_UNKNOWN;
    bool stopped = st == PMAPDB_STOPPED && pm_stop_asked();

    if (stopped && once)
        pm_cli_die("stopped by a signal; nothing was stored");
    if (st != PMAPDB_STOPPED)
        pm_cli_must(st, err);
    if (c->named && once && !r->stored && !r->trouble && !r->unmoved)
        pm_cli_die("no process of '%s' runs here", c->named);
    if (!r->trouble || r->stored)
        say_summary(c, r, stopped);
    if (st == PMAPDB_STOPPED && !stopped && !once)
        pm_cli_die("%s: nothing is captured any more", why_stopped->text);
    if (once)
        return r->trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
    return c->n_lost || (r->ended && !r->stored) ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

static int run(capture *c, pmapdb_store *store)
{
    pmapdb_capture_result result = {0};
    pmapdb_error err = {0}, why_stopped;
    pmapdb_status st;

    pm_capture_log_open(&c->log, c->cli, true,
                        c->verbose || (c->o.n_pids && c->o.every_ms == PMAPDB_UNKNOWN));
    c->o.ctx = c;
    c->o.on_event = on_event;
    c->o.on_beat = c->o.every_ms == PMAPDB_UNKNOWN ? NULL : on_beat;
    c->o.on_progress = on_progress;
    st = pmapdb_capture(store, &c->o, &result, &err);
    why_stopped = c->log.out.file.failure;
    if (why_stopped.status == PMAPDB_STOPPED)
        pm_capture_log_drop(&c->log);
    else
        pm_capture_log_close(&c->log);
    return finish(c, st, &err, &why_stopped, &result);
}

int pm_cli_capture(pm_cli *cli, int argc, char **argv)
{
    capture c = {.cli = cli,
                 .open = {.mode = PMAPDB_WRITE},
                 .measure = "auto",
                 .max_stall_ms = PMAPDB_UNKNOWN};
    pmapdb_store *store;
    pmapdb_error err;
    int exit_code;

    pmapdb_capture_defaults(&c.o);
    choose(&c, argv + 1, (size_t)pm_options_parse(cli, &syntax, &c, argc, argv));
    c.o.measure = strcmp(c.measure, "smaps") == 0  ? PMAPDB_MEASURE_SMAPS
                  : strcmp(c.measure, "maps") == 0 ? PMAPDB_MEASURE_MAPS
                                                   : PMAPDB_MEASURE_AUTO;
    c.o.pages = c.pages ? PMAPDB_PAGES_AUTO : PMAPDB_PAGES_NONE;
    if (c.o.archive) {
        c.o.measure = PMAPDB_MEASURE_TOTALS;
        c.o.pages = PMAPDB_PAGES_AUTO;
        c.open.in_memory = true;
        if (c.o.every_ms != PMAPDB_UNKNOWN)
            pm_cli_usage(cli, "--archive takes one moment: --every does not go with it");
    }
    if (c.max_stall_ms != PMAPDB_UNKNOWN)
        c.o.max_stall_us = c.max_stall_ms * 1000;
    c.o.keep_env = c.keep_env.item;
    c.o.n_keep_env = c.keep_env.n;
    c.o.keep_cmdline = c.keep_cmdline.item;
    c.o.n_keep_cmdline = c.keep_cmdline.n;
    pm_store_lookaside();
    pm_cli_must(pm_capture_check(&c.o, &err), &err);
    store = pm_cli_store_with(cli, &c.open);
    pm_cli_store_labels(cli, store, c.o.host, !c.o.host && !c.o.proc, pm_clock_now(), &c.labels);
    exit_code = run(&c, store);
    pmapdb_close(store);
    for (size_t i = 0; i < c.keep_env.n; i++)
        free((char *)c.keep_env.item[i]);
    free(c.keep_env.item);
    free(c.keep_cmdline.item);
    free(c.labels.item);
    free(c.pids);
    pm_buf_free(&c.names);
    pm_buf_free(&c.match);
    return exit_code;
}
