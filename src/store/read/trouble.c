/* trouble: preparing a statement that a person wrote.
 *
 * SQLite says where an error is only from 3.38 on. Before that its words must do: they quote the
 * token that the parser met, or the name that is not there.
 */
#include "store/read/trouble.h"

#include "base/buf.h"
#include "base/near.h"
#include "store/file/sql.h"
#include <stdlib.h>

/* ---- where ---- */

/* What stands between `before` and `behind` in a message; data NULL where it is no such message. */
static pm_text between(pm_text message, const char *before, const char *behind)
{
    pm_text start = pm_text_of(before), end = pm_text_of(behind);

    if (!pm_text_starts(message, start) || message.len < start.len + end.len ||
        !pm_text_ends(message, end))
        return (pm_text){NULL, 0};
    return (pm_text){message.data + start.len, message.len - start.len - end.len};
}

static bool prepare_says(sqlite3 *db, pm_text sql, const char *message)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql.data, (int)sql.len, &stmt, NULL);

    sqlite3_finalize(stmt);
    return rc != SQLITE_OK && strcmp(sqlite3_errmsg(db), message) == 0;
}

/* The parser stops at the first token that cannot go on: a text cut behind that one fails in the
 * same words, cut behind an earlier one that looks the same it does not. */
static const char *met_token(sqlite3 *db, pm_text sql, pm_text token, const char *message)
{
    pm_text rest = sql, t;

    while ((t = pm_script_token(&rest)).len) {
        size_t left = (size_t)(sql.data + sql.len - t.data);

        if (left >= token.len && memcmp(t.data, token.data, token.len) == 0 &&
            prepare_says(db, (pm_text){sql.data, (size_t)(t.data - sql.data) + token.len}, message))
            return t.data;
    }
    return NULL;
}

/* The part of a name behind its last dot. */
static pm_text last_part(pm_text name)
{
    const char *dot = name.len ? memrchr(name.data, '.', name.len) : NULL;

    return dot ? pm_text_from(name, (size_t)(dot - name.data) + 1) : name;
}

static pm_text name_in(pm_text message)
{
    static const char *const forms[][2] = {
        {"no such column: ", ""},
        {"no such table: ", ""},
        {"no such function: ", ""},
        {"no such collation sequence: ", ""},
        {"ambiguous column name: ", ""},
        {"misuse of aggregate: ", "()"},
        {"misuse of aggregate function ", "()"},
        {"misuse of window function ", "()"},
        {"wrong number of arguments to function ", "()"},
    };
    pm_text name = {NULL, 0};

    for (size_t i = 0; i < sizeof forms / sizeof *forms && !name.data; i++)
        name = between(message, forms[i][0], forms[i][1]);
    return last_part(name);
}

static const char *place_of(sqlite3 *db, pm_text sql, const char *message)
{
    pm_text says = pm_text_of(message), token, name = name_in(says), rest = sql;
    const char *at = NULL;

    if (name.len)
        at = pm_script_find(sql, name).data;
    else if ((token = between(says, "near \"", "\": syntax error")).data)
        at = met_token(db, sql, token, message);
    else if ((token = between(says, "unrecognized token: \"", "\"")).len)
        at = memmem(sql.data, sql.len, token.data, token.len);
    else if (pm_text_equal(says, PM_TEXT("incomplete input")))
        while ((token = pm_script_token(&rest)).len)
            at = token.data;
    return at ? at : pm_script_token(&sql).data;
}

/* ---- what was meant ---- */

/* A name among those behind FROM and JOIN. */
static bool reads_table(pm_text sql, pm_text table)
{
    static const char *const begins[] = {"from", "join", ","};
    static const char *const ends[] = {"select", "on",    "using", "where",
                                       "group",  "order", "limit", "window"};
    bool among = false, next = false;
    pm_text token;

    while ((token = pm_script_token(&sql)).len) {
        if (next && pm_script_find(token, table).data)
            return true;
        next = false;
        for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
            next |= pm_script_find(token, pm_text_of(begins[i])).data && (i < 2 || among);
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            among &= !pm_script_find(token, pm_text_of(ends[i])).data;
        among |= next;
    }
    return false;
}

/* table, name; a NULL table is any. */
static void try_all(sqlite3 *db, const char *query, pm_text sql, pm_near *near)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(db, query, -1, &stmt, NULL) != SQLITE_OK)
        return;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(stmt, 0);
        const char *name = (const char *)sqlite3_column_text(stmt, 1);

        if (name && (!table || reads_table(sql, pm_text_of(table))))
            pm_near_try(near, pm_text_of(name));
    }
    sqlite3_finalize(stmt);
}

/* A column of the tables that the statement reads; a table; a function. */
static void find_meant(sqlite3 *db, pm_text message, pm_text sql, pm_near *near)
{
    const char *query = NULL;

    if (between(message, "no such column: ", "").data)
        query = "SELECT m.name, x.name FROM sqlite_master m, pragma_table_xinfo(m.name) x "
                "WHERE m.type IN ('table', 'view')";
    else if (between(message, "no such table: ", "").data)
        query = "SELECT NULL, name FROM sqlite_master WHERE type IN ('table', 'view')";
    else if (between(message, "no such function: ", "").data)
        query = "SELECT NULL, name FROM pragma_function_list";
    if (query)
        try_all(db, query, sql, near);
}

static pmapdb_status list_tables(sqlite3 *db, pm_buf *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt = NULL;
    pmapdb_status st = PMAPDB_OK;

    sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY 1", -1,
                       &stmt, NULL);
    while (st == PMAPDB_OK && sqlite3_step(stmt) == SQLITE_ROW)
        st = pm_buf_addf(out, err, " %s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return st;
}

/* Newer ones say: no such column: "X" - should this be a string literal in single-quotes? Which is
 * made the old words. */
static void make_plain(char *message)
{
    static const pm_text start = {"no such column: \"", 17};
    pm_text says = pm_text_of(message);
    const char *end = strstr(message, "\" - should this be a string literal");

    if (!end || !pm_text_starts(says, start))
        return;
    memmove(message + start.len - 1, message + start.len, (size_t)(end - message) - start.len);
    message[end - message - 1] = '\0';
}

/* "no such table: X, did you mean 'Y'? there are: ..." */
static pmapdb_status complain(sqlite3 *db, const pm_script *script, const char *message,
                              pmapdb_error *err)
{
    pm_text says = pm_text_of(message), name = name_in(says);
    const char *at = place_of(db, script->text, message);
    bool quoted = at && *at == '"' && pm_text_starts(says, PM_TEXT("no such column: "));
    pm_buf tables = {0};
    pm_near near;
    pmapdb_status st = PMAPDB_OK;

    pm_near_start(&near, name);
    find_meant(db, says, script->text, &near);
    if (pm_text_starts(says, PM_TEXT("no such table: ")))
        st = list_tables(db, &tables, err);
    if (st == PMAPDB_OK && tables.len)
        st = pm_script_fail(script, at, err, PMAPDB_USAGE, "%s%s there are:%s", message,
                            pm_near_hint(&near), tables.data);
    else if (st == PMAPDB_OK && quoted)
        st = pm_script_fail(script, at, err, PMAPDB_USAGE,
                            "%s (\"...\" is a name; text is written '%.*s')", message,
                            (int)name.len, name.data);
    else if (st == PMAPDB_OK)
        st = pm_script_fail(script, at, err, PMAPDB_USAGE, "%s%s", message,
                            near.best[0] ? pm_near_hint(&near) : "");
    pm_buf_free(&tables);
    return st;
}

/* ---- preparing ---- */

static pmapdb_status refuse(sqlite3 *db, const pm_script *script, const pm_guard *guard,
                            const char *what, pmapdb_error *err)
{
    pm_text rest = script->text;
    const char *body = pm_script_token(&rest).data;
    char *message;
    pmapdb_status st;

    switch (sqlite3_errcode(db) & 0xff) {
    case SQLITE_ERROR:
    case SQLITE_AUTH:
    case SQLITE_TOOBIG:
        break;
    default:
        return pm_sql_fail(db, "read", err); /* not the statement's fault */
    }
    if (guard->refused[0])
        return pm_script_fail(script, body, err, PMAPDB_USAGE, "%s only reads: %s is refused", what,
                              guard->refused);
    message = strdup(sqlite3_errmsg(db));
    if (!message)
        return pm_fail_nomem(err);
    make_plain(message);
    st = complain(db, script, message, err);
    free(message);
    return st;
}

/* Blanks, comments and semicolons may follow. */
static const char *second_statement(const char *tail, pm_text text)
{
    pm_text rest = {tail, (size_t)(text.data + text.len - tail)}, token;

    do
        token = pm_script_token(&rest);
    while (token.len == 1 && *token.data == ';');
    return token.len ? token.data : NULL;
}

pmapdb_status pm_trouble_prepare(sqlite3 *db, const pm_script *script, const pm_guard *guard,
                                 const char *what, sqlite3_stmt **stmt, pmapdb_error *err)
{
    const char *tail = NULL, *second;
    pm_text rest = script->text;
    const char *body = pm_script_token(&rest).data;
    pmapdb_status st = PMAPDB_OK;

    *stmt = NULL;
    if (sqlite3_prepare_v2(db, script->text.data, (int)script->text.len, stmt, &tail) != SQLITE_OK)
        return refuse(db, script, guard, what, err);
    second = second_statement(tail, script->text);
    if (!*stmt)
        st = pm_script_fail(script, NULL, err, PMAPDB_USAGE, "there is no statement");
    else if (second)
        st = pm_script_fail(script, second, err, PMAPDB_USAGE,
                            "%s is one statement: here begins a second one", what);
    else if (!sqlite3_stmt_readonly(*stmt) || sqlite3_column_count(*stmt) == 0)
        st = pm_script_fail(script, body, err, PMAPDB_USAGE, "%s only reads", what);
    if (st != PMAPDB_OK) {
        sqlite3_finalize(*stmt);
        *stmt = NULL;
    }
    return st;
}
