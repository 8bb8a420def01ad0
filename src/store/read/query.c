/* query: from the text of a query to its rows. */
#include "store/read/query.h"

#include "store/read/adhoc.h"
#include "store/read/statement.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- preparing ---- */

static bool is_taken(const pm_query_info *q, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (pm_text_equal(q->column[i].name, pm_text_of(name)))
            return true;
    return false;
}

pmapdb_status pm_query_keep_names(pm_query_info *q, pmapdb_error *err)
{
    size_t n = 1;
    char *at;

    for (int i = 0; i < q->n_columns; i++)
        n += q->column[i].name.len + sizeof "_64";
    for (int i = 0; i < q->n_params; i++)
        n += q->param[i].name.len + 1;
    at = q->names = malloc(n);
    if (!at)
        return pm_fail_nomem(err);
    for (int i = 0; i < q->n_columns; i++) {
        pm_text name = q->column[i].name;
        int len = sprintf(at, "%.*s", (int)name.len, name.len ? name.data : "");

        for (int twin = 2; is_taken(q, i, at); twin++)
            len = sprintf(at, "%.*s_%d", (int)name.len, name.len ? name.data : "", twin);
        q->column[i].name = (pm_text){at, (size_t)len};
        at += len + 1;
    }
    for (int i = 0; i < q->n_params; i++) {
        pm_text *name = &q->param[i].name;
        int len = sprintf(at, "%.*s", (int)name->len, name->data);

        name->data = at;
        at += len + 1;
    }
    return PMAPDB_OK;
}

pmapdb_status pm_rows_new(pmapdb_store *store, pm_query_info *info, pmapdb_rows **out,
                          pmapdb_error *err)
{
    pmapdb_rows *r = calloc(1, sizeof *r);

    if (!r) {
        pm_catalog_free(info);
        return pm_fail_nomem(err);
    }
    *r = (pmapdb_rows){
        .store = store, .info = info, .back_from = PMAPDB_UNKNOWN, .scope = pm_scope_all};
    *out = r;
    return PMAPDB_OK;
}

/* A built-in query, which tests check, is prepared when its rows are asked for: it may be wrapped
 * before. */
static pmapdb_status prepare(pmapdb_store *store, pm_query_info *info, pmapdb_rows **out,
                             pmapdb_error *err)
{
    pmapdb_rows *r = NULL;
    pmapdb_status st = pm_rows_new(store, info, &r, err);

    if (!info->builtin || info->engine.len)
        PM_STEP(st, pm_query_check(store, info, &r->stmt, err));
    PM_STEP(st, pm_query_keep_names(info, err));
    if (st == PMAPDB_OK)
        *out = r;
    else
        pmapdb_rows_close(r);
    return st;
}

pmapdb_status pmapdb_query(pmapdb_store *store, const char *name, pmapdb_rows **out,
                           pmapdb_error *err)
{
    pm_query_info *info = NULL;
    pmapdb_status st = pm_catalog_find(store->query_dir, name, &info, err);

    return st == PMAPDB_OK ? prepare(store, info, out, err) : st;
}

pmapdb_status pmapdb_query_file(pmapdb_store *store, const char *path, pmapdb_rows **out,
                                pmapdb_error *err)
{
    pm_query_info *info = NULL;
    pmapdb_status st = pm_catalog_read(path, &info, err);

    return st == PMAPDB_OK ? prepare(store, info, out, err) : st;
}

pmapdb_status pm_rows_wrap(pmapdb_rows *r, const char *before, const char *after, pmapdb_error *err)
{
    pm_text body = pm_text_of(r->stmt ? sqlite3_sql(r->stmt) : r->info->body);
    sqlite3_stmt *stmt = NULL;
    char *sql;
    pmapdb_status st = pm_statement_functions(r->store, err);

    if (st != PMAPDB_OK)
        return st;
    if (r->adhoc)
        return pm_fail(err, PMAPDB_USAGE, "say ORDER BY and LIMIT in the statement itself");
    while (body.len && strchr(";\n", body.data[body.len - 1]))
        body.len--;
    sql = sqlite3_mprintf("%s%.*s\n%s", before, (int)body.len, body.data, after);
    if (!sql)
        return pm_fail_nomem(err);
    if (sqlite3_prepare_v2(r->store->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        sqlite3_free(sql);
        return pm_sql_fail(r->store->db, "order the rows", err);
    }
    sqlite3_free(sql);
    sqlite3_finalize(r->stmt);
    r->stmt = stmt;
    r->bound = false;
    return PMAPDB_OK;
}

void pmapdb_rows_close(pmapdb_rows *r)
{
    if (!r)
        return;
    sqlite3_finalize(r->stmt);
    pm_adhoc_free(r->adhoc);
    pm_catalog_free(r->info);
    for (int i = 0; i < PM_QUERY_ITEMS; i++)
        free(r->given[i]);
    free(r);
}

const pm_query_info *pm_rows_info(const pmapdb_rows *r)
{
    return r->info;
}

/* ---- progress ---- */

#define STEPS 100000 /* of SQLite between two calls: some ms */

static int tell(void *ctx)
{
    pmapdb_store *s = ctx;
    const pmapdb_progress progress = {.what = s->judged ? "judging" : "searching",
                                      .unit = s->judged ? "processes" : NULL,
                                      .done = (uint64_t)s->judged};

    return !s->on_progress(s->progress_ctx, &progress);
}

void pmapdb_on_progress(pmapdb_store *s, pmapdb_progress_fn on_progress, void *ctx)
{
    s->on_progress = on_progress;
    s->progress_ctx = ctx;
    sqlite3_progress_handler(s->db, on_progress ? STEPS : 0, tell, s);
}

/* ---- rows ---- */

pmapdb_status pmapdb_next(pmapdb_rows *r, bool *has_row, pmapdb_error *err)
{
    pmapdb_status st = r->bound ? PMAPDB_OK : pm_query_resolve(r, err);

    if (st != PMAPDB_OK)
        return st;
    if (r->adhoc)
        return pm_adhoc_next(r, has_row, err);
    *has_row = pm_sql_next(r->store->sql, r->stmt);
    if (r->store->on_progress)
        r->store->on_progress(r->store->progress_ctx, &(pmapdb_progress){0});
    return pm_sql_end(r->store->sql, err);
}

int pmapdb_rows_columns(const pmapdb_rows *r)
{
    return r->info->n_columns;
}

static bool has_column(const pmapdb_rows *r, int column)
{
    return column >= 0 && column < r->info->n_columns;
}

const char *pmapdb_rows_name(const pmapdb_rows *r, int column)
{
    return has_column(r, column) ? r->info->column[column].name.data : NULL;
}

const char *pmapdb_rows_unit(const pmapdb_rows *r, int column)
{
    pm_unit unit = has_column(r, column) ? r->info->column[column].unit : PM_UNIT_COUNT_OF_UNITS;

    return pm_unit_name(unit == PM_UNIT_COUNT_OF_UNITS ? PM_UNIT_TEXT : unit);
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
