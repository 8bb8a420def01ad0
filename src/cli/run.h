/* run: runs a named query from the command line: its parameters become options, its rows the
 * output. */
#ifndef PM_CLI_RUN_H
#define PM_CLI_RUN_H

#include "cli/answer.h"
#include "cli/options/options.h"
#include "cli/progress.h"

/* A query with the arguments of the command line. */
typedef struct pm_run_args {
    pm_cli *cli;
    const char *query;    /* the query whose parameters become options */
    const char *path;     /* the user's file with the query; NULL: find it by name */
    const pm_option *own; /* options of the command itself; or NULL */
    void *own_values;     /* where to store the values of `own` */
    bool own_help;        /* --help shows help/COMMAND.txt instead of the query's header */
    /* Set by pm_run_parse() and pm_run_open(): */
    const pm_query_info *info;
    const char *value[PM_QUERY_ITEMS]; /* of each parameter; NULL: not given */
    pmapdb_store *store;
    pm_progress progress;
} pm_run_args;

/* Sets --query-dir from argv: the folder must be known before the options of the query are. */
void pm_run_find_query_dir(pm_cli *cli, int argc, char **argv);

/* Reads the header of a query, by its name or, if path is not NULL, from the user's file.
 * PMAPDB_USAGE if a parameter has the name of an option of every command, because such a parameter
 * could not be given. */
pmapdb_status pm_run_find(const pm_cli *cli, const char *name, const char *path,
                          pm_query_info **out, pmapdb_error *err);

/* Finds the query, and parses argv into `value` and `own_values`; ends the program if either is
 * wrong. */
void pm_run_parse(pm_run_args *args, int argc, char **argv);

/* Returns the value that the command line gives to the parameter, or NULL. */
const char *pm_run_given(const pm_run_args *args, const char *param);

/* Sets the value of a parameter that the command line does not give. */
void pm_run_give(pm_run_args *args, const char *param, const char *value);

/* Binds the command line's values to the query; ignores parameters that the query does not have. */
void pm_run_bind(const pm_run_args *args, pmapdb_rows *rows);

/* Opens the store for reading; every answer is of one state. */
void pm_run_open(pm_run_args *args);
/* Returns a query, ready for its first row; ends the program if there is no such query. */
pmapdb_rows *pm_run_query(const pm_run_args *args, const char *name);
/* Closes the store and frees the query's header. */
void pm_run_end(pm_run_args *args);
/* True if no process is asked for, by name or by its snapshot, and the store has several names:
 * then the answer is about the whole host. */
bool pm_run_asks_host(const pm_run_args *args);
/* Steps to the next row; false after the last one. Ends the program if the query fails. */
bool pm_run_next(pmapdb_rows *rows);

/* True if the SQL has a row; then writes the first value of it, unless size is 0. */
bool pm_run_ask(pmapdb_store *store, const char *sql, char *out, size_t size);

/* Runs the rest of a command that is a named query: opens the store unless it is open, writes the
 * rows, reports what the snapshots lack, closes the store. */
void pm_run_answer(pm_run_args *args, const char *name);

/* ---- moment.c: the two moments of a diff in words, and what answers lack ---- */

/* Returns the row of the query diff-summary about the moments that a query like diff-total gives;
 * `more` are further arguments. Ends the program if both moments are the same. */
pmapdb_rows *pm_moment_compare(const pm_run_args *args, const char *totals,
                               const pm_answer_arg *more);

/* Says on standard error what the answer of a query lacks. */
void pm_moment_say(const pm_run_args *args, pm_text query);
/* Prints the rows of the query notes on standard error, and closes the query. */
void pm_moment_say_notes(const pm_cli *cli, pmapdb_rows *notes);

#endif
