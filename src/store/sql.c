/* sql: prepared statements, found again by the address of their text. */
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>

#define SLOTS 256 /* more than the statements of the whole program; checked by an assert */

struct pm_sql {
    sqlite3 *db;
    struct {
        const char *text;
        sqlite3_stmt *stmt;
    } slots[SLOTS];
    size_t used;
};

pmapdb_status pm_sql_new(sqlite3 *db, pm_sql **out, pmapdb_error *err)
{
    pm_sql *sql = calloc(1, sizeof *sql);

    if (!sql)
        return pm_fail_nomem(err);
    sql->db = db;
    *out = sql;
    return PMAPDB_OK;
}

void pm_sql_free(pm_sql *sql)
{
    if (!sql)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        sqlite3_finalize(sql->slots[i].stmt);
    free(sql);
}

/* A reader's as well: it makes the -shm, and the last to leave copies the -wal. A prune writes into
 * what is reserved for the -wal; where that is too little it needs some room before it gives any.
 */
static pmapdb_status fail_full(const char *file, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_DATABASE,
                   "cannot write %s: no space left on the device; what was stored before is whole; "
                   "pmapdb prune makes room, and where it cannot: free some MiB, or copy the store "
                   "with its -wal elsewhere, prune it there with --db, copy both back",
                   file);
}

pmapdb_status pm_sql_fail(sqlite3 *db, const char *doing, pmapdb_error *err)
{
    int code = sqlite3_extended_errcode(db);
    const char *file = sqlite3_db_filename(db, "main");
    pmapdb_status st = PMAPDB_DATABASE;

    file = file && *file ? file : "the store";
    if ((code & 0xff) == SQLITE_IOERR && sqlite3_system_errno(db) == ENOSPC)
        code = SQLITE_FULL; /* its -shm did not fit */
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
        st = fail_full(file, err);
        break;
    case SQLITE_NOTADB:
        st = pm_fail(err, PMAPDB_SCHEMA, "%s: not a pmapdb store", file);
        break;
    case SQLITE_READONLY:
        st = pm_fail(err, PMAPDB_DATABASE, "%s: cannot %s: the store is read-only", file, doing);
        break;
    default:
        st = pm_fail(err, PMAPDB_DATABASE, "%s: cannot %s: %s", file, doing, sqlite3_errmsg(db));
    }
    if (err)
        err->db_code = code;
    return st;
}

/* Open addressing by the literal's address. */
static pmapdb_status find(pm_sql *sql, const char *text, sqlite3_stmt **out, pmapdb_error *err)
{
    size_t at = ((uintptr_t)text >> 3) % SLOTS;

    while (sql->slots[at].text && sql->slots[at].text != text)
        at = (at + 1) % SLOTS;
    if (!sql->slots[at].text) {
        if (sql->used >= SLOTS - 1)
            return pm_fail(err, PMAPDB_DATABASE, "too many different statements");
        if (sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &sql->slots[at].stmt,
                               NULL) != SQLITE_OK)
            return pm_sql_fail(sql->db, "prepare a statement", err);
        sql->slots[at].text = text;
        sql->used++;
    }
    *out = sql->slots[at].stmt;
    return PMAPDB_OK;
}

static int bind_one(sqlite3_stmt *stmt, int at, const pm_arg *arg)
{
    if (arg->kind == PM_ARG_BITS || (arg->kind == PM_ARG_INT && arg->i != PMAPDB_UNKNOWN))
        return sqlite3_bind_int64(stmt, at, arg->i);
    if (arg->kind == PM_ARG_TEXT && arg->t.data)
        return sqlite3_bind_text64(stmt, at, arg->t.data, arg->t.len, SQLITE_STATIC, SQLITE_UTF8);
    if (arg->kind == PM_ARG_BLOB && arg->t.data)
        return sqlite3_bind_blob64(stmt, at, arg->t.data, arg->t.len, SQLITE_STATIC);
    return sqlite3_bind_null(stmt, at);
}

pmapdb_status pm_sql_rows(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args,
                          sqlite3_stmt **out, pmapdb_error *err)
{
    sqlite3_stmt *stmt = NULL;
    pmapdb_status st = find(sql, text, &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    for (size_t i = 0; i < n_args; i++)
        if (bind_one(stmt, (int)i + 1, &args[i]) != SQLITE_OK)
            return pm_sql_fail(sql->db, "bind a value", err);
    *out = stmt;
    return PMAPDB_OK;
}

pmapdb_status pm_sql_step(pm_sql *sql, sqlite3_stmt *stmt, bool *has, pmapdb_error *err)
{
    int rc = sqlite3_step(stmt);
    pmapdb_status st = PMAPDB_OK;

    *has = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW)
        return PMAPDB_OK;
    if (rc != SQLITE_DONE)
        st = pm_sql_fail(sql->db, sqlite3_stmt_readonly(stmt) ? "read" : "write", err);
    pm_sql_done(stmt);
    return st;
}

void pm_sql_done(sqlite3_stmt *stmt)
{
    sqlite3_reset(stmt);
}

pmapdb_status pm_sql_run(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args,
                         pmapdb_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool has;
    pmapdb_status st = pm_sql_rows(sql, text, args, n_args, &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    return st;
}

pmapdb_status pm_sql_int(pm_sql *sql, const char *text, const pm_arg *args, size_t n_args,
                         int64_t none, int64_t *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool has = false;
    pmapdb_status st = pm_sql_rows(sql, text, args, n_args, &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK)
        return st;
    *out = has ? pm_col_int(stmt, 0) : PMAPDB_UNKNOWN;
    if (*out == PMAPDB_UNKNOWN)
        *out = none;
    pm_sql_done(stmt);
    return PMAPDB_OK;
}

int64_t pm_sql_last_id(const pm_sql *sql)
{
    return sqlite3_last_insert_rowid(sql->db);
}

int64_t pm_col_int(sqlite3_stmt *stmt, int column)
{
    /* The value once: to ask for its type and for its number is to look the column up twice. */
    sqlite3_value *value = sqlite3_column_value(stmt, column);

    return sqlite3_value_type(value) == SQLITE_NULL ? PMAPDB_UNKNOWN : sqlite3_value_int64(value);
}

pm_text pm_col_text(sqlite3_stmt *stmt, int column)
{
    const char *data = (const char *)sqlite3_column_text(stmt, column);

    return (pm_text){data, data ? (size_t)sqlite3_column_bytes(stmt, column) : 0};
}

pm_text pm_col_blob(sqlite3_stmt *stmt, int column)
{
    const void *bytes = sqlite3_column_blob(stmt, column);

    return (pm_text){bytes, bytes ? (size_t)sqlite3_column_bytes(stmt, column) : 0};
}

/* The schema checks the names. */
pm_state pm_col_state(sqlite3_stmt *stmt, int column)
{
    pm_text name = pm_col_text(stmt, column);
    pm_state state = PM_STATE_COMPLETE;

    while (state < PM_STATE_TOTALS && !pm_text_equal(name, pm_text_of(pm_state_name(state))))
        state++;
    return state;
}
