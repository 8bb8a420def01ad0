/* cli: what every command has in common: the global options, the store, the output, the words on
 * standard error, the exit codes. */
#ifndef PM_CLI_CLI_H
#define PM_CLI_CLI_H

#include "cli/die.h"
#include "cli/value.h"
#include "render/render.h"
#include <stdbool.h>

enum pm_exit {
    PM_EXIT_OK = 0,
    PM_EXIT_FOUND = 1,   /* diff --threshold, leaks --check */
    PM_EXIT_TROUBLE = 2, /* usage, input, store */
    PM_EXIT_TOO_FEW = 3, /* leaks: no series is long enough for a verdict */
};

struct pm_cli {
    const char *title; /* of the command: "pmapdb growth" */
    const char *db, *output, *query_dir;
    pm_format format;
    bool quiet, kib, wide, crlf, safe;
    int64_t top;     /* 0: all rows */
    bool completing; /* the words are not run but completed: cli/options/complete.h */
};

/* Arguments of an option that may be repeated; `item` is for free(), the texts are argv's. */
typedef struct pm_cli_list {
    const char **item;
    size_t n, cap;
} pm_cli_list;

/* Opens the store, or ends the program; for writing, the default store's folder is made. */
pmapdb_store *pm_cli_store(const pm_cli *cli, pmapdb_open_mode mode);
pmapdb_store *pm_cli_store_with(const pm_cli *cli, pmapdb_open_options *options);

/* The same for commands that can do without a store. */
pmapdb_status pm_cli_try_open(const pm_cli *cli, pmapdb_open_options *options, pmapdb_store **out,
                              pmapdb_error *err);

/* Where the store is, without opening it; for writing, the default one's folder is made. */
#define PM_CLI_PATH 4096
void pm_cli_find_store(const pm_cli *cli, bool write, char path[PM_CLI_PATH]);

/* For what takes or shows local times: warns where TZ names no zone that can be found. The C
 * library takes that for UTC and says nothing. */
void pm_cli_check_zone(void);

/* How rows are to be written, given where they go. */
pm_render_options pm_cli_render_options(const pm_cli *cli);

/* People read it: a table, Markdown. They get the columns that a query shows by itself, and what
 * is printed above and below. */
bool pm_cli_is_for_people(const pm_cli *cli);

/* The program from its first word on. */
int pm_cli_main(int argc, char **argv);

/* Commands. argv[0] is "pmapdb COMMAND". They return the exit code. */
int pm_cli_import(pm_cli *cli, int argc, char **argv);
int pm_cli_import_perf(pm_cli *cli, int argc, char **argv);
int pm_cli_capture(pm_cli *cli, int argc, char **argv);
int pm_cli_dialects(pm_cli *cli, int argc, char **argv);
int pm_cli_diff(pm_cli *cli, int argc, char **argv);
int pm_cli_explain_category(pm_cli *cli, int argc, char **argv);
int pm_cli_groups(pm_cli *cli, int argc, char **argv);
int pm_cli_leaks(pm_cli *cli, int argc, char **argv);
/* What is wrong with a command line that asks for it is UNKNOWN, from the first word on. */
void pm_cli_check_begin(void);
int pm_cli_check(pm_cli *cli, int argc, char **argv);
int pm_cli_doctor(pm_cli *cli, int argc, char **argv);
int pm_cli_prune(pm_cli *cli, int argc, char **argv);
int pm_cli_mappings(pm_cli *cli, int argc, char **argv);
int pm_cli_merge(pm_cli *cli, int argc, char **argv);
int pm_cli_export(pm_cli *cli, int argc, char **argv);
int pm_cli_rules(pm_cli *cli, int argc, char **argv);
int pm_cli_query(pm_cli *cli, int argc, char **argv);
int pm_cli_who(pm_cli *cli, int argc, char **argv);
int pm_cli_sql(pm_cli *cli, int argc, char **argv);
int pm_cli_completion(pm_cli *cli, int argc, char **argv);
/* `query` is the name of the query that the command is. */
int pm_cli_named(pm_cli *cli, const char *query, int argc, char **argv);

/* import --explain. */
int pm_cli_explain(const pm_cli *cli, const char *const *paths, size_t n_paths,
                   const pmapdb_import_options *import);

#endif
