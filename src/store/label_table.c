/* label_table: what programs said of their memory, in table label. */
#include "store/label.h"

/* A report that is not whole has one row more: a range of no bytes at 0, without a name. */

/* ---- reading ---- */

static pmapdb_status add_range(sqlite3_stmt *stmt, pm_labels *l, pmapdb_error *err)
{
    pm_text text = pm_col_text(stmt, 3);
    pm_label one = {(uint64_t)sqlite3_column_int64(stmt, 0),
                    (uint64_t)sqlite3_column_int64(stmt, 1), pm_col_int(stmt, 2) != 0,
                    l->texts.len};
    pmapdb_status st;

    if (one.start == one.end) {
        l->torn = true;
        return PMAPDB_OK;
    }
    if (one.start > one.end || (l->n && one.start < l->label[l->n - 1].end))
        return PMAPDB_OK;
    st = pm_buf_add(&l->texts, text.len ? text.data : "", text.len, err);
    if (st == PMAPDB_OK)
        st = pm_buf_add(&l->texts, "", 1, err);
    if (st == PMAPDB_OK)
        st = pm_grow(&l->label, &l->cap, l->n, sizeof *l->label, err);
    if (st == PMAPDB_OK)
        l->label[l->n++] = one;
    return st;
}

pmapdb_status pm_label_read(pm_sql *sql, const pm_label_key *key, pm_labels *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT start, start + length, committed, label FROM label WHERE process_id = ?1 "
        "AND taken_ms = ?2 AND source = ?3 ORDER BY start < 0, start, length",
        PM_ARGS(PM_I(key->process_id), PM_I(key->taken_ms),
                PM_S(pm_labels_source_name(key->source))),
        &stmt, err);

    *out = (pm_labels){.source = key->source, .has_map = true};
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = add_range(stmt, out, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

pmapdb_status pm_label_each(pm_sql *sql, int64_t process_id, pm_label_fn fn, void *ctx,
                            pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_sql_rows(sql,
                    "SELECT DISTINCT taken_ms, source FROM label WHERE process_id = ?1 "
                    "ORDER BY taken_ms, source DESC",
                    PM_ARGS(PM_I(process_id)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        bool nmt = pm_text_equal(pm_col_text(stmt, 1), PM_TEXT("nmt"));
        pm_label_key key = {process_id, pm_col_int(stmt, 0),
                            nmt ? PM_LABELS_NMT : PM_LABELS_SYSTEM_MAP};
        pm_labels l = {0};

        st = pm_label_read(sql, &key, &l, err);
        if (st == PMAPDB_OK)
            st = fn(ctx, &key, &l, err);
        pm_labels_free(&l);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

pmapdb_status pm_label_last(pm_sql *sql, const pm_label_key *key, bool *out, pmapdb_error *err)
{
    int64_t later;
    pmapdb_status st =
        pm_sql_int(sql,
                   "SELECT EXISTS (SELECT 1 FROM label WHERE process_id = ?1 AND (taken_ms > ?2 "
                   "OR (taken_ms = ?2 AND source < ?3)))",
                   PM_ARGS(PM_I(key->process_id), PM_I(key->taken_ms),
                           PM_S(pm_labels_source_name(key->source))),
                   0, &later, err);

    *out = !later;
    return st;
}

bool pm_label_equal(const pm_labels *a, const pm_labels *b)
{
    if (a->n != b->n || pm_labels_whole(a) != pm_labels_whole(b))
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const pm_label *x = &a->label[i], *y = &b->label[i];

        if (x->start != y->start || x->end != y->end || x->committed != y->committed ||
            strcmp(pm_label_text(a, x), pm_label_text(b, y)) != 0)
            return false;
    }
    return true;
}

/* ---- writing ---- */

static pmapdb_status insert(pm_sql *sql, const pm_label_key *key, const pm_label *one,
                            const char *text, pmapdb_error *err)
{
    return pm_sql_run(
        sql,
        "INSERT INTO label (process_id, taken_ms, source, start, length, committed, label) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        PM_ARGS(PM_I(key->process_id), PM_I(key->taken_ms),
                PM_S(pm_labels_source_name(key->source)), PM_BITS(one->start),
                PM_BITS(one->end - one->start), PM_I(one->committed), PM_S(text)),
        err);
}

pmapdb_status pm_label_write(pm_sql *sql, const pm_label_key *key, const pm_labels *l,
                             pmapdb_error *err)
{
    pmapdb_status st =
        pm_sql_run(sql, "DELETE FROM label WHERE process_id = ?1 AND taken_ms = ?2 AND source = ?3",
                   PM_ARGS(PM_I(key->process_id), PM_I(key->taken_ms),
                           PM_S(pm_labels_source_name(key->source))),
                   err);

    if (st == PMAPDB_OK && !pm_labels_whole(l))
        st = insert(sql, key, &(pm_label){0}, "", err);
    for (size_t i = 0; i < l->n && st == PMAPDB_OK; i++)
        st = insert(sql, key, &l->label[i], pm_label_text(l, &l->label[i]), err);
    return st;
}
