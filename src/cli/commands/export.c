/* export: pmapdb export OUT.db : copies the store, or a part of it, into a new store, redacted on
 * request. */
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include <stdlib.h>

typedef struct export_cli {
    pm_progress progress;
    pm_cli *cli;
    pmapdb_export_options o;
    pm_cli_list processes, keep;
    const char *path;
    pmapdb_export_result result;
} export_cli;

#define AT(field) offsetof(export_cli, field)

static const pm_option options[] = {
    {"process", 0, PM_OPT_LIST, AT(processes), "SELECTOR",
     "Only this process, or all of this name; may be repeated"},
    {"from", 0, PM_OPT_WORD, AT(o.from), "SNAPSHOT", "Only from this moment on"},
    {"to", 0, PM_OPT_WORD, AT(o.to), "SNAPSHOT", "Only up to this moment"},
    {"redact", 0, PM_OPT_FLAG, AT(o.redact), NULL,
     "Replace what identifies the owner: paths, names, command lines, hosts, users, addresses"},
    {"keep", 0, PM_OPT_LIST, AT(keep), "REGEX",
     "With --redact: keep each path, part of a path, or word that this matches in full"},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "OUT.db"};

static void on_warning(void *ctx, const char *warning)
{
    export_cli *x = ctx;

    pm_progress_clear(&x->progress);
    pm_cli_note(x->cli, "%s", warning);
}

static void write_result(const export_cli *x)
{
    static const pm_member columns[] = {{{"path", PM_UNIT_TEXT}, AT(path)},
                                        {{"processes", PM_UNIT_COUNT}, AT(result.processes)},
                                        {{"snapshots", PM_UNIT_COUNT}, AT(result.snapshots)},
                                        {{"recordings", PM_UNIT_COUNT}, AT(result.recordings)},
                                        {{"replaced", PM_UNIT_COUNT}, AT(result.tokens)},
                                        {{"size_kib", PM_UNIT_KIB}, AT(result.size_kib)}};
    pm_output out;

    pm_output_open(&out, x->cli);
    pm_output_fields(&out, columns, 6);
    pm_output_struct(&out, columns, 6, x);
    pm_output_end(&out);
}

static void run(export_cli *x, pmapdb_store *store)
{
    pmapdb_error err = {0};
    pmapdb_status st;

    pm_output_keep_apart(x->cli, &x->path, 1, "makes");
    x->progress = pm_progress_begin(x->cli, NULL);
    x->o.ctx = x;
    x->o.on_warning = on_warning;
    x->o.on_progress = pm_progress_step;
    st = pmapdb_export(store, x->path, &x->o, &x->result, &err);
    pm_progress_clear(&x->progress);
    if (st == PMAPDB_STOPPED)
        pm_cli_die("stopped by a signal; nothing of %s is left", x->path);
    pm_cli_must(st, &err);
    if (!x->o.redact)
        x->result.tokens = (uint64_t)PMAPDB_UNKNOWN;
    write_result(x);
}

int pm_cli_export(pm_cli *cli, int argc, char **argv)
{
    export_cli x = {.cli = cli};
    pmapdb_store *store;
    int n;

    pmapdb_export_defaults(&x.o);
    n = pm_options_parse(cli, &syntax, &x, argc, argv);
    if (!n)
        pm_cli_usage(cli, "export where to? The new store's file");
    if (n > 1)
        pm_cli_usage(cli, "one OUT.db, not '%s' too; --process says what goes into it", argv[2]);
    if (x.keep.n && !x.o.redact)
        pm_cli_usage(cli, "--keep is for --redact");
    x.path = argv[1];
    x.o.processes = x.processes.item;
    x.o.n_processes = x.processes.n;
    x.o.keep = x.keep.item;
    x.o.n_keep = x.keep.n;
    store = pm_cli_store(cli, PMAPDB_READ);
    run(&x, store);
    pmapdb_close(store);
    free(x.processes.item);
    free(x.keep.item);
    return PM_EXIT_OK;
}
