/* import_perf: pmapdb import-perf FILE... : stores output of perf script and prints a row for each
 * file. */
#include "cli/options/options.h"
#include "cli/progress.h"
#include "cli/run.h"

#include "base/buf.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct import_perf {
    pm_progress progress;
    pm_cli *cli;
    pmapdb_perf_options o;
    pmapdb_open_options open;
    pm_buf stored; /* the numbers of the recordings as a JSON list */
    bool failed;   /* a file was refused */
} import_perf;

/* ---- options ---- */

/* Parses "-1.5" or "1700000000.123456789". */
static const char *read_offset(const char *arg, void *value)
{
    char *end;
    long double seconds = strtold(arg, &end);

    if (!*arg || *end || arg[strspn(arg, "-.0123456789")] || fabsl(seconds) >= 9e9L)
        return "seconds like 1700000000.25";
    *(int64_t *)value = llroundl(seconds * 1e9L);
    return NULL;
}

#define AT(field) offsetof(import_perf, field)

static const pm_option options[] = {
    {"host", 0, PM_OPT_NAME, AT(o.host), "NAME", "The host that it was recorded on"},
    {"pid", 0, PM_OPT_PID, AT(o.pid), "N",
     "All threads belong to process N (perf script -F +pid also says it)"},
    {"clock-offset", 0, PM_OPT_CUSTOM, AT(o.clock_offset_ns), "SECONDS",
     "UTC is perf's time plus this (default: found from the clocks or the contents of captures); a "
     "known recording gets it too, and loses it when it is imported without",
     read_offset},
    {"mode", 0, PM_OPT_MODE, AT(open.file_mode), "MODE", "Permissions of a new store (0600)"},
    {"group", 0, PM_OPT_NAME, AT(open.group), "NAME", "Group of a new store"},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "FILE..."};

/* ---- files ---- */

static void note(const import_perf *p, const char *path, const char *text)
{
    pm_cli_note(p->cli, "%s: %s", path, text);
}

static void take_result(import_perf *p, const char *path, const pmapdb_perf_result *r)
{
    pm_buf_addf(&p->stored, NULL, "%s%lld", p->stored.len ? "," : "[", (long long)r->recording_id);
    if (r->known)
        note(p, path, "it is stored already");
    if (r->chainless)
        note(p, path, "it has no call chains: record with --call-graph dwarf");
    if (r->shallow)
        note(p, path,
             "call chains end in libc: recorded with frame pointers; --call-graph dwarf shows "
             "callers");
}

/* Stores each file. Reports an error of a file, and continues with the next file. */
static void import_files(import_perf *p, const char *const *paths, int n_paths, pmapdb_store *store)
{
    for (int i = 0; i < n_paths; i++) {
        pmapdb_perf_result result;
        pmapdb_error err = {0};
        pmapdb_status st = pmapdb_import_perf(store, paths[i], &p->o, &result, &err);

        pm_progress_clear(&p->progress);
        if (st == PMAPDB_STOPPED && pm_stop_asked())
            pm_cli_die("stopped by a signal; nothing of '%s' is stored", paths[i]);
        if (st == PMAPDB_OK) {
            take_result(p, paths[i], &result);
            continue;
        }
        if (st != PMAPDB_INPUT && st != PMAPDB_IO && st != PMAPDB_USAGE && st != PMAPDB_NOTFOUND)
            pm_cli_must(st, &err);
        pm_cli_say("%s", err.text);
        p->failed = true;
    }
}

/* ---- rows, and how to make a better recording next time ---- */

static void write_rows(import_perf *p, pmapdb_store *store)
{
    pmapdb_rows *rows;

    pm_buf_addf(&p->stored, NULL, "]");
    rows = pm_answer_ask(store, "recordings",
                         (pm_answer_arg[]){{"recordings", pm_cli_text(&p->stored)}, {NULL, NULL}});
    pm_answer_write(p->cli, rows, NULL, NULL);
    rows = pm_answer_ask(store, "recordings",
                         (pm_answer_arg[]){{"recordings", p->stored.data}, {NULL, NULL}});
    pm_moment_say_notes(
        p->cli, pm_answer_ask(store, "notes", (pm_answer_arg[]){{"recordings", .of = rows}, {0}}));
}

int pm_cli_import_perf(pm_cli *cli, int argc, char **argv)
{
    import_perf p = {.cli = cli, .open = {.mode = PMAPDB_WRITE}};
    pmapdb_store *store;
    const char *const *paths;
    int n;

    pmapdb_perf_defaults(&p.o);
    n = pm_options_parse(cli, &syntax, &p, argc, argv);
    if (!n)
        pm_cli_usage(cli, "import what? Files that perf script wrote, or - for standard input");
    store = pm_cli_store_with(cli, &p.open);
    paths = (const char *const *)(argv + 1);
    pm_output_keep_apart(cli, paths, (size_t)n, "reads");
    p.progress = pm_progress_begin(cli, NULL);
    p.o.ctx = &p;
    p.o.on_progress = pm_progress_step;
    import_files(&p, paths, n, store);
    if (*pm_cli_text(&p.stored))
        write_rows(&p, store);
    pmapdb_close(store);
    pm_buf_free(&p.stored);
    return p.failed ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
