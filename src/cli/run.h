/* run: a named query from the command line: its parameters as options, its rows to the output. */
#ifndef PM_CLI_RUN_H
#define PM_CLI_RUN_H

#include "cli/options.h"
#include "store/read/query.h"

#define PM_RUN_VALUES 64

/* What the command line says for a query. */
typedef struct pm_run_args {
    pm_cli *cli;
    const pm_query_info *info;        /* its parameters become options */
    const char *value[PM_RUN_VALUES]; /* of each parameter; NULL: not given */
    const pm_option *own;             /* options of the command itself; or NULL */
    void *own_values;                 /* where their values go */
    const char *operands;             /* what follows the options; NULL: the process */
    pm_option_type operand;
    const char *doc;          /* for --help, instead of what the query's header says; or NULL */
    const char *title, *more; /* for --help, in place of its title, and behind it; or NULL */
} pm_run_args;

/* A parameter that is called like an option of every command could not be given. */
pmapdb_status pm_run_check(const pm_query_info *info, pmapdb_error *err);

/* --query-dir must be known before the query's own options are. */
void pm_run_find_query_dir(pm_cli *cli, int argc, char **argv);

/* Reads argv into `value` and `own_values`; ends the program where argv is wrong. Moves the
 * operands of a command that has `operands` to argv[1] and so on; returns how many they are. */
int pm_run_parse(pm_run_args *args, int argc, char **argv);

/* What the command line says for this parameter, or NULL. */
const char *pm_run_given(const pm_run_args *args, const char *param);

/* Gives the query what the command line said; parameters that it does not have are left out. */
pmapdb_status pm_run_bind(const pm_run_args *args, pmapdb_rows *rows, pmapdb_error *err);

/* Columns of a table: those that the query's header names, or all. keep[i] says whether column i is
 * shown. Returns how many. */
int pm_run_columns(const pm_cli *cli, const pmapdb_rows *rows, bool *keep, pm_column *columns);

/* The values of the current row's kept columns. */
void pm_run_values(const pmapdb_rows *rows, const bool *keep, pm_value *values);

#endif
