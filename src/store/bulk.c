/* bulk: new rows of one table, many by one statement. */
#include "store/bulk.h"

void pm_bulk_begin(pm_bulk *b, pm_sql *sql, const pm_bulk_table *table)
{
    b->sql = sql;
    b->table = table;
    b->n = 0;
    b->last = 0;
}

/* What SQLite itself would give. */
static pmapdb_status next_id(pm_bulk *b, int64_t *id, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (b->last == 0)
        st = pm_sql_int(b->sql, b->table->last, PM_NO_ARGS, 0, &b->last, err);
    if (st == PMAPDB_OK && b->last >= INT64_MAX >> 1)
        st = pm_fail(err, PMAPDB_DATABASE,
                     "there is no number left for a row; the store is damaged");
    if (st == PMAPDB_OK)
        *id = ++b->last;
    return st;
}

static pmapdb_status write_many(pm_bulk *b, pmapdb_error *err)
{
    b->n = 0;
    return pm_sql_run(b->sql, b->table->many, b->args, PM_BULK_ROWS * b->table->columns, err);
}

pmapdb_status pm_bulk_row(pm_bulk *b, pm_arg **out, int64_t *id, pmapdb_error *err)
{
    pmapdb_status st = b->n == PM_BULK_ROWS ? write_many(b, err) : PMAPDB_OK;

    *out = &b->args[b->n * b->table->columns];
    if (st == PMAPDB_OK && b->table->last)
        st = next_id(b, id, err);
    if (st != PMAPDB_OK)
        return st;
    if (b->table->last)
        **out = PM_I(*id);
    b->n++;
    return PMAPDB_OK;
}

pmapdb_status pm_bulk_end(pm_bulk *b, pmapdb_error *err)
{
    size_t columns = b->table->columns, n = b->n;
    pmapdb_status st = PMAPDB_OK;

    if (n == PM_BULK_ROWS)
        return write_many(b, err);
    b->n = 0;
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        st = pm_sql_run(b->sql, b->table->one, &b->args[i * columns], columns, err);
    return st;
}

void pm_bulk_unchecked(pm_sql *sql, bool off)
{
    sqlite3_db_config(pm_sql_db(sql), SQLITE_DBCONFIG_ENABLE_FKEY, !off, NULL);
}
