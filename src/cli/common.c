/* common: the global options, opening the store, words on standard error. */
#include "cli/cli.h"

#include "base/buf.h"
#include "base/num.h"
#include "render/utf8.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEY_DB = 0x1000, KEY_KIB, KEY_WIDE, KEY_CRLF, KEY_TZ, KEY_QUERY_DIR };

static const struct argp_option options[] = {
    {"db", KEY_DB, "FILE", 0, "The store (else $PMAPDB, else ~/.local/share/pmapdb/pmap.db)", -1},
    {"format", 'f', "FORMAT", 0, "table, csv, json or ndjson", -1},
    {"output", 'o', "FILE", 0, "Write there, all or nothing", -1},
    {"quiet", 'q', NULL, 0, "Only trouble on standard error", -1},
    {"kib", KEY_KIB, NULL, 0, "Exact KiB in a table on a terminal", -1},
    {"wide", KEY_WIDE, NULL, 0, "All columns in a table", -1},
    {"crlf", KEY_CRLF, NULL, 0, "CSV lines end in CR LF", -1},
    {"tz", KEY_TZ, "ZONE", 0, "Time zone of times without one (else $TZ)", -1},
    {"query-dir", KEY_QUERY_DIR, "DIR", 0, "*.sql here replace the built-in queries", -1},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    pm_cli *cli = state->input;

    switch (key) {
    case KEY_DB:
        cli->db = arg;
        return 0;
    case 'f':
        if (!pm_format_find(arg, &cli->format))
            argp_error(state, "no format '%s': table, csv, json, ndjson", arg);
        return 0;
    case 'o':
        cli->output = arg;
        return 0;
    case 'q':
        cli->quiet = true;
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
    case KEY_TZ:
        setenv("TZ", arg, 1);
        tzset();
        return 0;
    case KEY_QUERY_DIR:
        cli->query_dir = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp pm_cli_common = {options, parse, NULL, NULL, NULL, NULL, NULL};

void pm_cli_say(const char *format, ...)
{
    va_list args;
    char text[2048];
    pm_buf shown = {0};

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* Names come from captures and file systems: nothing in them may drive a terminal. */
    if (pm_utf8_escape(pm_text_of(text), &shown, NULL) == PMAPDB_OK && shown.data)
        fprintf(stderr, "pmapdb: %s\n", shown.data);
    pm_buf_free(&shown);
}

int pm_cli_fail(pmapdb_status status, const pmapdb_error *err)
{
    if (status == PMAPDB_STOPPED)
        return PM_EXIT_OK;
    pm_cli_say("%s", err->text);
    return PM_EXIT_TROUBLE;
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

static void default_path(char *out, size_t size, bool write)
{
    const char *env = getenv("PMAPDB"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

    if (env && *env) {
        snprintf(out, size, "%s", env);
        return;
    }
    if (data && *data)
        snprintf(out, size, "%s/pmapdb/pmap.db", data);
    else
        snprintf(out, size, "%s/.local/share/pmapdb/pmap.db", home ? home : "");
    if (write)
        make_parents(out);
}

/* Output over the store itself would be its end. */
static bool is_output(const pm_cli *cli, const char *path)
{
    struct stat store, output;

    return cli->output && stat(path, &store) == 0 && stat(cli->output, &output) == 0 &&
           store.st_dev == output.st_dev && store.st_ino == output.st_ino;
}

pmapdb_status pm_cli_open(const pm_cli *cli, pmapdb_open_options *o, pmapdb_store **out)
{
    char path[4096];
    pmapdb_error err;
    pmapdb_status st;

    if (cli->db)
        snprintf(path, sizeof path, "%s", cli->db);
    else
        default_path(path, sizeof path, o->mode == PMAPDB_WRITE);
    if (is_output(cli, path)) {
        pm_cli_say("-o '%s' is the store itself", cli->output);
        return PMAPDB_USAGE;
    }
    o->query_dir = cli->query_dir;
    st = pmapdb_open(path, o, out, &err);
    if (st != PMAPDB_OK)
        pm_cli_say("%s", err.text);
    else if (pmapdb_is_immutable(*out))
        pm_cli_say("%s: read as a file that nobody changes (no permission for its -shm)", path);
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

pm_render_options pm_cli_render_options(const pm_cli *cli)
{
    bool terminal = !cli->output && isatty(STDOUT_FILENO);
    const char *no_color = getenv("NO_COLOR");

    return (pm_render_options){
        .format = cli->format,
        .human = terminal && !cli->kib,
        .color = terminal && !(no_color && *no_color),
        .width = terminal && !cli->wide ? terminal_width() : 0,
        .crlf = cli->crlf,
    };
}
