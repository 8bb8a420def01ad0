/* sql: prepared statements without ceremony.
 *
 * The text of a statement, a string literal, identifies it: it is prepared once per store and found
 * again by the address of the literal. Values are bound from a typed list, never pasted into the
 * text. The handle keeps the first failure, and later steps do nothing, so a caller reads as a list
 * of steps and checks once, at the end:
 *
 *     pm_sql_do(sql, "DELETE FROM pin WHERE snapshot_id = ?1", PM_ARGS(PM_I(id)));
 *     rows = pm_sql_ask(sql, "SELECT pid FROM process", PM_NO_ARGS);
 *     while (pm_sql_next(sql, rows))
 *         note(pm_col_int(rows, 0));
 *     return pm_sql_end(sql, err);
 *
 * The function that began the steps ends them: a failure that was not collected stops all later
 * steps, and SQLite refuses to commit.
 */
#ifndef PM_STORE_SQL_H
#define PM_STORE_SQL_H

#include "base/err.h"
#include "base/text.h"
#include <sqlite3.h>

typedef struct pm_sql pm_sql;

typedef enum pm_arg_kind { PM_ARG_INT, PM_ARG_BITS, PM_ARG_REAL, PM_ARG_TEXT } pm_arg_kind;

typedef struct pm_arg {
    pm_arg_kind kind;
    int64_t i; /* PMAPDB_UNKNOWN binds NULL */
    double r;
    pm_text t; /* data NULL binds NULL */
} pm_arg;

#define PM_I(value) ((pm_arg){.kind = PM_ARG_INT, .i = (int64_t)(value)})
/* Never NULL: an address may be 2^63. */
#define PM_BITS(value) ((pm_arg){.kind = PM_ARG_BITS, .i = (int64_t)(value)})
#define PM_R(value) ((pm_arg){.kind = PM_ARG_REAL, .r = (value)})
#define PM_T(text) ((pm_arg){.kind = PM_ARG_TEXT, .t = (text)})
#define PM_S(string) ((pm_arg){.kind = PM_ARG_TEXT, .t = pm_text_of(string)})
/* NULL for an empty text: empty is unknown. */
#define PM_WORD(text) PM_T((text).len ? (text) : ((pm_text){NULL, 0}))
#define PM_ARGS(...) \
    (const pm_arg[]){__VA_ARGS__}, sizeof((const pm_arg[]){__VA_ARGS__}) / sizeof(pm_arg)
#define PM_NO_ARGS NULL, 0

/* A value for a script, by the name that the script uses: ":most". */
typedef struct pm_param {
    const char *name;
    pm_arg value;
} pm_param;

#define PM_PARAMS(...) \
    (const pm_param[]){__VA_ARGS__}, sizeof((const pm_param[]){__VA_ARGS__}) / sizeof(pm_param)

pmapdb_status pm_sql_new(sqlite3 *db, pm_sql **out, pmapdb_error *err);
void pm_sql_free(pm_sql *sql);

/* Turns an error of SQLite into a pmapdb_error, with helpful texts for busy, not a database, and a
 * full disk. */
pmapdb_status pm_sql_fail(sqlite3 *db, const char *doing, pmapdb_error *err);
/* The same for a file that SQLite could not open and whose name it may not know; the message has
 * the user's name for it. db may be NULL. */
pmapdb_status pm_sql_fail_open(sqlite3 *db, const char *file, pmapdb_error *err);
/* The same if other statements have run since SQLite returned `code`. */
pmapdb_status pm_sql_fail_code(sqlite3 *db, int code, const char *doing, pmapdb_error *err);

/* Runs a statement that returns no rows. Returns the id of the row that was inserted last. */
int64_t pm_sql_do(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args);

/* Runs the statements of a text, which may be made at run time, without values; `doing` is for the
 * message of a failure. */
void pm_sql_exec(pm_sql *sql, const char *text, const char *doing);

/* Binds a statement; pm_sql_next returns its rows. NULL after a failure. */
sqlite3_stmt *pm_sql_ask(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args);

/* Binds the values of a row of another statement, also of another database: :NAME is the first of
 * its columns of that name. */
sqlite3_stmt *pm_sql_ask_row(pm_sql *sql, const char *text, sqlite3_stmt *row);

/* Steps to the next row. False at the end of the rows and after a failure; the statement is then
 * reset. A statement can be used only once at a time: to stop before the end, call pm_sql_done. */
bool pm_sql_next(pm_sql *sql, sqlite3_stmt *stmt);
void pm_sql_done(sqlite3_stmt *stmt);

/* Returns the integer in the first row; `none` if there is no row, a NULL, or a failure. */
int64_t pm_sql_value(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args,
                     int64_t none);

/* Returns the id that `find` selects; if it selects no row, the id of the row that `insert` adds.
 * Both statements bind all the values. */
int64_t pm_sql_id(pm_sql *sql, const char *find, const char *insert, const pm_arg *args,
                  size_t n_args);

/* Binds parameter number `at`, counted from 1; returns an SQLite result code. */
int pm_sql_bind(sqlite3_stmt *stmt, int at, const pm_arg *arg);

/* Returns the text of src/store/ROOM/NAME.sql. */
const char *pm_sql_script_text(const char *name);

/* Runs the statements of src/store/ROOM/NAME.sql, one after another; the files are built into the
 * program. A parameter without a value is NULL. The standard sqlite3 shell runs the files, too:
 *
 *     .parameter set :most 1000
 *     .read src/store/keep/NAME.sql
 */
void pm_sql_script(pm_sql *sql, const char *name, const pm_param *params, size_t n_params);

/* The same for a file of one statement, whose rows pm_sql_next gives. NULL after a failure. */
sqlite3_stmt *pm_sql_ask_script(pm_sql *sql, const char *name, const pm_param *params,
                                size_t n_params);

/* True if no step has failed so far. */
bool pm_sql_ok(const pm_sql *sql);

/* Keeps the failure of a step outside SQL, such as an allocation; PMAPDB_OK changes nothing. */
void pm_sql_keep(pm_sql *sql, pmapdb_status st, const pmapdb_error *err);

/* Runs a step outside SQL, unless an earlier step failed, and keeps its failure. `call` passes &err
 * to the function. */
#define PM_SQL_STEP(sql, call)                              \
    do {                                                    \
        pmapdb_error err;                                   \
        pmapdb_status step;                                 \
                                                            \
        err.text[0] = '\0';                                 \
        if (pm_sql_ok(sql) && (step = (call)) != PMAPDB_OK) \
            pm_sql_keep(sql, step, &err);                   \
    } while (0)

/* Returns the kept failure and clears it. */
pmapdb_status pm_sql_end(pm_sql *sql, pmapdb_error *err);

sqlite3 *pm_sql_db(const pm_sql *sql);

/* Column access: NULL is PMAPDB_UNKNOWN, a NULL text has data NULL. */
int64_t pm_col_int(sqlite3_stmt *stmt, int column);
/* Reads a size or a time for calculations. Limits a value that no process and no clock can produce,
 * so that no sum overflows: such a value was written by hand. */
int64_t pm_col_kib(sqlite3_stmt *stmt, int column);
int64_t pm_col_ms(sqlite3_stmt *stmt, int column);
pm_text pm_col_text(sqlite3_stmt *stmt, int column);
/* Reads a code of table snapshot, which is below n; returns n for any other value. */
unsigned pm_col_code(sqlite3_stmt *stmt, int column, unsigned n);

#endif
