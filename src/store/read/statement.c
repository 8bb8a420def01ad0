/* statement: prepares SQL that a person wrote, refuses everything but reading, explains errors. */
#include "store/read/statement.h"

#include "base/near.h"
#include "store/func/functions.h"
#include <stdlib.h>
#include <strings.h>

/* ---- the authorizer ---- */

/* PRAGMAs that only show; those of the second list also with a value, which names what to show. */
static const char plain_pragmas[] =
    "application_id collation_list compile_options database_list encoding freelist_count "
    "function_list journal_mode module_list page_count page_size pragma_list schema_version "
    "table_list user_version";
static const char asking_pragmas[] =
    "foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check "
    "quick_check table_info table_xinfo";

/* Functions that do more than compute. Builds of SQLite may have the first four; the others come
 * with its shell and its example extensions. */
static const char acting_functions[] = "load_extension fts3_tokenizer icu_load_collation "
                                       "sqlite_log edit writefile readfile eval";

static bool is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = list; n && (at = strcasestr(at, name)); at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
                     const char *view)
{
    (void)ctx;
    (void)database;
    (void)view;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_PRAGMA:
        return is_listed(asking_pragmas, a) || (!b && is_listed(plain_pragmas, a)) ? SQLITE_OK
                                                                                   : SQLITE_DENY;
    case SQLITE_UPDATE:
        /* SQLite itself does this if a statement is the first to read a virtual table such as
         * pragma_table_info. A user's UPDATE of the schema table still fails. */
        return strcasecmp(a, "sqlite_master") == 0 || strcasecmp(a, "sqlite_temp_master") == 0
                   ? SQLITE_OK
                   : SQLITE_DENY;
    case SQLITE_FUNCTION:
        return is_listed(acting_functions, b) ? SQLITE_DENY : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
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

/* Errors about an unknown name, and the known names. */
static const struct {
    const char *message, *select;
} missing[] = {
    {"no such table: ", "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"},
    {"no such column: ", "SELECT x.name FROM sqlite_master m, pragma_table_xinfo(m.name) x "
                         "WHERE m.type IN ('table', 'view')"},
    {"no such function: ", "SELECT name FROM pragma_function_list"},
};

/* "no such table: X, did you mean 'Y'?" */
static pmapdb_status explain(sqlite3 *db, const pm_query_info *info, pmapdb_error *err)
{
    const char *at = place_of_error(db, info), *dot;
    char *message = strdup(sqlite3_errmsg(db)); /* the queries for names overwrite it */
    pm_text says = pm_text_of(message ? message : ""), name = {NULL, 0};
    sqlite3_stmt *known = NULL;
    pm_near near;
    pmapdb_status st;

    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (pm_text_starts(says, pm_text_of(missing[i].message))) {
            name = pm_text_from(says, strlen(missing[i].message));
            dot = name.len ? memrchr(name.data, '.', name.len) : NULL;
            name = pm_text_from(name, dot ? (size_t)(dot - name.data) + 1 : 0);
            sqlite3_prepare_v2(db, missing[i].select, -1, &known, NULL);
        }
    pm_near_start(&near, name);
    while (known && sqlite3_step(known) == SQLITE_ROW)   /* without memory there are no rows */
        if (!pm_text_equal(pm_col_text(known, 0), name)) /* the name may be in another table */
            pm_near_try(&near, pm_col_text(known, 0));
    sqlite3_finalize(known);
    if (!at && name.len)
        at = strstr(info->body, name.data); /* the name ends the message */
    at = at ? at : info->body;
    if (!message)
        st = pm_fail_nomem(err);
    else if (*at == '"' && name.len)
        st = pm_query_fail(info, at, err, "%s (\"...\" is a name; text is written '...')", message);
    else
        st = pm_query_fail(info, at, err, "%s%s", message, near.best[0] ? pm_near_hint(&near) : "");
    free(message);
    return st;
}

static pmapdb_status fail(sqlite3 *db, const pm_query_info *info, const char *what,
                          pmapdb_error *err)
{
    int code = sqlite3_errcode(db) & 0xff;

    if (code == SQLITE_AUTH)
        return pm_query_fail(info, info->body, err, "%s only reads", what);
    if (code != SQLITE_ERROR && code != SQLITE_TOOBIG)
        return pm_sql_fail(db, "read", err); /* not an error in the statement */
    return explain(db, info, err);
}

/* ---- preparing ---- */

static pmapdb_status prepare(sqlite3 *db, const pm_query_info *info, const char *what,
                             sqlite3_stmt **stmt, pmapdb_error *err)
{
    const char *tail = NULL, *rest;
    sqlite3_stmt *second = NULL;
    int rc = SQLITE_OK;

    if (sqlite3_prepare_v2(db, info->body, -1, stmt, &tail) != SQLITE_OK)
        return fail(db, info, what, err);
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

pmapdb_status pm_statement_functions(pmapdb_store *store, pmapdb_error *err)
{
    int rc = store->has_functions ? SQLITE_OK : pm_functions_add(store->db, &store->judged);

    store->has_functions = rc == SQLITE_OK;
    return rc == SQLITE_OK ? PMAPDB_OK : pm_sql_fail_code(store->db, rc, "add the functions", err);
}

pmapdb_status pm_statement_prepare(pmapdb_store *store, const pm_query_info *info, const char *what,
                                   sqlite3_stmt **stmt, pmapdb_error *err)
{
    pmapdb_status st = pm_statement_functions(store, err);

    *stmt = NULL;
    sqlite3_set_authorizer(store->db, authorize, NULL);
    PM_STEP(st, prepare(store->db, info, what, stmt, err));
    sqlite3_set_authorizer(store->db, NULL, NULL);
    if (st != PMAPDB_OK) {
        sqlite3_finalize(*stmt);
        *stmt = NULL;
    }
    return st;
}
