/* cmd_import_perf: pmapdb import-perf FILE... : stores texts of perf script, a row for each. */
#include "cli/arg.h"
#include "cli/cli.h"
#include "cli/same_file.h"

#include "base/clock.h"
#include "base/num.h"
#include "cli/stop.h"
#include "cli/value.h"
#include <stdio.h>
#include <unistd.h>

enum { KEY_HOST = 0x3000, KEY_PID, KEY_CLOCK_OFFSET, KEY_MODE, KEY_GROUP };

static const struct argp_option options[] = {
    {"host", KEY_HOST, "NAME", 0, "The host that it was recorded on", 0},
    {"pid", KEY_PID, "N", 0, "All threads are process N's (perf script -F +pid says it itself)", 0},
    {"clock-offset", KEY_CLOCK_OFFSET, "SECONDS", 0,
     "UTC is perf's time plus this (else by the clocks of live captures, or by what captures saw); "
     "a known recording gets it too, and loses it when it is imported without",
     0},
    {"mode", KEY_MODE, "MODE", 0, "Permissions of a new store (0600)", 0},
    {"group", KEY_GROUP, "NAME", 0, "Group of a new store", 0},
    {0}};

typedef struct perf_cli {
    pm_cli *cli;
    pmapdb_perf_options perf;
    pmapdb_open_options open;
    char **paths;
    int n_paths;
    pm_cli_out *out;
    pm_sink sink;
    pm_render *render;
    const char *path; /* of the one at hand */
    bool progress;    /* a line on the terminal that is written over */
    int64_t shown_ms; /* when it was last */
    bool failed;      /* one of them was turned away */
    bool any;         /* there are rows */
    pmapdb_status st; /* of the output; once it failed, nothing more is written */
    pmapdb_error err;
} perf_cli;

/* ---- options ---- */

/* "-1.5", "1700000000.123456789" */
static int64_t offset_arg(struct argp_state *state, const char *arg)
{
    const char *p = *arg == '-' ? arg + 1 : arg, *end = arg + strlen(arg);
    uint64_t seconds, fraction = 0;
    size_t n = pm_num_dec(p, end, &seconds), digits = 0;
    int64_t ns;

    p += n;
    if (n && p < end && *p == '.') {
        digits = pm_num_dec(p + 1, end, &fraction);
        p += 1 + digits;
    }
    if (!n || p != end || digits > 9 || seconds > INT64_MAX / 1000000000 - 1)
        argp_error(state, "--clock-offset wants seconds like 1700000000.25, not '%s'", arg);
    for (; digits < 9; digits++)
        fraction *= 10;
    ns = (int64_t)(seconds * 1000000000 + fraction);
    return *arg == '-' ? -ns : ns;
}

static int64_t pid_arg(struct argp_state *state, const char *arg)
{
    uint64_t pid;

    if (!pm_num_all(pm_text_of(arg), &pid) || pid > INT32_MAX)
        argp_error(state, "--pid wants a number, not '%s'", arg);
    return (int64_t)pid;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    perf_cli *p = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = p->cli;
        return 0;
    case KEY_HOST:
        p->perf.host = pm_cli_name(state, "--host", arg);
        return 0;
    case KEY_PID:
        p->perf.pid = pid_arg(state, arg);
        return 0;
    case KEY_CLOCK_OFFSET:
        p->perf.clock_offset_ns = offset_arg(state, arg);
        return 0;
    case KEY_MODE:
        p->open.file_mode = pm_cli_mode(state, "--mode", arg);
        return 0;
    case KEY_GROUP:
        p->open.group = arg;
        return 0;
    case ARGP_KEY_ARGS:
        p->paths = state->argv + state->next;
        p->n_paths = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "import what? Files that perf script wrote, or - for standard input");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- news ---- */

static void clear_progress(perf_cli *p)
{
    if (p->progress && p->shown_ms)
        fputs("\r\033[K", stderr);
    p->shown_ms = 0;
}

static bool on_progress(void *ctx, const pmapdb_perf_progress *progress)
{
    perf_cli *p = ctx;
    int64_t now;

    if (pm_stop_asked() || !p->progress)
        return !pm_stop_asked();
    now = pm_clock_now();
    if (now - p->shown_ms < 200)
        return true;
    p->shown_ms = now;
    fprintf(stderr, "\r\033[K%s: %llu MiB, %llu events", p->path,
            (unsigned long long)progress->bytes >> 20, (unsigned long long)progress->events);
    return true;
}

static const pm_column columns[] = {
    {"path", PM_UNIT_TEXT},      {"pid", PM_UNIT_INT},          {"name", PM_UNIT_TEXT},
    {"threads", PM_UNIT_COUNT},  {"calls", PM_UNIT_COUNT},      {"failed", PM_UNIT_COUNT},
    {"unpaired", PM_UNIT_COUNT}, {"lost", PM_UNIT_COUNT},       {"span_ms", PM_UNIT_DURATION},
    {"live_kib", PM_UNIT_KIB},   {"clock", PM_UNIT_TEXT},       {"slack_ms", PM_UNIT_DURATION},
    {"known", PM_UNIT_BOOL},     {"pid_source", PM_UNIT_TEXT},  {"processes", PM_UNIT_COUNT},
    {"linked", PM_UNIT_COUNT},   {"bad", PM_UNIT_COUNT},        {"clock_offset_ns", PM_UNIT_INT},
    {"process_id", PM_UNIT_INT}, {"recording_id", PM_UNIT_INT}, {"error", PM_UNIT_TEXT}};

enum { FOR_PEOPLE = 12 }; /* columns */

static void say(const perf_cli *p, const char *text)
{
    if (!p->cli->quiet)
        pm_cli_say("%s: %s", p->path, text);
}

/* What somebody who records again would do otherwise. */
static void advise(const perf_cli *p, const pmapdb_perf_result *r)
{
    if (r->homeless)
        say(p, "nobody knows which process its threads are of, so nothing was replayed: write it "
               "with perf script -F +pid,+ip,+sym,+symoff,+dso, or give --pid");
    if (r->chainless)
        say(p, "it has no call chains: record with --call-graph dwarf");
    if (r->shallow)
        say(p, "call chains end in libc: recorded with frame pointers; --call-graph dwarf shows "
               "callers");
    if (r->lost > 0)
        say(p, "perf lost events, so what is live is not certain: record with larger buffers, "
               "perf record -m 32M");
    if (strcmp(r->pid_source, "assumed") == 0 && r->threads > 1)
        say(p, "all threads are taken for those of the one process that the store knows; perf "
               "script -F +pid,+ip,+sym,+symoff,+dso says it");
    if (r->linked && !*r->clock)
        say(p, "captures and calls do not tell when it was: give --clock-offset");
}

static void tell(perf_cli *p, const pmapdb_perf_result *r)
{
    pm_value values[] = {
        pm_value_text(p->path),
        pm_value_int(r->pid),
        pm_value_text(*r->name ? r->name : NULL),
        pm_value_int((int64_t)r->threads),
        pm_value_int((int64_t)r->calls),
        pm_value_int((int64_t)r->failed),
        pm_value_int((int64_t)(r->unended + r->unbegun)),
        pm_value_int(r->lost),
        pm_value_int(r->span_ms),
        pm_value_int((int64_t)r->live_kib),
        pm_value_text(*r->clock ? r->clock : NULL),
        pm_value_int(r->slack_ns == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : r->slack_ns / 1000000),
        pm_value_int(r->known),
        pm_value_text(r->pid_source),
        pm_value_int((int64_t)r->tracees),
        pm_value_int((int64_t)r->linked),
        pm_value_int((int64_t)r->bad),
        pm_value_int(r->offset_ns),
        pm_value_int(r->process_id),
        pm_value_int(r->recording_id),
        pm_value_text(NULL)};

    if (p->st == PMAPDB_OK)
        p->st = pm_render_row(p->render, values, &p->err);
    p->any = true;
    advise(p, r);
}

static void tell_error(perf_cli *p, const pmapdb_error *why)
{
    pm_value values[sizeof columns / sizeof *columns];

    p->failed = true;
    pm_cli_say("%s", why->text);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] =
            columns[i].unit == PM_UNIT_TEXT ? pm_value_text(NULL) : pm_value_int(PMAPDB_UNKNOWN);
    values[0] = pm_value_text(p->path);
    values[sizeof values / sizeof *values - 1] = pm_value_text(why->text);
    if (p->st != PMAPDB_OK || pm_cli_is_for_people(p->cli)) /* standard error has said it */
        return;
    p->st = pm_render_row(p->render, values, &p->err);
    p->any = true;
}

/* ---- the run ---- */

static pmapdb_status open_output(perf_cli *p)
{
    pm_render_options how = pm_cli_render_options(p->cli);
    int n = pm_cli_is_for_people(p->cli) ? FOR_PEOPLE : (int)(sizeof columns / sizeof *columns);
    pmapdb_status st = pm_cli_out_open(p->cli->output, &p->out, &p->err);

    if (st != PMAPDB_OK)
        return st;
    p->sink = pm_cli_out_sink(p->out);
    st = pm_render_new(&how, &p->sink, columns, n, &p->render, &p->err);
    if (st != PMAPDB_OK)
        pm_cli_out_close(p->out);
    return st;
}

static void close_output(perf_cli *p)
{
    if (p->st == PMAPDB_OK && p->any)
        p->st = pm_render_end(p->render, &p->err);
    if (p->st == PMAPDB_OK && p->any)
        p->st = pm_cli_out_commit(p->out, &p->err);
    pm_cli_say_left_out(p->cli, p->render);
    pm_render_free(p->render);
    pm_cli_out_close(p->out);
}

/* What is wrong with one text does not keep the others away; what is wrong with the store does. */
static pmapdb_status import_one(perf_cli *p, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_perf_result result;
    pmapdb_status st = pmapdb_import_perf(store, p->path, &p->perf, &result, err);

    clear_progress(p);
    if (st == PMAPDB_OK) {
        tell(p, &result);
    } else if (st == PMAPDB_INPUT || st == PMAPDB_IO || st == PMAPDB_USAGE ||
               st == PMAPDB_NOTFOUND) {
        tell_error(p, err);
        st = PMAPDB_OK;
    }
    return st;
}

static int run(perf_cli *p, pmapdb_store *store)
{
    pmapdb_error err = {0};
    pmapdb_status st = PMAPDB_OK;

    if (pm_cli_keep_apart(p->cli, (const char *const *)p->paths, (size_t)p->n_paths, "reads",
                          &p->err) != PMAPDB_OK ||
        open_output(p) != PMAPDB_OK)
        return pm_cli_fail(p->err.status, &p->err);
    p->progress = isatty(STDERR_FILENO) && !p->cli->quiet;
    p->perf.ctx = p;
    p->perf.on_progress = on_progress;
    pm_stop_catch();
    for (int i = 0; i < p->n_paths && st == PMAPDB_OK && p->st == PMAPDB_OK; i++) {
        p->path = p->paths[i];
        st = import_one(p, store, &err);
    }
    close_output(p);
    if (p->st != PMAPDB_OK)
        return pm_cli_fail(p->st, &p->err);
    if (st == PMAPDB_STOPPED && pm_stop_asked()) {
        pm_cli_say("stopped by a signal; nothing of '%s' is stored", p->path);
        return PM_EXIT_TROUBLE;
    }
    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    return p->failed ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

int pm_cli_import_perf(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "FILE...",
        "Stores who called mmap, munmap, brk, mremap and mprotect: texts that perf script wrote, "
        "compressed or not, or - for standard input. What is known already is not stored again. "
        "Which process of the store it is and what its clock was are found out now, or when "
        "captures of it are imported.\v"
        "Record with\n"
        "  perf record -k CLOCK_MONOTONIC --call-graph dwarf -m 8M -p PID \\\n"
        "      -e 'syscalls:sys_*_mmap' -e 'syscalls:sys_*_munmap' \\\n"
        "      -e 'syscalls:sys_*_brk' -e 'syscalls:sys_*_mremap' \\\n"
        "      -e 'syscalls:sys_*_mprotect'\n"
        "  perf script -F +pid,+ip,+sym,+symoff,+dso --show-lost-events |\n"
        "      pmapdb import-perf -\n"
        "More in pmapdb-perf(7).\n\n"
        "Exit status: 0 done; 2 trouble, also when one of the files is no such text or has none of "
        "these calls; the others are stored.",
        children,
        NULL,
        NULL};
    perf_cli p = {.cli = cli, .open = {.mode = PMAPDB_WRITE}};
    pmapdb_store *store = NULL;
    int exit_code = PM_EXIT_TROUBLE;

    pmapdb_perf_defaults(&p.perf);
    pm_cli_parse(&argp, argc, argv, 0, &p);
    if (pm_cli_open(cli, &p.open, &store) == PMAPDB_OK)
        exit_code = run(&p, store);
    pmapdb_close(store);
    return exit_code;
}
