/* argp_common: the global options for commands whose options are still tables of argp. */
#include "cli/cli.h"

#include "base/clock.h"
#include "base/num.h"
#include "cli/examples.h"
#include "cli/usage.h"
#include "store/catalog.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
        if (!pm_num_all(pm_text_of(arg), &n) || n < 1 || n > INT64_MAX)
            argp_error(state, "--top wants a number of rows, not '%s'", arg);
        cli->top = (int64_t)n;
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

void pm_cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    FILE *said = pm_usage_begin();
    error_t failed = argp_parse(argp, argc, argv, flags, NULL, input);

    pm_usage_end(said);
    /* A wrong command line ends the program: a status that comes back means that argp failed. */
    if (failed)
        pm_cli_no_memory();
}
