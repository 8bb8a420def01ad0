/* run: a named query from the command line: its parameters become options, its rows the output. */
#ifndef PM_CLI_RUN_H
#define PM_CLI_RUN_H

#include "cli/answer.h"
#include "cli/options/options.h"

/* What the command line says for a query. */
typedef struct pm_run_args {
    pm_cli *cli;
    const char *query;    /* its parameters become options */
    const char *path;     /* the user's file that it is in; NULL: it is found by name */
    const pm_option *own; /* options of the command itself; or NULL */
    void *own_values;     /* where their values go */
    const char *operands; /* what follows the options; NULL: the process */
    pm_option_type operand;
    bool own_help; /* --help says what help/COMMAND.txt does, not what the query's header does */
    /* Set by pm_run_parse() and pm_run_open(): */
    const pm_query_info *info;
    const char *value[PM_QUERY_ITEMS]; /* of each parameter; NULL: not given */
    pmapdb_store *store;
} pm_run_args;

/* --query-dir must be known before the query's own options are. */
void pm_run_find_query_dir(pm_cli *cli, int argc, char **argv);

/* The header of a query by its name or, where path is not NULL, of the user's file. A parameter
 * that is called like an option of every command is PMAPDB_USAGE: it could not be given. */
pmapdb_status pm_run_find(const pm_cli *cli, const char *name, const char *path,
                          pm_query_info **out, pmapdb_error *err);

/* Finds the query, and reads argv into `value` and `own_values`; ends the program where one of them
 * is wrong. Moves the operands of a command that has `operands` to argv[1] and so on; returns how
 * many they are. */
int pm_run_parse(pm_run_args *args, int argc, char **argv);

/* What the command line says for this parameter, or NULL. */
const char *pm_run_given(const pm_run_args *args, const char *param);

/* Gives the query what the command line said; parameters that it does not have are left out. */
pmapdb_status pm_run_bind(const pm_run_args *args, pmapdb_rows *rows, pmapdb_error *err);

/* Opens the store for reading. */
void pm_run_open(pm_run_args *args);
/* A query, ready for its first row; ends the program where there is none. */
pmapdb_rows *pm_run_query(const pm_run_args *args, const char *name);
/* Closes the store and forgets the query's header. */
void pm_run_end(pm_run_args *args);
/* The next row; false after the last one. Ends the program where the query fails. */
bool pm_run_next(pmapdb_rows *rows);

/* The rest of a command that is a named query: opens the store, writes the rows, says what the
 * snapshots lack, ends. */
void pm_run_answer(pm_run_args *args, const char *name);

#endif
