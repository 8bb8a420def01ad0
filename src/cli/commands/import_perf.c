/* import_perf: pmapdb import-perf FILE... : stores output of perf script and prints a row for each
 * file. */
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/value.h"

#include "base/num.h"
#include <string.h>

typedef struct import_perf {
    pm_cli *cli;
    pmapdb_perf_options o;
    pmapdb_open_options open;
    pm_output out;
    pm_progress progress;
    const char *path; /* the current file */
    bool failed;      /* a file was refused */
    bool any;         /* a row was written */
} import_perf;

/* ---- options ---- */

/* Parses "-1.5" or "1700000000.123456789". */
static const char *read_offset(const char *arg, void *value)
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
        return "seconds like 1700000000.25";
    for (; digits < 9; digits++)
        fraction *= 10;
    ns = (int64_t)(seconds * 1000000000 + fraction);
    *(int64_t *)value = *arg == '-' ? -ns : ns;
    return NULL;
}

#define AT(field) offsetof(import_perf, field)

static const pm_option options[] = {
    {"host", 0, PM_OPT_NAME, AT(o.host), "NAME", "The host that it was recorded on", NULL},
    {"pid", 0, PM_OPT_PID, AT(o.pid), "N",
     "All threads belong to process N (perf script -F +pid also says it)", NULL},
    {"clock-offset", 0, PM_OPT_CUSTOM, AT(o.clock_offset_ns), "SECONDS",
     "UTC is perf's time plus this (default: found from the clocks or the contents of captures); a "
     "known recording gets it too, and loses it when it is imported without",
     read_offset},
    {"mode", 0, PM_OPT_MODE, AT(open.file_mode), "MODE", "Permissions of a new store (0600)", NULL},
    {"group", 0, PM_OPT_NAME, AT(open.group), "NAME", "Group of a new store", NULL},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "FILE..."};

/* ---- rows ---- */

static bool on_progress(void *ctx, const pmapdb_progress *progress)
{
    import_perf *p = ctx;

    return pm_progress_show(&p->progress, progress);
}

static const pm_column columns[] = {
    {"path", PM_UNIT_TEXT},      {"pid", PM_UNIT_INT},          {"name", PM_UNIT_TEXT},
    {"threads", PM_UNIT_COUNT},  {"calls", PM_UNIT_COUNT},      {"failed", PM_UNIT_COUNT},
    {"unpaired", PM_UNIT_COUNT}, {"lost", PM_UNIT_COUNT},       {"span_ms", PM_UNIT_DURATION},
    {"live_kib", PM_UNIT_KIB},   {"clock", PM_UNIT_TEXT},       {"slack_ms", PM_UNIT_DURATION},
    {"known", PM_UNIT_BOOL},     {"pid_source", PM_UNIT_TEXT},  {"processes", PM_UNIT_COUNT},
    {"linked", PM_UNIT_COUNT},   {"bad", PM_UNIT_COUNT},        {"clock_offset_ns", PM_UNIT_INT},
    {"process_id", PM_UNIT_INT}, {"recording_id", PM_UNIT_INT}, {"error", PM_UNIT_TEXT}};

enum { FOR_PEOPLE = 12, N_COLUMNS = sizeof columns / sizeof *columns };

static void say(const import_perf *p, const char *text)
{
    pm_cli_note(p->cli, "%s: %s", p->path, text);
}

/* Prints how to make a better recording next time. */
static void advise(const import_perf *p, const pmapdb_perf_result *r)
{
    if (r->homeless)
        say(p, "it is not known to which process its threads belong, so nothing was replayed: "
               "write it "
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
        say(p, "all threads count as those of the only process in the store; perf script -F "
               "+pid,+ip,+sym,+symoff,+dso says it");
    if (r->linked && !*r->clock)
        say(p, "captures and calls do not show when it was recorded: give --clock-offset");
}

static void write_result(import_perf *p, const pmapdb_perf_result *r)
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

    pm_output_row(&p->out, values);
    p->any = true;
    advise(p, r);
}

static void write_error(import_perf *p, const pmapdb_error *why)
{
    pm_value values[N_COLUMNS];

    p->failed = true;
    pm_cli_say("%s", why->text);
    if (pm_cli_is_for_people(p->cli)) /* people have read the error on standard error */
        return;
    for (size_t i = 0; i < N_COLUMNS; i++)
        values[i] = (pm_value){.kind = PM_VALUE_NULL};
    values[0] = pm_value_text(p->path);
    values[N_COLUMNS - 1] = pm_value_text(why->text);
    pm_output_row(&p->out, values);
    p->any = true;
}

/* ---- the run ---- */

/* Imports one file. Reports an error of the file and returns PMAPDB_OK, so that the other files are
 * read; returns an error of the store. */
static pmapdb_status import_one(import_perf *p, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_perf_result result;
    pmapdb_status st = pmapdb_import_perf(store, p->path, &p->o, &result, err);

    pm_progress_clear(&p->progress);
    if (st == PMAPDB_OK)
        write_result(p, &result);
    else if (st == PMAPDB_INPUT || st == PMAPDB_IO || st == PMAPDB_USAGE || st == PMAPDB_NOTFOUND)
        write_error(p, err);
    else
        return st;
    return PMAPDB_OK;
}

static int run(import_perf *p, const char *const *paths, int n_paths, pmapdb_store *store)
{
    pmapdb_error err = {0};
    pmapdb_status st = PMAPDB_OK;

    pm_output_keep_apart(p->cli, paths, (size_t)n_paths, "reads");
    pm_output_open(&p->out, p->cli);
    pm_output_rows(&p->out, columns, pm_cli_is_for_people(p->cli) ? FOR_PEOPLE : N_COLUMNS, NULL);
    p->progress = pm_progress_begin(p->cli);
    p->o.ctx = p;
    p->o.on_progress = on_progress;
    for (int i = 0; i < n_paths && st == PMAPDB_OK && !pm_output_failed(&p->out); i++) {
        p->path = paths[i];
        st = import_one(p, store, &err);
    }
    if (p->any || pm_output_failed(&p->out))
        pm_output_end(&p->out);
    else
        pm_output_drop(&p->out);
    if (st == PMAPDB_STOPPED && pm_stop_asked())
        pm_cli_die("stopped by a signal; nothing of '%s' is stored", p->path);
    pm_cli_must(st, &err);
    return p->failed ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

int pm_cli_import_perf(pm_cli *cli, int argc, char **argv)
{
    import_perf p = {.cli = cli, .open = {.mode = PMAPDB_WRITE}};
    pmapdb_store *store = NULL;
    pmapdb_error err;
    int n, exit_code;

    pmapdb_perf_defaults(&p.o);
    n = pm_options_parse(cli, &syntax, &p, argc, argv);
    if (!n)
        pm_cli_usage(cli, "import what? Files that perf script wrote, or - for standard input");
    pm_cli_must(pm_cli_try_open(cli, &p.open, &store, &err), &err);
    exit_code = run(&p, (const char *const *)(argv + 1), n, store);
    pmapdb_close(store);
    return exit_code;
}
