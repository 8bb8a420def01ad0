/* sql_script: runs the statements of a built-in file. */
#include "store/file/sql.h"

static void bind(pm_sql *sql, sqlite3_stmt *stmt, const pm_param *params, size_t n_params)
{
    for (size_t i = 0; i < n_params; i++) {
        int at = sqlite3_bind_parameter_index(stmt, params[i].name);

        if (at && pm_sql_bind(stmt, at, &params[i].value) != SQLITE_OK)
            PM_SQL_STEP(sql, pm_sql_fail(pm_sql_db(sql), "bind a value", &err));
    }
}

sqlite3_stmt *pm_sql_ask_script(pm_sql *sql, const char *name, const pm_param *params,
                                size_t n_params)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql, pm_sql_script_text(name), PM_NO_ARGS);

    if (stmt)
        bind(sql, stmt, params, n_params);
    return stmt;
}

void pm_sql_script(pm_sql *sql, const char *name, const pm_param *params, size_t n_params)
{
    sqlite3 *db = pm_sql_db(sql);
    const char *text = pm_sql_script_text(name);

    while (*text && pm_sql_ok(sql)) {
        sqlite3_stmt *stmt = NULL; /* NULL: only a comment is left */

        if (sqlite3_prepare_v2(db, text, -1, &stmt, &text) != SQLITE_OK)
            PM_SQL_STEP(sql, pm_sql_fail(db, "prepare a statement", &err));
        if (stmt)
            bind(sql, stmt, params, n_params);
        while (stmt && pm_sql_ok(sql) && sqlite3_step(stmt) == SQLITE_ROW)
            continue;
        if (stmt && sqlite3_reset(stmt) != SQLITE_OK)
            PM_SQL_STEP(sql, pm_sql_fail(db, "write", &err));
        sqlite3_finalize(stmt);
    }
}
