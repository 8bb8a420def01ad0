/* epoch: a stretch of captures taken apart for changing, and put together again. */
#include "store/epoch.h"

#include "base/buf.h"
#include "store/dict/region.h"
#include <stdlib.h>

/* ---- reading ---- */

#define CAT_COLUMNS "mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib"

/* Beyond all places is the same, however far. */
static int64_t place_of(sqlite3_stmt *stmt, int column)
{
    int64_t place = pm_col_int(stmt, column);

    return place > PM_EPOCH_PLACES ? PM_EPOCH_PLACES : place;
}

/* Rows are key, first, last, n_numbers numbers, in the order of the key. */
static pmapdb_status read_strip(pm_sql *sql, sqlite3_stmt *stmt, int n_numbers, size_t n,
                                pm_strip *s, pmapdb_error *err)
{
    pmapdb_status st;
    bool has;

    st = pm_strip_init(s, n, err);
    if (st != PMAPDB_OK) {
        pm_sql_done(stmt);
        return st;
    }
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_version v = {.cell.key = pm_col_int(stmt, 0), .first = place_of(stmt, 1)};

        v.last = place_of(stmt, 2);
        for (int i = 0; i < n_numbers; i++)
            v.cell.m.v[i] = pm_col_kib(stmt, i + 3);
        st = pm_strip_add(s, n, &v, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

static pmapdb_status read_versions(pm_sql *sql, int64_t epoch_id, size_t n, pm_strip *ver,
                                   pm_strip *cat, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st = pm_sql_rows(sql,
                                   "SELECT v.region_id, v.first, v.last, " PM_VER_SELECT
                                   " FROM mapping_version v" PM_VER_JOIN "WHERE v.epoch_id = ?1 "
                                   "ORDER BY v.region_id, v.first",
                                   PM_ARGS(PM_I(epoch_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = read_strip(sql, stmt, PM_VER_READ, n, ver, err);
    if (st == PMAPDB_OK)
        st = pm_sql_rows(sql,
                         "SELECT category_id, first, last, " CAT_COLUMNS
                         " FROM category_version WHERE epoch_id = ?1 ORDER BY category_id, first",
                         PM_ARGS(PM_I(epoch_id)), &stmt, err);
    return st == PMAPDB_OK ? read_strip(sql, stmt, PM_TOTAL_COUNT, n, cat, err) : st;
}

pmapdb_status pm_epoch_read(pm_sql *sql, int64_t epoch_id, pm_strip *ver, pm_strip *cat,
                            pmapdb_error *err)
{
    return read_versions(sql, epoch_id, 0, ver, cat, err);
}

pmapdb_status pm_epoch_new(pm_sql *sql, int64_t process_id, pm_dialect dialect, pm_state state,
                           uint64_t fields, int64_t *epoch_id, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(
        sql, "INSERT INTO epoch (process_id, dialect, state, fields) VALUES (?1, ?2, ?3, ?4)",
        PM_ARGS(PM_I(process_id), PM_S(pm_dialect_name(dialect)), PM_S(pm_state_name(state)),
                PM_I(fields)),
        err);

    *epoch_id = pm_sql_last_id(sql);
    return st;
}

/* ---- writing ---- */

typedef struct strip_sql {
    const char *remove, *insert;
    int n_numbers;
} strip_sql;

static const strip_sql ver_sql = {
    "DELETE FROM mapping_version WHERE epoch_id = ?1 AND region_id = ?2 AND first = ?3",
    "INSERT INTO mapping_version (epoch_id, region_id, first, last, " PM_VER_COLUMNS ") VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    PM_VER_COUNT};
static const strip_sql cat_sql = {
    "DELETE FROM category_version WHERE epoch_id = ?1 AND category_id = ?2 AND first = ?3",
    "INSERT INTO category_version (epoch_id, category_id, first, last, " CAT_COLUMNS ") VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    PM_TOTAL_COUNT};

static pmapdb_status insert_version(pm_sql *sql, const strip_sql *how, int64_t epoch_id,
                                    const pm_version *v, pmapdb_error *err)
{
    pm_arg args[4 + PM_VER_COUNT] = {PM_I(epoch_id), PM_I(v->cell.key), PM_I(v->first),
                                     PM_I(v->last)};

    for (int i = 0; i < how->n_numbers; i++)
        args[4 + i] = PM_I(v->cell.m.v[i]);
    return pm_sql_run(sql, how->insert, args, 4 + (size_t)how->n_numbers, err);
}

static bool same_version(const pm_version *a, const pm_version *b)
{
    return a->last == b->last && pm_metrics_equal(&a->cell.m, &b->cell.m);
}

/* Walks what is there and what shall be, both sorted; deletes before it inserts, so that the
 * primary key is never broken on the way. */
static pmapdb_status write_difference(pm_sql *sql, const strip_sql *how, int64_t epoch_id,
                                      const pm_strip *old, const pm_strip *new, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, j = 0; (i < old->n_saved || j < new->n_saved) && st == PMAPDB_OK;) {
            int order = i == old->n_saved   ? 1
                        : j == new->n_saved ? -1
                                            : pm_version_compare(&old->saved[i], &new->saved[j]);
            bool keep = order == 0 && same_version(&old->saved[i], &new->saved[j]);

            if (pass == 0 && order <= 0 && !keep)
                st = pm_sql_run(sql, how->remove,
                                PM_ARGS(PM_I(epoch_id), PM_I(old->saved[i].cell.key),
                                        PM_I(old->saved[i].first)),
                                err);
            if (pass == 1 && order >= 0 && !keep)
                st = insert_version(sql, how, epoch_id, &new->saved[j], err);
            i += order <= 0;
            j += order >= 0;
        }
    return st;
}

pmapdb_status pm_epoch_rewrite(pm_sql *sql, int64_t epoch_id, const pm_strip old[2],
                               const pm_strip new[2], pmapdb_error *err)
{
    pmapdb_status st = write_difference(sql, &ver_sql, epoch_id, &old[0], &new[0], err);

    return st == PMAPDB_OK ? write_difference(sql, &cat_sql, epoch_id, &old[1], &new[1], err) : st;
}
