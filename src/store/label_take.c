/* label_take: what a JVM said to another store. */
#include "store/label.h"

/* One report. Ranges that no reader gives are left out: the other store is a file from somewhere.
 */
static pmapdb_status read_report(pm_sql *from, int64_t there, int64_t taken_ms, pm_labels *l,
                                 pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        from,
        "SELECT start, start + length, committed, label FROM label WHERE process_id = ?1 "
        "AND taken_ms = ?2 AND source = ?3 AND length > 0 ORDER BY start < 0, start",
        PM_ARGS(PM_I(there), PM_I(taken_ms), PM_S(pm_labels_source_name(l->source))), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(from, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_text text = pm_col_text(stmt, 3);
        pm_label one = {(uint64_t)sqlite3_column_int64(stmt, 0),
                        (uint64_t)sqlite3_column_int64(stmt, 1), pm_col_int(stmt, 2) != 0,
                        l->texts.len};

        if (one.start >= one.end || (l->n && one.start < l->label[l->n - 1].end))
            continue;
        st = pm_buf_add(&l->texts, text.len ? text.data : "", text.len, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(&l->texts, "", 1, err);
        if (st == PMAPDB_OK)
            st = pm_grow(&l->label, &l->cap, l->n, sizeof *l->label, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        l->label[l->n++] = one;
    }
    return st;
}

static pmapdb_status take_report(pm_sql *from, int64_t there, pm_sql *into, int64_t here,
                                 int64_t taken_ms, pm_labels_source source, pmapdb_error *err)
{
    pm_labels l = {.source = source};
    pm_label_put put = {.labels = &l, .taken_ms = taken_ms, .since = INT64_MAX};
    pm_label_stored stored = {0};
    pmapdb_status st = read_report(from, there, taken_ms, &l, err);

    if (st == PMAPDB_OK && l.n)
        st = pm_label_nearest(into, here, taken_ms, &stored, err);
    if (st == PMAPDB_OK && stored.process_id)
        st = pm_label_settle(into, &put, &stored, err);
    pm_labels_free(&l);
    return st;
}

pmapdb_status pm_label_take(pm_sql *from, int64_t there, pm_sql *into, int64_t here,
                            pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        from, "SELECT DISTINCT taken_ms, source FROM label WHERE process_id = ?1 ORDER BY 1, 2",
        PM_ARGS(PM_I(there)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(from, stmt, &has, err)) == PMAPDB_OK && has) {
        bool nmt = pm_text_equal(pm_col_text(stmt, 1), PM_TEXT("nmt"));

        st = take_report(from, there, into, here, pm_col_int(stmt, 0),
                         nmt ? PM_LABELS_NMT : PM_LABELS_SYSTEM_MAP, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}
