/* common: the global options, names and pids of processes, opening the store, settings of the
 * output. */
#include "cli/options/options.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "base/num.h"
#include "cli/output_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the options of every command ---- */

static const char *read_format(const char *arg, void *value)
{
    return pm_format_find(arg, value) ? NULL : PM_FORMAT_NAMES;
}

/* Refuses a format or a list of columns, which other programs take after -o. */
static const char *read_output(const char *arg, void *value)
{
    pm_format format;

    if (pm_format_find(arg, &format))
        return "a file; -f FORMAT picks the format";
    if (!*arg || (strchr(arg, ',') && !strpbrk(arg, "./")))
        return "a file; --columns NAME,... picks columns";
    *(const char **)value = arg;
    return NULL;
}

static const char *read_zone(const char *arg, void *value)
{
    (void)value;
    if (!pm_clock_is_zone(arg))
        return "a zone like Europe/Berlin or CET-1CEST";
    setenv("TZ", arg, 1);
    tzset();
    return NULL;
}

#define AT(field) offsetof(pm_cli, field)

const pm_option pm_cli_options[] = {
    {"db", 0, PM_OPT_WORD, AT(db), "FILE",
     "The store (default: $PMAPDB, then ~/.local/share/pmapdb/pmap.db)"},
    {"format", 'f', PM_OPT_CUSTOM, AT(format), "FORMAT", PM_FORMAT_NAMES, read_format},
    {"csv", 0, PM_OPT_CUSTOM, AT(format), NULL, "The same as -f csv", read_format},
    {"json", 0, PM_OPT_CUSTOM, AT(format), NULL, "The same as -f json", read_format},
    {"output", 'o', PM_OPT_CUSTOM, AT(output), "FILE", "Write there, all or nothing", read_output},
    {"quiet", 'q', PM_OPT_FLAG, AT(quiet), NULL, "Only trouble on standard error"},
    {"kib", 0, PM_OPT_FLAG, AT(kib), NULL, "Exact KiB in a table on a terminal"},
    {"human", 0, PM_OPT_FLAG, AT(human), NULL,
     "Sizes like 1.5 GiB also in a table that does not go to a terminal"},
    {"color", 0, PM_OPT_CHOICE, AT(color), "auto|always|never", "Colours in a table"},
    {"no-pager", 0, PM_OPT_FLAG, AT(no_pager), NULL, "Do not start $PAGER or less on a terminal"},
    {"wide", 0, PM_OPT_FLAG, AT(wide), NULL, "All columns in a table"},
    {"top", 'n', PM_OPT_COUNT, AT(top), "N", "Only the first N rows; of a series the newest"},
    {"sort", 0, PM_OPT_WORD, AT(sort), "COLUMN",
     "Largest number, or first text or time, at the top; +COLUMN: smallest or first; -COLUMN: "
     "largest or last"},
    {"columns", 0, PM_OPT_WORD, AT(columns), "NAME,...", "Only these columns, in this order"},
    {"crlf", 0, PM_OPT_FLAG, AT(crlf), NULL, "CSV lines end in CR LF"},
    {"spreadsheet-safe", 0, PM_OPT_FLAG, AT(safe), NULL,
     "CSV: ' before text that a spreadsheet would run as a formula"},
    {"tz", 0, PM_OPT_CUSTOM, 0, "ZONE", "Time zone of times without one (default: $TZ)", read_zone},
    {"as", 0, PM_OPT_NAME, AT(as), "NAME", "The options in the line as.NAME of the configuration"},
    {"query-dir", 0, PM_OPT_WORD, AT(query_dir), "DIR", "*.sql here replace the built-in queries"},
    {0}};

/* ---- names and pids of processes ---- */

void pm_cli_quote(pm_buf *sql, const char *before, const char *text, const char *after)
{
    pm_buf_addf(sql, NULL, "%s'", before);
    for (; *text; text++)
        pm_buf_addf(sql, NULL, *text == '\'' ? "''" : "%c", *text);
    pm_buf_addf(sql, NULL, "'%s", after);
}

void pm_cli_match_name(pm_buf *expression, const char *name)
{
    pm_cli_quote(expression, "name GLOB ", name, " OR ");
    pm_cli_quote(expression, "comm GLOB substr(", name, ", 1, 15) OR ");
    pm_cli_quote(expression, "substr(cmdline, 1, instr(cmdline || ' ', ' ') - 1) GLOB '*/' || ",
                 name, "");
}

bool pm_cli_is_pid(const char *word, int64_t *pid)
{
    uint64_t number;
    bool is = pm_num_all(pm_text_of(word), &number) && number >= 1 && number <= INT32_MAX;

    *pid = is ? (int64_t)number : 0;
    return is;
}

/* ---- the store ---- */

/* Creates the parent directories of a path; existing ones are fine. */
static void make_parents(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0700);
            *p = '/';
        }
}

/* Ignores XDG folders that are not absolute, as the XDG specification demands. */
static int print_default_path(char *out, size_t size)
{
    const char *env = getenv("PMAPDB"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

    if (env && *env)
        return snprintf(out, size, "%s", env);
    if (data && *data == '/')
        return snprintf(out, size, "%s/pmapdb/pmap.db", data);
    if (home && *home == '/')
        return snprintf(out, size, "%s/.local/share/pmapdb/pmap.db", home);
    pm_cli_die("which store? HOME is not set: give --db or set PMAPDB");
}

/* True if -o names the store, its -wal or its -shm: writing there would destroy the store, or the
 * snapshots that were stored last. */
static bool is_output(const pm_cli *cli, const char *path)
{
    static const char *const parts[] = {"", "-wal", "-shm"};
    char part[4200];
    bool same = false;

    for (size_t i = 0; i < sizeof parts / sizeof *parts && !same; i++) {
        snprintf(part, sizeof part, "%s%s", path, parts[i]);
        same = pm_output_file_same(part, cli->output);
    }
    return same;
}

void pm_cli_find_store(const pm_cli *cli, bool write, char path[PM_CLI_PATH])
{
    const char *env = getenv("PMAPDB");
    int n = cli->db ? snprintf(path, PM_CLI_PATH, "%s", cli->db)
                    : print_default_path(path, PM_CLI_PATH);

    if (n >= PM_CLI_PATH)
        pm_cli_die("the store's path is too long");
    if (cli->output && is_output(cli, path))
        pm_cli_die("-o '%s' is a file of the store", cli->output);
    if (write && !cli->db && !(env && *env))
        make_parents(path);
}

pmapdb_status pm_cli_try_open(const pm_cli *cli, pmapdb_open_options *o, pmapdb_store **out,
                              pmapdb_error *err)
{
    char path[PM_CLI_PATH] = "memory";
    pmapdb_status st;

    if (!o->in_memory)
        pm_cli_find_store(cli, o->mode == PMAPDB_WRITE, path);
    o->query_dir = cli->query_dir;
    st = pmapdb_open(path, o, out, err);
    if (st == PMAPDB_OK && pmapdb_is_immutable(*out))
        pm_cli_say("%s: read as a file that does not change (no permission for its -shm)", path);
    return st;
}

pmapdb_store *pm_cli_store_with(const pm_cli *cli, pmapdb_open_options *options)
{
    pmapdb_store *store = NULL;
    pmapdb_error err;

    pm_cli_must(pm_cli_try_open(cli, options, &store, &err), &err);
    return store;
}

pmapdb_store *pm_cli_store(const pm_cli *cli, pmapdb_open_mode mode)
{
    pmapdb_open_options how = {.mode = mode};

    return pm_cli_store_with(cli, &how);
}

pmapdb_store *pm_cli_store_in_memory(const pm_cli *cli)
{
    pmapdb_open_options how = {.mode = PMAPDB_WRITE, .in_memory = true};

    return pm_cli_store_with(cli, &how);
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

int pm_cli_screen_lines(const pm_cli *cli)
{
    struct winsize size;

    return !cli->output && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

bool pm_cli_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

bool pm_cli_is_for_people(const pm_cli *cli)
{
    return cli->format == PM_FORMAT_TABLE || cli->format == PM_FORMAT_MD;
}

pm_render_options pm_cli_render_options(const pm_cli *cli)
{
    bool terminal = !cli->output && isatty(STDOUT_FILENO);
    const char *no_color = getenv("NO_COLOR"), *color = cli->color ? cli->color : "auto";

    return (pm_render_options){
        .format = cli->format,
        .human = (terminal || cli->human || cli->format == PM_FORMAT_MD) && !cli->kib,
        .color = strcmp(color, "auto") == 0 ? terminal && !(no_color && *no_color)
                                            : strcmp(color, "always") == 0,
        .width = terminal && !cli->wide ? terminal_width() : 0,
        .crlf = cli->crlf,
        .safe = cli->safe,
        .top = (size_t)cli->top,
    };
}
