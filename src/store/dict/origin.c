/* origin: where captures were found. */
#include "store/dict/origin.h"

int64_t pm_folder_of(pm_sql *sql, pm_text folder)
{
    const pm_arg args[] = {PM_T(folder)};
    int64_t id = pm_sql_value(sql, "SELECT folder_id FROM folder WHERE folder = ?1", args, 1, 0);

    if (id)
        return id;
    pm_sql_do(sql, "INSERT INTO folder (folder) VALUES (?1)", args, 1);
    return pm_sql_last_id(sql);
}

pmapdb_status pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file, int64_t *capture_id,
                                pmapdb_error *err)
{
    pm_sql_do(sql, "INSERT INTO capture (folder_id, file) VALUES (?1, ?2)",
              PM_ARGS(PM_I(pm_folder_of(sql, folder)), PM_T(file)));
    *capture_id = pm_sql_last_id(sql);
    return pm_sql_end(sql, err);
}

static pmapdb_status set(pm_buf *out, pm_text text, pmapdb_error *err)
{
    pm_buf_clear(out);
    return pm_buf_add(out, text.data ? text.data : "", text.len, err);
}

pmapdb_status pm_origin_read(pm_sql *sql, int64_t capture_id, pm_buf *folder, pm_buf *file,
                             bool *has, pmapdb_error *err)
{
    sqlite3_stmt *row =
        pm_sql_ask(sql,
                   "SELECT (SELECT f.folder FROM folder f WHERE f.folder_id = c.folder_id), c.file "
                   "FROM capture c WHERE c.capture_id = ?1",
                   PM_ARGS(PM_I(capture_id)));
    pmapdb_status st = PMAPDB_OK;

    *has = pm_sql_next(sql, row);
    if (*has) {
        st = set(folder, pm_col_text(row, 0), err);
        if (st == PMAPDB_OK)
            st = set(file, pm_col_text(row, 1), err);
        pm_sql_done(row);
    }
    return st == PMAPDB_OK ? pm_sql_end(sql, err) : st;
}
