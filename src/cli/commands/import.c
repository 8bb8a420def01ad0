/* import: pmapdb import PATH... : stores captures and prints a line for each of them. */
#include "cli/commands/capture_log.h"
#include "cli/options/labels.h"

#include "api/check.h" /* checks the options before a store is created */
#include "base/num.h"
#include "store/file/store.h" /* pm_store_uncounted */
#include <stdio.h>
#include <stdlib.h>

typedef struct import_command {
    pm_capture_log log;
    pm_cli *cli;
    pmapdb_import_options o;
    pmapdb_open_options open;
    pm_cli_list keep_cmdline, labels;
    int64_t first_ms; /* of the captures; PMAPDB_UNKNOWN: none yet */
    bool explain, verbose;
} import_command;

#define AT(field) offsetof(import_command, field)

static const char *read_bytes(const char *arg, void *value)
{
    int64_t kib;

    if (!pm_num_size(pm_text_of(arg), &kib))
        return "a size like 10M";
    *(uint64_t *)value = (uint64_t)kib << 10;
    return NULL;
}

static const pm_option options[] = {
    {"host", 0, PM_OPT_NAME, AT(o.host), "NAME", "The host that the captures are from", NULL},
    {"name", 0, PM_OPT_NAME, AT(o.name), "NAME", "Name of the process (default: as captured)",
     NULL},
    {"names", 0, PM_OPT_WORD, AT(o.names), "FILE", "Names by rules, lines of NAME EXPR", NULL},
    {"pid", 0, PM_OPT_PID, AT(o.pid), "N", "The pid of captures that do not contain one", NULL},
    {"at", 0, PM_OPT_TIME, AT(o.at_ms), "TIME", "When they were taken", NULL},
    {"time-from", 0, PM_OPT_TEXT, AT(o.time_from), "WHAT",
     "name or mtime (default: a date line before the capture, the file's name, its mtime)", NULL},
    {"every", 0, PM_OPT_SPAN, AT(o.every_ms), "SPAN",
     "Step of a log without times; counted back from its mtime", NULL},
    {"first", 0, PM_OPT_TIME, AT(o.first_ms), "TIME", "First capture of a log without times", NULL},
    {"sweep", 0, PM_OPT_SPAN, AT(o.sweep_ms), "SPAN",
     "Captures of one name this close are one moment (1s)", NULL},
    {"dialect", 0, PM_OPT_TEXT, AT(o.dialect), "NAME",
     "Read rows only as this (pmapdb dialects lists them)", NULL},
    {"explain", 0, PM_OPT_FLAG, AT(explain), NULL, "Store nothing: say how each is read, and why",
     NULL},
    {"verbose", 'v', PM_OPT_FLAG, AT(verbose), NULL, "A line for each capture", NULL},
    {"strict", 0, PM_OPT_FLAG, AT(o.strict), NULL, "A capture without a pid is an error", NULL},
    {"keep-cmdline", 0, PM_OPT_LIST, AT(keep_cmdline), "REGEX",
     "Also store what it matches of command lines, not only the program", NULL},
    {"max-memory", 0, PM_OPT_CUSTOM, AT(o.max_memory), "SIZE", "Memory that one file may need (2G)",
     read_bytes},
    {"max-unpacked", 0, PM_OPT_CUSTOM, AT(o.max_unpacked), "SIZE",
     "Most to unpack of one file (64G; from 1G on 1,000 times its size)", read_bytes},
    PM_LABEL_OPTION(AT(labels)),
    {"mode", 0, PM_OPT_MODE, AT(open.file_mode), "MODE", "Permissions of a new store (0600)", NULL},
    {"group", 0, PM_OPT_NAME, AT(open.group), "NAME", "Group of a new store", NULL},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "PATH..."};

static void on_event(void *ctx, const pmapdb_import_event *event)
{
    import_command *i = ctx;

    if (!event->error && (i->first_ms == PMAPDB_UNKNOWN || event->taken_ms < i->first_ms))
        i->first_ms = event->taken_ms;
    pm_capture_log_event(&i->log,
                         &(pmapdb_capture_event){.news = *event, .read_us = PMAPDB_UNKNOWN});
}

static void say_summary(const pm_cli *cli, const pmapdb_import_result *r)
{
    if (cli->quiet)
        return;
    fprintf(stderr, "pmapdb: %llu %s stored", (unsigned long long)r->stored,
            r->stored == 1 ? "capture" : "captures");
    pm_capture_log_count(r->labels, "list of a JVM's own names", "lists of a JVM's own names");
    pm_capture_log_count(r->duplicates, "known", "known");
    pm_capture_log_count(r->partial, "partial", "partial");
    pm_capture_log_count(r->refused, "refused", "refused");
    pm_capture_log_count(r->empty, "without mappings (kernel threads, denied, gone)",
                         "without mappings (kernel threads, denied, gone)");
    pm_capture_log_count(r->skipped, "other file skipped", "other files skipped");
    fputc('\n', stderr);
}

static int run(import_command *i, const char *const *paths, size_t n_paths, pmapdb_store *store)
{
    pmapdb_import_result result = {0};
    pmapdb_error err = {0};
    pmapdb_status st;

    pm_output_keep_apart(i->cli, paths, n_paths, "reads");
    pm_capture_log_open(&i->log, i->cli, false);
    i->log.verbose = i->verbose;
    i->o.ctx = i;
    i->o.on_event = on_event;
    i->o.on_progress = pm_progress_step;
    st = pmapdb_import(store, paths, n_paths, &i->o, &result, &err);
    pm_capture_log_close(&i->log);
    if (st == PMAPDB_STOPPED && pm_stop_asked())
        pm_cli_die("stopped by a signal; what was stored stays, import again for the rest");
    pm_cli_must(st, &err);
    say_summary(i->cli, &result);
    return result.new_trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

int pm_cli_import(pm_cli *cli, int argc, char **argv)
{
    import_command i = {.cli = cli, .open = {.mode = PMAPDB_WRITE}, .first_ms = PMAPDB_UNKNOWN};
    const char *const *paths = (const char *const *)(argv + 1);
    pmapdb_store *store = NULL;
    pmapdb_error err;
    size_t n_paths;
    int exit_code = PM_EXIT_TROUBLE;

    pmapdb_import_defaults(&i.o);
    n_paths = (size_t)pm_options_parse(cli, &syntax, &i, argc, argv);
    if (!n_paths)
        pm_cli_usage(cli, "import what? Files, directories, archives, or - for standard input");
    pm_cli_check_labels(cli, &i.labels);
    if (i.labels.n && !i.o.host)
        pm_cli_usage(cli, "--label is of a host: name it with --host");
    i.o.keep_cmdline = i.keep_cmdline.item;
    i.o.n_keep_cmdline = i.keep_cmdline.n;
    if (i.explain) {
        exit_code = pm_cli_explain(cli, paths, n_paths, &i.o);
    } else {
        pm_store_uncounted();
        pm_cli_must(pm_import_check(&i.o, &err), &err);
        store = pm_cli_store_with(cli, &i.open);
        exit_code = run(&i, paths, n_paths, store);
        if (i.first_ms != PMAPDB_UNKNOWN)
            pm_cli_store_labels(cli, store, i.o.host, false, i.first_ms, &i.labels);
        pmapdb_close(store);
    }
    free(i.keep_cmdline.item);
    free(i.labels.item);
    return exit_code;
}
