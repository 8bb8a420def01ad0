/* cmd_export: pmapdb export OUT.db : a part of the store, or all of it, into a new one; redacted
 * where that is asked for. */
#include "cli/cli.h"

#include "base/clock.h"
#include "base/err.h"
#include "cli/arg.h"
#include "cli/same_file.h"
#include "cli/stop.h"
#include "cli/value.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_PROCESS = 0x6400, KEY_FROM, KEY_TO, KEY_REDACT, KEY_KEEP, KEY_MAP };

static const struct argp_option options[] = {
    {"process", KEY_PROCESS, "SELECTOR", 0,
     "Only this process, or all of this name; more than once: these", 0},
    {"from", KEY_FROM, "SNAPSHOT", 0, "Only from this moment on", 0},
    {"to", KEY_TO, "SNAPSHOT", 0, "Only up to this moment", 0},
    {"redact", KEY_REDACT, NULL, 0,
     "Replace what tells whose it is: paths, names, command lines, hosts, users, addresses", 1},
    {"keep", KEY_KEEP, "REGEX", 0,
     "With --redact: keep each path, part of a path, or word that this matches from end to end", 1},
    {"map", KEY_MAP, "FILE.csv", 0,
     "With --redact: write what was replaced by what, for you alone (0600)", 1},
    {0}};

typedef struct export_cli {
    pm_cli *cli;
    pmapdb_export_options export;
    pm_cli_list processes, keep;
    const char *path, *map;
    pm_cli_out *map_out;
    pm_sink map_sink;
    pm_render *map_render;
    bool progress;
    int64_t shown_ms;
    pmapdb_status st; /* of the map */
    pmapdb_error err;
} export_cli;

/* ---- options ---- */

static error_t parse_arg(export_cli *x, char *arg, struct argp_state *state)
{
    if (x->path)
        argp_error(state, "one OUT.db, not '%s' too; --process says what goes into it", arg);
    x->path = arg;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    export_cli *x = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = x->cli;
        return 0;
    case KEY_PROCESS:
        pm_cli_add(state, &x->processes, pm_cli_name(state, "--process", arg));
        return 0;
    case KEY_FROM:
        x->export.from = pm_cli_name(state, "--from", arg);
        return 0;
    case KEY_TO:
        x->export.to = pm_cli_name(state, "--to", arg);
        return 0;
    case KEY_REDACT:
        x->export.redact = true;
        return 0;
    case KEY_KEEP:
        pm_cli_add(state, &x->keep, pm_cli_name(state, "--keep", arg));
        return 0;
    case KEY_MAP:
        x->map = pm_cli_name(state, "--map", arg);
        return 0;
    case ARGP_KEY_ARG:
        return parse_arg(x, arg, state);
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "export where to? The new store's file");
        return 0;
    case ARGP_KEY_END:
        if ((x->map || x->keep.n) && !x->export.redact)
            argp_error(state, "%s is for --redact", x->map ? "--map" : "--keep");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static pmapdb_status check_places(const export_cli *x, pmapdb_error *err)
{
    const char *files[] = {x->path, x->map};

    if (x->map && pm_cli_is_same_place(x->path, x->map))
        return pm_fail(err, PMAPDB_USAGE, "--map '%s' is OUT.db itself", x->map);
    return pm_cli_keep_apart(x->cli, files, 2, "makes", err);
}

/* ---- the owner's map ---- */

static const pm_column map_columns[] = {{"original", PM_UNIT_TEXT}, {"token", PM_UNIT_TEXT}};

/* It says all that the export hides: whatever the umask is, nobody else reads it. */
static pmapdb_status open_map(export_cli *x, pmapdb_error *err)
{
    pm_render_options how = {.format = PM_FORMAT_CSV};
    struct stat info;
    mode_t mask;
    pmapdb_status st;

    if (!x->map)
        return PMAPDB_OK;
    if (lstat(x->map, &info) == 0)
        return pm_fail(err, PMAPDB_USAGE, "'%s' is there already; --map makes a new file", x->map);
    mask = umask(0077);
    st = pm_cli_out_open(x->map, &x->map_out, err);
    umask(mask);
    if (st != PMAPDB_OK)
        return st;
    x->map_sink = pm_cli_out_sink(x->map_out);
    return pm_render_new(&how, &x->map_sink, map_columns, 2, &x->map_render, err);
}

static pmapdb_status commit_map(export_cli *x, pmapdb_error *err)
{
    pmapdb_status st = x->st;

    if (st != PMAPDB_OK && err)
        *err = x->err;
    if (st == PMAPDB_OK && x->map_render)
        st = pm_render_end(x->map_render, err);
    if (st == PMAPDB_OK && x->map_out)
        st = pm_cli_out_commit(x->map_out, err);
    return st;
}

/* ---- news ---- */

static void clear_progress(export_cli *x)
{
    if (x->progress && x->shown_ms)
        fputs("\r\033[K", stderr);
    x->shown_ms = 0;
}

static bool on_progress(void *ctx, const pmapdb_export_progress *p)
{
    export_cli *x = ctx;
    int64_t now;

    if (pm_stop_asked())
        return false;
    if (!x->progress)
        return true;
    now = pm_clock_now();
    if (now - x->shown_ms < 200)
        return true;
    x->shown_ms = now;
    fprintf(stderr, "\r\033[K%s: %llu rows", p->table, (unsigned long long)p->rows);
    return true;
}

static void on_event(void *ctx, const pmapdb_export_event *e)
{
    export_cli *x = ctx;
    pm_value values[] = {{.kind = PM_VALUE_TEXT, .t = {e->original, e->original_len}},
                         {.kind = PM_VALUE_TEXT, .t = {e->token, e->token_len}}};

    clear_progress(x);
    if (e->warning && !x->cli->quiet)
        pm_cli_say("%s", e->warning);
    else if (!e->warning && x->map_render && x->st == PMAPDB_OK)
        x->st = pm_render_row(x->map_render, values, &x->err);
}

/* ---- the run ---- */

static pmapdb_status write_result(const export_cli *x, const pmapdb_export_result *r,
                                  pmapdb_error *err)
{
    static const pm_column columns[] = {{"path", PM_UNIT_TEXT},       {"processes", PM_UNIT_COUNT},
                                        {"snapshots", PM_UNIT_COUNT}, {"recordings", PM_UNIT_COUNT},
                                        {"replaced", PM_UNIT_COUNT},  {"size_kib", PM_UNIT_KIB}};
    pm_value values[] = {pm_value_text(x->path),
                         pm_value_int((int64_t)r->processes),
                         pm_value_int((int64_t)r->snapshots),
                         pm_value_int((int64_t)r->recordings),
                         pm_value_int(x->export.redact ? (int64_t)r->tokens : PMAPDB_UNKNOWN),
                         pm_value_int(r->size_kib)};
    pm_render_options how = pm_cli_render_options(x->cli);
    pm_cli_out *out = NULL;
    pm_render *render = NULL;
    pm_sink sink;
    pmapdb_status st = pm_cli_out_open(x->cli->output, &out, err);

    if (st == PMAPDB_OK) {
        sink = pm_cli_out_sink(out);
        st = pm_render_new(&how, &sink, columns, 6, &render, err);
    }
    if (st == PMAPDB_OK)
        st = pm_render_row(render, values, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(out, err);
    pm_render_free(render);
    pm_cli_out_close(out);
    return st;
}

static int finish(export_cli *x, const pmapdb_export_result *result)
{
    pmapdb_error err = {0};
    pmapdb_status st = commit_map(x, &err);

    if (st != PMAPDB_OK) {
        pm_cli_say("%s is made, but its map is not", x->path);
        return pm_cli_fail(st, &err);
    }
    st = write_result(x, result, &err);
    return st == PMAPDB_OK ? PM_EXIT_OK : pm_cli_fail(st, &err);
}

static int run(export_cli *x, pmapdb_store *store)
{
    pmapdb_error err = {0};
    pmapdb_export_result result = {0};
    pmapdb_status st = check_places(x, &err);
    int exit_code;

    if (st == PMAPDB_OK)
        st = open_map(x, &err);

    x->progress = isatty(STDERR_FILENO) && !x->cli->quiet;
    x->export.ctx = x;
    x->export.on_event = on_event;
    x->export.on_progress = on_progress;
    pm_stop_catch();
    if (st == PMAPDB_OK)
        st = pmapdb_export(store, x->path, &x->export, &result, &err);
    clear_progress(x);
    if (st == PMAPDB_STOPPED) {
        pm_cli_say("stopped by a signal; nothing of %s is left", x->path);
        exit_code = PM_EXIT_TROUBLE;
    } else {
        exit_code = st == PMAPDB_OK ? finish(x, &result) : pm_cli_fail(st, &err);
    }
    pm_render_free(x->map_render);
    pm_cli_out_close(x->map_out);
    return exit_code;
}

static const char doc[] =
    "Makes a new store of all that this one holds, or of what --process, --from and --to choose: "
    "for the vendor's ticket, a bug report, a colleague. All ids stay: what somebody says of "
    "process @3, snapshot @17 or lineage 4711 of OUT.db you look up in your own store.\v"
    "With --redact the same text has the same token everywhere (folders d1, files f1.so, host1); "
    "tokens are numbered as they appear and made of nothing else. Every size, sum, time, pid and "
    "verdict stays, and so do distances, order and alignment of addresses. Environments are left "
    "out; of a command line its first word stays, as a token.\n"
    "What stays readable: the names of the kernel ([heap], /dev/zero), what lies in folders of the "
    "system (/usr/lib, /usr/bin, /usr/share, /lib), libraries that everybody has (libc.so.6, "
    "libjvm.so), the endings of names (.jar), categories of built-in rules, functions in DSOs of "
    "the system, /opt, /home and such at the begin of a path, pids. A package of your own that is "
    "installed in /usr is among that: look at the output of 'pmapdb files --db OUT.db' before you "
    "send it.\n"
    "OUT.db must not be there. It appears, readable for you alone, when it is whole.\n"
    "Exit status: 0 done; 2 trouble, and nothing is left of OUT.db.";

int pm_cli_export(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {options, parse, "OUT.db", doc, children, NULL, NULL};
    export_cli x = {.cli = cli};
    pmapdb_open_options open = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    int exit_code = PM_EXIT_TROUBLE;

    pmapdb_export_defaults(&x.export);
    pm_cli_parse(&argp, argc, argv, 0, &x);
    x.export.processes = x.processes.item;
    x.export.n_processes = x.processes.n;
    x.export.keep = x.keep.item;
    x.export.n_keep = x.keep.n;
    if (x.export.from || x.export.to)
        pm_cli_check_zone();
    if (pm_cli_open(cli, &open, &store) == PMAPDB_OK)
        exit_code = run(&x, store);
    pmapdb_close(store);
    free(x.processes.item);
    free(x.keep.item);
    return exit_code;
}
