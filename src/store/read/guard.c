/* guard: SQLite's authorizer, which lets pass what only reads. */
#include "store/read/guard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <strings.h>

/* PRAGMAs that only tell; `with`: also with a value, which then says what about. */
static const struct {
    const char *name;
    bool with;
} pragmas[] = {
    {"application_id", false},  {"collation_list", false}, {"compile_options", false},
    {"database_list", false},   {"encoding", false},       {"foreign_key_check", true},
    {"foreign_key_list", true}, {"freelist_count", false}, {"function_list", false},
    {"index_info", true},       {"index_list", true},      {"index_xinfo", true},
    {"integrity_check", true},  {"journal_mode", false},   {"module_list", false},
    {"page_count", false},      {"page_size", false},      {"pragma_list", false},
    {"quick_check", true},      {"schema_version", false}, {"table_info", true},
    {"table_list", true},       {"table_xinfo", true},     {"user_version", false},
};

/* Those that do more than compute. SQLite has the first four, where they are built in; the others
 * come with its shell and its examples of extensions. */
static const char *const functions[] = {
    "load_extension", "fts3_tokenizer", "icu_load_collation", "sqlite_log",
    "edit",           "writefile",      "readfile",           "eval"};

static bool reading_pragma(const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
        if (strcasecmp(name, pragmas[i].name) == 0)
            return !value || pragmas[i].with;
    return false;
}

static bool computing_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcasecmp(name, functions[i]) == 0)
            return false;
    return true;
}

static const char *verb_of(int action)
{
    switch (action) {
    case SQLITE_INSERT:
        return "INSERT INTO";
    case SQLITE_UPDATE:
        return "UPDATE";
    case SQLITE_DELETE:
        return "DELETE FROM";
    case SQLITE_ATTACH:
        return "ATTACH";
    case SQLITE_DETACH:
        return "DETACH";
    case SQLITE_PRAGMA:
        return "PRAGMA";
    case SQLITE_FUNCTION:
        return "the function";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
        return "a transaction";
    default:
        return "a change of the schema";
    }
}

static bool is_schema(const char *table)
{
    return strcasecmp(table, "sqlite_master") == 0 || strcasecmp(table, "sqlite_temp_master") == 0;
}

static int refuse(pm_guard *guard, int action, const char *what, const char *value)
{
    bool writes = action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE;
    /* A table is made by writing into the list of tables. */
    bool schema = writes && is_schema(what);
    bool named = (writes && !schema) || action == SQLITE_PRAGMA || action == SQLITE_FUNCTION;

    if (!guard->refused[0])
        snprintf(guard->refused, sizeof guard->refused, "%s%s%s%s%s%s",
                 verb_of(schema ? SQLITE_CREATE_TABLE : action), named ? " " : "",
                 named ? what : "", action == SQLITE_FUNCTION ? "()" : "",
                 action == SQLITE_PRAGMA && value ? " = " : "",
                 action == SQLITE_PRAGMA && value ? value : "");
    return SQLITE_DENY;
}

static int ask(void *ctx, int action, const char *a, const char *b, const char *database,
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
        return reading_pragma(a, b) ? SQLITE_OK : refuse(ctx, action, a, b);
    case SQLITE_UPDATE:
        /* SQLite asks this of itself where a statement is the first to read a virtual table like
         * pragma_table_info. Of a user it does not take it. */
        return is_schema(a) ? SQLITE_OK : refuse(ctx, action, a, b);
    case SQLITE_FUNCTION:
        return computing_function(b) ? SQLITE_OK : refuse(ctx, action, b, NULL);
    default:
        return refuse(ctx, action, a, b);
    }
}

void pm_guard_set(sqlite3 *db, pm_guard *guard)
{
    guard->refused[0] = '\0';
    sqlite3_set_authorizer(db, ask, guard);
}

void pm_guard_clear(sqlite3 *db)
{
    sqlite3_set_authorizer(db, NULL, NULL);
}
