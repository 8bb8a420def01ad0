/* run_command: pmapdb run -- COMMAND : captures a command and its descendants from the exec to the
 * end, and prints what they held at the peak. */
#include "cli/commands/capture_log.h"
#include "cli/options/labels.h"
#include "cli/options/options.h"

#include "api/check.h" /* pm_capture_check: checks the options before the command is started */
#include "base/clock/clock.h"
#include "base/num.h"
#include "cli/run.h"
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVERY_MS 1000

/* ---- a command as a child of this program ---- */

typedef struct launch {
    pid_t pid;
    bool ended;
    int status;           /* exit status as a shell reports it: 128 + N after signal N */
    int64_t peak_rss_kib; /* the largest resident size of one process of the command, as the kernel
                             counted it (ru_maxrss); 0: unknown */
    int64_t own_rss_kib;  /* of this program at the fork; ru_maxrss of a child begins with it */
} launch;

#define CANNOT_RUN 126
#define NO_COMMAND 127

/* A handler, even an empty one, ends a sleep between two beats when the command ends. */
static void on_child(int signal_number)
{
    (void)signal_number;
}

/* Starts the command, which ends with a NULL, and returns after its exec. If it cannot be started,
 * ends this program as env(1) does: 127 if there is no such command, else 126. Descendants whose
 * parent ends become children of this program. */
static void launch_start(launch *l, char *const *command)
{
    struct sigaction action = {.sa_handler = on_child};
    struct rusage own;
    posix_spawnattr_t how;
    sigset_t usual; /* signals that this program ignores and the command must not */
    int reason;

    *l = (launch){0};
    getrusage(RUSAGE_SELF, &own);
    l->own_rss_kib = own.ru_maxrss;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
    reason = posix_spawnp(&l->pid, command[0], NULL, &how, command, environ);
    posix_spawnattr_destroy(&how);
    if (!reason)
        return;
    pm_cli_say("'%s' cannot be started: %s", command[0], strerror(reason));
    exit(reason == ENOENT ? NO_COMMAND : CANNOT_RUN);
}

/* Notes the end of one process: of the command itself, or of an orphan of one of its processes. */
static void reap(launch *l, pid_t pid, int status, const struct rusage *use)
{
    if (use->ru_maxrss > l->peak_rss_kib && use->ru_maxrss > l->own_rss_kib)
        l->peak_rss_kib = use->ru_maxrss;
    if (pid != l->pid)
        return;
    l->ended = true;
    l->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Notes processes that have ended. Returns false after the end of the command. */
static bool launch_goes_on(launch *l)
{
    struct rusage use;
    int status;
    pid_t pid;

    while (!l->ended && (pid = wait4(-1, &status, WNOHANG, &use)) > 0)
        reap(l, pid, status, &use);
    return !l->ended;
}

/* Passes a signal on to the command; 0: no signal. Then waits for the end of the command. */
static void launch_finish(launch *l, int signal_number)
{
    struct rusage use;
    int status;
    pid_t pid;

    if (!l->ended && signal_number)
        kill(l->pid, signal_number);
    while (!l->ended) {
        pid = wait4(-1, &status, 0, &use);
        if (pid > 0)
            reap(l, pid, status, &use);
        else if (errno != EINTR)
            return;
    }
}

/* ---- the captures ---- */

typedef struct run {
    pm_cli *cli;
    pmapdb_capture_options o;
    bool verbose;
    pm_cli_list labels;
    pm_cli of_log; /* without --output and --format, which are those of the table at the end */
    pm_capture_log log;
    launch command;
} run;

#define AT(field) offsetof(run, field)

static const pm_option options[] = {
    {"every", 0, PM_OPT_SPAN, AT(o.every_ms), "SPAN", "Capture this often (default: 1s)"},
    {"name", 0, PM_OPT_NAME, AT(o.name), "NAME",
     "Name of all processes of the command (default: the command)"},
    {"host", 0, PM_OPT_NAME, AT(o.host), "NAME", "Name of this machine (default: its own)"},
    PM_LABEL_OPTION(AT(labels)),
    {"verbose", 'v', PM_OPT_FLAG, AT(verbose), NULL, "A line for each snapshot"},
    {0}};

static const pm_syntax syntax = {
    .options = options, .operands = "[--] COMMAND [ARGUMENT]...", .in_order = true};

static void on_event(void *ctx, const pmapdb_capture_event *event)
{
    run *r = ctx;

    if (!event->news.error || event->news.trouble) /* the end of a process is not reported */
        pm_capture_log_event(&r->log, event);
}

static void on_beat(void *ctx, const pmapdb_capture_beat *beat)
{
    const run *r = ctx;

    if (beat->lost)
        pm_cli_note(r->cli, "a beat is lost: %s", beat->lost->text);
}

static bool on_progress(void *ctx, const pmapdb_progress *progress)
{
    run *r = ctx;

    (void)progress;
    return launch_goes_on(&r->command) && !pm_stop_asked();
}

/* ---- the peak ---- */

static void say_end(const run *r, const pmapdb_capture_result *result, int64_t began_ms)
{
    pm_cli_note(
        r->cli,
        "'%s' ended with exit status %d after %.1f s; %" PRIu64 " beat%s, %" PRIu64 " snapshot%s",
        r->o.name, r->command.status, (double)(pm_clock_now() - began_ms) / 1000, result->beats,
        result->beats == 1 ? "" : "s", result->stored, result->stored == 1 ? "" : "s");
    if (r->command.peak_rss_kib) {
        char size[32];

        pm_render_kib(r->command.peak_rss_kib, size);
        pm_cli_note(r->cli,
                    "its largest process had at most %s of resident memory (counted by the kernel, "
                    "also between two beats)",
                    size);
    }
}

/* Finds the moment of this run whose snapshots hold most resident memory. */
static bool find_peak(pmapdb_store *store, int64_t began_ms, char at[PM_CLOCK_TEXT])
{
    char sql[256], moment[32];
    uint64_t ms;

    snprintf(sql, sizeof sql,
             "SELECT moment_ms || '' AS moment FROM snapshots WHERE taken_ms >= %" PRId64
             " GROUP BY moment_ms HAVING sum(rss_kib) > 0 ORDER BY sum(rss_kib) DESC LIMIT 1",
             began_ms);
    if (!pm_run_ask(store, sql, moment, sizeof moment) || !pm_num_all(pm_text_of(moment), &ms))
        return false;
    pm_clock_format((int64_t)ms, at);
    return true;
}

/* Prints the categories of the peak. Standard output belongs to the command: without -o, the table
 * goes to standard error. */
static void show_peak(run *r, int64_t began_ms)
{
    char at[PM_CLOCK_TEXT],
        *words[] = {(char *)"pmapdb run", (char *)r->o.name, (char *)"--snapshot", at, NULL};
    pmapdb_store *store = pm_cli_store(r->cli, PMAPDB_READ);
    bool found = find_peak(store, began_ms, at);

    pmapdb_close(store);
    if (!found) {
        pm_cli_note(r->cli, "no resident memory was captured: the command ended too early for "
                            "--every");
        return;
    }
    if (!r->cli->output)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    pm_cli_note(r->cli, "at the peak, %s:", at);
    pm_cli_named(r->cli, "categories", 4, words);
}

/* ---- the run ---- */

static int capture(run *r, pmapdb_store *store, char *const *command)
{
    pmapdb_capture_result result = {0};
    pmapdb_error err = {0};
    int64_t began_ms = pm_clock_now();
    pmapdb_status st;

    r->of_log = *r->cli;
    r->of_log.output = NULL;
    r->of_log.format = PM_FORMAT_TABLE;
    pm_stop_catch(); /* before the start: a SIGTERM must never end pmapdb without its command */
    launch_start(&r->command, command);
    pm_capture_log_open(&r->log, &r->of_log, true, r->verbose);
    signal(SIGINT, SIG_IGN); /* the command gets it from the terminal, too, and decides */
    st = pmapdb_capture(store, &r->o, &result, &err);
    launch_finish(&r->command, pm_stop_asked() ? SIGTERM : 0);
    pm_capture_log_close(&r->log);
    pmapdb_close(store);
    say_end(r, &result, began_ms);
    if (st != PMAPDB_OK && st != PMAPDB_STOPPED)
        pm_cli_say("the captures ended before the command: %s", err.text);
    if (!r->cli->quiet || r->cli->output)
        show_peak(r, began_ms);
    if (r->command.status)
        return r->command.status;
    return st == PMAPDB_OK || st == PMAPDB_STOPPED ? PM_EXIT_OK : PM_EXIT_TROUBLE;
}

int pm_cli_run(pm_cli *cli, int argc, char **argv)
{
    run r = {.cli = cli};
    pmapdb_open_options open = {.mode = PMAPDB_WRITE};
    char match[64];
    pmapdb_store *store;
    pmapdb_error err;
    int n, exit_code;

    pmapdb_capture_defaults(&r.o);
    r.o.every_ms = EVERY_MS;
    n = pm_options_parse(cli, &syntax, &r, argc, argv);
    if (!n)
        pm_cli_usage(cli, "run which command?");
    argv[n + 1] = NULL;
    snprintf(match, sizeof match, "descendant_of(%d)", (int)getpid());
    r.o.match = match;
    if (!r.o.name)
        r.o.name = basename(argv[1]);
    r.o.ctx = &r;
    r.o.on_event = on_event;
    r.o.on_beat = on_beat;
    r.o.on_progress = on_progress;
    pm_cli_must(pm_capture_check(&r.o, &err), &err);
    store = pm_cli_store_with(cli, &open);
    pm_cli_store_labels(cli, store, r.o.host, !r.o.host, pm_clock_now(), &r.labels);
    exit_code = capture(&r, store, argv + 1);
    free(r.labels.item);
    return exit_code;
}
