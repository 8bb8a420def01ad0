/* statement: prepares SQL that a person wrote, refuses everything but reading, explains errors. */
#include "store/read/statement.h"

#include "base/buf.h"
#include "base/near.h"
#include "store/file/sql.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- the authorizer ---- */

/* The first refusal: "INSERT INTO snapshot"; empty: none yet. */
#define REFUSED 160

/* PRAGMAs that only show; those of the second list also with a value, which names what to show. */
static const char plain_pragmas[] =
    " application_id collation_list compile_options database_list encoding freelist_count "
    "function_list journal_mode module_list page_count page_size pragma_list schema_version "
    "table_list user_version ";
static const char asking_pragmas[] =
    " foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check "
    "quick_check table_info table_xinfo ";

/* Functions that do more than compute. The first four are in SQLite if they are built in; the
 * others come with its shell and its example extensions. */
static const char acting_functions[] = " load_extension fts3_tokenizer icu_load_collation "
                                       "sqlite_log edit writefile readfile eval ";

static bool is_listed(const char *list, const char *name)
{
    char word[64];

    snprintf(word, sizeof word, " %s ", name);
    return strcasestr(list, word) != NULL;
}

static bool is_schema(const char *table)
{
    return strcasecmp(table, "sqlite_master") == 0 || strcasecmp(table, "sqlite_temp_master") == 0;
}

static int refuse(char refused[REFUSED], int action, const char *name)
{
    static const struct {
        int action;
        const char *before, *after; /* texts around the name; after NULL: the name is not shown */
    } words[] = {
        {SQLITE_INSERT, "INSERT INTO ", ""},      {SQLITE_UPDATE, "UPDATE ", ""},
        {SQLITE_DELETE, "DELETE FROM ", ""},      {SQLITE_PRAGMA, "PRAGMA ", ""},
        {SQLITE_FUNCTION, "the function ", "()"}, {SQLITE_ATTACH, "ATTACH", NULL},
        {SQLITE_DETACH, "DETACH", NULL},          {SQLITE_TRANSACTION, "a transaction", NULL},
        {SQLITE_SAVEPOINT, "a transaction", NULL}};
    bool is_table = action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE;

    if (*refused)
        return SQLITE_DENY;
    snprintf(refused, REFUSED, "a change of the schema");
    /* Making a table begins with a write to the schema table, which is not the refusal to report.
     */
    for (size_t i = 0; i < sizeof words / sizeof *words && !(is_table && is_schema(name)); i++)
        if (words[i].action == action)
            snprintf(refused, REFUSED, "%s%s%s", words[i].before, words[i].after ? name : "",
                     words[i].after ? words[i].after : "");
    return SQLITE_DENY;
}

static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
                     const char *view)
{
    (void)database;
    (void)view;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_PRAGMA:
        if (is_listed(asking_pragmas, a) || (!b && is_listed(plain_pragmas, a)))
            return SQLITE_OK;
        break;
    case SQLITE_UPDATE:
        /* SQLite itself does this if a statement is the first to read a virtual table such as
         * pragma_table_info. A user's UPDATE of the schema table still fails. */
        if (is_schema(a))
            return SQLITE_OK;
        break;
    case SQLITE_FUNCTION:
        a = b;
        if (!is_listed(acting_functions, b))
            return SQLITE_OK;
        break;
    default:
        break;
    }
    return refuse(ctx, action, a);
}

/* ---- errors ---- */

/* NULL: SQLite does not know the place. */
static const char *place_of_error(sqlite3 *db, const pm_query_info *info)
{
#if SQLITE_VERSION_NUMBER >= 3038000
    int offset = sqlite3_error_offset(db);

    return offset < 0 ? NULL : info->body + offset;
#else
    (void)db;
    (void)info;
    return NULL;
#endif
}

/* Tries the first column of all rows. */
static pmapdb_status try_all(sqlite3 *db, const char *select, pm_near *near, pm_buf *all,
                             pmapdb_error *err)
{
    sqlite3_stmt *stmt = NULL;
    pmapdb_status st = PMAPDB_OK;

    sqlite3_prepare_v2(db, select, -1, &stmt, NULL); /* without memory there are no rows */
    while (st == PMAPDB_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        pm_text name = pm_col_text(stmt, 0);

        if (!name.data || pm_text_equal(name, near->wanted)) /* the name may be in another table */
            continue;
        pm_near_try(near, name);
        if (sqlite3_column_int(stmt, 1))
            st = pm_buf_addf(all, err, " %.*s", (int)name.len, name.data);
    }
    sqlite3_finalize(stmt);
    return st;
}

/* Errors about an unknown name; the known names: name, whether the error lists it. */
static const struct missing {
    const char *message, *select;
} missing[] = {
    {"no such table: ", "SELECT name, type = 'view' FROM sqlite_master "
                        "WHERE type IN ('table', 'view') ORDER BY name"},
    {"no such column: ", "SELECT x.name, 0 FROM sqlite_master m, pragma_table_xinfo(m.name) x "
                         "WHERE m.type IN ('table', 'view')"},
    {"no such function: ", "SELECT name, 0 FROM pragma_function_list"},
};

/* "no such table: X, did you mean 'Y'? there are: ..." */
static pmapdb_status explain(sqlite3 *db, const pm_query_info *info, const char *message,
                             const char *at, pmapdb_error *err)
{
    pm_text says = pm_text_of(message), name = {NULL, 0};
    const char *dot;
    pm_buf all = {0};
    pm_near near;
    pmapdb_status st = PMAPDB_OK;

    pm_near_start(&near, name);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (pm_text_starts(says, pm_text_of(missing[i].message))) {
            name = pm_text_from(says, strlen(missing[i].message));
            dot = name.len ? memrchr(name.data, '.', name.len) : NULL;
            name = pm_text_from(name, dot ? (size_t)(dot - name.data) + 1 : 0);
            pm_near_start(&near, name);
            st = try_all(db, missing[i].select, &near, &all, err);
        }
    if (!at && name.len)
        at = strstr(info->body, name.data); /* the name ends the message */
    at = at ? at : info->body;
    if (st == PMAPDB_OK && name.len && *at == '"')
        st = pm_query_fail(info, at, err, "%s (\"...\" is a name; text is written '%.*s')", message,
                           (int)name.len, name.data);
    else if (st == PMAPDB_OK && all.len)
        st = pm_query_fail(info, at, err, "%s%s there are:%s", message, pm_near_hint(&near),
                           all.data);
    else if (st == PMAPDB_OK)
        st = pm_query_fail(info, at, err, "%s%s", message, near.best[0] ? pm_near_hint(&near) : "");
    pm_buf_free(&all);
    return st;
}

static pmapdb_status fail(sqlite3 *db, const pm_query_info *info, const char *refused,
                          const char *what, pmapdb_error *err)
{
    const char *at = place_of_error(db, info);
    int code = sqlite3_errcode(db) & 0xff;
    char *message;
    pmapdb_status st;

    if (code != SQLITE_ERROR && code != SQLITE_AUTH && code != SQLITE_TOOBIG)
        return pm_sql_fail(db, "read", err); /* not an error in the statement */
    if (*refused)
        return pm_query_fail(info, info->body, err, "%s only reads: %s is refused", what, refused);
    message = strdup(sqlite3_errmsg(db)); /* the queries for names overwrite it */
    st = message ? explain(db, info, message, at, err) : pm_fail_nomem(err);
    free(message);
    return st;
}

/* ---- preparing ---- */

static pmapdb_status prepare(sqlite3 *db, const pm_query_info *info, const char *refused,
                             const char *what, sqlite3_stmt **stmt, pmapdb_error *err)
{
    const char *tail = NULL, *rest;
    sqlite3_stmt *second = NULL;
    int rc = SQLITE_OK;

    if (sqlite3_prepare_v2(db, info->body, -1, stmt, &tail) != SQLITE_OK)
        return fail(db, info, refused, what, err);
    if (!*stmt)
        return pm_query_fail(info, NULL, err, "there is no statement");
    if (!sqlite3_stmt_readonly(*stmt) || sqlite3_column_count(*stmt) == 0)
        return pm_query_fail(info, info->body, err, "%s only reads", what);
    /* after the statement come blanks, comments and semicolons */
    for (rest = tail; *rest && !second && rc == SQLITE_OK;)
        rc = sqlite3_prepare_v2(db, rest, -1, &second, &rest);
    sqlite3_finalize(second);
    if (second || rc != SQLITE_OK)
        return sqlite3_errcode(db) == SQLITE_NOMEM
                   ? pm_fail_nomem(err)
                   : pm_query_fail(info, tail + strspn(tail, " \t\r\n"), err,
                                   "%s is one statement: a second one begins here", what);
    return PMAPDB_OK;
}

pmapdb_status pm_statement_prepare(sqlite3 *db, const pm_query_info *info, const char *what,
                                   sqlite3_stmt **stmt, pmapdb_error *err)
{
    char refused[REFUSED] = "";
    pmapdb_status st;

    *stmt = NULL;
    sqlite3_set_authorizer(db, authorize, refused);
    st = prepare(db, info, refused, what, stmt, err);
    sqlite3_set_authorizer(db, NULL, NULL);
    if (st != PMAPDB_OK) {
        sqlite3_finalize(*stmt);
        *stmt = NULL;
    }
    return st;
}
