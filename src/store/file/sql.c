/* sql: prepared statements, found again by the address of their text. */
#include "store/file/sql.h"

#include "store/file/embedded.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 256 /* more than all statements of the program; find() fails without a free slot */

struct pm_sql {
    sqlite3 *db;
    struct {
        const char *text;
        sqlite3_stmt *stmt;
    } slots[SLOTS];
    size_t used;
    pmapdb_status kept; /* the first failure; PMAPDB_OK: none */
    pmapdb_error kept_error;
};

static int refuse_commit(void *ctx)
{
    const pm_sql *sql = ctx;

    return sql->kept != PMAPDB_OK;
}

pmapdb_status pm_sql_new(sqlite3 *db, pm_sql **out, pmapdb_error *err)
{
    pm_sql *sql = calloc(1, sizeof *sql);

    if (!sql)
        return pm_fail_nomem(err);
    sql->db = db;
    sqlite3_commit_hook(db, refuse_commit, sql);
    *out = sql;
    return PMAPDB_OK;
}

void pm_sql_free(pm_sql *sql)
{
    if (!sql)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        sqlite3_finalize(sql->slots[i].stmt);
    sqlite3_commit_hook(sql->db, NULL, NULL);
    free(sql);
}

static pmapdb_status fail(sqlite3 *db, const char *file, int code, const char *why,
                          const char *doing, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_DATABASE;
    char text[128];

    switch (code & 0xff) {
    case SQLITE_NOMEM:
        st = pm_fail_nomem(err);
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        st = pm_fail(err, PMAPDB_BUSY, "%s: another process is writing and did not finish in time",
                     file);
        break;
    case SQLITE_FULL:
        /* a reader, too: it creates the -shm, and the last process that closes copies the -wal */
        st = pm_fail(err, PMAPDB_DATABASE,
                     "cannot write %s: no space left on the device; what was stored before is "
                     "intact; free some MiB, then pmapdb prune makes the store smaller",
                     file);
        break;
    case SQLITE_INTERRUPT: /* a progress handler asked for it */
        st = pm_fail(err, PMAPDB_STOPPED, "stopped");
        break;
    case SQLITE_NOTADB:
        st = pm_fail(err, PMAPDB_SCHEMA, "%s: not a pmapdb store", file);
        break;
    case SQLITE_CORRUPT:
        st = pm_fail(
            err, PMAPDB_DATABASE,
            "%s: cannot %s: the store is damaged (%s); pmapdb doctor says what can still be read",
            file, doing, why);
        break;
    case SQLITE_READONLY:
        st = pm_fail(err, PMAPDB_DATABASE, "%s: cannot %s: the store is read-only", file, doing);
        break;
    case SQLITE_IOERR: /* SQLite only has "disk I/O error", "unable to open database file" */
    case SQLITE_CANTOPEN:
        if (sqlite3_system_errno(db)) {
            st = pm_fail(err, PMAPDB_DATABASE, "%s: cannot %s: %s (%s)", file, doing, why,
                         strerror_r(sqlite3_system_errno(db), text, sizeof text));
            break;
        }
        __attribute__((fallthrough));
    default:
        st = pm_fail(err, PMAPDB_DATABASE, "%s: cannot %s: %s", file, doing, why);
    }
    if (err)
        err->db_code = code;
    return st;
}

/* Returns the code, or SQLITE_FULL if the system reports a full disk and SQLite only an I/O
 * error. */
static int code_of(sqlite3 *db, int code)
{
    return (code & 0xff) == SQLITE_IOERR && sqlite3_system_errno(db) == ENOSPC
               ? SQLITE_FULL /* no space for the -shm */
               : code;
}

static const char *name_of(sqlite3 *db)
{
    const char *file =
        db ? sqlite3_db_filename(db, "main") : NULL; /* NULL: no memory for a handle */

    return file && *file ? file : "the store";
}

pmapdb_status pm_sql_fail(sqlite3 *db, const char *doing, pmapdb_error *err)
{
    return fail(db, name_of(db), code_of(db, sqlite3_extended_errcode(db)), sqlite3_errmsg(db),
                doing, err);
}

pmapdb_status pm_sql_fail_open(sqlite3 *db, const char *file, pmapdb_error *err)
{
    return fail(db, file, code_of(db, sqlite3_extended_errcode(db)), sqlite3_errmsg(db),
                "open the store", err);
}

pmapdb_status pm_sql_fail_code(sqlite3 *db, int code, const char *doing, pmapdb_error *err)
{
    return fail(db, name_of(db), code_of(db, code), sqlite3_errstr(code), doing, err);
}

/* ---- steps ---- */

void pm_sql_keep(pm_sql *sql, pmapdb_status st, const pmapdb_error *err)
{
    if (sql->kept != PMAPDB_OK || st == PMAPDB_OK)
        return;
    sql->kept = st;
    sql->kept_error = err ? *err : (pmapdb_error){.status = st};
}

static void keep_failure(pm_sql *sql, const char *doing)
{
    PM_SQL_STEP(sql, pm_sql_fail(sql->db, doing, &err));
}

bool pm_sql_ok(const pm_sql *sql)
{
    return sql->kept == PMAPDB_OK;
}

pmapdb_status pm_sql_end(pm_sql *sql, pmapdb_error *err)
{
    pmapdb_status st = sql->kept;

    sql->kept = PMAPDB_OK;
    if (st != PMAPDB_OK && err)
        *err = sql->kept_error;
    return st;
}

const char *pm_sql_script_text(const char *name)
{
    for (const pm_embedded *e = pm_embedded_scripts; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e->text;
    return ""; /* a programming error, which every use of the script shows */
}

/* Finds or prepares a statement. Open addressing by the address of the literal. */
static sqlite3_stmt *find(pm_sql *sql, const char *text)
{
    size_t at = ((uintptr_t)text >> 3) % SLOTS;

    while (sql->slots[at].text && sql->slots[at].text != text)
        at = (at + 1) % SLOTS;
    if (sql->slots[at].text)
        return sql->slots[at].stmt;
    if (sql->used >= SLOTS - 1) {
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_DATABASE, "too many different statements"));
        return NULL;
    }
    if (sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &sql->slots[at].stmt,
                           NULL) != SQLITE_OK) {
        keep_failure(sql, "prepare a statement");
        return NULL;
    }
    sql->slots[at].text = text;
    sql->used++;
    return sql->slots[at].stmt;
}

int pm_sql_bind(sqlite3_stmt *stmt, int at, const pm_arg *arg)
{
    if (arg->kind == PM_ARG_BITS || (arg->kind == PM_ARG_INT && arg->i != PMAPDB_UNKNOWN))
        return sqlite3_bind_int64(stmt, at, arg->i);
    if (arg->kind == PM_ARG_REAL)
        return sqlite3_bind_double(stmt, at, arg->r);
    if (arg->kind == PM_ARG_TEXT && arg->t.data)
        return sqlite3_bind_text64(stmt, at, arg->t.data, arg->t.len, SQLITE_STATIC, SQLITE_UTF8);
    return sqlite3_bind_null(stmt, at);
}

sqlite3_stmt *pm_sql_ask(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args)
{
    sqlite3_stmt *stmt = pm_sql_ok(sql) ? find(sql, text) : NULL;

    for (size_t i = 0; stmt && i < n_args; i++)
        if (pm_sql_bind(stmt, (int)i + 1, &args[i]) != SQLITE_OK) {
            keep_failure(sql, "bind a value");
            return NULL;
        }
    return stmt;
}

sqlite3_stmt *pm_sql_ask_row(pm_sql *sql, const char *text, sqlite3_stmt *row)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql, text, PM_NO_ARGS);

    for (int i = stmt ? sqlite3_bind_parameter_count(stmt) : 0; i > 0; i--) {
        const char *name = sqlite3_bind_parameter_name(stmt, i) + 1;
        int at = 0;

        while (at < sqlite3_column_count(row) && strcmp(sqlite3_column_name(row, at), name) != 0)
            at++;
        if (sqlite3_bind_value(stmt, i, sqlite3_column_value(row, at)) != SQLITE_OK) {
            keep_failure(sql, "bind a value");
            return NULL;
        }
    }
    return stmt;
}

bool pm_sql_next(pm_sql *sql, sqlite3_stmt *stmt)
{
    int rc;

    if (!stmt)
        return false;
    if (!pm_sql_ok(sql)) {
        pm_sql_done(stmt);
        return false;
    }
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        return true;
    if (rc != SQLITE_DONE)
        keep_failure(sql, sqlite3_stmt_readonly(stmt) ? "read" : "write");
    sqlite3_reset(stmt); /* the failure is already kept */
    return false;
}

/* Resets the statement. A text that SQLite had no memory for looked like NULL, and SQLite reports
 * it only here: data made from the text must not be stored. */
void pm_sql_done(sqlite3_stmt *stmt)
{
    sqlite3 *db = sqlite3_db_handle(stmt);
    pm_sql *sql;

    if (sqlite3_reset(stmt) != SQLITE_NOMEM)
        return;
    sql = sqlite3_commit_hook(db, NULL, NULL); /* returns the argument that was set */
    if (sql) {
        PM_SQL_STEP(sql, pm_fail_nomem(&err));
        sqlite3_commit_hook(db, refuse_commit, sql);
    }
}

int64_t pm_sql_do(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql, text, args, n_args);

    if (pm_sql_next(sql, stmt)) /* a PRAGMA may return the value that it set */
        pm_sql_done(stmt);
    return sqlite3_last_insert_rowid(sql->db);
}

void pm_sql_exec(pm_sql *sql, const char *text, const char *doing)
{
    if (pm_sql_ok(sql) && sqlite3_exec(sql->db, text, NULL, NULL, NULL) != SQLITE_OK)
        keep_failure(sql, doing);
}

int64_t pm_sql_value(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args, int64_t none)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql, text, args, n_args);
    int64_t value = PMAPDB_UNKNOWN;

    if (pm_sql_next(sql, stmt)) {
        value = pm_col_int(stmt, 0);
        pm_sql_done(stmt);
    }
    return value == PMAPDB_UNKNOWN ? none : value;
}

int64_t pm_sql_id(pm_sql *sql, const char *find, const char *insert, const pm_arg *args,
                  size_t n_args)
{
    int64_t id = pm_sql_value(sql, find, args, n_args, 0);

    return id ? id : pm_sql_do(sql, insert, args, n_args);
}

sqlite3 *pm_sql_db(const pm_sql *sql)
{
    return sql->db;
}

int64_t pm_col_int(sqlite3_stmt *stmt, int column)
{
    /* One call: sqlite3_column_type and _int64 would each look up the column. */
    sqlite3_value *value = sqlite3_column_value(stmt, column);

    return sqlite3_value_type(value) == SQLITE_NULL ? PMAPDB_UNKNOWN : sqlite3_value_int64(value);
}

static int64_t within(int64_t value, int64_t most)
{
    if (value == PMAPDB_UNKNOWN)
        return value;
    return value > most ? most : value < -most ? -most : value;
}

int64_t pm_col_kib(sqlite3_stmt *stmt, int column)
{
    return within(pm_col_int(stmt, column),
                  (int64_t)1 << 46); /* 64 PiB; the sum of 2^16 such values fits */
}

int64_t pm_col_ms(sqlite3_stmt *stmt, int column)
{
    return within(pm_col_int(stmt, column), (int64_t)1 << 53); /* 285,000 years */
}

pm_text pm_col_text(sqlite3_stmt *stmt, int column)
{
    const char *data = (const char *)sqlite3_column_text(stmt, column);

    return (pm_text){data, data ? (size_t)sqlite3_column_bytes(stmt, column) : 0};
}

unsigned pm_col_code(sqlite3_stmt *stmt, int column, unsigned n)
{
    int64_t code = pm_col_int(stmt, column);

    return code >= 0 && code < (int64_t)n ? (unsigned)code : n;
}
