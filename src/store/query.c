/* query: a named query, its parameters as users write them, its rows. */
#include "store/query.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ---- preparing ---- */

static pmapdb_status check_columns(const pm_query_info *q, sqlite3_stmt *stmt, pmapdb_error *err)
{
    int n = sqlite3_column_count(stmt);

    for (int i = 0; i < n || i < q->n_columns; i++) {
        const char *is = i < n ? sqlite3_column_name(stmt, i) : "(nothing)";
        pm_text says = i < q->n_columns ? q->column[i].name : PM_TEXT("(nothing)");

        if (!pm_text_equal(pm_text_of(is), says))
            return pm_fail(err, PMAPDB_USAGE,
                           "%.*s: column %d is declared as '%.*s', the statement gives '%s'",
                           (int)q->name.len, q->name.data, i + 1, (int)says.len, says.data, is);
    }
    return PMAPDB_OK;
}

/* A parameter that nobody declared would be NULL without a word. */
static pmapdb_status check_params(const pm_query_info *q, sqlite3_stmt *stmt, pmapdb_error *err)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
        const char *is = sqlite3_bind_parameter_name(stmt, i);
        bool declared = is && strcmp(is, ":name_id") == 0;

        for (int k = 0; k < q->n_params && is && !declared; k++)
            declared = pm_query_is_param(is, q->param[k].name);
        if (!declared)
            return pm_fail(err, PMAPDB_USAGE, "%.*s: the parameter '%s' is not declared",
                           (int)q->name.len, q->name.data, is ? is : "?");
    }
    return PMAPDB_OK;
}

static bool only_blank(const char *tail)
{
    while (isspace((unsigned char)*tail) || *tail == ';')
        tail++;
    return *tail == '\0';
}

pmapdb_status pm_query_check(sqlite3 *db, const pm_query_info *q, sqlite3_stmt **stmt,
                             pmapdb_error *err)
{
    const char *tail;
    pmapdb_status st;

    if (sqlite3_prepare_v2(db, q->text, -1, stmt, &tail) != SQLITE_OK)
        return pm_fail(err, PMAPDB_USAGE, "%.*s: %s", (int)q->name.len, q->name.data,
                       sqlite3_errmsg(db));
    if (!*stmt || !sqlite3_stmt_readonly(*stmt))
        st = pm_fail(err, PMAPDB_USAGE, "%.*s: a query only reads", (int)q->name.len, q->name.data);
    else if (!only_blank(tail))
        st = pm_fail(err, PMAPDB_USAGE, "%.*s: a query is one statement", (int)q->name.len,
                     q->name.data);
    else
        st = check_columns(q, *stmt, err);
    if (st == PMAPDB_OK)
        st = check_params(q, *stmt, err);
    if (st != PMAPDB_OK) {
        sqlite3_finalize(*stmt);
        *stmt = NULL;
    }
    return st;
}

pmapdb_status pmapdb_query(pmapdb_store *store, const char *name, pmapdb_rows **out,
                           pmapdb_error *err)
{
    pmapdb_rows *r = calloc(1, sizeof *r);
    pmapdb_status st;

    if (!r)
        return pm_fail_nomem(err);
    r->store = store;
    r->back_from = PMAPDB_UNKNOWN;
    st = pm_catalog_find(store->query_dir, name, &r->info, err);
    if (st == PMAPDB_OK)
        st = pm_query_check(store->db, r->info, &r->stmt, err);
    if (st != PMAPDB_OK) {
        pmapdb_rows_close(r);
        return st;
    }
    *out = r;
    return PMAPDB_OK;
}

void pmapdb_rows_close(pmapdb_rows *r)
{
    if (!r)
        return;
    sqlite3_finalize(r->stmt);
    pm_catalog_free(r->info);
    for (int i = 0; i < PM_QUERY_ITEMS; i++)
        free(r->given[i]);
    free(r);
}

const pm_query_info *pm_rows_info(const pmapdb_rows *r)
{
    return r->info;
}

/* ---- rows ---- */

pmapdb_status pmapdb_next(pmapdb_rows *r, bool *has_row, pmapdb_error *err)
{
    pmapdb_status st = r->bound ? PMAPDB_OK : pm_query_resolve(r, err);

    return st == PMAPDB_OK ? pm_sql_step(r->store->sql, r->stmt, has_row, err) : st;
}

int pmapdb_rows_columns(const pmapdb_rows *r)
{
    return r->info->n_columns;
}

const char *pmapdb_rows_name(const pmapdb_rows *r, int column)
{
    return sqlite3_column_name(r->stmt, column);
}

const char *pmapdb_rows_unit(const pmapdb_rows *r, int column)
{
    return pm_unit_name(r->info->column[column].unit);
}

pmapdb_type pmapdb_rows_type(const pmapdb_rows *r, int column)
{
    switch (sqlite3_column_type(r->stmt, column)) {
    case SQLITE_INTEGER:
        return PMAPDB_INT;
    case SQLITE_FLOAT:
        return PMAPDB_REAL;
    case SQLITE_NULL:
        return PMAPDB_NULL;
    default:
        return PMAPDB_TEXT;
    }
}

int64_t pmapdb_rows_int(const pmapdb_rows *r, int column)
{
    return pm_col_int(r->stmt, column);
}

double pmapdb_rows_real(const pmapdb_rows *r, int column)
{
    return sqlite3_column_type(r->stmt, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(r->stmt, column);
}

const char *pmapdb_rows_text(const pmapdb_rows *r, int column, size_t *length)
{
    const char *text = (const char *)sqlite3_column_text(r->stmt, column);

    if (length)
        *length = text ? (size_t)sqlite3_column_bytes(r->stmt, column) : 0;
    return text;
}
