/* common: the global options, opening the store, words on standard error. */
#include "cli/cli.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/num.h"
#include "cli/apart.h"
#include "cli/examples.h"
#include "cli/usage.h"
#include "render/terminal.h"
#include "store/catalog.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEY_DB = 0x1000, KEY_KIB, KEY_WIDE, KEY_CRLF, KEY_SAFE, KEY_TOP, KEY_TZ, KEY_QUERY_DIR };

static const struct argp_option options[] = {
    {"db", KEY_DB, "FILE", 0, "The store (else $PMAPDB, else ~/.local/share/pmapdb/pmap.db)", -1},
    {"format", 'f', "FORMAT", 0, "table, csv, json, ndjson, md or prometheus", -1},
    {"output", 'o', "FILE", 0, "Write there, all or nothing", -1},
    {"quiet", 'q', NULL, 0, "Only trouble on standard error", -1},
    {"kib", KEY_KIB, NULL, 0, "Exact KiB in a table on a terminal", -1},
    {"wide", KEY_WIDE, NULL, 0, "All columns in a table", -1},
    {"top", KEY_TOP, "N", 0, "Only the first N rows; a table sums up the others", -1},
    {"crlf", KEY_CRLF, NULL, 0, "CSV lines end in CR LF", -1},
    {"spreadsheet-safe", KEY_SAFE, NULL, 0,
     "CSV: ' before text that a spreadsheet would run as a formula", -1},
    {"tz", KEY_TZ, "ZONE", 0, "Time zone of times without one (else $TZ)", -1},
    {"query-dir", KEY_QUERY_DIR, "DIR", 0, "*.sql here replace the built-in queries", -1},
    {0}};

/* How rows are written. */
static error_t parse_look(int key, const char *arg, pm_cli *cli, struct argp_state *state)
{
    uint64_t n;

    switch (key) {
    case 'f':
        if (!pm_format_find(arg, &cli->format))
            argp_error(state, "no format '%s': " PM_FORMAT_NAMES, arg);
        return 0;
    case KEY_TOP:
        if (!pm_num_all(pm_text_of(arg), &n) || n < 1 || n > SIZE_MAX)
            argp_error(state, "--top wants a number of rows, not '%s'", arg);
        cli->top = (size_t)n;
        return 0;
    case KEY_SAFE:
        cli->safe = true;
        return 0;
    case KEY_KIB:
        cli->kib = true;
        return 0;
    case KEY_WIDE:
        cli->wide = true;
        return 0;
    case KEY_CRLF:
        cli->crlf = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    pm_cli *cli = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        cli->title = pm_text_basename(pm_text_of(state->argv[0])).data;
        return 0;
    case KEY_DB:
        cli->db = arg;
        return 0;
    case 'o':
        cli->output = arg;
        return 0;
    case 'q':
        cli->quiet = true;
        return 0;
    case KEY_TZ:
        if (!pm_clock_is_zone(arg))
            argp_error(state, "--tz wants a zone like Europe/Berlin or CET-1CEST, not '%s'", arg);
        setenv("TZ", arg, 1);
        tzset();
        return 0;
    case KEY_QUERY_DIR:
        cli->query_dir = arg;
        return 0;
    default:
        return parse_look(key, arg, cli, state);
    }
}

/* A user's query in the place of a built-in one need not take what that one takes. */
static bool is_replaced(const pm_cli *cli)
{
    const char *name = strrchr(cli->title, ' ');
    pm_query_info *info = NULL;
    bool replaced;

    if (!name || pm_catalog_find(cli->query_dir, name + 1, &info, NULL) != PMAPDB_OK)
        return false;
    replaced = !info->builtin;
    pm_catalog_free(info);
    return replaced;
}

/* Behind what the command itself says; argp frees what differs from `text`. */
static char *add_examples(int key, const char *text, void *input)
{
    const pm_cli *cli = input;
    const char *lines = key == ARGP_KEY_HELP_POST_DOC ? pm_examples_of(cli->title) : NULL;
    char *all;

    if (!lines || is_replaced(cli))
        return (char *)text;
    return asprintf(&all, "Examples:\n%s", lines) < 0 ? NULL : all;
}

const struct argp pm_cli_common = {options, parse, NULL, NULL, NULL, add_examples, NULL};

void pm_cli_say(const char *format, ...)
{
    va_list args;
    char text[2048];
    pm_buf shown = {0};

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* Names come from captures and file systems: nothing in them may drive a terminal. Without
     * memory to see to that, it is memory that is to be told of. */
    if (pm_terminal_escape(pm_text_of(text), &shown, NULL) == PMAPDB_OK && shown.data)
        fprintf(stderr, "pmapdb: %s\n", shown.data);
    else
        fputs("pmapdb: out of memory\n", stderr);
    pm_buf_free(&shown);
}

void pm_cli_no_memory(void)
{
    fputs("pmapdb: out of memory\n", stderr);
    exit(argp_err_exit_status); // NOLINT(concurrency-mt-unsafe): there is one thread
}

void pm_cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    FILE *said = pm_usage_begin();
    error_t failed = argp_parse(argp, argc, argv, flags, NULL, input);

    pm_usage_end(said);
    /* What is wrong with the words ends the program: what comes back is what stands in its way. */
    if (failed)
        pm_cli_no_memory();
}

int pm_cli_fail(pmapdb_status status, const pmapdb_error *err)
{
    if (status == PMAPDB_STOPPED)
        return PM_EXIT_OK;
    pm_cli_say("%s", err->text);
    return PM_EXIT_TROUBLE;
}

void pm_cli_check_zone(void)
{
    const char *zone = getenv("TZ");

    if (zone && *zone && !pm_clock_is_zone(zone))
        pm_cli_say("TZ '%s' is no time zone that is known here: local times are taken for UTC; set "
                   "TZ or --tz",
                   zone);
}

/* Makes the directories of a path; what exists is fine. */
static void make_parents(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0700);
            *p = '/';
        }
}

/* XDG folders that are not absolute do not count, as their specification says. */
static pmapdb_status default_path(char *out, size_t size, bool write, pmapdb_error *err)
{
    const char *env = getenv("PMAPDB"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int n;

    if (env && *env)
        n = snprintf(out, size, "%s", env);
    else if (data && *data == '/')
        n = snprintf(out, size, "%s/pmapdb/pmap.db", data);
    else if (home && *home == '/')
        n = snprintf(out, size, "%s/.local/share/pmapdb/pmap.db", home);
    else
        return pm_fail(err, PMAPDB_USAGE, "which store? HOME is not set: give --db or set PMAPDB");
    if ((size_t)n >= size)
        return pm_fail(err, PMAPDB_USAGE, "the store's path is too long");
    if (write && !(env && *env))
        make_parents(out);
    return PMAPDB_OK;
}

/* Output over the store itself would be its end, and over its -wal that of what was stored last. */
static bool is_output(const pm_cli *cli, const char *path)
{
    static const char *const parts[] = {"", "-wal", "-shm"};
    char part[4200];
    bool same = false;

    for (size_t i = 0; i < sizeof parts / sizeof *parts && cli->output && !same; i++) {
        snprintf(part, sizeof part, "%s%s", path, parts[i]);
        same = pm_cli_is_same_place(part, cli->output);
    }
    return same;
}

pmapdb_status pm_cli_find_store(const pm_cli *cli, bool write, char *path, size_t size,
                                pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!cli->db)
        st = default_path(path, size, write, err);
    else if ((size_t)snprintf(path, size, "%s", cli->db) >= size)
        st = pm_fail(err, PMAPDB_USAGE, "the store's path is too long");
    if (st != PMAPDB_OK)
        return st;
    if (is_output(cli, path))
        return pm_fail(err, PMAPDB_USAGE, "-o '%s' is the store itself", cli->output);
    return PMAPDB_OK;
}

pmapdb_status pm_cli_try_open(const pm_cli *cli, pmapdb_open_options *o, pmapdb_store **out,
                              pmapdb_error *err)
{
    char path[4096];
    pmapdb_status st = pm_cli_find_store(cli, o->mode == PMAPDB_WRITE, path, sizeof path, err);

    if (st != PMAPDB_OK)
        return st;
    o->query_dir = cli->query_dir;
    st = pmapdb_open(path, o, out, err);
    if (st == PMAPDB_OK && pmapdb_is_immutable(*out))
        pm_cli_say("%s: read as a file that nobody changes (no permission for its -shm)", path);
    return st;
}

pmapdb_status pm_cli_open(const pm_cli *cli, pmapdb_open_options *o, pmapdb_store **out)
{
    pmapdb_error err;
    pmapdb_status st = pm_cli_try_open(cli, o, out, &err);

    if (st != PMAPDB_OK)
        pm_cli_say("%s", err.text);
    return st;
}

static int terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    uint64_t given;

    if (columns && pm_num_all(pm_text_of(columns), &given) && given < 100000)
        return (int)given;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool pm_cli_is_for_people(const pm_cli *cli)
{
    return cli->format == PM_FORMAT_TABLE || cli->format == PM_FORMAT_MD;
}

pm_render_options pm_cli_render_options(const pm_cli *cli)
{
    bool terminal = !cli->output && isatty(STDOUT_FILENO);
    const char *no_color = getenv("NO_COLOR");

    return (pm_render_options){
        .format = cli->format,
        .human = (terminal || cli->format == PM_FORMAT_MD) && !cli->kib,
        .color = terminal && !(no_color && *no_color),
        .width = terminal && !cli->wide ? terminal_width() : 0,
        .crlf = cli->crlf,
        .safe = cli->safe,
        .top = cli->top,
    };
}

void pm_cli_say_left_out(const pm_cli *cli, const pm_render *render)
{
    size_t n = pm_render_left_out(render);

    if (n && !cli->quiet)
        pm_cli_say("--top %zu leaves out %zu more row%s", cli->top, n, n == 1 ? "" : "s");
}
