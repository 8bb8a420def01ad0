/* merge: pmapdb merge OTHER.db... : stores the contents of other stores; prints a row for each of
 * them. */
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/progress.h"

typedef struct merge {
    pm_progress progress;
    pm_cli *cli;
    pmapdb_merge_options o;
    pmapdb_open_options open;
    pm_output out;
    pmapdb_merge_event event; /* the current row */
} merge;

#define AT(field) offsetof(merge, field)

static const pm_option options[] = {
    {"host", 0, PM_OPT_NAME, AT(o.host), "NAME",
     "The host of captures whose host is unknown in OTHER"},
    {"sweep", 0, PM_OPT_SPAN, AT(o.sweep_ms), "SPAN",
     "Captures of one name this close are one moment (1s)"},
    {"dry-run", 0, PM_OPT_FLAG, AT(o.dry_run), NULL, "Store nothing: count what would be stored"},
    {"mode", 0, PM_OPT_MODE, AT(open.file_mode), "MODE", "Permissions of a new store (0600)"},
    {"group", 0, PM_OPT_NAME, AT(open.group), "NAME", "Group of a new store"},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "OTHER.db..."};

static const pm_member columns[] = {{{"path", PM_UNIT_TEXT}, AT(event.path)},
                                    {{"hosts", PM_UNIT_COUNT}, AT(event.hosts)},
                                    {{"processes", PM_UNIT_COUNT}, AT(event.processes)},
                                    {{"snapshots", PM_UNIT_COUNT}, AT(event.snapshots)},
                                    {{"new", PM_UNIT_COUNT}, AT(event.new_ones)},
                                    {{"known", PM_UNIT_COUNT}, AT(event.known)},
                                    {{"error", PM_UNIT_TEXT}, AT(event.error)}};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* Formats for people have no error column: people read the error on standard error. */
static int n_columns(const merge *m)
{
    return N_COLUMNS - pm_cli_is_for_people(m->cli);
}

static void on_event(void *ctx, const pmapdb_merge_event *e)
{
    static const uint64_t unknown = (uint64_t)PMAPDB_UNKNOWN;
    merge *m = ctx;

    m->event = *e;
    if (e->error && !e->processes)
        m->event = (pmapdb_merge_event){.path = e->path,
                                        .error = e->error,
                                        .hosts = unknown,
                                        .processes = unknown,
                                        .snapshots = unknown,
                                        .new_ones = unknown,
                                        .known = unknown};
    pm_progress_clear(&m->progress);
    if (e->error)
        pm_cli_say("%s", e->error);
    if (e->warning)
        pm_cli_note(m->cli, "%s: %s", e->path, e->warning);
    if (!(e->error && pm_cli_is_for_people(m->cli)))
        pm_output_struct(&m->out, columns, n_columns(m), m);
}

static int run(merge *m, const char *const *paths, size_t n_paths, pmapdb_store *store)
{
    pmapdb_error err = {0};
    pmapdb_merge_result result = {0};
    pmapdb_status st;

    pm_output_keep_apart(m->cli, paths, n_paths, "reads");
    pm_output_open(&m->out, m->cli);
    pm_output_fields(&m->out, columns, n_columns(m));
    m->progress = pm_progress_begin(m->cli, &m->out);
    m->o.ctx = m;
    m->o.on_event = on_event;
    m->o.on_progress = pm_progress_step;
    st = pmapdb_merge(store, paths, n_paths, &m->o, &result, &err);
    pm_progress_clear(&m->progress);
    if (st == PMAPDB_USAGE)
        pm_cli_must(st, &err);
    pm_output_end(&m->out);
    if (st == PMAPDB_STOPPED && pm_stop_asked())
        pm_cli_die("stopped by a signal; what was stored stays, merge again for the rest");
    pm_cli_must(st, &err);
    return result.failed ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}

/* A dry run creates no store. If there is none, everything counts as new. */
static pmapdb_store *open_store(merge *m)
{
    pmapdb_store *store = NULL;
    pmapdb_error err;
    pmapdb_status st;

    if (m->o.dry_run)
        m->open.mode = PMAPDB_READ;
    st = pm_cli_try_open(m->cli, &m->open, &store, &err);
    if (st != PMAPDB_NOTFOUND || !m->o.dry_run)
        pm_cli_must(st, &err);
    return store;
}

int pm_cli_merge(pm_cli *cli, int argc, char **argv)
{
    merge m = {.cli = cli, .open = {.mode = PMAPDB_WRITE}};
    pmapdb_store *store;
    int n, exit_code;

    pmapdb_merge_defaults(&m.o);
    n = pm_options_parse(cli, &syntax, &m, argc, argv);
    if (!n)
        pm_cli_usage(cli, "merge what? The stores of other hosts");
    store = open_store(&m);
    exit_code = run(&m, (const char *const *)(argv + 1), (size_t)n, store);
    pmapdb_close(store);
    return exit_code;
}
