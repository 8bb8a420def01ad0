/* cli: what all commands share: global options, the store, output, messages on standard error, exit
 * codes. */
#ifndef PM_CLI_CLI_H
#define PM_CLI_CLI_H

#include "base/buf.h"
#include "cli/die.h"
#include "render/render.h"
#include <math.h>
#include <stdbool.h>

/* ---- cells of C strings and numbers ---- */

static inline pm_value pm_value_text(const char *text)
{
    return (pm_value){.kind = text ? PM_VALUE_TEXT : PM_VALUE_NULL, .t = pm_text_of(text)};
}

/* NaN is unknown. */
static inline pm_value pm_value_real(double v)
{
    return (pm_value){.kind = isnan(v) ? PM_VALUE_NULL : PM_VALUE_REAL, .r = v};
}

static inline pm_value pm_value_int(int64_t v)
{
    return (pm_value){.kind = v == PMAPDB_UNKNOWN ? PM_VALUE_NULL : PM_VALUE_INT, .i = v};
}

/* Returns what was added to a buffer; ends the program if memory ran out meanwhile. */
const char *pm_cli_text(const pm_buf *buf);

/* Adds the text as a literal of SQL between `before` and `after`. */
void pm_cli_quote(pm_buf *sql, const char *before, const char *text, const char *after);

/* Adds an expression for --match: true for processes whose name, comm or program matches the name,
 * which may be a glob. Every user may read these, unlike exe. */
void pm_cli_match_name(pm_buf *expression, const char *name);

/* *pid is 0 if the word is not a pid. */
bool pm_cli_is_pid(const char *word, int64_t *pid);

/* ---- all commands ---- */

enum pm_exit {
    PM_EXIT_OK = 0,
    PM_EXIT_FOUND = 1,   /* diff --threshold, leaks --check, compare */
    PM_EXIT_TROUBLE = 2, /* usage, input, store */
    PM_EXIT_TOO_FEW = 3, /* leaks: every series is too short for a verdict; compare: cannot tell */
};

struct pm_cli {
    const char *title; /* of the command, like "pmapdb growth" */
    const char *db, *output, *query_dir;
    pm_format format;
    bool quiet, kib, human, wide, crlf, safe, no_pager;
    const char *color; /* auto, always, never; NULL: auto */
    int64_t top;       /* 0: all rows */
    const char *as;    /* the value of --as */
    struct pm_config *config;
    const char *sort, *columns; /* for the rows of a query; NULL: as the query's header says */
};

/* Arguments of an option that may be repeated. The list owns `item`; its texts point into argv. */
typedef struct pm_cli_list {
    const char **item;
    size_t n, cap;
} pm_cli_list;

/* Opens the store, or ends the program. For writing, creates the folder of the default store. */
pmapdb_store *pm_cli_store(const pm_cli *cli, pmapdb_open_mode mode);
pmapdb_store *pm_cli_store_with(const pm_cli *cli, pmapdb_open_options *options);

/* Opens an empty store in memory, for queries that need no stored captures. */
pmapdb_store *pm_cli_store_in_memory(const pm_cli *cli);

/* Opens the store like pm_cli_store_with(), for commands that also work without a store. */
pmapdb_status pm_cli_try_open(const pm_cli *cli, pmapdb_open_options *options, pmapdb_store **out,
                              pmapdb_error *err);

/* Finds the path of the store without opening it. For writing, creates the folder of the default
 * store. */
#define PM_CLI_PATH 4096
void pm_cli_find_store(const pm_cli *cli, bool write, char path[PM_CLI_PATH]);

/* Returns how to write rows, depending on where the output goes. */
pm_render_options pm_cli_render_options(const pm_cli *cli);

/* Returns the number of lines of the terminal; 0: the output does not go to a terminal. */
int pm_cli_screen_lines(const pm_cli *cli);

/* True if the locale says that the terminal shows UTF-8. */
bool pm_cli_is_utf8(void);

/* True for formats that people read (table, Markdown). They show the query's default columns, and
 * lines above and below the rows. */
bool pm_cli_is_for_people(const pm_cli *cli);

/* The commands. argv[0] is "pmapdb COMMAND". They return the exit code; pm_cli_run() returns the
 * exit code of the command that it ran, unless that is 0 and the captures failed. */
typedef int pm_cli_command(pm_cli *cli, int argc, char **argv);
pm_cli_command pm_cli_import, pm_cli_import_perf, pm_cli_capture, pm_cli_dialects, pm_cli_diff,
    pm_cli_explain_category, pm_cli_growth, pm_cli_groups, pm_cli_shm, pm_cli_map, pm_cli_tmpfs,
    pm_cli_pages, pm_cli_leaks, pm_cli_check, pm_cli_baseline, pm_cli_compare, pm_cli_doctor,
    pm_cli_plot, pm_cli_watch, pm_cli_prune, pm_cli_mappings, pm_cli_merge, pm_cli_export,
    pm_cli_run, pm_cli_report, pm_cli_rules, pm_cli_push, pm_cli_query, pm_cli_who, pm_cli_fleet,
    pm_cli_sql, pm_cli_status, pm_cli_config, pm_cli_completion;
/* From now on, every error ends the program with UNKNOWN, as a monitor expects. Call this before
 * any argument is parsed. */
void pm_cli_check_begin(void);
/* Runs a command that is a named query; `query` is its name. */
int pm_cli_named(pm_cli *cli, const char *query, int argc, char **argv);

#endif
